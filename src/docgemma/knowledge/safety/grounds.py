"""What the entries say, cut into sentences and clauses, for comparing an explanation with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from docgemma.entities.amounts.quantities import quantities
from docgemma.entities.drugs.names import drugs_in, ingredients
from docgemma.entities.sentences import split
from docgemma.knowledge.entry import Entry
from docgemma.knowledge.safety.advice import Advice, advice, named
from docgemma.knowledge.safety.carrying import Carrier, matter, root
from docgemma.knowledge.safety.content import Content, clauses, content, stem, without_citations
from docgemma.knowledge.safety.figures import DOSED, Figure, covers, figures
from docgemma.knowledge.safety.framing import exact, frames, quoted
from docgemma.knowledge.safety.glue import folded
from docgemma.knowledge.safety.phrases import normalised

_NEAR = 0.34
_SAME = 0.7


@dataclass(frozen=True, slots=True)
class _Sentence:
    """`names`: medicines named here; `about`: those, or the ones named last before; `pairs`: which has which amount."""

    plain: str
    whole: Content
    parts: tuple[Content, ...]
    figures: frozenset[Figure]
    names: frozenset[str]
    about: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    advice: frozenset[Advice]
    asks: bool

    @staticmethod
    def of(text: str, before: frozenset[str]) -> _Sentence:
        names = named(text)
        spoken_of = frozenset(stem(word) for name in names or before for word in name.split())
        whole = content(text).also(spoken_of)
        parts = tuple(content(part).also(spoken_of) for part in clauses(text))
        return _Sentence(
            plain=normalised(without_citations(text)),
            whole=whole,
            parts=parts,
            figures=figures(text),
            names=names,
            about=names or before,
            pairs=_pairs(text),
            advice=advice(text, before),
            asks=text.rstrip().endswith("?"),
        )


class Grounds:
    """The entries of one answer."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = tuple(tuple(_sentences(entry)) for entry in entries)
        every = [each for entry in self._entries for each in entry]
        self._carriers = tuple((tuple(_carriers(entry)), _topic(entry)) for entry in entries)
        self._exact: dict[str, set[str]] = {}
        for entry in entries:
            for text, frame in frames(entry):
                self._exact.setdefault(exact(text), set()).add(frame)
        self._names = frozenset(name for each in every for name in each.names)
        told = [each for each in every if not each.asks]
        self._parts = tuple(part for each in told for part in each.parts)
        self._advice = frozenset(each for sentence in told for each in sentence.advice)
        self._every = every

    def says(self, sentence: str, around: frozenset[str]) -> bool:
        """Whether an entry has this sentence, word for word and sign for sign.

        `around`: what stands beside it. Where the entry calls it a myth or forbids it there, that must stand there too.
        """
        return any(not frame or frame in around for frame in self._exact.get(exact(sentence), ()))

    def holds(self, sentence: str) -> bool:
        """Whether one sentence of one entry has all words and figures of this one, and points the same way."""
        said = Carrier.of(without_citations(sentence))
        return any(each.carries(said, topic) for carriers, topic in self._carriers for each in carriers)

    def announces(self, sentence: str) -> bool:
        """Whether it only names what an entry is about."""
        said = frozenset(Carrier.of(without_citations(sentence)).matter)
        return any(said <= topic for _, topic in self._carriers)

    def names(self, drugs: Iterable[str]) -> bool:
        return self._names.issuperset(drugs)

    def carries(self, sentence: str, *, before: frozenset[str]) -> bool:
        """Whether one place in one entry has all figures of the sentence, on the same medicine and the same matter.

        `before`: the medicines the explanation spoke of last.
        """
        bare = without_citations(sentence)
        needed = figures(bare)
        if not needed:
            return True
        here = _Sentence.of(bare, before)
        return any(_fits(window, needed, here) for entry in self._entries for window in _windows(entry))

    def agrees(self, sentence: str, before: frozenset[str]) -> bool:
        """No part of the sentence turns round what the entries say on the same matter, or advises what they do not."""
        given = advice(sentence, before)
        if any(not self._advises(each) for each in given):
            return False
        warning = bool(given) and all(each.against for each in given)
        said, parts = content(sentence), [content(part) for part in clauses(sentence)]
        if not (said.denies or said.cautious) and self._hedges(named(sentence)):
            return False
        return not any(self._forbids(part) for part in parts if not (part.denies or part.cautious or warning))

    def _forbids(self, said: Content) -> bool:
        """Whether the sentence has all of something that a clause of an entry says no to, and no clause says yes to."""
        held = [each for each in self._parts if len(each.words) > 1 and each.words <= said.words]
        return any(each.denies for each in held) and all(each.denies for each in held)

    def _hedges(self, names: frozenset[str]) -> bool:
        """Whether the entries name one of these medicines only to forbid it or to have the reader ask first."""
        told = [each for each in self._every if not each.asks and each.names & names]
        alone = {name: [each.whole for each in told if name in each.names] for name in names}
        return any(places and all(each.denies or each.cautious for each in places) for places in alone.values())

    def _advises(self, given: Advice) -> bool:
        return any(
            each.act == given.act
            and each.against == given.against
            and (each.about == given.about or not each.about or not given.about)
            for each in self._advice
        )

    def phrase(self, words: str, sentence: str) -> bool:
        """Whether a sentence of an entry has these very words, on the same matter."""
        wanted, matter = normalised(words), content(sentence).words
        return any(
            wanted in each.plain and len(matter & each.whole.words) >= _SAME * len(matter) for each in self._every
        )


