"""A topic's words as concepts: what has to be in an article, each in all its phrasings.

Names are taken whole: drugs, and what the tables list. Between them words that carry no topic are left out; one or two
others that stand together are a phrase, more stand each for itself. Two words that must both be there find what a wrong
phrase would miss, and the order of the results makes up for the rest.

What else a thing is called stands in data/names.txt and data/general.txt. Each name leads to all names of its line; a
short form with several meanings to all lines it stands in, because the other words of a search tell which one is meant
better than a guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from docgemma.entities.drugs.abbreviations import find_abbreviations
from docgemma.entities.drugs.names import drugs_in, ingredients
from docgemma.entities.tables import rows
from docgemma.entities.words import word_set
from docgemma.entities.words import words as words_in

MOST = 6
"""Phrasings of one concept: more make a query that no service reads."""

_SHORTEST = 3
"""Letters of a short form that is searched for itself. AF, MS and PE stand for too much else."""

_WORDS_TOO = word_set(
    "mg he all as or it is an am aim arms cap cat die gas had has hit ida ill led mama mash map mom nas nec net pad "
    "pet aids pit poi prep rat rest rop sad sah set spot tips us was who cts gad pid lama"
)
"""Short forms that are also words when they are written in small letters."""

_NO_PLURALS = word_set(
    "diabetes herpes scabies rabies caries feces faeces series species measles mumps rickets shingles piles hives"
)
_MANY_SHORT = re.compile(r"\b([A-Z0-9-]{2,})s\b")
_SPLIT = re.compile(r"[^\w'’]+")


def key(name: str) -> str:
    """The name as it is looked up: small letters, one blank between words, without a plural's s."""
    written = _MANY_SHORT.sub(r"\1", name).lower().replace("’", "'")
    words = [word for word in _SPLIT.split(written) if word]
    return " ".join([*words[:-1], _singular(words[-1])]) if words else ""


def fold(name: str) -> str:
    """The name in one English, to see whether two spellings are one name."""
    return _american(key(name))


def once(names: Iterable[str]) -> tuple[str, ...]:
    """Each name as it is first spelled; marks and capitals make no other name of it."""
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(" ".join(_SPLIT.split(name.lower())), name)
    return tuple(found.values())


def is_short_form(name: str) -> bool:
    """Whether it is written as one: few letters in one word, mostly capitals."""
    letters = [letter for letter in name if letter.isalpha()]
    return " " not in name and 0 < len(letters) <= 7 and sum(map(str.isupper, letters)) * 2 >= len(letters) > 1


def is_known(name: str) -> bool:
    """Whether the name stands in the tables or is a drug's."""
    return bool(_lines(name) or ingredients(name))


def is_general(name: str) -> bool:
    """Whether it is a group of people, or a word that leaves open what is meant."""
    return key(name) in _table("general.txt")


def known_at(words: Sequence[str]) -> int:
    """How many of these words, from the first on, are one name of the tables; 0 when none is."""
    return next((count for count in range(min(8, len(words)), 0, -1) if _lines(" ".join(words[:count]))), 0)


def meaning(name: str) -> str:
    """One word for a thing, whichever of its names is given."""
    parts = ingredients(name)
    lines = _lines(parts[0] if len(parts) == 1 else name)
    return key(lines[0][0]) if lines else " ".join(parts) or key(name)


def phrasings(name: str) -> tuple[str, ...]:
    """The name and what else it is called, the name itself first where it may be searched for."""
    lines = _lines(name)
    others = [other for names in lines for other in names]
    if len(lines) > 1:  # the first name of each meaning before the second of any
        others = [*dict.fromkeys([names[0] for names in lines] + others)]
    whole = " ".join(ingredients(name))
    made = [*([whole, *(each for names in _lines(whole) for each in names)] if whole != name.lower() else []), *others]
    short = any(is_short_form(other) and key(other) == key(name) for other in others)
    spelled = [spelling for each in ([*made, name] if short else [name, *made]) for spelling in _spellings(each)]
    kept = once(each for each in spelled if each and not (lines and sum(map(str.isalnum, each)) < _SHORTEST))
    return kept[:MOST] or (name,)


def _lines(name: str) -> tuple[tuple[str, ...], ...]:
    """The lines of both tables that a name stands in. "all" is acute lymphoblastic leukaemia only in capitals."""
    if name.lower() in _WORDS_TOO and not any(map(str.isupper, name[1:])):
        return ()
    groups = (names for names in _table("general.txt").get(key(name), ()) if len(names) > 1)
    return (*_table("names.txt").get(key(name), ()), *groups)


@cache
def _table(file: str) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Key of a name → the lines that it stands in; of general.txt only those that it begins."""
    found: dict[str, tuple[tuple[str, ...], ...]] = {}
    for (line,) in rows("docgemma.sources.literature", file):
        names = tuple(name.strip() for name in line.split("|"))
        for each in dict.fromkeys(key(name) for name in (names if file == "names.txt" else names[:1])):
            found[each] = (*found.get(each, ()), names)
    return found


def _spellings(name: str) -> Iterator[str]:
    """As written, then as one where it is many, then in the other English."""
    yield name
    low = name.lower()
    last = low.split()[-1] if low.split() else ""
    if len(last) > 4 and (single := _singular(last)) != last and not is_short_form(name):
        yield f"{low.removesuffix(last)}{single}"
    american, british = _american(low), low
    for pattern, other in _english()[1] if american == low else ():
        british = pattern.sub(other, british)
    yield from (other for other in (american, british) if other != low)


def _american(low: str) -> str:
    for british, american in _english()[0]:
        low = low.replace(british, american)
    return low


@cache
def _english() -> tuple[list[tuple[str, str]], list[tuple[re.Pattern[str], str]]]:
    """Parts of words from British to American, and patterns that lead back."""
    table = rows("docgemma.sources.literature", "english.tsv")
    back = ((row[1], row[0]) for row in table if len(row) > 2)
    return [(row[0], row[1]) for row in table if len(row) == 2], [
        (re.compile(rf"{part[1:]}(?=s?\b)" if part[0] == "-" else rf"\b{part}"), british) for part, british in back
    ]


def _singular(word: str) -> str:
    if len(word) < 4 or word in _NO_PLURALS or word.endswith(("ss", "us", "is", "as", "os")) or not word.endswith("s"):
        return word
    if word.endswith("ies") and len(word) > 5:
        return f"{word[:-3]}y"
    return word[:-1].removesuffix("'")


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
