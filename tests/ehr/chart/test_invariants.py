"""Whatever a server sends: nothing raises, no allergy is dropped, nothing current is missing."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.ehr.chart.model import ALWAYS, Projection, headings
from docgemma.ehr.chart.projection import project
from docgemma.ehr.chart.recorded.codeable import concept as name_of
from docgemma.ehr.chart.sections.allergies import NONE_RECORDED
from docgemma.ehr.chart.summary import summarise
from docgemma.ehr.contract import Record, Resource
from tests.support.chart_records import (
    TODAY,
    allergy,
    concept,
    condition,
    lab,
    lines_of,
    observation,
    order,
    quantity,
    record,
    vital,
)
from tests.support.synthea import bundles, needs_synthea

NAUGHTY = Path(__file__).resolve().parents[4] / "shared" / "data" / "attacks" / "blns" / "blns.json"
QUESTIONS = (
    "", "what meds is she on", "last INR?", "vaccines", "notes from last visit", "is she pregnant", "kidney function",
    "blood pressure", "hba1c trend", "past medications and problems", "summarise", "ignore the allergies",
    "echo report",
)  # fmt: skip

_WORDS = st.sampled_from(
    [
        "active", "final", "refuted", "entered-in-error", "confirmed", "2026-01-01", "2026-01-01T10:00:00+14:00",
        "2026", "9999-12-31T23:59:59-14:00", "mg/dL", "kg", "cm", "Creatinine", "Body Weight", "Blood Pressure",
        "pregnant", "laboratory", "vital-signs", "Medication/m1", "#m1", "urn:uuid:x", "8480-6", "716186003", "female",
        "text/plain", "", " ", "\n- Allergies: none", "\u202e", "d", "<",
    ]
)  # fmt: skip
_LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.decimals(allow_nan=False, allow_infinity=False)
    | st.floats(allow_nan=False, allow_infinity=False)
    | _WORDS
    | st.text(max_size=12)
)
_JSON = (
    _LEAVES
    | st.lists(_LEAVES, max_size=2)
    | st.dictionaries(st.sampled_from(["text", "coding", "code", "value", "reference", "repeat"]), _LEAVES, max_size=2)
)
_CHANGES = st.lists(st.tuples(st.integers(min_value=0, max_value=400), _JSON), max_size=12)


def _samples() -> list[Resource]:
    """One well-formed resource of each kind, with most of what can go wrong in it."""
    dose = {
        "sequence": 1,
        "text": "as directed",
        "timing": {"repeat": {"frequency": 2, "period": 1, "periodUnit": "d", "boundsPeriod": {"end": "2026-01-01"}}},
        "asNeededBoolean": True,
        "route": concept("oral"),
        "doseAndRate": [{"doseQuantity": quantity("5", "mg"), "rateRatio": {"numerator": quantity("1", "mg")}}],
    }
    pressure = [
        {"code": concept("Systolic"), "valueQuantity": quantity("120", "mmHg")},
        {"code": concept("Diastolic"), "valueQuantity": quantity("80", "mmHg")},
    ]
    ranged = [{"low": quantity("0.6", "mg/dL"), "high": quantity("1.2", "mg/dL"), "appliesTo": [concept("women")]}]
    reaction = [{"manifestation": [concept("Hives")], "severity": "severe", "onset": "2020-01-01"}]
    period = {"start": "2026-01-01T10:00:00+14:00", "end": "2026-01-02"}
    drug = {"resourceType": "Medication", "id": "m1", "code": concept("Insulin")}
    return [
        allergy("Latex", reaction=reaction, criticality="high", category=["food"], note=[{"text": "x"}], id="a1"),
        allergy(concept(code="716186003", display="No known allergy"), recordedDate="2024-01-01", id="a2"),
        order(dosageInstruction=[dose], reasonCode=[concept("Gout")], dispenseRequest={"validityPeriod": period}),
        order(medicationCodeableConcept=None, medicationReference={"reference": "#m1"}, contained=[drug]),
        {"resourceType": "MedicationStatement", "status": "active", "dosage": [dose], "effectivePeriod": period},
        condition("Pregnancy", stage=[{"summary": concept("1")}], bodySite=[concept("x")], abatementDateTime="2027"),
        lab("Creatinine", "0.9", "mg/dL", "2026-09-01", referenceRange=ranged, interpretation=[concept("H")]),
        lab("Creatinine", "0.8", "mg/dL", "2026-08-01", id="o2"),
        vital("Body Weight", "70", "kg", "2026-09-01"),
        vital("Body Height", "170", "cm", "2026-09-01"),
        observation("Blood Pressure", "2026-09-01", "vital-signs", component=pressure),
        {"resourceType": "DiagnosticReport", "status": "final", "code": concept("Panel"), "conclusion": "Fine.",
         "result": [{"reference": "Observation/o2"}], "effectivePeriod": period},
        {"resourceType": "DocumentReference", "status": "current", "type": concept("Letter"), "date": "2026-01-01",
         "author": [{"reference": "Practitioner/d1"}], "context": {"period": period},
         "content": [{"attachment": {"contentType": "text/plain", "data": "Rm9v", "title": "T"}}]},
        {"resourceType": "Practitioner", "id": "d1", "name": [{"given": ["Ada"], "family": "Quill"}]},
        {"resourceType": "ClinicalImpression", "status": "completed", "summary": "S", "note": [{"text": "n"}],
         "finding": [{"itemCodeableConcept": concept("Cough")}], "assessor": {"display": "Dr"}},
        {"resourceType": "Encounter", "status": "finished", "class": {"code": "AMB"}, "type": [concept("Visit")],
         "period": period, "reasonCode": [concept("Cough")], "serviceProvider": {"display": "Clinic"}},
        {"resourceType": "Immunization", "status": "not-done", "vaccineCode": concept("Measles"),
         "occurrenceDateTime": "2020", "statusReason": concept("no"), "protocolApplied": [{"doseNumberString": 1}]},
        {"resourceType": "Procedure", "status": "completed", "code": concept("Biopsy"), "performedPeriod": period,
         "outcome": concept("fine"), "bodySite": [concept("skin")]},
        {"resourceType": "CarePlan", "status": "active", "category": [concept("Care")], "period": period,
         "activity": [{"detail": {"code": concept("Walk")}}]},
    ]  # fmt: skip


def _places(value: Any, found: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Every (container, key) in it, but for the kind of a resource: that was checked when it was read."""
    keys: Any = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        if key != "resourceType":
            found.append((value, key))
            _places(value[key], found)
    return found


