"""The chart for a question: the right sections, the always-there ones, and an honest word on the rest."""

from __future__ import annotations

import random
from typing import Any

import pytest

from docgemma.ehr.chart.model import ALWAYS, Topic, headings
from docgemma.ehr.chart.projection import cost, project
from docgemma.ehr.chart.relevance import understand
from docgemma.ehr.contract import Gap, Record
from tests.support.chart_records import (
    TODAY,
    allergy,
    concept,
    condition,
    lab,
    lines_of,
    observation,
    order,
    record,
    vital,
)


def _full() -> Record:
    return record(
        allergy("Penicillin"),
        order("Warfarin 5 mg"),
        order("Amiodarone 200 mg", "stopped"),
        condition("Atrial fibrillation"),
        condition("Sinusitis", "resolved"),
        lab("INR", "2.4", "", "2026-09-01"),
        lab("Creatinine", "0.9", "mg/dL", "2026-09-01"),
        vital("Body Weight", "70", "kg", "2026-09-01"),
        observation("Tobacco smoking status", "2026-01-01", "social-history", valueCodeableConcept=concept("Never")),
        {"resourceType": "DocumentReference", "status": "current", "date": "2026-01-01", "description": "A letter"},
        {"resourceType": "Encounter", "status": "finished", "period": {"start": "2026-01-01"}},
        {"resourceType": "Procedure", "status": "completed", "code": concept("Cardioversion")},
        {"resourceType": "Immunization", "status": "completed", "vaccineCode": concept("Influenza")},
        {"resourceType": "DiagnosticReport", "status": "final", "code": concept("Echo"), "conclusion": "Normal."},
        {"resourceType": "CarePlan", "status": "active", "title": "Anticoagulation"},
    )


@pytest.mark.parametrize(
    ("question", "topics"),
    [
        ("what meds is she on", []),
        ("any allergies?", []),
        ("active problems", []),
        ("last INR?", ["labs"]),
        ("what vaccines has she had", ["immunisations"]),
        ("notes from last visit", ["notes", "encounters"]),
        ("is she pregnant", ["pregnancy"]),
        ("kidney function", ["labs", "computed"]),
        ("blood pressure", ["vitals"]),
        ("hba1c trend", ["labs"]),
        ("does she smoke?", ["social"]),
        ("any surgeries?", ["procedures"]),
        ("what did the echo show", ["reports", "procedures"]),
        ("x-ray result", ["reports", "procedures"]),
        ("any test results", ["labs"]),
        ("what did the clinic say", ["notes", "encounters"]),
        ("contraindications to NSAIDs", ["notes", "computed"]),
        ("how much does she weigh", ["vitals"]),
        ("is she anaemic", ["labs"]),
        ("when is she due", ["pregnancy"]),
        ("why was she in hospital", ["encounters"]),
        ("discharge summary", ["notes"]),
        ("previous medications", ["past_medications"]),
        ("was she ever on amiodarone", ["past_medications"]),
    ],
)
def test_a_question_opens_its_sections(question: str, topics: list[Topic] | None) -> None:
    chart = project(_full(), question, today=TODAY, budget=20_000)
    titles = [section.title for section in chart.sections]
    assert {headings()[topic].title for topic in ALWAYS} <= set(titles)
    if topics is not None:
        extra = [title for title in titles if title not in {headings()[topic].title for topic in ALWAYS}]
        assert extra == [headings()[topic].title for topic in topics]
        assert any("Not asked for and not shown" in sentence for sentence in chart.omitted)
    else:
        assert headings()["past_medications"].title in titles


@pytest.mark.parametrize("question", ["", "   ", "summarise the chart", "can she take ibuprofen?", "tell me about her"])
def test_without_a_hint_it_is_the_general_summary(question: str) -> None:
    chart = project(_full(), question, today=TODAY, budget=20_000)
    titles = [section.title for section in chart.sections]
    assert titles[:3] == [headings()[topic].title for topic in ALWAYS]
    for topic in ("labs", "vitals", "notes", "encounters", "procedures", "immunisations", "reports", "social", "plans"):
        assert headings()[topic].title in titles


def test_the_patients_own_name_asks_for_nothing() -> None:
    chart = record(order("Rose hip", "stopped"), name=[{"family": "Hip", "given": ["Rose"]}])
    assert lines_of(project(chart, "what is Rose taking?", today=TODAY), "past_medications") == ()


