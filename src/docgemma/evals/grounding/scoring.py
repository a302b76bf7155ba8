"""What was found against what is there: which entities belong together, and what about them is right. Pure functions.

Strict: the same type and the same span, articles and outer punctuation aside. Relaxed: the same type and a common
character; each entity is used once, best pairs first. Attributes and concepts are judged on relaxed pairs, so that a
span one word too long does not hide a wrong code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Literal

from docgemma.evals.grounding.gold import GoldCriterion, GoldEntity
from docgemma.grounding.contract import Entity, Grounded

Aspect = Literal["negated", "quantity", "time", "concept"]

_FRINGE_LEFT = re.compile(r"(?:(?:a|an|the)\s{1,4}|[\s\"'(\[,;:.]){1,6}", re.IGNORECASE)
_FRINGE_RIGHT = " \t\n\"')],;:."
_MICRO = re.compile(r"^(?:mc|[uμµ])(?=(?:g|l|mol|iu|m|kat|eq)$)")
"""Micro in front of a unit, however it is written; "u" by itself is a unit of its own."""
_PLURALS = frozenset({"cells", "hours", "days", "weeks", "months", "years", "doses", "episodes", "points"})


@dataclass(frozen=True, slots=True)
class Pair:
    """A gold entity and what was found in its place. `wrong` names what about it is not right."""

    gold: GoldEntity
    found: Entity
    strict: bool
    scored: frozenset[Aspect]
    wrong: frozenset[Aspect]


@dataclass(frozen=True, slots=True)
class Scored:
    """One criterion, compared."""

    gold: GoldCriterion
    line: Grounded
    pairs: tuple[Pair, ...]
    missing: tuple[GoldEntity, ...]
    spurious: tuple[Entity, ...]


def score(gold: GoldCriterion, line: Grounded) -> Scored:
    """Pair what belongs together; what is left is missing or spurious."""
    found = () if line.error else line.entities
    chances = sorted(
        (
            (-_closeness(gold.text, one, other), place, number)
            for place, one in enumerate(gold.entities)
            for number, other in enumerate(found)
            if _closeness(gold.text, one, other) > 0
        ),
    )
    partner: dict[int, int] = {}
    for _, place, number in chances:
        if place not in partner and number not in partner.values():
            partner[place] = number
    pairs = tuple(_pair(gold.text, gold.entities[place], found[number]) for place, number in sorted(partner.items()))
    return Scored(
        gold,
        line,
        pairs,
        tuple(one for place, one in enumerate(gold.entities) if place not in partner),
        tuple(one for number, one in enumerate(found) if number not in partner.values()),
    )


def _pair(text: str, gold: GoldEntity, found: Entity) -> Pair:
    scored: set[Aspect] = {"negated"}
    if gold.comparator or found.comparator:
        scored.add("quantity")
    if gold.time or found.time:
        scored.add("time")
    if gold.umls_cui:
        scored.add("concept")
    right: dict[Aspect, bool] = {
        "negated": gold.negated == found.negated,
        "quantity": same_quantity(gold, found),
        "time": same_time(gold, found),
        "concept": gold.umls_cui == found.umls_cui,
    }
    strict = _trimmed(text, gold.start, gold.end) == _trimmed(text, found.span_start, found.span_end)
    return Pair(gold, found, strict, frozenset(scored), frozenset(each for each in scored if not right[each]))


def same_quantity(gold: GoldEntity, found: Entity) -> bool:
    """All of comparator, value, upper bound and unit."""
    return (
        gold.comparator == found.comparator
        and _number(gold.value) == _number(found.value)
        and _number(gold.upper) == _number(found.upper)
        and _unit(gold.unit) == _unit(found.unit)
    )


def same_time(gold: GoldEntity, found: Entity) -> bool:
    """What the time means, not its words: comparator, value and unit, as far as gold has them.

    Where gold means no number ("during the study"), one that was found is wrong.
    """
    one, other = gold.time, found.time
    if one is None or other is None:
        return one is None and other is None
    if one.value is None:
        return other.value is None
    return (
        _number(one.value) == _number(other.value)
        and (one.comparator is None or one.comparator == other.comparator)
        and (one.unit is None or _unit(one.unit) == _unit(other.unit))
    )


def _closeness(text: str, gold: GoldEntity, found: Entity) -> float:
    """0 for no pair, 2 for the same span, between them the share of characters in common."""
    if gold.entity_type != found.entity_type:
        return 0.0
    start, end = _trimmed(text, gold.start, gold.end)
    other_start, other_end = _trimmed(text, found.span_start, found.span_end)
    if (start, end) == (other_start, other_end):
        return 2.0
    common = min(end, other_end) - max(start, other_start)
    return max(0.0, common / max(1, max(end, other_end) - min(start, other_start)))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    fringe = _FRINGE_LEFT.match(text, start, end)
    begins = fringe.end() if fringe and fringe.end() < end else start
    return begins, begins + len(text[begins:end].rstrip(_FRINGE_RIGHT))


def _number(value: str | None) -> Decimal | str | None:
    """7 and 7.0 are the same; what is no number is compared as written."""
    if value is None:
        return None
    try:
        return Decimal(value)
    except InvalidOperation:
        return value.strip().casefold()


def _unit(unit: str | None) -> str:
    """Spaces, case, a plural and how micro is written aside: "cells/uL" is "cell/µL", "ug" is "mcg"."""
    plain = "".join((unit or "").split()).casefold()
    return "/".join(_MICRO.sub("µ", part) if part not in _PLURALS else part[:-1] for part in plain.split("/"))
