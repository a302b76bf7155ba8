"""Finds every dictionary name in a text in one pass: any case, usual accents, whole words, the longest name first.

The text is folded character by character, so that places in the folded text are places in the original. In the fold
every space, mark and hyphen is one blank: "co amoxiclav" and "Co-Amoxiclav" are one name. A letter of another script,
an invisible character or an accent that no language puts on that letter stays as it is and breaks the name.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Protocol

from docgemma.entities.drugs.table import table
from docgemma.entities.words import word_set

_ACCENTED = str.maketrans("áàâäãåéèêëíìîïóòôöõúùûüçñÁÀÂÄÃÅÉÈÊËÍÌÎÏÓÒÔÖÕÚÙÛÜÇÑ", "aaaaaaeeeeiiiiooooouuuucn" * 2)
_DIVIDERS = frozenset("PSZ")
_GAPS = {"  ": re.compile(r"  \s{0,2000}"), "\r": re.compile(r"\r\n[ \t]{0,2000}")}
"""Wider gaps inside a line or at its end that a name of several words may bridge."""

_WORD = re.compile(r"[^ ]{1,20000}")
_HYPHENS = "-\u2010\u2011\u2013"
_ONE_NAME = re.compile(r"[\w\s'’/+\-\u2010\u2011\u2013]{1,200}")
"""What a name of several words may look like in the text; a comma or a point divides two names."""

_BEFORE = word_set("iv po im sc sq inj tab tabs cap syp pre post dose oral liposomal on")
_AFTER = word_set(
    "induced associated related allergic intolerant naive treated based containing mediated refractory free "
    "xr er sr cr la xl mr cd ir odt dr ec iv po im sc"
)
"""What may hang on a name by a hyphen: "amiodarone-induced". Any other neighbour makes another word of it:
"insulin-dependent" is a disease, and a brand with an unknown addition may hold other drugs."""

_MIN_GLUED = 4
"""A strength may be typed onto a name of at least this length: "metformin500mg"."""


Match = tuple[str, int, int]
"""A name as the dictionary spells it, its start and its end. Plain, because a long text holds thousands."""


class Automaton(Protocol):
    """What is asked of the search library: leftmost-longest hits without overlaps, as (pattern, start, end)."""

    def find_matches_as_indexes(self, haystack: str) -> list[tuple[int, int, int]]: ...


class _Fold(dict[int, int]):
    """Folds a character when it is first met; there are too many to list."""

    def __missing__(self, code: int) -> int:
        character = chr(code)
        folded = _ACCENTED.get(code, code)
        if character.isascii() and character.isupper():
            folded = ord(character.lower())
        elif (unicodedata.category(character)[0] in _DIVIDERS and character != "_") or character in "\t\n\r\v\f":
            folded = 0x20
        self[code] = folded
        return folded


_FOLD = _Fold()


def fold(text: str) -> str:
    """The text as it is compared, place for place."""
    return text.translate(_FOLD)


def key(name: str) -> str:
    """A name as it is looked up: folded, with single blanks."""
    return " ".join(fold(name).split())


@cache
def keys() -> dict[str, str]:
    """Folded name → the name as the dictionary spells it."""
    return {key(name): name for name in table().names}


@cache
def _openings() -> dict[str, int]:
    """First word of names with several words → the most words that such a name has."""
    longest: dict[str, int] = {}
    for folded in keys():
        opening, blank, rest = folded.partition(" ")
        if blank:
            longest[opening] = max(longest.get(opening, 1), rest.count(" ") + 2)
    return longest


@cache
def _automaton() -> tuple[Automaton, list[str], int] | None:
    """The search, the name behind each pattern, and the first pattern of several words.

    Each pattern begins with a blank, so that no name is found inside another word.
    """
    try:
        from ahocorasick_rs import AhoCorasick, MatchKind  # compiled: where it has no wheel, the plain search serves
    except ImportError:
        return None
    ordered = sorted(keys(), key=lambda folded: " " in folded)
    single = sum(" " not in folded for folded in ordered)
    patterns = [f" {folded}" for folded in ordered]
    found = AhoCorasick(patterns, matchkind=MatchKind.LeftmostLongest)
    return found, [keys()[folded] for folded in ordered], single


def find(text: str) -> list[Match]:
    """Every name in order, without overlaps; places are those of the text as given."""
    gaps = sorted(gap.span() for sign, gap_of in _GAPS.items() if sign in text for gap in gap_of.finditer(text))
    if not gaps:
        return _find(text)
    pieces: list[str] = []
    places: list[int] = []
    shifts: list[int] = []
    done = length = 0
    for start, end in gaps:
        if start >= done:
            pieces += (text[done:start], " ")
            length += start - done + 1
            done = end
            places.append(length)
            shifts.append(done - length)
    pieces.append(text[done:])

    def original(place: int) -> int:
        index = bisect_right(places, place)
        return place + (shifts[index - 1] if index else 0)

    found = _find("".join(pieces))
    return [(name, original(start), original(end - 1) + 1) for name, start, end in found]


def _find(text: str) -> list[Match]:
    padded = f" {text} "
    folded = fold(padded)
    automaton = _automaton()
    if automaton is None:
        return _unhyphenated(text, _plain_search(text, folded))
    return _search(text, padded, folded, *automaton)


def _search(
    text: str, padded: str, folded: str, automaton: Automaton, names: Sequence[str], single: int
) -> list[Match]:
    """The automaton proposes the longest name at each place; where that one does not hold, shorter ones are tried.

    The folded text has one blank more in front, as the patterns have: their places are those of the text.
    """
    found: list[Match] = []
    add = found.append
    done = 0
    hyphens = False
    for pattern, start, end in automaton.find_matches_as_indexes(folded):
        name = names[pattern]
        if folded[end] == " " and start >= done and (pattern < single or _is_one(text, start, end - 1, name)):
            done = end - 1
            add((name, start, done))
            if padded[start] in _HYPHENS or padded[end] in _HYPHENS:
                hyphens = True
        elif end - 1 > done:
            for match in _plain_search(text, folded, max(start, done), end):
                add(match)
                done = match[2]
                hyphens = hyphens or padded[match[1]] in _HYPHENS or padded[done + 1] in _HYPHENS
    return _unhyphenated(text, found) if hyphens else found


def _is_one(text: str, start: int, end: int, name: str) -> bool:
    """Whether the words of a name are one name here; most are written as in the dictionary."""
    return text[start:end].lower() == name or _ONE_NAME.fullmatch(text, start, end) is not None


def _plain_search(text: str, folded: str, start: int = 0, end: int | None = None) -> list[Match]:
    """The same without the library, word by word: the names that begin from `start` on and before `end`."""
    end = len(folded) if end is None else end
    found: list[Match] = []
    done = start
    for word in _WORD.finditer(folded, start):
        if word.start() >= end:
            break
        if word.start() > done or word.start() == start == done:
            match = _longest(text, folded, word)
            if match:
                found.append(match)
                done = match[2]
    return found


def _longest(text: str, folded: str, word: re.Match[str]) -> Match | None:
    start, end = word.span()
    ends = [end]
    for _ in range(_openings().get(word.group(), 1) - 1):
        following = _WORD.match(folded, end + 1)
        if following is None:
            break
        end = following.end()
        ends.append(end)
    for end in reversed(ends):
        for cut in _cuts(folded, start, end):
            name = keys().get(folded[start:cut])
            if name and _is_one(text, start - 1, cut - 1, name):
                plural = cut + (folded[cut:end] == "s")
                return name, start - 1, plural - 1
    return None


def _cuts(folded: str, start: int, end: int) -> Iterator[int]:
    """Where a name may end in its last word: at the end, before a plural, before a strength that is typed onto it."""
    yield end
    if folded[end - 1] == "s":
        yield end - 1
    last = folded.rfind(" ", start, end) + 1 or start
    for place in range(min(end, last + 40) - 1, last, -1):
        if folded[place].isdigit() and folded[place - 1].isalpha() and place - start >= _MIN_GLUED:
            yield place


def _unhyphenated(text: str, found: list[Match]) -> list[Match]:
    """Without names that are half of another word. Names that hyphens join to each other stand or fall together."""
    kept: list[Match] = []
    place = 0
    while place < len(found):
        last = place
        while last + 1 < len(found) and found[last + 1][1] == found[last][2] + 1 and text[found[last][2]] in _HYPHENS:
            last += 1
        if _stands(text, found[place][1], found[last][2]):
            kept += found[place : last + 1]
        place = last + 1
    return kept


def _stands(text: str, start: int, end: int) -> bool:
    if start > 1 and text[start - 1] in _HYPHENS and text[start - 2].isalnum():
        before = re.search(r"[^\W_]{1,12}\Z", text[max(0, start - 13) : start - 1])
        if before is None or fold(before.group()) not in _BEFORE:
            return False
    if end < len(text) and text[end] in _HYPHENS and text[end + 1 : end + 2].isalpha():
        after = re.match(r"[^\W_]{1,14}", text[end + 1 : end + 15])
        return after is not None and fold(after.group()) in _AFTER
    return True
