"""Mentions that share a head: "breast or ovarian cancer" names two cancers, "type 1 or type 2 diabetes" two diabetes.

The part without the head is a mention of its own; it is looked up as what it means ("breast cancer").
"""

from __future__ import annotations

from collections.abc import Sequence

from docgemma.terminology.linking.lexicon import Lexicon
from docgemma.terminology.linking.mentions import Run
from docgemma.terminology.linking.tables import word_list
from docgemma.terminology.linking.words import Word

_JOINING = frozenset({"or", "and", "nor"})
_COMMAS = frozenset({", ", ","})
_MOST_PARTS = 5
_LETTERS = frozenset("ABCDE")


def shared_heads(words: Sequence[Word], runs: Sequence[Run], lexicon: Lexicon | None = None) -> list[Run]:
    """The runs and, in order, the parts before them that share their head. Without a lexicon: listed words alone.

    A word with a meaning of its own gives it up for the shared head: in "alcohol or drug abuse" it is alcohol abuse.
    """
    found: list[Run] = []
    for run in _lettered(words, runs):
        floor = found[-1].last if found else 0
        if numbered := _numbered(words, run, floor):
            found += numbered
            continue
        parts = _parts_before(words, run, floor, lexicon)
        if not parts and found and found[-1].size == 1 and found[-1].type != run.type:
            parts = _parts_before(words, run, found[-1].first, lexicon)
            if parts:
                found.pop()
        found += reversed(parts)
        found.append(run)
    return found


def _lettered(words: Sequence[Word], runs: Sequence[Run]) -> list[Run]:
    """ "hepatitis B or C", "hepatitis A, B or C": the letters after the first share its name."""
    found: list[Run] = []
    for number, run in enumerate(runs):
        found.append(run)
        ceiling = runs[number + 1].first if number + 1 < len(runs) else len(words)
        if run.size < 2 or not _letter(words[run.last - 1]):
            continue
        place = run.last
        while place < ceiling:
            if words[place].low in _JOINING and words[place].gap in {" ", "/"}:
                place += 1
            elif _letter(words[place]) and words[place - 1].gap in {" ", ", ", "/"}:
                name = [word.text for word in words[run.first : run.last - 1]]
                found.append(Run(place, place + 1, run.type, " ".join([*name, words[place].text])))
                place += 1
            else:
                break
    return found


def _numbered(words: Sequence[Word], run: Run, floor: int) -> list[Run]:
    """ "type 1 or 2 diabetes" is type 1 diabetes and type 2 diabetes."""
    first = run.first - 4
    if first < floor or not all(word.joined for word in words[first : run.first]):
        return []
    kind, one, joining, two = words[first : run.first]
    if kind.key != "type" or joining.low not in _JOINING or not (one.key.isdigit() and two.key.isdigit()):
        return []
    rest = words[run.first : run.last]
    whole = _run((kind, two), rest, run.first - 1, run)
    return [_run((kind, one), rest, first, run), Run(run.first - 1, run.last, run.type, whole.term)]


def _letter(word: Word) -> bool:
    return len(word.text) == 1 and word.text in _LETTERS


def _parts_before(words: Sequence[Word], run: Run, floor: int, lexicon: Lexicon | None) -> list[Run]:
    """Leftwards from the run: a joining word, then parts, then commas and further parts."""
    parts: list[Run] = []
    end = _before_joining(words, run.first, floor)
    if end is None or run.size < 2:
        return parts
    while end > floor and len(parts) < _MOST_PARTS:
        part = _part(words, end, floor, run, lexicon)
        if part is None:
            break
        parts.append(part)
        before = part.first - 1
        if before < floor or words[before].gap not in _COMMAS:
            break
        end = part.first
    return parts


def _before_joining(words: Sequence[Word], first: int, floor: int) -> int | None:
    """Where the part before "or", "and", "and/or" or a slash ends."""
    if first - 1 >= floor and words[first - 1].gap == "/":
        return first
    place = first - 1
    if place < floor or words[place].low not in _JOINING or words[place].gap != " ":
        return None
    if place - 1 >= floor and words[place - 1].low in _JOINING and words[place - 1].gap == "/":
        place -= 1
    return place


def _part(words: Sequence[Word], end: int, floor: int, run: Run, lexicon: Lexicon | None) -> Run | None:
    sites = word_list("sites")
    for size in (2, 1):
        first = end - size
        if first < floor or not all(word.joined for word in words[first : end - 1]):
            continue
        part = words[first:end]
        if part[-1].hyphened:
            continue
        for skipped in (1, *range(run.size - 1, 1, -1)):
            rest = words[run.first + skipped : run.last]
            if lexicon is not None and lexicon.known(" ".join(word.key for word in (*part, *rest))) is not None:
                return _run(part, rest, first, run)
        if size == 1 and part[0].key in sites and words[run.first].key in sites:
            return _run(part, words[run.first + 1 : run.last], first, run)
    return None


def _run(part: Sequence[Word], rest: Sequence[Word], first: int, run: Run) -> Run:
    return Run(first, first + len(part), run.type, " ".join(word.text for word in (*part, *rest)))
