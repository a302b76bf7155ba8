"""Encounters, procedures, immunisations, reports and plans: newest first, and what did not happen says so."""

from __future__ import annotations

from typing import Any

from docgemma.ehr.chart.projection import project
from docgemma.ehr.contract import Gap
from tests.support.chart_records import TODAY, concept, lines, lines_of, record


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
    assert lines(record(dict(scan), dict(panel)), "reports", "any reports?") == (
        "Chest X-ray, 2024-01-01: “No focal consolidation.”",
        "Panel, 2026-01-01: 2 results (see the laboratory results)",
    )
    assert len(lines(record(dict(scan), dict(panel)), "reports")) == 1
    assert len(lines(record(scan, panel), "reports", "imaging reports?")) == 1


def test_an_image_is_looked_for_among_procedures_and_never_among_lists_of_results() -> None:
    panel = {"resourceType": "DiagnosticReport", "status": "final", "code": concept("Panel"), "result": [{}]}
    echo = {"resourceType": "Procedure", "status": "completed", "code": concept("Transthoracic echocardiography")}
    chart = record(panel, echo)
    assert lines(chart, "procedures", "echo result") == ("Transthoracic echocardiography: undated",)
    assert lines(chart, "reports", "echo result") == ("No report is recorded but lists of laboratory results.",)
    assert lines(chart, "labs", "echo result") == ()
    omitted = project(chart, "echo result", today=TODAY).omitted
    assert "Reports: 1 list of laboratory results, not shown." in omitted


def test_reports_that_were_not_read_are_not_said_to_be_missing() -> None:
    panel = {"resourceType": "DiagnosticReport", "status": "final", "code": concept("Panel"), "result": [{}]}
    (line,) = lines(record(panel, gaps=(Gap("DiagnosticReport", "timeout"),)), "reports", "any imaging?")
    assert "There may be more than is shown" in line


def test_procedures_that_the_question_does_not_name_are_counted() -> None:
    done = [
        {"resourceType": "Procedure", "status": "completed", "code": concept(name)} for name in ("Dialysis", "Suture")
    ]
    chart = project(record(*done), "is she on dialysis", today=TODAY)
    assert lines_of(chart, "procedures") == ("Dialysis: undated",)
    assert "Procedures: 1 of 2 kinds of procedures shown, newest first." in chart.omitted


def test_an_imaging_report_that_is_only_a_document_is_not_taken_for_a_list_of_results() -> None:
    scan = {
        "resourceType": "DiagnosticReport", "status": "final", "code": concept("CT head"), "result": [{}],
        "presentedForm": [{"contentType": "application/pdf"}],
    }  # fmt: skip
    assert lines(scan, "reports", "any imaging?")[0].startswith("CT head")


def test_asked_for_an_admission_stays_in_hospital_come_first() -> None:
    def visit(setting: str, on: str) -> dict[str, Any]:
        return {"resourceType": "Encounter", "status": "finished", "class": {"code": setting}, "period": {"start": on}}

    chart = record(visit("AMB", "2026-05-01"), visit("IMP", "2026-01-01"))
    assert lines(chart, "encounters", "why was she in hospital")[0].startswith("2026-01-01")
    assert lines(chart, "encounters", "appointments")[0].startswith("2026-05-01")


def test_the_last_visit_is_not_buried_under_all_others() -> None:
    visits = [
        {"resourceType": "Encounter", "status": "finished", "period": {"start": f"20{year:02}-01-01"}}
        for year in range(1, 25)
    ]
    assert len(lines(record(*map(dict, visits)), "encounters", "last visit")) == 5
    assert len(lines(record(*visits), "encounters", "all visits")) == 24


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


def test_what_was_is_not_shown_for_what_is_to_come() -> None:
    visit = {"resourceType": "Encounter", "status": "finished", "period": {"start": "2026-01-01"}}
    first = lines(visit, "encounters", "next appointment?")[0]
    assert first == "Appointments to come are not read: these are encounters."