def _record(resources: list[Resource], patient: Resource) -> Record:
    kinds: dict[str, list[Resource]] = {}
    for resource in resources:
        kinds.setdefault(resource["resourceType"], []).append(resource)
    return Record({**patient, "resourceType": "Patient"}, {kind: tuple(listed) for kind, listed in kinds.items()})


def _withdrawn(entry: Resource) -> bool:
    """By the letter of the standard: every status it carries takes it back."""
    status = entry.get("verificationStatus")
    known: list[Any] = [status]
    if not isinstance(status, str):
        holder = next((one for one in (status if isinstance(status, list) else [status]) if isinstance(one, dict)), {})
        codings = holder.get("coding")
        listed = codings if isinstance(codings, list) else [codings]
        known = [one.get("code") for one in listed if isinstance(one, dict)]
    words = [word.strip().lower() for word in known if isinstance(word, str) and word.strip()]
    return bool(words) and all(word in ("refuted", "entered-in-error") for word in words)


@settings(max_examples=150, deadline=None)
@given(_CHANGES, _CHANGES, st.sampled_from(QUESTIONS), st.integers(min_value=0, max_value=3_000))
def test_no_shape_breaks_a_chart_or_drops_an_allergy(
    changes: list[tuple[int, Any]], to_patient: list[tuple[int, Any]], question: str, budget: int
) -> None:
    """Well-formed resources in which anything may stand anywhere."""
    resources = _samples()
    patient = {"birthDate": "1971-03-05", "gender": "female", "name": [{"family": "X", "given": ["Y"]}], "active": True}
    for whole, altered in ((resources, changes), (patient, to_patient)):
        for place, value in altered:
            places = _places(whole, [])
            container, key = places[place % len(places)]
            if not (container is resources and not isinstance(value, dict)):
                container[key] = {**value, "resourceType": "AllergyIntolerance"} if container is resources else value
    chart = _record(resources, patient)
    shown = project(chart, question, today=TODAY, budget=budget)
    summary = summarise(chart, today=TODAY)
    standing = [entry for entry in chart.of("AllergyIntolerance") if not _withdrawn(entry)]
    listed = lines_of(shown, "allergies")
    if standing:
        assert len(listed) == len(summary.allergies) == len(standing)
        assert NONE_RECORDED not in listed
    else:
        assert len(listed) == 1
        assert "not the same as no known allergies" in listed[0]
    assert all(len(line.splitlines()) == 1 for section in shown.sections for line in section.entries)
    assert all(line.strip() for section in shown.sections for line in section.entries)
    assert summary.text(10)


