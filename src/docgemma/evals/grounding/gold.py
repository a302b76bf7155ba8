"""Criteria with the entities that a careful reader finds in them. Read strictly, line by line.

A span that does not hold its own text would silently count as a miss for every system, so it is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, ValidationError, model_validator

from docgemma.clinical import Frozen
from docgemma.errors import BadInput, UnknownId
from docgemma.grounding.contract import LONGEST_CRITERION, Comparator, Criterion, CriterionType
from docgemma.terminology.contract import EntityType

PACKAGED = "criteria.jsonl"

Name = Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[\w.:-]+$")]


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


class GoldCriterion(Frozen):
    """One criterion with everything that is to be found in it."""

    id: Name
    type: CriterionType = "unknown"
    text: Annotated[str, Field(min_length=1, max_length=LONGEST_CRITERION)]
    entities: tuple[GoldEntity, ...] = ()

    @model_validator(mode="after")
    def _in_place(self) -> Self:
        for entity in self.entities:
            if self.text[entity.start : entity.end] != entity.text:
                raise ValueError(f"'{entity.text}' does not stand at {entity.start} to {entity.end}")
        return self

    def criterion(self) -> Criterion:
        """As it goes in: without the answers."""
        return Criterion(criterion_id=self.id, type=self.type, text=self.text)


def load_gold(path: Path | None = None) -> tuple[GoldCriterion, ...]:
    """The criteria of a file; without one, those that come with the package."""
    name = path.name if path else PACKAGED
    try:
        if path is not None:
            return parse_gold(path.read_text(encoding="utf-8"), name)
        return parse_gold(files("docgemma.evals").joinpath("cases", PACKAGED).read_text("utf-8"), name)
    except UnicodeDecodeError:
        raise BadInput(f"{name} is not UTF-8 text.") from None
    except OSError as error:
        raise BadInput(f"{name} cannot be read: {error.strerror}. Name a file with --cases FILE.") from None


def parse_gold(text: str, name: str) -> tuple[GoldCriterion, ...]:
    """One criterion a line; the first mistake is told with its line."""
    found: dict[str, GoldCriterion] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            one = GoldCriterion.model_validate_json(line)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(str(part) for part in first["loc"])
            reason = first["msg"].removeprefix("Value error, ")
            raise BadInput(f"{name}, line {number}: {f'{place}: ' if place else ''}{reason}.") from None
        if one.id in found:
            raise BadInput(f"{name}, line {number}: the id '{one.id}' was already used by an earlier line.")
        found[one.id] = one
    if not found:
        raise BadInput(f"{name} has no criteria.")
    return tuple(found.values())


def select_gold(gold: Sequence[GoldCriterion], *, ids: Sequence[str], limit: int | None) -> tuple[GoldCriterion, ...]:
    """Only these, in the order of the file; an id that is not there is a mistake."""
    known = {one.id for one in gold}
    if unknown := [each for each in ids if each not in known]:
        raise UnknownId(f"There is no criterion '{unknown[0]}'.")
    chosen = [one for one in gold if not ids or one.id in ids]
    return tuple(chosen[:limit])
