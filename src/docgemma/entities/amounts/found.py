"""All amounts of a message in one pass: doses, frequencies, routes, durations, each knowing where the others stand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from docgemma.entities.amounts.doses import find_doses
from docgemma.entities.amounts.durations import find_durations
from docgemma.entities.amounts.frequencies import find_frequencies
from docgemma.entities.amounts.routes import find_routes
from docgemma.entities.model import Mention


@dataclass(frozen=True, slots=True)
class Amounts:
    """Mentions of each kind in order of appearance; no dose is part of another amount."""

    doses: tuple[Mention, ...]
    frequencies: tuple[Mention, ...]
    routes: tuple[Mention, ...]
    durations: tuple[Mention, ...]


_BARE = re.compile(r"\s{1,2}(\d{1,5}(?:\.\d{1,3})?(?:\s?/\s?\d{1,4}(?:\.\d{1,3})?){0,2})(?=\s|[,;.)]|$)")
_GOES_ON = re.compile(r"\s{0,2}(?:[,;.)\n]|$|(?:for|and|then|plus|with)\s)", re.IGNORECASE)


def find_amounts(text: str, drugs: Sequence[Mention] = ()) -> Amounts:
    """Everyday words ("on", "im", "5/7") are amounts only beside a drug or another amount: the sure ones go first."""
    found = find_doses(text)
    doses: Sequence[Mention] = _in_order(found, _apart(_bare_strengths(text, drugs), found))
    sure = {mention.end for mention in (*drugs, *doses)}
    often = find_frequencies(text, sure)
    routes = find_routes(text, sure | {mention.end for mention in often}, {drug.start for drug in drugs})
    sure |= {mention.end for mention in routes}
    often = find_frequencies(text, sure)
    durations = _apart(find_durations(text, sure | {mention.end for mention in often}), often)
    starts = {mention.start for kind in (found, often, routes, durations) for mention in kind}
    known = {*found}
    doses = _apart([dose for dose in doses if dose in known or _stands(text, dose, starts)], durations)
    return Amounts(tuple(doses), _apart(often, doses), _apart(routes, doses), durations)


def _bare_strengths(text: str, drugs: Sequence[Mention]) -> list[Mention]:
    """A number without a unit right after a drug: "amlodipine 5", "co-codamol 30/500". Never read, but never lost."""
    found = {match.start(1): match for drug in drugs if (match := _BARE.match(text, drug.end))}
    return [Mention(found[start].group(1), start, found[start].end(1)) for start in sorted(found)]


def _stands(text: str, number: Mention, starts: set[int]) -> bool:
    """Whether it ends the phrase or another amount follows; "warfarin 5 years ago" is no strength."""
    gap = len(text[number.end : number.end + 2]) - len(text[number.end : number.end + 2].lstrip())
    return number.end + gap in starts or _GOES_ON.match(text, number.end) is not None


def _in_order(*kinds: Sequence[Mention]) -> list[Mention]:
    return sorted((mention for kind in kinds for mention in kind), key=lambda mention: mention.start)


def _apart(mentions: Sequence[Mention], others: Sequence[Mention]) -> tuple[Mention, ...]:
    """Those that overlap none of the others; both come in order."""
    kept: list[Mention] = []
    place = 0
    for mention in mentions:
        while place < len(others) and others[place].end <= mention.start:
            place += 1
        if place == len(others) or others[place].start >= mention.end:
            kept.append(mention)
    return tuple(kept)
