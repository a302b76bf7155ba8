"""What goes into grounding and what comes out: one line in, one line out."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from docgemma.clinical import Frozen
from docgemma.terminology.contract import Candidate, EntityType

CriterionType = Literal["inclusion", "exclusion", "unknown"]
Comparator = Literal["<", "<=", "=", ">=", ">", "between"]
Standing = Literal["grounded", "expert_review"]
Method = Literal["agentic_model", "rules", "person"]
"""`agentic_model`: a model extracted or chose. `rules`: code alone. `person`: an expert decided in the review."""

LONGEST_CRITERION = 4_000
UNSURE = "The confidence is below the threshold."
"""The only reason to wait that a person may settle for many entities at once."""


class Criterion(Frozen):
    """One eligibility criterion as it was read. The ids are the file's own, else made from place and content."""

    criterion_id: str
    protocol_id: str = ""
    type: CriterionType = "unknown"
    text: str = Field(min_length=1, max_length=LONGEST_CRITERION)
    context: str = Field(default="", description="Headings above it and the item it hangs under, for abbreviations")


class Quantity(Frozen):
    """A comparison as it stands beside an entity: `HbA1c > 7.5 %`, `18 to 65 years`."""

    comparator: Comparator
    value: str = Field(description="Digits as written, without thousands separators; the lower bound of a range")
    upper: str | None = Field(default=None, description="The upper bound of a range")
    unit: str = ""


class Window(Frozen):
    """A time around the criterion: `within 6 months`, `at least 4 weeks before screening`."""

    text: str = Field(description="As written")
    comparator: Comparator | None = None
    value: str | None = None
    upper: str | None = Field(default=None, description="The later end of a range")
    unit: str | None = Field(default=None, description="hour, day, week, month or year; also minute and half-life")
    anchor: str = Field(default="", description="What it counts from, as written: screening, the first dose, …")


class Entity(Frozen):
    """One medical entity of a criterion. Spans count characters of the criterion's text."""

    entity_id: str
    text: str
    entity_type: EntityType
    span_start: int
    span_end: int
    context_window: str = ""
    umls_cui: str | None = None
    preferred_term: str | None = None
    snomed_code: str | None = None
    grounding_confidence: float = 0.0
    model_confidence: float | None = None
    grounding_method: Method = "rules"
    status: Standing = "expert_review"
    candidates: tuple[Candidate, ...] = ()
    negated: bool = False
    comparator: Comparator | None = None
    value: str | None = None
    upper: str | None = None
    unit: str | None = None
    time: Window | None = None
    reason: str = Field(default="", description="Why an expert should look, in one sentence")


class Grounded(Frozen):
    """The output line of one criterion. `error` says why it was not grounded; such a line is tried again."""

    criterion_id: str
    protocol_id: str = ""
    batch_id: str = ""
    type: CriterionType = "unknown"
    text: str
    entities: tuple[Entity, ...] = ()
    iteration_history: tuple[dict[str, Any], ...] = ()
    error: str | None = None
