"""Other names of the same thing: what patients say, what clinicians write, and abbreviations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from docgemma.knowledge.entry import Language
from docgemma.knowledge.search import english, vietnamese
from docgemma.knowledge.search.tables import lines

Name = tuple[str, ...]
"""A name in compared forms."""


@dataclass(frozen=True, slots=True)
class Table:
    """`others`: a name → the other names of its line. `longest`: words in the longest name."""

    others: dict[Name, tuple[Name, ...]]
    longest: int


def others(found: Sequence[str], language: Language) -> Iterator[tuple[Name, ...]]:
    """For each name in these words, the longest first where two overlap, the other names of the thing."""
    for _, _, names in spans(found, language):
        yield names


def spans(found: Sequence[str], language: Language) -> Iterator[tuple[int, int, tuple[Name, ...]]]:
    """Where each name begins and ends, with its other names."""
    table = _table(language)
    at = 0
    while at < len(found):
        for end in range(min(len(found), at + table.longest), at, -1):
            names = table.others.get(_key(found[at:end], language))
            if names:
                yield at, end, names
                at = end - 1
                break
        at += 1


def _key(found: Sequence[str], language: Language) -> Name:
    """Typed without marks, a word is known by its plain syllables. One syllable alone is then too many words."""
    return (vietnamese.PLAIN, *found) if language == "vi" and all(map(str.isascii, found)) else tuple(found)


def _keys(name: Name, language: Language) -> tuple[Name, ...]:
    if language == "en" or len(name) < 2:
        return (name,)
    return name, (vietnamese.PLAIN, *map(vietnamese.plain, name))


@cache
def _table(language: Language) -> Table:
    """One group a line, names separated by `|`. A name after `>` is found by the others and finds none itself."""
    read = english.words if language == "en" else vietnamese.syllables
    known: dict[Name, tuple[Name, ...]] = {}
    for line in lines(f"synonyms.{language}.txt"):
        both, _, found_only = line.partition(">")
        names = [tuple(read(name)) for name in both.split("|")]
        wide = [tuple(read(name)) for name in found_only.split("|") if name.strip()]
        for name in names:
            rest = tuple(dict.fromkeys(each for each in (*names, *wide) if each and each != name))
            for key in _keys(name, language) if name and rest else ():
                known[key] = tuple(dict.fromkeys((*known.get(key, ()), *rest)))
    return Table(known, max((len(name) for name in known), default=1))
