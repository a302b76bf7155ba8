"""What is handed around on the way from a request to an entry in a chart.

A `Draft` is what would be written, a `Card` what a person decides about, a `Row` what the ledger knows of it, a
`Receipt` what became of it. All are frozen: an edit is a new card.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from docgemma.clinical import Frozen
from docgemma.seal import RECORD

Kind = Literal["prescription", "allergy", "note"]

State = Literal[
    "proposed",
    "approved",
    "writing",
    "unknown",
    "written",
    "differs",
    "refused",
    "rejected",
    "expired",
    "withdrawn",
    "undoing",
    "undone",
]
"""`proposed`: waits for a person. `approved`: decided, not in the chart yet. `writing`: a worker holds it. `unknown`: a
write was sent and nobody knows yet what came of it. `written`: read back and equal. `differs`: in the chart, but not as
it was sent. `refused`: the record system took none of it. `undoing`, `undone`: marked as entered in error.
"""

UNFINISHED: frozenset[State] = frozenset({"approved", "writing", "unknown", "undoing"})
"""A person has decided and the chart does not show it yet: what is reconciled on start."""

IN_CHART: frozenset[State] = frozenset({"written", "differs"})

CheckOutcome = Literal["passed", "warning", "hard_stop", "not_checked"]


class Check(Frozen):
    """One line of a card. `basis` names the record, source or table that it rests on. `gap` is why it was not checked,
    in words that other checks may share: those are shown as one.
    """

    name: str
    outcome: CheckOutcome
    detail: str = ""
    basis: str = ""
    gap: str = ""


class Prescription(Frozen):
    """A medication order in standard words: `dose` and `frequency` are read back by the parsers of `entities`."""

    kind: Literal["prescription"] = "prescription"
    patient_id: str
    medication: str
    ingredients: tuple[str, ...]
    dose: str
    frequency: str
    route: str = ""
    duration: str = ""
    reason: str = ""
    notes: str = Field(default="", description="What else was said and fits no other field")
    rxnorm: str = Field(default="", description="Empty where it was not verified")


class Allergy(Frozen):
    """`reaction` may be "unknown": asked for once, and then left open. `ingredients` where the substance is a drug."""

    kind: Literal["allergy"] = "allergy"
    patient_id: str
    substance: str
    reaction: str
    severity: Literal["mild", "moderate", "severe", ""] = ""
    category: Literal["medication", "food", "environment", ""] = ""
    criticality: Literal["high", "low", ""] = ""
    ingredients: tuple[str, ...] = ()
    rxnorm: str = ""


class Note(Frozen):
    """`text` is the user's words. Written by a model it says so, and becomes theirs by approving its hash."""

    kind: Literal["note"] = "note"
    patient_id: str
    note_type: str
    text: str
    loinc: str = ""
    by_model: bool = False


Draft = Annotated[Prescription | Allergy | Note, Field(discriminator="kind")]


class Card(Frozen):
    """What a person approves, whole. Its hash covers every field here, so that none can change unnoticed.

    `version` is the patient's: it changes with what the checks rest on. `software` names program, model and prompts.
    """

    draft: Draft
    banner: str
    text: str
    checks: tuple[Check, ...] = ()
    version: str
    created_at: str
    expires_at: str
    proposed_by: str
    via: str = Field(default="", description="`turn`, `mcp` or another door")
    session_id: str = ""
    turn_id: str = ""
    software: str = ""
    demonstration: bool = False

    @property
    def hard_stops(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if check.outcome == "hard_stop")

    @property
    def not_checked(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if check.outcome == "not_checked")


class Decision(Frozen):
    """Who decided, and what they gave for it. `may_prescribe` makes the difference between an order and a draft."""

    who: str
    may_prescribe: bool = False
    override: str = Field(default="", description="The reason for going against a hard stop, as typed")
    acknowledged: bool = Field(default=False, description="What could not be checked was seen")
    reason: str = Field(default="", description="Why it was rejected or undone")


class Receipt(Frozen):
    """What became of a card, in words and as data. Made by code from what was read back, never from a model's text."""

    order_id: str
    status: State
    text: str
    kind: Kind
    patient: str = ""
    resource: str = Field(default="", description="`MedicationRequest/abc`, once it is in the chart")
    version: str = ""
    by: str = ""
    at: str = ""
    override: str = ""
    differences: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the ledger. `holder` is the worker that has it now; `noted`: its receipt stands in the session.

    `decision` is the last one. Once that is to undo it, `approval` and `approved_at` keep the one before.
    """

    id: str
    hash: str
    state: State
    card: Card
    decision: Decision | None
    decided_at: str
    holder: str
    held_until: str
    attempts: int
    resource_kind: str
    resource_id: str
    resource_version: str
    receipt: Receipt | None
    noted: bool
    updated_at: str
    approval: Decision | None = None
    approved_at: str = ""


_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"  # no i, l, o, u: they are misread


def digest(card: Card) -> str:
    """The card's hash: over every field, in one spelling."""
    return RECORD.of(card.model_dump(mode="json"))


def card_id(hash_: str) -> str:
    """The card's name, derived from its hash: ten letters, 50 bits, short enough to type."""
    number = int(hash_[:16], 16) >> 14
    return "".join(_LETTERS[(number >> (5 * place)) & 31] for place in reversed(range(10)))


def as_json(row: Row) -> dict[str, Any]:
    """A row as a script reads it."""
    return {
        "id": row.id,
        "hash": row.hash,
        "state": row.state,
        "card": row.card.model_dump(mode="json"),
        "decision": row.decision.model_dump(mode="json") if row.decision else None,
        "decided_at": row.decided_at or None,
        "approval": row.approval.model_dump(mode="json") if row.approval else None,
        "approved_at": row.approved_at or None,
        "resource": f"{row.resource_kind}/{row.resource_id}" if row.resource_id else None,
        "version": row.resource_version or None,
        "attempts": row.attempts,
        "receipt": row.receipt.model_dump(mode="json") if row.receipt else None,
        "updated_at": row.updated_at,
    }
