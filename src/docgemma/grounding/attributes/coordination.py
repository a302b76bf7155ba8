"""Which entities stand in one list, so that what is said of one is said of all: "ALT or AST", "stroke, TIA, or MI"."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from docgemma.terminology.contract import EntityType

Span = tuple[int, int, EntityType]

_LINK = re.compile(
    r"\s{0,2}(?:\([^()]{0,60}\))?\s{0,2}(?:,\s{0,2}(?:and/or|or|and|nor|as\s{1,2}well\s{1,2}as)?|/|&|\+|and/or|or|and|nor|as\s{1,2}well\s{1,2}as)"
    r"(?:\s{0,2}(?:(?:any|all|some|the)\s{1,2})?(?:other|another|additional|different|further)(?!\s{1,2}than)(?=\s))?"
    r"(?:\s{0,2}(?:(?!(?:and|or|but|with|no|not|without|in|for|if|who|other|except|unless|must|has|have|had|is|are|was|were)(?![a-z]))[a-z][a-z-]{0,20}\s{1,2}){0,3})?\s{0,2}"
)
_SAME = re.compile(
    r"\s{0,2}[(\[]\s{0,2}|\s{0,2}\)?\s{0,2}\(?\s{0,2}(?:also\s{1,2}known\s{1,2}as|i\.e\.,?|ie,?|or)\s{0,2}"
)
_SENTENCE = re.compile(r"[;!?](?=\s|$)|\.(?=\s{1,3}\S|$)|\n")
_ABBREVIATED = re.compile(r"(?:e\.g|i\.e|vs|approx|dr|incl|etc|no|ca)\.$")


def linked(text: str, one: Span, two: Span) -> bool:
    """Whether two neighbours belong to one list. `one` comes first."""
    return _LINK.fullmatch(text[one[1] : two[0]]) is not None


def renamed(text: str, one: Span, two: Span) -> bool:
    """ "Left ventricular ejection fraction (LVEF)": two names of one thing."""
    gap = text[one[1] : two[0]]
    return _SAME.fullmatch(gap) is not None and "(" in gap and text[two[1] : two[1] + 2].lstrip()[:1] in (")", "]")


def breaks(text: str, start: int, end: int) -> bool:
    """Whether a sentence ends between the two places."""
    return any(
        not _ABBREVIATED.search(text[max(0, found.start() - 8) : found.end()])
        for found in _SENTENCE.finditer(text, start, end)
    )


def chain(
    text: str,
    spans: Sequence[Span],
    at: int,
    *,
    step: int,
    blocked: Sequence[tuple[int, int]] = (),
    joins: Callable[[str, Span, Span], bool] = linked,
) -> list[int]:
    """The entities that stand in one list with `at`, going left (-1) or right (1). `spans` are in order."""
    found: list[int] = []
    here = at
    while 0 <= here + step < len(spans):
        one, two = (spans[here + step], spans[here]) if step < 0 else (spans[here], spans[here + step])
        inside = any(start < two[0] and one[1] < end for start, end in blocked)
        if one[1] > two[0] or inside or not (joins(text, one, two) or renamed(text, one, two)):
            break
        here += step
        found.append(here)
    return found
