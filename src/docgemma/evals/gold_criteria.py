"""Criteria with the entities that a careful reader finds in them, and how close what was found comes to it.

A case is read strictly: a span that does not hold its own text would silently count as a miss for every system, so it
is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from docgemma.clinical import Frozen
from docgemma.evals.casefiles import BaseCase
from docgemma.grounding.contract import LONGEST_CRITERION, Comparator, Criterion, CriterionType, Entity, Grounded
from docgemma.terminology.contract import EntityType


class GoldTime(Frozen):
    """A time as written, and what it means where it means a number."""

    text: str
    comparator: Comparator | None = None
    value: str | None = None
    unit: str | None = None


class GoldEntity(Frozen):
    """One entity. `umls_cui` None: nobody could verify one, so the concept is not scored."""

    text: str
    start: int
    end: int
    entity_type: EntityType
    negated: bool = False
    comparator: Comparator | None = None
    value: str | None = None
    upper: str | None = None
    unit: str | None = None
    time: GoldTime | None = None
    umls_cui: Annotated[str, Field(pattern=r"^C\d{7}$")] | None = None


class GoldCriterion(BaseCase):
    """One criterion with everything that is to be found in it. Without a kind of its own its type is its kind."""

    type: CriterionType = "unknown"
    text: Annotated[str, Field(min_length=1, max_length=LONGEST_CRITERION)]
    entities: tuple[GoldEntity, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _by_type(cls, data: Any) -> Any:
        return {"kind": data.get("type", "unknown"), **data} if isinstance(data, dict) else data

    @model_validator(mode="after")
    def _in_place(self) -> Self:
        for entity in self.entities:
            if self.text[entity.start : entity.end] != entity.text:
                raise ValueError(f"'{entity.text}' does not stand at {entity.start} to {entity.end}")
        return self

    @property
    def about(self) -> str:
        return self.text

    def criterion(self) -> Criterion:
        """As it goes in: without the answers."""
        return Criterion(criterion_id=self.id, type=self.type, text=self.text)


# ----------
# What was found against what is there: which entities belong together, and what about them is right. Pure functions.
#
# Strict: the same type and the same span, articles and outer punctuation aside. Relaxed: the same type and a common
# character; each entity is used once, best pairs first. Attributes and concepts are judged on relaxed pairs, so that a
# span one word too long does not hide a wrong code.


Aspect = Literal["negated", "quantity", "time", "concept"]

_FRINGE_LEFT = re.compile(r"(?:(?:a|an|the)\s{1,4}|[\s\"'(\[,;:.]){1,6}", re.IGNORECASE)
_FRINGE_RIGHT = " \t\n\"')],;:."
_MICRO = re.compile(r"^(?:mc|[uμµ])(?=(?:g|l|mol|iu|m|kat|eq)$)")
"""Micro in front of a unit, however it is written; "u" by itself is a unit of its own."""
_PLURALS = frozenset({"cells", "hours", "days", "weeks", "months", "years", "doses", "episodes", "points"})
ATTRIBUTES: tuple[Aspect, ...] = ("negated", "quantity", "time")


@dataclass(frozen=True, slots=True)
class Pair:
    """A gold entity and what was found in its place. `right`: of each aspect that gold or found have, whether it is."""

    gold: GoldEntity
    found: Entity
    strict: bool
    right: Mapping[Aspect, bool]

    @property
    def wrong(self) -> set[Aspect]:
        return {aspect for aspect, right in self.right.items() if not right}


@dataclass(frozen=True, slots=True)
class Scored:
    """One criterion, compared."""

    gold: GoldCriterion
    line: Grounded
    pairs: tuple[Pair, ...]
    missing: tuple[GoldEntity, ...]
    spurious: tuple[Entity, ...]

    @property
    def listed_by_code(self) -> bool:
        """Whether a model's answer was of no use, so that code listed the entities for an expert."""
        return any((step.get("action"), step.get("by")) == ("extract", "code") for step in self.line.iteration_history)


def score(gold: GoldCriterion, line: Grounded) -> Scored:
    """Pair what belongs together; what is left is missing or spurious."""
    found = () if line.error else line.entities
    chances = sorted(
        (-close, place, number)
        for place, one in enumerate(gold.entities)
        for number, other in enumerate(found)
        if (close := _closeness(gold.text, one, other)) > 0
    )
    partner: dict[int, int] = {}
    for _, place, number in chances:
        if place not in partner and number not in partner.values():
            partner[place] = number
    pairs = tuple(_pair(gold.text, gold.entities[place], found[number]) for place, number in sorted(partner.items()))
    missing = tuple(one for place, one in enumerate(gold.entities) if place not in partner)
    spurious = tuple(one for number, one in enumerate(found) if number not in partner.values())
    return Scored(gold, line, pairs, missing, spurious)


def _pair(text: str, gold: GoldEntity, found: Entity) -> Pair:
    right: dict[Aspect, bool] = {"negated": gold.negated == found.negated}
    if gold.comparator or found.comparator:
        right["quantity"] = _quantity(gold) == _quantity(found)
    if gold.time or found.time:
        right["time"] = same_time(gold, found)
    if gold.umls_cui:
        right["concept"] = gold.umls_cui == found.umls_cui
    strict = _trimmed(text, gold.start, gold.end) == _trimmed(text, found.span_start, found.span_end)
    return Pair(gold, found, strict, right)


def _quantity(one: GoldEntity | Entity) -> tuple[object, ...]:
    return one.comparator, _number(one.value), _number(one.upper), _unit(one.unit)


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
