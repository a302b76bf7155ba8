"""A topic's words as concepts: what has to be in an article, each in all its phrasings.

Names are taken whole: drugs, and what the tables list. Between them words that carry no topic are left out; one or two
others that stand together are a phrase, more stand each for itself. Two words that must both be there find what a wrong
phrase would miss, and the order of the results makes up for the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from docgemma.entities.drugs.abbreviations import find_abbreviations
from docgemma.entities.drugs.names import drugs_in
from docgemma.entities.words import word_set
from docgemma.entities.words import words as words_in
from docgemma.sources.literature.naming import (
    MOST,
    is_general,
    is_known,
    key,
    known_at,
    meaning,
    once,
    phrasings,
)

Concept = tuple[str, ...]

MOST_CONCEPTS = 5
_LONGEST_WORD = 40
_SHOUTED = 3
"""Words in capitals: with more of them the capitals say nothing."""

_WORD = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*\+?")
BETWEEN = word_set(
    "a an the of in on at by for from to into with without and or vs versus plus as than over under after before "
    "during between is are does do can what's any new recent latest patients people adults use using effect effects "
    "treatment treating therapy management role prevents preventing help helps studies study papers articles "
    "evidence research"
)
"""What stands between two things that are sought."""


@dataclass(frozen=True, slots=True)
class _Unit:
    """A name that is taken whole, or a word; and what stands between it and the one before."""

    names: tuple[str, ...]
    whole: bool
    gap: str


def concepts_in(texts: Iterable[str]) -> tuple[Concept, ...]:
    """What the texts are about, at most five concepts in their order; empty when they name nothing."""
    found: dict[str, Concept] = {}
    for concept in (concept for text in texts for concept in _concepts(text)):
        found.setdefault(meaning(concept[0]), concept)
    each = list(found.values())
    best = sorted(range(len(each)), key=lambda place: (-specificity(each[place]), place))[:MOST_CONCEPTS]
    return tuple(each[place] for place in sorted(best))


def specificity(concept: Concept) -> int:
    """How much a concept says, from 0 to 3."""
    first = concept[0]
    return 0 if is_general(first) else 3 if is_known(first) else 2 if " " in first else 1


def share(one: Concept, other: Concept) -> bool:
    """Whether two concepts have a word in common."""
    return not _raw(one).isdisjoint(_raw(other))


def _raw(concept: Concept) -> frozenset[str]:
    return frozenset(key(word) for name in concept for word in _WORD.findall(name))


def _concepts(text: str) -> Iterator[Concept]:
    """ "Probiotics or prebiotics" is one of them."""
    text = text.lower() if text.isupper() and len(text.split()) > _SHOUTED else text
    before: tuple[str, ...] = ()
    for names, gap in _phrases([*_units(text)]):
        either = gap.strip(" ,").lower() in ("or", "and/or", "/")
        if before and either and len(before[0].split()) == len(names[0].split()):
            before += names
            continue
        if before:
            yield _phrased(before)
        before = names
    if before:
        yield _phrased(before)


def _phrased(names: Sequence[str]) -> Concept:
    """All phrasings of all names, the first of each before the second of any."""
    lists = [phrasings(name) for name in names]
    return once(each[turn] for turn in range(MOST) for each in lists if turn < len(each))[:MOST]


def _phrases(units: Sequence[_Unit]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Names by themselves; of words those that stand together, where they are two."""
    run: list[_Unit] = []
    for unit in units:
        if run and (unit.whole or unit.gap.strip(" ")):
            yield from _joined(run)
            run = []
        if unit.whole:
            yield unit.names, unit.gap
        else:
            run.append(unit)
    yield from _joined(run)


def _joined(run: Sequence[_Unit]) -> Iterator[tuple[tuple[str, ...], str]]:
    if len(run) == 2:
        yield (f"{run[0].names[0]} {run[1].names[0]}",), run[0].gap
    else:
        yield from ((unit.names, unit.gap) for unit in run)


def _units(text: str) -> Iterator[_Unit]:
    """Names and words in order. Drugs first: they are the surest; a longer name of the tables goes before them."""
    tokens = [*_WORD.finditer(text)]
    ends = {token.start() + at for token in tokens for at, mark in enumerate(token.group()) if mark == "-"}
    ends |= {token.end() for token in tokens}
    named = (*find_abbreviations(words_in(text)), *drugs_in(text))
    drugs = {drug.start: drug for drug in named if drug.end in ends}  # "vitamin K" is not "vitamin K2"
    done = 0
    for place, token in enumerate(tokens):
        if token.start() < done:
            continue
        gap = text[done : token.start()]
        drug, known = drugs.get(token.start()), _known(text, tokens[place : place + 12])
        word = token.group()[:_LONGEST_WORD]
        if known and (drug is None or known > drug.end):
            done = known
            name = text[token.start() : done]
            yield _Unit((name if len(name) > 3 or not name.islower() else name.upper(),), whole=True, gap=gap)
        elif drug is not None:
            done = max(drug.end, token.end())
            names = (drug.value, drug.text) if drug.value.lower() not in ("", drug.text.lower()) else (drug.text,)
            yield _Unit(names, whole=True, gap=gap)
        elif _says(word):
            done = token.end()
            yield _Unit((word,), whole=False, gap=gap)


def _known(text: str, tokens: Sequence[re.Match[str]]) -> int:
    """Where the name that begins here ends: with nothing but blanks or a hyphen between its words. 0: there is none."""
    last = 1
    while last < len(tokens) and not text[tokens[last - 1].end() : tokens[last].start()].strip(" -/'’"):
        last += 1
    count = known_at([token.group() for token in tokens[:last]])
    return tokens[count - 1].end() if count else 0


def _says(word: str) -> bool:
    """A letter or a number alone says nothing, and neither does what stands between."""
    number = word.replace(".", "").isdecimal()
    return len(word) > 1 and not number and (word.lower() not in BETWEEN or (word.isupper() and len(word) > 3))
