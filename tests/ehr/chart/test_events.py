"""Encounters, procedures, immunisations, reports and plans: newest first, and what did not happen says so."""

from __future__ import annotations

from typing import Any

from docgemma.ehr.chart.projection import project
from docgemma.ehr.contract import Gap
from tests.support.chart_records import TODAY, concept, lines, record


def _vaccine(name: str, on: str, state: str = "completed", **more: Any) -> dict[str, Any]:
    return {
        "resourceType": "Immunization", "status": state, "vaccineCode": concept(name), "occurrenceDateTime": on, **more
    }  # fmt: skip


def _procedure(name: str, on: str, state: str = "completed", **more: Any) -> dict[str, Any]:
    return {
        "resourceType": "Procedure", "status": state, "code": concept(name), "performedPeriod": {"start": on}, **more
    }  # fmt: skip


def test_vaccines_are_grouped_with_their_dates() -> None:
    chart = record(
        _vaccine("Influenza", "2024-10-05"),
        _vaccine("Influenza", "2025-10-02", protocolApplied=[{"doseNumberPositiveInt": 2}]),
        _vaccine("Tetanus", "2019-01-01"),
    )
    assert lines(chart, "immunisations", "which vaccines did she have?") == (
        "Influenza: 2025-10-02 (dose 2); earlier 2024-10-05",
        "Tetanus: 2019-01-01",
    )


def test_a_dose_that_was_not_given_is_no_dose() -> None:
    refused = _vaccine("Influenza", "2025-10-02", "not-done", statusReason=concept("patient objection"))
    chart = record(refused, _vaccine("Influenza", "2024-10-05"), _vaccine("Measles", "2001-01-01", "entered-in-error"))
    assert lines(chart, "immunisations") == (
        "Influenza [NOT GIVEN: patient objection]: 2025-10-02",
        "Influenza: 2024-10-05",
    )


def test_no_vaccine_on_record_is_not_unvaccinated() -> None:
    assert "not the same as not vaccinated" in lines(record(), "immunisations", "vaccines?")[0]


def test_procedures_say_when_and_what_was_not_done() -> None:
    chart = record(
        _procedure("Colonoscopy", "2018-01-01", outcome=concept("normal")),
        _procedure("Appendectomy", "2001-01-01"),
        _procedure("Biopsy", "2020-01-01", "not-done"),
    )
    assert lines(chart, "procedures", "any operations?") == (
        "Biopsy [NOT DONE]: 2020-01-01",
        "Colonoscopy: 2018-01-01 (outcome normal)",
        "Appendectomy: 2001-01-01",
    )
    assert lines(chart, "procedures", "when was the appendectomy procedure?")[0].startswith("Appendectomy")


def test_encounters_say_where_and_why() -> None:
    visit = {
        "resourceType": "Encounter",
        "status": "finished",
        "class": {"code": "EMER"},
        "type": [concept("Emergency visit")],
        "period": {"start": "2026-02-01T08:00:00Z", "end": "2026-02-03T08:00:00Z"},
        "reasonCode": [concept("Chest pain")],
    }
    planned = {"resourceType": "Encounter", "status": "planned", "period": {"start": "2026-12-01"}}
    assert lines(record(visit, planned), "encounters", "last visit?") == (
        "2026-12-01: Encounter, planned",
        "2026-02-01 to 2026-02-03: Emergency visit, emergency, reason Chest pain",
    )


def test_reports_with_a_conclusion_come_first() -> None:
    scan: dict[str, Any] = {
        "resourceType": "DiagnosticReport",
        "status": "final",
        "code": concept("Chest X-ray"),
        "effectiveDateTime": "2024-01-01",
        "conclusion": "No focal\nconsolidation.",
    }
    panel = {
        **scan,
        "code": concept("Panel"),
        "effectiveDateTime": "2026-01-01",
        "conclusion": None,
        "result": [{}, {}],
    }
    assert lines(record(dict(scan), dict(panel)), "reports", "imaging reports?") == (
        "Chest X-ray, 2024-01-01: “No focal consolidation.”",
        "Panel, 2026-01-01: 2 results (see the laboratory results)",
    )
    assert len(lines(record(scan, panel), "reports")) == 1


def test_active_plans_come_first() -> None:
    def plan(name: str, state: str, on: str) -> dict[str, Any]:
        return {
            "resourceType": "CarePlan", "status": state, "category": [concept(name)], "period": {"start": on},
            "activity": [{"detail": {"code": concept("Walking")}}],
        }  # fmt: skip

    chart = record(plan("Old", "completed", "2026-01-01"), plan("Asthma care", "active", "2019-01-01"))
    assert lines(chart, "plans", "care plan?")[0] == "Asthma care, active, since 2019-01-01, includes Walking"


def test_what_is_asked_for_and_was_not_read_is_not_called_absent() -> None:
    chart = project(record(gaps=(Gap("Immunization", "timeout"),)), "vaccines?", today=TODAY)
    assert chart.sections[0].entries == ("Not known: this part of the record could not be read.",)
