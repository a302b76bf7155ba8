"""What a patient takes: every current order on its own line with its dose, and nothing past unless it is asked for."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from docgemma.ehr.chart.projection import project
from docgemma.ehr.chart.sections.medications import NONE_RECORDED, directions
from docgemma.ehr.contract import Gap
from tests.support.chart_records import TODAY, concept, condition, lines, lines_of, order, quantity, record


@pytest.mark.parametrize(
    ("instruction", "said"),
    [
        ({"text": "Take 1 tablet twice daily with food"}, "Take 1 tablet twice daily with food"),
        (
            {
                "doseAndRate": [{"doseQuantity": quantity("500", "mg")}],
                "route": concept("oral"),
                "timing": {"repeat": {"frequency": 2, "period": 1, "periodUnit": "d"}},
            },
            "500 mg, oral, twice a day",
        ),
        ({"timing": {"repeat": {"frequency": 1, "period": 6, "periodUnit": "h"}}}, "every 6 hours"),
        ({"timing": {"repeat": {"frequency": 1, "period": 1, "periodUnit": "wk"}}}, "once a week"),
        ({"timing": {"repeat": {"frequency": 3, "period": 1, "periodUnit": "h"}}}, "3 times an hour"),
        ({"timing": {"repeat": {"frequency": 2, "period": 3, "periodUnit": "wk"}}}, "twice every 3 weeks"),
        ({"timing": {"repeat": {"frequency": 1, "period": Decimal("0.5"), "periodUnit": "d"}}}, "every 0.5 days"),
        (
            {"timing": {"repeat": {"frequency": 4, "period": 4, "periodMax": 6, "periodUnit": "h"}}},
            "4 times every 4–6 hours",
        ),
        ({"timing": {"repeat": {"frequency": 2}}}, "2 times, period not recorded"),
        ({"timing": {"code": concept("BID")}}, "BID"),
        ({"timing": {"repeat": {"when": ["HS"]}}}, "at bedtime"),
        ({"timing": {"repeat": {"dayOfWeek": ["mon", "thu"]}}}, "on mon/thu"),
        ({"timing": {"repeat": {"boundsDuration": quantity("7", "d")}}}, "for 7 d"),
        ({"asNeededBoolean": True}, "as needed"),
        ({"asNeededCodeableConcept": concept("pain")}, "as needed for pain"),
        ({"text": "5 mg at night", "asNeededBoolean": True}, "5 mg at night, as needed"),
        ({"text": "5 mg prn", "asNeededBoolean": True}, "5 mg prn"),
        (
            {"text": "as directed", "doseAndRate": [{"doseQuantity": quantity("10", "mg")}]},
            "as directed; 10 mg",
        ),
        ({"doseAndRate": [{"doseQuantity": quantity("1")}]}, "dose 1 (unit not recorded)"),
        ({"doseAndRate": [{"doseRange": {"low": quantity("1", "tab"), "high": quantity("2", "tab")}}]}, "1–2 tab"),
        ({"doseAndRate": [{"rateQuantity": quantity("20", "mL/h")}]}, "at 20 mL/h"),
        (
            {"maxDosePerPeriod": {"numerator": quantity("4", "g"), "denominator": quantity("1", "d")}},
            "at most 4 g per 1 d",
        ),
        ({"timing": 3, "route": ["x"], "doseAndRate": "5 mg"}, ""),
    ],
)
def test_reads_a_dose(instruction: dict[str, Any], said: str) -> None:
    assert directions([instruction]) == said


def test_instructions_keep_their_order() -> None:
    assert directions([{"sequence": 2, "text": "5 mg"}, {"sequence": 1, "text": "10 mg first"}]) == (
        "10 mg first; then 5 mg"
    )


@pytest.mark.parametrize(
    ("state", "mark"),
    [
        ("active", ""),
        ("on-hold", "ON HOLD"),
        ("draft", "DRAFT, not ordered yet"),
        ("unknown", "status unknown"),
        ("banana", "status not understood"),
        ("", "status not recorded"),
    ],
)
def test_current_orders_are_shown_with_their_state(state: str, mark: str) -> None:
    (line,) = lines(order("Warfarin 5 mg", state), "medications")
    assert line.startswith("Warfarin 5 mg")
    assert (f"[{mark}]" in line) if mark else "[" not in line


@pytest.mark.parametrize("state", ["completed", "stopped", "cancelled"])
def test_past_orders_are_counted_until_they_are_asked_for(state: str) -> None:
    chart = record(order("Amiodarone 200 mg", state))
    plain = project(chart, today=TODAY)
    assert lines_of(plain, "medications") == (NONE_RECORDED,)
    assert any("1 stopped or completed medication" in sentence for sentence in plain.omitted)
    assert lines(chart, "past_medications", "which meds was she on in the past?")[0].startswith("Amiodarone")
    assert lines(chart, "past_medications", "was she ever on amiodarone?")[0].startswith("Amiodarone")
    assert lines(chart, "past_medications", "what meds is she on?") == ()


def test_an_order_entered_in_error_is_gone_and_said() -> None:
    chart = project(record(order("Warfarin", "entered-in-error")), today=TODAY)
    assert "Warfarin" not in chart.text()
    assert "Medications: 1 entered in error, not shown." in chart.omitted


def test_the_same_drug_twice_stays_twice() -> None:
    twice = record(order("Lisinopril 10 mg"), order("Lisinopril 10 mg"))
    assert len(lines(twice, "medications")) == 2


def test_a_course_that_is_over_is_shown_and_marked() -> None:
    ended = order(dosageInstruction=[{"timing": {"repeat": {"boundsPeriod": {"end": "2026-03-01"}}}}])
    running = order(dosageInstruction=[{"timing": {"repeat": {"boundsPeriod": {"end": "2026-11-01"}}}}])
    assert "its course ended 2026-03-01, yet the status is active" in lines(ended, "medications")[0]
    assert "course ended" not in lines(running, "medications")[0]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"intent": "proposal"}, "proposal, not an order"),
        ({"intent": "plan"}, "plan, not an order"),
        ({"doNotPerform": True}, "DO NOT GIVE: Metformin"),
        ({"reasonCode": [concept("Diabetes")]}, "for Diabetes"),
        ({"authoredOn": "2031-01-01"}, "2031-01-01, a date in the future"),
        ({"dispenseRequest": {"validityPeriod": {"end": "2025-01-01"}}}, "valid until 2025-01-01"),
    ],
)
def test_marks_what_is_not_a_plain_order(fields: dict[str, Any], words: str) -> None:
    assert words in lines(order(**fields), "medications")[0]


def _by_reference(reference: dict[str, Any], *others: dict[str, Any], **more: Any) -> str:
    asked = order(medicationReference=reference, **more)
    del asked["medicationCodeableConcept"]
    return lines(record(asked, *others), "medications")[0].partition(":")[0]


def test_a_drug_by_reference_is_named() -> None:
    drug = {"resourceType": "Medication", "id": "m1", "code": concept("Insulin glargine")}
    for target in ("Medication/m1", "https://ehr.example/fhir/Medication/m1/_history/2", "urn:uuid:m1"):
        assert _by_reference({"reference": target}, dict(drug)) == "Insulin glargine"
    assert _by_reference({"reference": "#m1"}, contained=[drug]) == "Insulin glargine"
    assert _by_reference({"reference": "Medication/gone", "display": "Insulin"}) == "Insulin"
    mixed = {"resourceType": "Medication", "id": "m1", "ingredient": [{"itemCodeableConcept": concept("Codeine")}]}
    assert _by_reference({"reference": "Medication/m1"}, mixed) == "Codeine"
    assert _by_reference({"reference": "Medication/gone"}).startswith("A medication entry that cannot be read")


def test_a_reason_by_reference_is_named() -> None:
    asked = order(reasonReference=[{"reference": "Condition/c1"}])
    assert "for Asthma" in lines(record(asked, condition("Asthma", id="c1")), "medications")[0]


def test_statements_of_the_patient_count_too() -> None:
    statement = {
        "resourceType": "MedicationStatement",
        "status": "active",
        "medicationCodeableConcept": concept("Ibuprofen 200 mg"),
        "dosage": [{"text": "1 tablet when needed"}],
        "effectivePeriod": {"start": "2026-01-01"},
    }
    (line,) = lines(statement, "medications")
    assert line == "Ibuprofen 200 mg: 1 tablet when needed; [as reported]; recorded 2026-01-01"


def test_a_list_that_was_not_read_never_looks_empty() -> None:
    chart = project(record(gaps=(Gap("MedicationStatement", "server_error"),)), today=TODAY)
    assert NONE_RECORDED not in lines_of(chart, "medications")
    assert any("Reported medications could not be read" in sentence for sentence in chart.not_checked)


def test_a_drug_that_the_question_names_comes_first() -> None:
    chart = record(order("Amlodipine 5 mg"), order("Warfarin 5 mg"))
    assert lines(chart, "medications", "warfarin dose?")[0].startswith("Warfarin")
    assert lines(chart, "medications", "meds?")[0].startswith("Amlodipine")
