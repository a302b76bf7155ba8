"""Which entities a time belongs to: the event before it, with all of its list, else the one behind it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docgemma.grounding.attributes.coordination import Span, breaks, chain, renamed
from docgemma.grounding.attributes.windows import Timed
from docgemma.grounding.contract import Window

_WORDS = re.compile(r"[a-z0-9]+")
_FAR = 14
_NEAR = 5
_TURNS = re.compile(r"(?<![a-z])(?:unless|except|but|if|provided|until|however|although)(?![a-z])")
_BEHIND = re.compile(r"\s{0,2}(?:of|on|with)\s")


def place_windows(text: str, spans: Sequence[Span], timed: Sequence[Timed]) -> dict[int, list[Window]]:
    """Per entity its times, in order of the text. `spans` are in order of their start."""
    placed: dict[int, list[Window]] = {}
    taken = [(one.start, one.end) for one in timed]
    for one in timed:
        free = [at for at, (start, end, _) in enumerate(spans) if not (start < one.end and one.start < end)]
        for at in _owners(text, spans, timed, one, free, taken):
            placed.setdefault(at, []).append(one.window)
    return placed


def _owners(
    text: str,
    spans: Sequence[Span],
    timed: Sequence[Timed],
    one: Timed,
    free: Sequence[int],
    taken: Sequence[tuple[int, int]],
) -> list[int]:
    left = _left(text, spans, timed, one, free)
    if left is not None:
        return [left, *chain(text, spans, left, step=-1, blocked=taken)]
    right = _right(text, spans, timed, one, free)
    return [] if right is None else [right, *chain(text, spans, right, step=1, blocked=taken)]


def _left(text: str, spans: Sequence[Span], timed: Sequence[Timed], one: Timed, free: Sequence[int]) -> int | None:
    before = sorted((at for at in free if spans[at][1] <= one.start), key=lambda at: spans[at][1], reverse=True)
    aside: int | None = None
    for at in before:
        _, end, type_ = spans[at]
        gap = text[end : one.start]
        if (
            breaks(text, end, one.start)
            or _TURNS.search(gap)
            or len(_WORDS.findall(gap)) > (_FAR if one.explicit else _NEAR)
        ):
            return aside
        if any(other is not one and other.start < one.start and end < other.end for other in timed):
            return aside  # another time stands between, or the entity is what that one counts from
        if gap.count(")") > gap.count("(") and not (at and renamed(text, spans[at - 1], spans[at])):
            aside = at if aside is None else aside
        elif type_ != "Demographic" or len(_WORDS.findall(gap)) <= 1:
            return at
    return aside


def _right(text: str, spans: Sequence[Span], timed: Sequence[Timed], one: Timed, free: Sequence[int]) -> int | None:
    at = next((place for place in free if spans[place][0] >= one.end and spans[place][2] != "Demographic"), None)
    if at is None:
        return None
    gap = text[one.end : spans[at][0]]
    if breaks(text, one.end, spans[at][0]) or len(_WORDS.findall(gap)) > (_FAR if one.explicit else _NEAR):
        return None
    if any(one.end <= other.start < spans[at][0] for other in timed):
        return None
    return at if one.explicit or _BEHIND.match(gap) else None
