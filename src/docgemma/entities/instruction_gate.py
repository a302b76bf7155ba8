"""Which rules a text can meet at all, from one look at its words: almost every text is clean, and is then read once.

`instruction_needs` lists what each way of a rule needs. It may say too much, never too little; the tests make texts
from the expressions themselves and hold them against it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from docgemma.entities.instruction_needs import NEEDED, NEEDED_VI
from docgemma.entities.instruction_rules import RULES
from docgemma.entities.instruction_rules_vi import RULES_VI

_Way = tuple[frozenset[str], ...]
_Gate = tuple[re.Pattern[str], tuple[_Way, ...]]

_SIGNS = (*"<&|[]{#_:\"'=“‘@", "://", "www.", "![", "a.i", "nstruct", "web", "url", "skip", "mode", "link", "user")
_BEFORE_COLON = re.compile(r"([a-z]{1,20})\s{0,2}\Z")
_PREFIX = 5
_MINE = (
    r"['’]?s?['’]?\s{1,5}(?:full|name|mrn|date|birth|dob|ident|chart|home|addr|phone|social|ssn|medical|health|record"
    r"|personal|data)"
)
_OPEN = r"(?:\s{1,5}\w{1,20})?\s{1,5}patient"
_NEAR = {
    "numbered#": (r"patient\s{1,5}(?:id\s|#\d|[a-z]{2,12}[-_]\d|[0-9a-f]{8}-|\d{5})",),
    "owned#": tuple(f"{whose}{_MINE}" for whose in ("patient", "user", "person", "clinician")),
    "screen#": tuple(
        f"{word}{_OPEN}" for word in ("current", "active", "open", "pinned", "selected", "on-screen", "displayed")
    ),
    "unseen#": (r"no\s{1,5}(?:(?:further|additional)\s{1,5})?(?:user|clinician|human|prescriber)\s",),
    "call#": (r"call\s{1,5}the\s", r"invoke\s{1,5}the\s", r"execute\s{1,5}the\s"),
    "boxed#": (r"[(\[{<#*]\s{0,2}(?:system|assistant|developer)",),
    "from#": (
        r"from\s{1,5}(?:the\s{1,5}|your\s{1,5})?(?:chief|medical|hospital|admin|develop|system|it\s|security|openai"
        r"|google|anthropic|management)",
    ),
}
"""Words that only count beside each other. Each expression begins with its own letters, which is quick to look for."""

_NEAR_VI = {
    "numbered#": (r"#\d{3}|[0-9a-f]{8}|-\d{3}|\d{5}",),
    "host#": (r"\.[a-z]{2}",),
}
_NAMES, _NAMES_VI = tuple(_NEAR), tuple(_NEAR_VI)
_FIRST = {
    "numbered#": {"patie", "so", "an", "nhan", "benh"},
    "owned#": {"patie", "user", "users", "perso", "clini"},
    "screen#": {"patie"},
    "unseen#": {"user", "clinician", "human", "prescriber"},
    "call#": {"call", "invoke", "execute"},
    "boxed#": {"syste", "assis", "devel"},
    "from#": {"from"},
    "host#": {"gui", "chuyen", "tai", "xuat", "chep", "dang", "day"},
}
"""Without one of these words there is nothing to look for."""


def suspected(low: str) -> Iterator[re.Pattern[str]]:
    """The rules that this folded, lower-case text may meet."""
    words = low.translate(_APART).split()
    seen = _seen(low, words)
    english, vietnamese, follow = _gates()
    yield from _met(english, seen)
    if all(seen.isdisjoint(follow[head]) for head in follow.keys() & seen):
        return
    seen.discard("numbered#")
    seen.update(f"{one} {two}" for one, two in pairwise(words))
    seen.update(_near(low, seen, _NAMES_VI))
    yield from _met(vietnamese, seen)


def _met(gates: tuple[_Gate, ...], seen: set[str]) -> Iterator[re.Pattern[str]]:
    for rule, ways in gates:
        if any(all(not seen.isdisjoint(group) for group in way) for way in ways):
            yield rule


def _seen(low: str, words: list[str]) -> set[str]:
    """Its words, how they begin, the signs in it, and the words before a colon."""
    seen = set(words)
    seen |= {word[:_PREFIX] for word in seen}
    seen.update(sign for sign in _SIGNS if sign in low)
    if ":" in seen:
        ends = (_BEFORE_COLON.search(part[-25:]) for part in low.split(":")[:-1])
        seen.update(f"{end[1]}:" for end in ends if end)
    seen.update(_near(low, seen, _NAMES))
    return seen


def _near(low: str, seen: set[str], names: tuple[str, ...]) -> list[str]:
    return [
        name
        for name, ways in _beside(names)
        if not seen.isdisjoint(_FIRST[name]) and any(way.search(low) for way in ways)
    ]


@cache
def _beside(names: tuple[str, ...]) -> tuple[tuple[str, tuple[re.Pattern[str], ...]], ...]:
    table = _NEAR if names == _NAMES else _NEAR_VI
    return tuple((name, tuple(map(re.compile, table[name]))) for name in names)


class _Apart(dict[int, int]):
    """Letters stay, everything else becomes a blank; filled as characters come."""

    def __missing__(self, code: int) -> int:
        kept = code if chr(code).isalpha() else 32
        if code < 0x2000:
            self[code] = kept
        return kept


_APART = _Apart()


@cache
def _gates() -> tuple[tuple[_Gate, ...], tuple[_Gate, ...], dict[str, set[str]]]:
    """Both languages, and for Vietnamese the first words of its ways with those that follow them."""
    english = tuple((rule, _ways(listed)) for rule, listed in zip(RULES, NEEDED, strict=True))
    vietnamese = tuple((rule, _ways(listed)) for rule, listed in zip(RULES_VI, NEEDED_VI, strict=True))
    follow: dict[str, set[str]] = {}
    for phrase in {phrase for _, ways in vietnamese for way in ways for phrase in way[0]}:
        head, *_, tail = (*phrase.split(), *phrase.split())
        follow.setdefault(head, set()).add(tail)
    return english, vietnamese, follow


def _ways(listed: str) -> tuple[_Way, ...]:
    return tuple(
        tuple(frozenset(phrase.replace("+", " ") for phrase in group.split()) for group in way.split(" / "))
        for way in map(str.strip, " ".join(listed.split()).split(" ; "))
        if way
    )
