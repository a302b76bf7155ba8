"""The panel beside a conversation: nothing unread looks like nothing there, and no number changes."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.ehr.chart.panel import MOST_LABS, Panel, panel
from docgemma.ehr.chart.panel_series import MOST_POINTS, Place, Trend
from docgemma.ehr.contract import Gap, Record, Resource
from tests.support.chart_records import (
    TODAY,
    allergy,
    concept,
    condition,
    lab,
    observation,
    order,
    quantity,
    record,
    vital,
)

NO_KNOWN = concept(code="716186003", display="No known allergy")
NO_DRUG = concept(code="409137002", display="No known drug allergy")


def of(*resources: Resource, gaps: tuple[str, ...] = (), **patient: Any) -> Panel:
    missing = tuple(Gap(kind, "server_error") for kind in gaps)
    return panel(record(*resources, gaps=missing, **patient), today=TODAY)


def ranged(low: str = "", high: str = "", unit: str = "mmol/L") -> list[dict[str, Any]]:
    return [{side: quantity(limit, unit) for side, limit in (("low", low), ("high", high)) if limit}]


def only(what: Panel) -> Trend:
    (trend,) = what.labs.trends
    return trend


@pytest.mark.parametrize(
    ("entries", "gaps", "state"),
    [
        pytest.param((), (), "none_recorded", id="nothing recorded"),
        pytest.param((allergy(NO_KNOWN),), (), "none_known", id="stated none"),
        pytest.param((allergy(NO_DRUG),), (), "listed", id="none of drugs says nothing of food"),
        pytest.param((allergy(NO_KNOWN), allergy("Latex")), (), "listed", id="contradiction"),
        pytest.param((allergy(NO_KNOWN, "inactive"),), (), "listed", id="a statement that is over"),
        pytest.param((allergy("Latex", verified="refuted"),), (), "none_recorded", id="refuted"),
        pytest.param((allergy("Latex"),), (), "listed", id="an allergy"),
        pytest.param((), ("AllergyIntolerance",), "not_read", id="not read"),
        pytest.param((allergy("Latex"),), ("AllergyIntolerance",), "partly_read", id="a page is missing"),
        pytest.param((allergy(NO_KNOWN),), ("AllergyIntolerance",), "partly_read", id="stated none, page missing"),
    ],
)
def test_how_allergies_are_known(entries: tuple[Resource, ...], gaps: tuple[str, ...], state: str) -> None:
    shown = of(*(dict(entry) for entry in entries), gaps=gaps)
    assert shown.allergies.state == state
    assert shown.allergies.lines or shown.allergies.notes, "an empty list is never without a word"
    assert bool(shown.not_checked) == bool(gaps)


@pytest.mark.parametrize(
    ("kind", "name"),
    [("MedicationRequest", "medications"), ("MedicationStatement", "medications"), ("Condition", "problems"),
     ("Observation", "labs"), ("Observation", "vitals")],
)  # fmt: skip
def test_what_was_not_read_is_never_none(kind: str, name: str) -> None:
    part = getattr(of(gaps=(kind,)), name)
    assert part.state == "not_read"
    assert "could not be read" in part.notes[0]
    assert getattr(of(), name).state == "none_recorded"


def test_lists_are_never_cut() -> None:
    shown = of(*(order(f"Drug {number}") for number in range(150)), *(condition(f"Ill {n}") for n in range(80)))
    assert (len(shown.medications.lines), len(shown.problems.lines)) == (150, 80)


def test_numbers_stay_as_they_were_written() -> None:
    trend = only(
        of(lab("Potassium", "4.80", "mmol/L", "2026-09-01"), lab("Potassium", "0.0500", "mmol/L", "2026-08-01"))
    )
    assert (trend.latest, trend.latest_on) == ("4.80 mmol/L", "2026-09-01")
    assert [(point.on, point.value) for point in trend.points] == [("2026-08-01", "0.0500"), ("2026-09-01", "4.80")]


def test_units_are_split_and_the_old_one_names_the_newer_value() -> None:
    newer, older = of(
        lab("Glucose", "99", "mg/dL", "2026-01-01"), lab("Glucose", "9.9", "mmol/L", "2026-09-01")
    ).labs.trends
    assert (newer.unit, newer.latest, newer.remarks) == ("mmol/L", "9.9 mmol/L", ())
    assert (older.unit, [point.value for point in older.points]) == ("mg/dL", ["99"])
    assert "9.9 mmol/L (2026-09-01)" in older.remarks[0]


def test_a_newest_entry_without_a_number_is_said() -> None:
    spoilt = observation("Potassium", "2026-09-02", dataAbsentReason=concept("hemolysed"))
    trend = only(of(lab("Potassium", "4.1", "mmol/L", "2026-09-01"), spoilt))
    assert trend.latest == "4.1 mmol/L"
    assert "no value (hemolysed) (2026-09-02)" in trend.remarks[0]


@pytest.mark.parametrize(
    ("sign", "value", "low", "high", "place"),
    [
        ("", "3.4", "3.5", "5.0", "low"),
        ("", "3.50", "3.5", "5.0", "within"),
        ("", "5.0", "3.5", "5.0", "within"),
        ("", "5.01", "3.5", "5.0", "high"),
        ("", "45", "60", "", "low"),
        ("", "90", "60", "", "within"),
        ("", "200", "", "150", "high"),
        ("", "7", "", "", "unknown"),
        ("<", "5", "5", "9", "low"),
        ("<=", "5", "5", "9", "unknown"),
        ("<", "5", "3", "6", "unknown"),
        ("<", "5", "", "5", "within"),
        ("<", "7", "", "5", "unknown"),
        (">", "60", "", "60", "high"),
        (">=", "60", "", "60", "unknown"),
        (">", "60", "60", "", "within"),
        (">", "90", "60", "120", "unknown"),
        ("", "7", "9", "2", "unknown"),
    ],
)
def test_where_a_value_lies(sign: str, value: str, low: str, high: str, place: Place) -> None:
    value_ = quantity(value, "mmol/L", sign)
    trend = only(of(observation("Test", "2026-09-01", valueQuantity=value_, referenceRange=ranged(low, high))))
    assert (trend.place, trend.points[0].place) == (place, place)
    assert trend.out_of_range == (place if place in ("low", "high") else "")


def test_a_range_in_another_unit_or_several_ranges_judge_nothing() -> None:
    other = only(of(lab("Glucose", "9.9", "mmol/L", "2026-09-01", referenceRange=ranged("70", "99", "mg/dL"))))
    several = only(of(lab("Iron", "9", "mmol/L", "2026-09-01", referenceRange=[*ranged("1", "2"), *ranged("3", "4")])))
    for trend in (other, several):
        assert (trend.place, trend.low, trend.high) == ("unknown", "", "")
        assert "recorded range" in trend.judgement


def test_the_newest_range_is_drawn_and_said_to_be_older_than_the_value() -> None:
    trend = only(
        of(
            lab("Potassium", "5.6", "mmol/L", "2026-09-01"),
            lab("Potassium", "4.0", "mmol/L", "2026-08-01", referenceRange=ranged("3.5", "5.0")),
            lab("Potassium", "4.0", "mmol/L", "2026-07-01", referenceRange=ranged("4.5", "5.0")),
        )
    )
    assert (trend.low, trend.high, trend.range_text, trend.place) == ("3.5", "5.0", "3.5–5.0 mmol/L", "high")
    assert [point.place for point in trend.points] == ["low", "within", "high"], "each by its own range first"
    assert "2026-08-01" in trend.remarks[0]
    assert trend.text() == f"Potassium: 5.6 mmol/L (2026-09-01); {trend.remarks[0]}"


def test_the_flag_of_the_laboratory_in_words() -> None:
    flag = [{"coding": [{"code": "HH"}]}]
    trend = only(of(lab("Troponin", "9", "ng/L", "2026-09-01", interpretation=flag)))
    assert (trend.points[0].flag, trend.judgement, trend.unusual) == (
        "critically high",
        "flagged critically high",
        True,
    )


def pressure(upper: str, lower: str, on: str) -> Resource:
    parts = [
        {"code": concept("Diastolic blood pressure"), "valueQuantity": quantity(lower, "mm[Hg]")},
        {"code": concept("Systolic blood pressure"), "valueQuantity": quantity(upper, "mm[Hg]")},
    ]
    return observation("Blood pressure", on, "vital-signs", component=parts)


def test_blood_pressure_is_one_row_of_two_lines() -> None:
    shown = of(pressure("150", "95", "2026-08-01"), pressure("138", "85", "2026-09-01"))
    (trend,) = shown.vitals.trends
    assert (trend.label, trend.latest) == ("Blood pressure", "138/85 mmHg")
    assert [point.value for point in trend.points] == ["150", "138"]
    assert [point.value for point in trend.second] == ["95", "85"]


def test_half_a_blood_pressure_keeps_its_name() -> None:
    half = pressure("150", "95", "2026-08-01")
    half["component"].pop(0)
    (trend,) = of(half).vitals.trends
    assert (trend.label, trend.latest, trend.second) == ("Systolic blood pressure", "150 mmHg", ())


def test_many_values_and_values_without_a_date() -> None:
    start = TODAY - timedelta(days=100)
    many = [lab("Potassium", str(number), "mmol/L", str(start + timedelta(days=number))) for number in range(30)]
    undated = lab("Potassium", "77", "mmol/L", "")
    trend = only(of(*many, undated))
    assert [point.value for point in trend.points] == [str(number) for number in range(30 - MOST_POINTS, 30)]
    assert trend.remarks == ("The newest 24 of 30 values are drawn.", "1 value without a date not drawn.")


def test_important_tests_first_old_ones_last_and_what_is_cut_is_named() -> None:
    others = [lab(f"Rare test {number:02}", "1", "mmol/L", "2026-09-20") for number in range(14)]
    out = lab("Zinc", "9", "mmol/L", "2026-09-01", referenceRange=ranged("1", "2"))
    shown = of(
        *others,
        out,
        lab("Hemoglobin", "12", "g/dL", "2026-09-01"),
        lab("Potassium", "4", "mmol/L", "2026-05-01"),
        lab("Sodium", "140", "mmol/L", "2019-05-01"),
    )
    names = [trend.label for trend in shown.labs.trends]
    assert len(names) == MOST_LABS
    assert names[:2] == ["Potassium", "Hemoglobin"]
    assert "Zinc" in names, "a value outside its range is not cut"
    (note,) = shown.labs.notes
    assert note.startswith("6 of 18 not shown here")
    assert "Sodium" in note


def test_results_in_words_and_uncategorised_tests_are_there() -> None:
    group = observation("Blood group", "2026-01-01", valueCodeableConcept=concept("A, Rh negative"))
    bare = lab("Potassium", "4", "mmol/L", "2026-09-01")
    del bare["category"]
    void = lab("Sodium", "1", "mmol/L", "2026-09-01", state="entered-in-error")
    shown = of(group, bare, void)
    assert [line.text for line in shown.labs.in_words] == ["Blood group: A, Rh negative (2026-01-01)"]
    assert only(shown).label == "Potassium"
    assert shown.labs.notes == ("1 observation cancelled or entered in error, not shown.",)


@pytest.mark.parametrize(
    ("patient", "age"),
    [
        ({}, "55 years"),
        ({"birthDate": "1971"}, ""),
        ({"deceasedDateTime": "2021-03-04"}, "49 years at death"),
        ({"deceasedDateTime": "2021"}, ""),
        ({"deceasedBoolean": True}, ""),
    ],
)
def test_the_age_only_where_it_is_known(patient: dict[str, Any], age: str) -> None:
    assert of(**patient).age == age


_ODD = st.sampled_from(
    [None, True, "", "x", "2026-02-31", "2026-01-01T99:99", "2026", "9999-12-31T23:59:59-14:00", [], {}, 5,
     Decimal("1E-28"), Decimal("NaN"), 10**40, {"value": "7"}, {"value": Decimal("1e29"), "unit": 5},
     [{"low": {"value": 1}}], [{"low": {"value": 3}, "high": {"value": 1}}], "Systolic", "<",
     {"coding": [{"code": "8480-6"}]}]
)  # fmt: skip
_FIELDS = ("code", "category", "effectiveDateTime", "issued", "status", "valueQuantity", "valueInteger", "valueString",
           "referenceRange", "interpretation", "component", "note", "id")  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.dictionaries(st.sampled_from(_FIELDS), _ODD, max_size=4), max_size=4),
    st.lists(st.dictionaries(st.sampled_from(_FIELDS), _ODD, max_size=3), max_size=3),
)
def test_whatever_a_server_sends(changes: list[dict[str, Any]], parts: list[dict[str, Any]]) -> None:
    """Nothing raises; what is drawn is a number and in order; what is recorded is shown in one way or the other."""
    sent = [
        {**vital("Weight", "70", "kg", "2026-09-01"), "id": f"o{number}", **one} for number, one in enumerate(changes)
    ]
    sent.append(observation("Blood pressure", "2026-09-01", "vital-signs", component=parts, id="bp"))
    shown = panel(Record({"resourceType": "Patient", "id": "p"}, {"Observation": tuple(sent)}), today=TODAY)
    for trend in (*shown.labs.trends, *shown.vitals.trends):
        assert trend.latest
        assert all(Decimal(point.value).is_finite() for point in (*trend.points, *trend.second))
        assert [point.at for point in trend.points] == sorted(point.at for point in trend.points)
    assert shown.vitals.trends or shown.vitals.in_words
