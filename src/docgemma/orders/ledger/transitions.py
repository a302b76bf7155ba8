"""Which state may follow which, and how the audit log tells of it. What stands in no table here does not happen."""

from __future__ import annotations

from typing import Literal

from docgemma.audit.entries import Access, Action, Outcome, known_id
from docgemma.orders.model import Row, State
from docgemma.orders.resources import KINDS

Verdict = Literal["approved", "rejected", "expired", "withdrawn"]

DECISIONS: dict[Verdict, tuple[Action, Outcome]] = {
    "approved": ("approve", "asked"),
    "rejected": ("reject", "refused"),
    "expired": ("expire", "refused"),
    "withdrawn": ("withdraw", "refused"),
}
"""What `proposed` may become."""

CLAIMS: dict[State, State] = {
    "approved": "writing",
    "unknown": "writing",
    "writing": "writing",
    "undoing": "undoing",
}
"""What a worker may take, and what it is then. The last two are taken over from one that is gone."""

SETTLEMENTS: dict[tuple[State, State], Outcome] = {
    ("writing", "written"): "written",
    ("writing", "differs"): "differs",
    ("writing", "refused"): "refused",
    ("writing", "unknown"): "unknown",
    ("writing", "approved"): "failed",  # given back: nothing is in the chart, and it is tried again later
    ("undoing", "undone"): "undone",
    ("undoing", "undoing"): "unknown",  # given back: somebody has to look again
    ("undoing", "written"): "refused",
    ("undoing", "differs"): "refused",
}
"""Where a worker may leave what it holds."""

_CHANGED: frozenset[Outcome] = frozenset({"written", "differs", "undone"})


def settlement(row: Row, to: State) -> Outcome:
    """How it ends for the worker that holds the row."""
    if (row.state, to) not in SETTLEMENTS:
        raise ValueError(f"an order that is {row.state} cannot become {to}")
    return SETTLEMENTS[row.state, to]


def told(row: Row, action: Action, outcome: Outcome) -> Access:
    """The row of the audit log. It names the order until there is an entry in the chart to name."""
    return Access(
        action,
        outcome,
        kind=KINDS[row.card.draft.kind],
        resource_id=known_id(row.resource_id) if row.resource_id else row.id,
        patients=(known_id(row.card.draft.patient_id),),
        count=1 if outcome in _CHANGED else 0,
    )
