"""The label set of the request head: which tools may be asked for, which spans may be marked, how messages relate."""

from __future__ import annotations

from typing import Literal, get_args

Ask = Literal[
    "check_drug_safety",
    "check_drug_interactions",
    "search_medical_literature",
    "find_clinical_trials",
    "search_patient",
    "get_patient_chart",
    "get_observations",
    "prescribe_medication",
    "change_medication",
    "add_allergy",
    "save_clinical_note",
    "record_vitals",
    "order_service",
    "analyze_medical_image",
    "order_status",
]
SpanType = Literal[
    "patient_id",
    "person",
    "relative",
    "birth_date",
    "age",
    "sex",
    "drug",
    "dose",
    "frequency",
    "route",
    "duration",
    "rate",
    "indication",
    "substance",
    "reaction",
    "severity",
    "topic",
    "condition",
    "status",
    "place",
    "phase",
    "year",
    "study_kind",
    "lab",
    "period",
    "statistic",
    "vital",
    "value",
    "service",
    "priority",
    "threshold",
    "note_type",
    "note_text",
]
QuestionKind = Literal[
    "which_patient", "confirm_patient", "switch_patient", "missing", "which_drug", "note_type", "approve"
]
Relation = Literal["answers", "cancels", "new", "both"]

ASKS: tuple[Ask, ...] = get_args(Ask)
SPAN_TYPES: tuple[SpanType, ...] = get_args(SpanType)
QUESTION_KINDS: tuple[QuestionKind, ...] = get_args(QuestionKind)
RELATIONS: tuple[Relation, ...] = get_args(Relation)
WRITES: frozenset[Ask] = frozenset(
    {
        "prescribe_medication",
        "change_medication",
        "add_allergy",
        "save_clinical_note",
        "record_vitals",
        "order_service",
    }
)
"""What would change a record: needs more certainty than a look-up, and a person's approval."""

CARDS: frozenset[Ask] = frozenset({"prescribe_medication", "add_allergy", "save_clinical_note"})
"""Of these, the ones that a card can be made of today."""

NOT_YET: frozenset[Ask] = frozenset({"change_medication", "record_vitals", "order_service", "order_status"})
"""Understood, and no tool does it yet: said, never dropped."""

TAGS: tuple[str, ...] = ("O", *(f"{place}-{kind}" for kind in SPAN_TYPES for place in ("B", "I")))
"""One per token: outside, the beginning of a span, or inside one."""

FLAGS: tuple[str, ...] = ("urgent", "conditional")

WHO: frozenset[SpanType] = frozenset({"patient_id", "person", "relative", "birth_date", "age", "sex"})
"""Who is meant: holds for the whole message unless it names several people."""

_AMOUNT: frozenset[SpanType] = frozenset({"dose", "frequency", "route", "duration", "rate", "indication"})
TAKES: dict[Ask, frozenset[SpanType]] = {
    "check_drug_safety": frozenset({"drug", "dose", "frequency", "route", "indication"}),
    "check_drug_interactions": frozenset({"drug"}),
    "search_medical_literature": frozenset({"topic", "study_kind", "place", "year", "drug"}),
    "find_clinical_trials": frozenset({"condition", "status", "phase", "place", "year", "drug"}),
    "search_patient": frozenset({"lab", "threshold", "drug", "period"}),
    "get_patient_chart": frozenset({"lab", "period", "statistic", "threshold", "drug", "substance"}),
    "get_observations": frozenset({"lab", "period", "statistic", "threshold"}),
    "prescribe_medication": frozenset({"drug", *_AMOUNT, "threshold"}),
    "change_medication": frozenset({"drug", *_AMOUNT, "threshold"}),
    "add_allergy": frozenset({"substance", "reaction", "severity"}),
    "save_clinical_note": frozenset({"note_type", "note_text"}),
    "record_vitals": frozenset({"vital", "value"}),
    "order_service": frozenset({"service", "priority", "indication"}),
    "analyze_medical_image": frozenset(),
    "order_status": frozenset({"drug", "service"}),
}
"""Which spans a request may use. A span of another type belongs to another request of the message."""
