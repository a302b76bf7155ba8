"""An allergy or a note before it is written: what the chart already says of it."""

from __future__ import annotations

import pytest

from docgemma.ehr.contract import Gap
from docgemma.entities.drugs.names import ingredients
from docgemma.orders.facts import Facts
from docgemma.orders.model import Allergy, Check, Note
from tests.orders.checks.given import OFFLINE, facts
from tests.support import chart_records as chart


def told(substance: str, of: Facts, category: str = "") -> tuple[Check, ...]:
    draft = Allergy.model_validate(
        {
            "patient_id": "p1",
            "substance": substance,
            "reaction": "rash",
            "category": category,
            "ingredients": ingredients(substance),
        }
    )
    return OFFLINE.allergy(draft, of)


@pytest.mark.parametrize(
    ("substance", "recorded"),
    [
        ("penicillin", "Penicillin"),
        ("Penicillins", "penicillin"),
        ("Augmentin", "Amoxicillin"),
        ("sulfa", "Sulfonamide antibiotics"),
        ("eggs", "Egg"),
        ("peanut", "Allergy to peanuts"),
        ("Zorglub", "zorglub"),
    ],
)
def test_what_is_recorded_before_is_shown(substance: str, recorded: str) -> None:
    found = told(substance, facts(chart.allergy(recorded, id="a1")))
    assert [(check.outcome, check.basis) for check in found] == [("warning", "AllergyIntolerance/a1")]
    assert "already recorded" in found[0].detail


@pytest.mark.parametrize("substance", ["azithromycin", "latex"])
def test_another_substance_is_new(substance: str) -> None:
    assert [check.outcome for check in told(substance, facts(chart.allergy("Penicillin")))] == ["passed"]


def test_a_refuted_or_resolved_one_is_told_as_such() -> None:
    (refuted,) = told("penicillin", facts(chart.allergy("Penicillin", verified="refuted")))
    assert refuted.outcome == "warning" and "refuted" in refuted.detail
    (over,) = told("penicillin", facts(chart.allergy("Penicillin", "resolved")))
    assert over.outcome == "warning" and "recorded as resolved" in over.detail


@pytest.mark.parametrize(
    ("statement", "category", "against"),
    [
        ("No known allergy", "food", True),
        ("No known drug allergies", "medication", True),
        ("No known drug allergies", "", True),
        ("No known drug allergies", "food", False),
    ],
)
def test_a_statement_that_there_are_none(statement: str, category: str, against: bool) -> None:
    found = told("latex", facts(chart.allergy(statement)), category)
    assert any(statement in check.detail for check in found if check.outcome == "warning") == against


@pytest.mark.parametrize(
    ("substance", "taken", "warned"),
    [
        ("warfarin", "Warfarin 5 mg tablet", True),
        ("penicillin", "Augmentin 625 mg tablet", True),
        ("statins", "Atorvastatin 20 mg tablet", True),
        ("warfarin", "Metformin 500 mg tablet", False),
        ("latex", "Metformin 500 mg tablet", False),
    ],
)
def test_what_is_taken_now(substance: str, taken: str, warned: bool) -> None:
    found = told(substance, facts(chart.allergy("Egg"), chart.order(taken, id="m1")))
    naming = [check for check in found if check.outcome == "warning"]
    assert bool(naming) == warned
    assert all(taken in check.detail and "MedicationRequest/m1" in check.basis for check in naming)


def test_a_substance_nobody_knows_cannot_be_looked_for_among_the_medicines() -> None:
    found = told("zorglub", facts(chart.order("Metformin 500 mg tablet")))
    assert "not_checked" in {check.outcome for check in found}


def test_a_list_that_was_not_read_holds_who_knows_what() -> None:
    unread = (Gap("AllergyIntolerance", "server_error"), Gap("MedicationStatement", "server_error"))
    assert [check.outcome for check in told("latex", facts(gaps=unread))] == ["not_checked", "not_checked"]


def test_the_dead_are_told_of_and_nothing_is_stopped() -> None:
    of = facts(deceasedDateTime="2026-02-11")
    note = Note(patient_id="p1", note_type="Progress note", text="Seen.")
    assert [(check.name, check.outcome) for check in OFFLINE.note(note, of)] == [("patient", "warning")]
    assert ("patient", "warning") in {(check.name, check.outcome) for check in told("latex", of)}
    assert OFFLINE.note(note, facts()) == ()
