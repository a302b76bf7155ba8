"""What stands beside dose and frequency in an order: route, duration and reason are taken apart, the rest is kept.

The agent joins them in standard words ("by mouth; for 7 days; for gout"). Another door may send whole sentences: what
these name counts too, and their words stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from docgemma.entities.amounts.durations import parse_duration
from docgemma.entities.amounts.found import find_amounts
from docgemma.entities.amounts.frequencies import find_frequencies, is_banned, parse_frequency
from docgemma.entities.amounts.indications import find_indications
from docgemma.entities.amounts.routes import parse_route
from docgemma.entities.drugs.names import drugs_in
from docgemma.orders.unclear import Unclear, amount

_CUT = "…"
_LASTING = re.compile(r"for (?!life)|until |long term")
_ASIDE = re.compile(
    r"(?<!\w)(?:not?|never|don'?t|avoid|without|unless|if|instead|except|stop|hold|check|monitor|recheck|review|repeat"
    r"|measure|tests?|labs|bloods|follow|return|call|previously|was|were|allergic)(?!\w)",
    re.IGNORECASE,
)
"""A sentence with one of these says something about the order, not how it is taken: its words are kept, and no more."""


@dataclass(slots=True)
class _Found:
    routes: list[str] = field(default_factory=list)
    durations: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    often: list[str] = field(default_factory=list)
    rest: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Details:
    """The details of an order. `often` is whatever says more about when it is taken: "with meals"."""

    route: str = ""
    duration: str = ""
    reason: str = ""
    often: str = ""
    rest: str = ""


def read_details(notes: str) -> Details | Unclear:
    """Route, duration and reason by their own names. Two answers to one question are asked about."""
    if notes.rstrip().endswith(_CUT):
        return _asked("The further details were too long and lost their end. Say them in fewer words.")
    found = _Found()
    for piece in (" ".join(part.split()) for part in notes.split(";")):
        unclear = _take(piece, found) if piece else None
        if unclear:
            return unclear
    routes, durations = _distinct(found.routes), _distinct(found.durations)
    if len(routes) > 1:
        return _asked(f"Two routes are named: {' and '.join(routes)}. Which one is it?", routes)
    if len(durations) > 1:
        return _asked(f"Two durations are named: {' and '.join(durations)}. Which one is it?", durations)
    reason = ", ".join(_distinct(found.reasons))
    return Details("".join(routes), "".join(durations), reason, " ".join(found.often), "; ".join(found.rest))


def _take(piece: str, found: _Found) -> Unclear | None:
    """One piece in standard words goes to its field; any other is kept as it is, and read."""
    if route := parse_route(piece):
        found.routes.append(route)
    elif duration := parse_duration(piece):
        (found.durations if _LASTING.match(duration) else found.rest).append(duration)
    elif reason := _reason(piece):
        found.reasons.append(reason)
    elif often := parse_frequency(piece):
        if unclear := _banned(piece):
            return unclear
        found.often.append(often.render())
    else:
        found.rest.append(piece)
        return None if _ASIDE.search(piece) else _read(piece, found)
    return None


def _read(piece: str, found: _Found) -> Unclear | None:
    """What a sentence names beside its words."""
    amounts = find_amounts(piece, drugs_in(piece))
    if amounts.doses:
        said = amounts.doses[0].text
        return _asked(
            f"The further details name an amount of their own (“{said}”). An order has one dose: which is it?"
        )
    if unclear := _banned(piece):
        return unclear
    found.routes += (route.value for route in amounts.routes)
    found.durations += (each.value for each in amounts.durations if _LASTING.match(each.value))
    found.often += (often.value for often in amounts.frequencies)
    found.reasons += (each.value.removeprefix("for ") for each in find_indications(piece, 0, len(piece)))
    return None


def _reason(piece: str) -> str:
    found = find_indications(piece, 0, len(piece))
    whole = len(found) == 1 and (found[0].start, found[0].end) == (0, len(piece))
    return found[0].value.removeprefix("for ") if whole else ""


def _banned(piece: str) -> Unclear | None:
    said = next((often.text for often in find_frequencies(piece) if is_banned(often.value)), "")
    return amount("frequency", f"“{said}” is error-prone. How often is it taken?") if said else None


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))


def _asked(question: str, suggestions: tuple[str, ...] = ()) -> Unclear:
    return amount("notes", question, suggestions)