def test_what_must_be_there_is_whole_without_any_room() -> None:
    chart = record(
        *(allergy(f"Allergen {number}") for number in range(40)),
        *(order(f"Drug {number}") for number in range(40)),
        *(condition(f"Problem {number}") for number in range(40)),
        lab("INR", "2.4", "", "2026-09-01"),
        vital("Body Weight", "70", "kg", "2026-09-01"),
    )
    squeezed = project(chart, "last INR?", today=TODAY, budget=1)
    for topic, stem in (("allergies", "Allergen"), ("medications", "Drug"), ("problems", "Problem")):
        assert sum(line.startswith(stem) for line in lines_of(squeezed, topic)) == 40  # type: ignore[arg-type]
    assert lines_of(squeezed, "labs")[0].startswith("INR: 2.4")
    assert lines_of(project(chart, today=TODAY, budget=1), "vitals") == ()


def test_what_finds_no_room_is_counted() -> None:
    chart = record(*(lab(f"Test {number}", "1", "u", "2026-01-01") for number in range(60)))
    shown = project(chart, "show the labs", today=TODAY, budget=400)
    count = len(lines_of(shown, "labs"))
    assert 5 < count < 30
    assert f"Laboratory results: {count} of 60 tests shown, newest first; ask for one by name." in shown.omitted
    assert cost(shown.text()) < 480


def test_room_that_one_section_leaves_goes_to_another() -> None:
    chart = record(*(lab(f"Test {number}", "1", "u", "2026-01-01") for number in range(40)))
    assert len(lines_of(project(chart, today=TODAY, budget=2_000), "labs")) == 40


def test_the_order_in_which_a_server_answers_changes_nothing() -> None:
    chart = _full()
    shuffled = Record(
        chart.patient,
        {kind: tuple(random.Random(4).sample(listed, len(listed))) for kind, listed in chart.resources.items()},
    )
    for question in ("", "last INR?", "past medications"):
        assert project(chart, question, today=TODAY) == project(shuffled, question, today=TODAY)


@pytest.mark.parametrize(
    ("patient", "more", "words"),
    [
        ({"deceasedBoolean": True}, {}, "has died"),
        ({"deceasedDateTime": "2026-01-02"}, {}, "has died (2026-01-02)"),
        ({"meta": {"tag": [{"code": "HTEST"}]}}, {}, "fictional"),
        ({"active": False}, {}, "no longer in use"),
        ({"link": [{"type": "replaced-by"}]}, {}, "merged into another"),
        ({}, {"strangers": 3}, "3 entries of somebody else"),
    ],
)
def test_warns_before_anything_else(patient: dict[str, Any], more: dict[str, Any], words: str) -> None:
    chart = project(record(**patient, **more), today=TODAY)
    assert any(words in warning for warning in chart.warnings)
    assert project(record(), today=TODAY).warnings == ()


def test_every_gap_is_said_whatever_was_asked() -> None:
    gaps = (Gap("Observation", "timeout"), Gap("DocumentReference", "server_error"), Gap("Medication", "not_found"))
    said = project(record(gaps=gaps), "any allergies?", today=TODAY).not_checked
    assert len(said) == 3
    assert said[0].startswith("Laboratory results, vital signs and other observations could not be read")


def test_every_line_can_be_traced_to_its_resource() -> None:
    chart = project(_full(), "last INR?", today=TODAY)
    quotes = {quote.reference: quote for quote in chart.quotes}
    assert quotes["Observation/r5"].text.startswith("INR: 2.4")
    assert quotes["Observation/r5"].date == "2026-09-01"
    assert chart.data_date == "2026-09-01"
    assert not any(quote.text.startswith("No ") for quote in chart.quotes)


def test_a_date_in_the_future_is_not_the_date_of_the_data() -> None:
    assert project(record(lab("INR", "2", "", "2031-01-01")), today=TODAY).data_date is None


@pytest.mark.parametrize("question", ["is amoxicillin safe for him", "any contraindications to it"])
def test_whether_a_drug_may_be_given_begins_with_the_allergies(question: str) -> None:
    assert understand(question).topics[0] == "allergies"
