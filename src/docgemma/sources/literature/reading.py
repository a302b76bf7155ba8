"""A topic's words as concepts: what has to be in an article, each in all its phrasings.

Known names are taken whole: drugs, the names of the table, groups of people. Of the other words those that belong
together stay together ("recurrent pericarditis"); where that is in doubt each stands for itself. Two words that must
both be there find what a wrong phrase would miss, and the order of the results makes up for the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from docgemma.entities.drugs.abbreviations import find_abbreviations
from docgemma.entities.drugs.names import drugs_in
from docgemma.entities.words import words as words_in
from docgemma.sources.literature.naming import MOST, as_known, is_known, key, known_at, meaning, once, phrasings
from docgemma.sources.literature.people import groups_in
from docgemma.sources.literature.vocabulary import BETWEEN, FAINT, heads, modifies, names_disease, says_little

Concept = tuple[str, ...]

MOST_CONCEPTS = 5
LONGEST_WORD = 40
_LONGEST_PHRASE = 4
_SHOUTED = 3
"""Words in capitals: with more of them the capitals say nothing."""

_WORD = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*\+?")
_OR = re.compile(r"\s{0,3}(?:,\s{0,3})?(?:(?:or|and/or)\s{1,3}|/\s{0,3})", re.IGNORECASE)
_VERSUS = re.compile(r"\s{1,3}(?:vs\.?|versus|and|compared\s(?:to|with))\s{1,3}", re.IGNORECASE)
_OPERATORS = frozenset(("and", "not"))
_Sort = Literal["name", "words", "between"]


@dataclass(frozen=True, slots=True)
class _Unit:
    """A name that is known, a word, or what stands between. `start` and `end` are places in the text."""

    text: str
    start: int
    end: int
    sort: _Sort
    value: str = ""


def concepts_in(text: str) -> tuple[Concept, ...]:
    """What the text is about, at most five concepts in its order; empty when it names nothing."""
    text = text.lower() if text.isupper() and len(text.split()) > _SHOUTED else text
    taken = [(unit.start, unit.end) for unit in _units(text) if unit.sort == "name"]
    text, groups = groups_in(text, taken)
    chunks = [*_chunks(text, _units(text))]
    found = [concept for concept in _joined(text, chunks) if any(map(_says, concept[0].split()))]
    strong = [concept for concept in found if not _is_faint(concept)] or found
    return _few((*strong, *groups))


def specificity(concept: Concept) -> int:
    """How much a concept says, from 0 to 3."""
    first = concept[0]
    if says_little(first):
        return 0
    if is_known(first):
        return 3
    return 2 if " " in first or names_disease(first) else 1


def raw(name: str) -> frozenset[str]:
    """The words of one name, as they are compared."""
    return frozenset(key(word) for word in _WORD.findall(name))


def _few(concepts: Sequence[Concept]) -> tuple[Concept, ...]:
    """Each once, the most telling ones where there are too many, in their order."""
    found: dict[str, Concept] = {}
    for concept in concepts:
        found.setdefault(meaning(concept[0]), concept)
    each = list(found.values())
    best = sorted(range(len(each)), key=lambda place: (-specificity(each[place]), place))[:MOST_CONCEPTS]
    return tuple(each[place] for place in sorted(best))


def _says(word: str) -> bool:
    """A letter or a number alone says nothing."""
    return len(word) > 1 and not word.replace(".", "").isdecimal()


def _is_faint(concept: Concept) -> bool:
    words = concept[0].lower().split()
    return not is_known(concept[0]) and all(word in FAINT or word in BETWEEN or not _says(word) for word in words)


def _units(text: str) -> list[_Unit]:
    """The text as names, words and what stands between, in order. Drugs first: they are the surest."""
    tokens = [*_WORD.finditer(text)]
    ends = {token.end() for token in tokens} | {token.start() + place for token in tokens for place in _hyphens(token)}
    named = (*find_abbreviations(words_in(text)), *drugs_in(text))
    drugs = {drug.start: drug for drug in named if drug.end in ends}  # "vitamin K" is not "vitamin K2"
    written = [token.group() for token in tokens]
    units: list[_Unit] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        drug = drugs.get(token.start())
        known = _known(text, tokens, written, place)
        reach = tokens[place + known - 1].end() if known else 0
        if drug is not None and drug.end >= reach:
            value = drug.value if len(drug.value) > len(drug.text) or drug.value.lower() != drug.text.lower() else ""
            units.append(_Unit(drug.text, drug.start, drug.end, "name", value))
            place += sum(drug.start <= other.start() < drug.end for other in tokens[place : place + 12])
        elif known:
            units.append(_Unit(as_known(written[place : place + known]), token.start(), reach, "name"))
            place += known
        else:
            word = token.group()[:LONGEST_WORD]
            low = word.lower().replace("’", "'")
            between = low in BETWEEN and not (word.isupper() and len(word) > 2 and low not in _OPERATORS)
            units.append(_Unit(word, token.start(), token.end(), "between" if between else "words"))
            place += 1
    return units


def _hyphens(token: re.Match[str]) -> Iterator[int]:
    """Where a word may be parted: "linezolid-induced"."""
    return (place for place, mark in enumerate(token.group()) if mark == "-")


def _known(text: str, tokens: Sequence[re.Match[str]], written: Sequence[str], place: int) -> int:
    """How many words from here on are one known name: with nothing but blanks or a hyphen between them."""
    last = place + 1
    while last < min(len(tokens), place + 12) and not text[tokens[last - 1].end() : tokens[last].start()].strip(
        " -/'’"
    ):
        last += 1
    return known_at(written[:last], place)


def _chunks(text: str, units: Sequence[_Unit]) -> Iterator[list[_Unit]]:
    """Units that stand together: no mark and no word between them."""
    chunk: list[_Unit] = []
    for unit in units:
        if chunk and (unit.sort == "between" or text[chunk[-1].end : unit.start].strip(" -'’")):
            yield chunk
            chunk = []
        if unit.sort != "between":
            chunk.append(unit)
    if chunk:
        yield chunk


def _joined(text: str, chunks: Sequence[list[_Unit]]) -> Iterator[Concept]:
    """The concepts of all chunks; "probiotics or prebiotics" is one of them."""
    open_end: tuple[list[str], int] | None = None
    for chunk in chunks:
        parts = [*_parts(chunk)]
        if open_end is not None:
            before, end = open_end
            described = all(" " not in name and modifies(name) and not is_known(name) for name in before)
            if _OR.fullmatch(text, end, chunk[0].start) or (described and _VERSUS.fullmatch(text, end, chunk[0].start)):
                parts[0] = _either(before, parts[0])
            else:
                yield _concept(before)
        yield from map(_concept, parts[:-1])
        open_end = parts[-1], chunk[-1].end
    if open_end is not None:
        yield _concept(open_end[0])


def _either(one: list[str], other: list[str]) -> list[str]:
    """ "Oral or intravenous iron": what only describes takes the other's noun."""
    head = other[0].split()[-1]
    if head == other[0]:
        return [*one, *other]
    return [
        *(f"{name} {head}" if modifies(name) and " " not in name and head != name else name for name in one),
        *other,
    ]


def _concept(names: Sequence[str]) -> Concept:
    """All phrasings of all names, the first of each before the second of any."""
    lists = [phrasings(name) for name in names]
    if len(lists) == 1:
        return lists[0]
    rounds = (each[turn] for turn in range(MOST) for each in lists if turn < len(each))
    return once(rounds)[:MOST]


def _parts(chunk: Sequence[_Unit]) -> Iterator[list[str]]:
    """Names by themselves, other words by what belongs together."""
    run: list[str] = []
    for unit in chunk:
        if unit.sort == "words":
            if run and not _belongs(run, unit.text):
                yield [" ".join(run)]
                run = []
            run.append(unit.text)
            continue
        if run:
            yield [" ".join(run)]
            run = []
        yield [unit.value or unit.text] if not unit.value else [unit.value, unit.text]
    if run:
        yield [" ".join(run)]


def _belongs(run: Sequence[str], word: str) -> bool:
    return len(run) < _LONGEST_PHRASE and (modifies(run[-1]) or heads(word))