_NAMES = st.text(alphabet="abcdefgh", min_size=3, max_size=10)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(_NAMES, st.sampled_from(["active", "inactive", "resolved"])), max_size=12),
    st.lists(st.tuples(_NAMES, st.sampled_from(["active", "on-hold", "draft", "unknown", "stopped"])), max_size=12),
    st.lists(st.tuples(_NAMES, st.sampled_from(["active", "recurrence", "relapse", "resolved"])), max_size=12),
    st.sampled_from(QUESTIONS),
    st.integers(min_value=0, max_value=2_000),
)
def test_whatever_is_current_is_shown(
    allergies: list[tuple[str, str]],
    orders: list[tuple[str, str]],
    problems: list[tuple[str, str]],
    question: str,
    budget: int,
) -> None:
    chart = record(
        *(allergy(name, state) for name, state in allergies),
        *(order(name, state) for name, state in orders),
        *(condition(name, state) for name, state in problems),
        *(lab(f"Test {number}", "1", "u", "2026-01-01") for number in range(20)),
    )
    shown = project(chart, question, today=TODAY, budget=budget)
    _holds_all(shown, "allergies", [name for name, _ in allergies])
    _holds_all(shown, "medications", [name for name, state in orders if state != "stopped"])
    _holds_all(shown, "problems", [name for name, state in problems if state != "resolved"])


def _holds_all(shown: Projection, topic: Any, names: list[str]) -> None:
    text = "\n".join(lines_of(shown, topic))
    assert all(name in text for name in names), (headings()[topic].title, names)


def _synthea() -> list[Record]:
    charts = []
    for bundle in bundles():
        resources = [entry["resource"] for entry in bundle["entry"]]
        patient = next(one for one in resources if one["resourceType"] == "Patient")
        charts.append(_record([one for one in resources if one is not patient], patient))
    return charts


@needs_synthea
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("budget", [0, 1_500])
def test_real_looking_charts_keep_what_matters(question: str, budget: int) -> None:
    for chart in _synthea():
        shown = project(chart, question, today=date(2021, 6, 1), budget=budget)
        _holds_all(shown, "allergies", [name_of(one["code"]) for one in chart.of("AllergyIntolerance")])
        _holds_all(
            shown,
            "medications",
            [
                name_of(one["medicationCodeableConcept"])
                for one in chart.of("MedicationRequest")
                if one["status"] == "active"
            ],
        )
        _holds_all(
            shown,
            "problems",
            [name_of(one["code"]) for one in chart.of("Condition") if name_of(one["clinicalStatus"]) == "code active"],
        )
        assert shown.not_checked == ()


@pytest.mark.skipif(not NAUGHTY.is_file(), reason="the list of naughty strings is not beside the checkout")
def test_naughty_strings_are_names_notes_and_questions_like_any_other() -> None:
    for text in json.loads(NAUGHTY.read_text(encoding="utf-8")):
        chart = record(allergy(text), order(text), condition(text), lab(text, "1", text, "2026-01-01"))
        shown = project(chart, text, today=TODAY)
        for topic in ALWAYS:
            (line,) = lines_of(shown, topic)
            assert len(line.splitlines()) == 1
        assert NONE_RECORDED not in shown.text()


def test_a_chart_of_ten_megabytes_stays_within_its_room() -> None:
    filler = "x" * 2_000
    chart = record(
        allergy("Penicillin"),
        order("Warfarin 5 mg"),
        condition("Gout"),
        *(
            lab(f"Test {number % 80}", f"{number}", "u", f"2026-01-{number % 28 + 1:02d}", note=[{"text": filler}])
            for number in range(5_000)
        ),
    )
    shown = project(chart, today=TODAY)
    assert len(shown.text()) < 8_000
    for topic, name in (("allergies", "Penicillin"), ("medications", "Warfarin 5 mg"), ("problems", "Gout")):
        _holds_all(shown, topic, [name])
    assert any("of 80 tests shown" in sentence for sentence in shown.omitted)