def _pairs(text: str) -> frozenset[tuple[str, str]]:
    """Each amount with the medicine that stands before it, or first after it."""
    drugs = drugs_in(text)
    found: set[tuple[str, str]] = set()
    for quantity in quantities(text):
        before = [drug for drug in drugs if drug.start < quantity.start]
        nearest = before[-1] if before else next(iter(drugs), None)
        if nearest is not None:
            name = "+".join(ingredients(nearest.value)) or nearest.value.lower()
            found.update((name, f"{value:f} {unit}") for value, unit in quantity.forms)
    return frozenset(found)


def _sentences(entry: Entry) -> Iterator[_Sentence]:
    last: frozenset[str] = frozenset()
    for text in (*split(entry.question), *split(entry.answer)):
        sentence = _Sentence.of(text, last)
        last = sentence.about
        yield sentence


def _topic(entry: Entry) -> frozenset[str]:
    """What the entry's question names; no medicine, which would then fit into every sentence."""
    return matter(entry.question) - _stems(named(entry.question))


def _stems(names: Iterable[str]) -> frozenset[str]:
    return frozenset(root(folded(word)) for name in names for word in name.split())


def _carriers(entry: Entry) -> Iterator[Carrier]:
    """The sentences of an answer that say something themselves, with the medicine that "it" stands for."""
    last = named(entry.question)
    for text, frame in frames(entry):
        names = named(text)
        dosed = any(unit in DOSED for _, unit in figures(text))
        about = frozenset() if names else _stems(last) | matter(entry.question)
        if not (frame or quoted(text) or text.rstrip().endswith("?")):
            yield Carrier.of(text, about, points=dosed)
        last = names or last


def _windows(entry: Sequence[_Sentence]) -> Iterator[tuple[_Sentence, ...]]:
    """Each sentence, and each with the one after it."""
    yield from ((each,) for each in entry)
    yield from pairwise(entry)


def _fits(window: Sequence[_Sentence], needed: frozenset[Figure], here: _Sentence) -> bool:
    there = frozenset(figure for each in window for figure in each.figures)
    topic = frozenset(word for each in window for word in each.whole.words)
    if not covers(there, needed) or len(here.whole.words & topic) < _NEAR * len(here.whole.words):
        return False
    if not here.pairs <= frozenset(pair for each in window for pair in each.pairs) and len(here.names) > 1:
        return False
    return _same_medicine(window, needed, here)


def _same_medicine(window: Sequence[_Sentence], needed: frozenset[Figure], here: _Sentence) -> bool:
    """An amount of a medicine belongs to that medicine. A sentence that names none speaks of the one named last."""
    explicit = frozenset(name for each in window for name in each.names)
    about = frozenset(name for each in window for name in each.about)
    if here.names:
        return here.names in (explicit, about)
    if not here.about or not any(unit in DOSED for _, unit in needed):
        return True
    return about in (here.about, frozenset())
