"""What the entries say, cut into sentences and clauses, for comparing an explanation with it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from docgemma.entities.amounts.quantities import quantities
from docgemma.entities.drugs.names import drugs_in, ingredients
from docgemma.entities.sentences import split
from docgemma.entities.words import word_set
from docgemma.knowledge.entry import Entry
from docgemma.knowledge.safety.content import SAFE_STEMS, Content, clauses, content, opposed, stem, without_citations
from docgemma.knowledge.safety.figures import DOSED, Figure, covers, figures
from docgemma.knowledge.safety.phrases import normalised

_NEAR = 0.34
_SAME = 0.7
_CLASSES = word_set(
    """antibiotic antibiotics steroid steroids statin statins painkiller painkillers antidepressant antidepressants
    sedative opioid opioids diuretic diuretics antihistamine laxative sulfonylurea vaccine antiviral antifungal chemotherapy"""
)
_CLASSES_VI = re.compile(
    r"kháng sinh|giảm đau|an thần|lợi tiểu|kháng viêm|corticoid|hạ sốt|hạ áp|thuốc ngủ|chống đông", re.I
)


def named(text: str) -> frozenset[str]:
    """The ingredients and kinds of medicine that a text names."""
    found = {part for drug in drugs_in(text) for part in (ingredients(drug.value) or (drug.value.lower(),))}
    low = text.lower()
    kinds = {stem(word) for word in re.findall(r"[a-z]+", low) if word in _CLASSES}
    return frozenset(found | kinds | {match.group().lower() for match in _CLASSES_VI.finditer(text)})


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

    @staticmethod
    def of(text: str, before: frozenset[str]) -> _Sentence:
        names = named(text)
        parts = tuple(content(part) for part in clauses(text))
        return _Sentence(_bare(text), content(text), parts, figures(text), names, names or before, _pairs(text))


class Grounds:
    """The entries of one answer."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = tuple(tuple(_sentences(entry)) for entry in entries)
        every = [each for entry in self._entries for each in entry]
        self._plain = frozenset(each.plain for each in every)
        self._names = frozenset(name for each in every for name in each.names)
        self._words = frozenset(word for each in every for word in each.whole.words)
        self._units = tuple(part for each in every for part in (each.whole, *each.parts))
        self._every = every

    def says(self, sentence: str) -> bool:
        """Whether an entry has this sentence, word for word."""
        return _bare(sentence) in self._plain

    def names(self, drugs: Iterable[str]) -> bool:
        return self._names.issuperset(drugs)

    def carries(self, sentence: str, *, before: frozenset[str], known: frozenset[Figure]) -> bool:
        """Whether one place in one entry has all figures of the sentence, on the same medicine and the same matter.

        `before`: the medicines the explanation spoke of last. `known`: figures that the reader brought along.
        """
        bare = without_citations(sentence)
        needed = figures(bare) - known
        if not needed:
            return True
        here = _Sentence.of(bare, before)
        return any(_fits(window, needed, here) for entry in self._entries for window in _windows(entry))

    def support(self, words: frozenset[str]) -> float:
        """The share of these words that some entry has."""
        counted = words - SAFE_STEMS
        return len(counted & self._words) / len(counted) if counted else 1.0

    def closest(self, words: frozenset[str]) -> float:
        """The share of these words that one sentence of an entry has."""
        return max((len(words & each.whole.words) / len(words) for each in self._every), default=0.0) if words else 1.0

    def agrees(self, sentence: str) -> bool:
        """No part of the sentence turns round what the entries say on the same matter."""
        return all(self._points_alike(content(part)) for part in (sentence, *clauses(sentence)))

    def _points_alike(self, said: Content) -> bool:
        if len(said.words) < 2:
            return True
        close = [each for each in self._units if len(said.words & each.words) >= _SAME * len(said.words)]
        return not close or any(each.denies == said.denies and not opposed(said, each) for each in close)

    def phrase(self, words: str, sentence: str) -> bool:
        """Whether a sentence of an entry has these very words, on the same matter."""
        wanted, matter = normalised(words), content(sentence).words
        return any(
            wanted in each.plain and len(matter & each.whole.words) >= _SAME * len(matter) for each in self._every
        )


def _bare(text: str) -> str:
    """For comparing word for word: no citation, list sign, case or closing mark."""
    return normalised(without_citations(text)).replace(" .", "").replace(" ,", "").replace(" :", "")


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
