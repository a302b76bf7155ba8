"""Which entities a time belongs to: the event before it, with all of its list, else the one behind it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docgemma.grounding.attributes.coordination import Span, breaks, chain, linked, renamed
from docgemma.grounding.attributes.windows import Timed
from docgemma.grounding.contract import Window

_WORDS = re.compile(r"[a-z0-9]+")
_FAR = 14
_NEAR = 5
_TURNS = re.compile(r"(?<![a-z])(?:unless|except|but|if|provided|until|however|although)(?![a-z])")
_STOPPED = re.compile(
    r"(?<![a-z])unless\s{1,2}(?:[a-z]{1,12}\s{1,2}){0,3}(?:stopped|discontinued|completed|withdrawn|ended|ceased|finished)"
    r"(?:\s{1,2}[a-z]{1,12}){0,2}\s{0,2}$"
)
"""The time that an exception asks for: "unless stopped ≥ 8 weeks before"."""

_BEHIND = re.compile(r"\s{0,2}(?:of|on|with)\s")
_OF_WHAT = re.compile(r"\s{1,2}of\s{1,2}(?:[a-z-]{1,20}\s{1,2}){0,4}")
_WITH = re.compile(r"\s{1,2}or\s{1,2}(?:(?:treatment|therapy|treated)\s{1,2})?with\s{1,2}(?:an?\s{1,2})?")
_EXAMPLE = re.compile(
    r"\s{0,2},?\s{0,2}[(\[]?\s{0,2}(?:such\s{1,2}as|including|includes|e\.g\.,?|eg,?|for\s{1,2}example,?|for\s{1,2}instance,?|like)"
    r"\s{1,2}(?:[a-z-]{1,20}\s{1,2}){0,2}"
)
_EXCEPTING = re.compile(
    r"(?<![a-z])(?:other\s{1,2}than|except(?:ing|\s{1,2}for)?|excluding|apart\s{1,2}from|aside\s{1,2}from|"
    r"with\s{1,2}the\s{1,2}exceptions?\s{1,2}of)(?![a-z])"
)
_UNLESS = re.compile(r"(?<![a-z])unless\s{1,2}(?:[a-z'-]{1,20}\s{1,2}){0,5}$")
_EXCEPT = re.compile(rf"{_EXCEPTING.pattern}\s{{1,2}}(?:[a-z-]{{1,20}}\s{{1,2}}){{0,4}}$")
_STARTS_ANEW = re.compile(
    r"\s{0,2},?\s{0,2}(?:or|and)\s{1,2}(?:received?|receives|receiving|takes|took|taking|underwent|undergone|undergoes|uses|"
    r"experienced|suffered|diagnosed)(?![a-z])|"
    r"\s{0,2},\s{0,2}(?:or|and)\s{1,2}(?:any|an?|use|current|known|recent|prior|previous|history|presence|diagnosis)(?![a-z])"
    r"(?!\s{1,2}other(?![a-z]))"
)
_COMMA_OR = re.compile(r"\s{0,2},\s{0,2}(?:or|and)\s{1,2}(?!(?:any\s{1,2}|an)?other(?![a-z]))")
_STANDING = re.compile(
    r"(?<![a-z])(?:history|diagnosis|presence|known|current|currently|documented|established|confirmed)"
    r"(?:\s{1,2}(?:of|with|has|have))?(?:\s{1,2}an?)?\s{1,2}$"
)
_LOOK_BACK = 60


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
    follows = _follows(text, spans, one) if one.counts_on else None
    if follows is not None:
        return [follows, *chain(text, spans, follows, step=1, blocked=taken)]
    left = _left(text, spans, timed, one, free)
    if left is not None:
        return _listed(text, spans, left, one, taken)
    right = _right(text, spans, timed, one, free)
    return [] if right is None else [right, *chain(text, spans, right, step=1, blocked=taken)]


def _follows(text: str, spans: Sequence[Span], one: Timed) -> int | None:
    """What the stretch is of, or has passed since: the first entity behind it, within its anchor too."""
    at = next((place for place, (start, _, _) in enumerate(spans) if start >= one.anchor_start), None)
    if at is None or spans[at][2] == "Demographic":
        return None
    if one.window.anchor:
        return at if spans[at][0] < one.end else None
    return at if _OF_WHAT.fullmatch(text, one.end, spans[at][0]) else None


def _listed(text: str, spans: Sequence[Span], left: int, one: Timed, taken: Sequence[tuple[int, int]]) -> list[int]:
    """All of the list that ends before the time, with what it only gives examples of, and the examples themselves."""
    found = [left, *chain(text, spans, left, step=-1, blocked=taken, joins=_same_clause)]
    first = found[-1]
    if first and _EXAMPLE.fullmatch(text, spans[first - 1][1], spans[first][0]):
        found += [first - 1, *chain(text, spans, first - 1, step=-1, blocked=taken, joins=_same_clause)]
    after = left + 1
    if after < len(spans) and _EXAMPLE.fullmatch(text, spans[left][1], spans[after][0]):
        examples = [after, *chain(text, spans, after, step=1, blocked=taken)]
        found += [at for at in examples if spans[at][1] <= one.start]
    return found


def _same_clause(text: str, one: Span, two: Span) -> bool:
    """Whether two neighbours share a time behind them: in "history of A, or any B last year" they do not."""
    gap = text[one[1] : two[0]]
    if _WITH.fullmatch(gap):
        return True
    if not linked(text, one, two):
        return False
    if _STARTS_ANEW.match(gap):
        return False
    standing = _STANDING.search(text[max(0, one[0] - _LOOK_BACK) : one[0]])
    return not (standing and _COMMA_OR.match(gap))


def excepted(text: str, spans: Sequence[Span], at: int, *, unless: bool = False) -> bool:
    """Whether an entity, or the list of its kind that it ends, is only the exception to what stands before it."""
    alike = [each for each in chain(text, spans, at, step=-1) if spans[each][2] == spans[at][2]]
    first = min([at, *alike])
    head = text[max(0, spans[first][0] - _LOOK_BACK) : spans[first][0]]
    found = _EXCEPT.search(head) or (_UNLESS.search(head) if unless else None)
    return first > 0 and found is not None


def _left(text: str, spans: Sequence[Span], timed: Sequence[Timed], one: Timed, free: Sequence[int]) -> int | None:
    before = sorted((at for at in free if spans[at][1] <= one.start), key=lambda at: spans[at][1], reverse=True)
    aside: int | None = None
    passed = False
    for at in before:
        _, end, type_ = spans[at]
        gap = text[end : one.start]
        if (
            breaks(text, end, one.start)
            or _TURNS.search(_STOPPED.sub("", gap if not passed else _EXCEPTING.sub("", gap)))
            or len(_WORDS.findall(gap)) > (_FAR if one.explicit else _NEAR)
        ):
            return aside
        if any(other is not one and other.start < one.start and end < other.end for other in timed):
            return aside  # another time stands between, or the entity is what that one counts from
        if gap.count(")") > gap.count("(") and not (at and renamed(text, spans[at - 1], spans[at])):
            aside = at if aside is None else aside
        elif excepted(text, spans, at):
            passed = True
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
