"""A receipt promises no more than happened."""

from __future__ import annotations

import pytest

from docgemma.orders.model import Decision, Note, State
from docgemma.orders.receipts import receipt
from tests.cli.cards import card, row

AT = "2026-03-01T13:05:00+00:00"
NOTE = Note(patient_id="p1", note_type="progress note", text="Seen today.")


@pytest.mark.parametrize(
    ("may_prescribe", "status", "draft"),
    [(False, "written", True), (False, "differs", True), (True, "written", False), (False, "refused", False)],
)
def test_a_draft_is_not_taken_for_an_order(may_prescribe: bool, status: State, draft: bool) -> None:
    decided = row(decision=Decision(who="nina", may_prescribe=may_prescribe), decided_at=AT)
    text = receipt(decided, status, AT, resource="MedicationRequest/m1").text
    assert ("Saved as a DRAFT only" in text) == draft


def test_a_note_needs_no_prescriber() -> None:
    decided = row(card(draft=NOTE), decision=Decision(who="nina"), decided_at=AT)
    assert "DRAFT" not in receipt(decided, "written", AT, resource="DocumentReference/d1").text
