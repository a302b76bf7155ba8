"""Criteria with the entities that a careful reader finds in them. Read strictly, line by line.

A span that does not hold its own text would silently count as a miss for every system, so it is refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from docgemma.clinical import Frozen
from docgemma.evals.casefiles import BaseCase, load
from docgemma.grounding.contract import LONGEST_CRITERION, Comparator, Criterion, CriterionType
from docgemma.terminology.contract import EntityType

PACKAGED = "criteria.jsonl"


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


def load_gold(path: Path | None = None) -> tuple[GoldCriterion, ...]:
    """The criteria of a file; without one, those that come with the package."""
    return load(GoldCriterion, PACKAGED, path)
