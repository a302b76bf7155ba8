"""Laboratory results: numbers as recorded, compared only with what they can be compared with."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from docgemma.ehr.chart.projection import project
from docgemma.ehr.contract import Gap
from tests.support.chart_records import TODAY, concept, lab, lines, lines_of, observation, quantity, record

HBA1C = "Hemoglobin A1c/Hemoglobin.total in Blood"


def _a1c(value: str, on: str, unit: str = "%", **more: Any) -> dict[str, Any]:
    return lab(HBA1C, value, unit, on, **more)


def test_the_newest_value_its_range_and_the_way_there() -> None:
    ranged = [{"low": quantity("4.0", "%"), "high": quantity("5.6", "%")}]
    chart = record(
        _a1c("8.4", "2026-06-01"), _a1c("9.10", "2026-09-01", referenceRange=ranged), _a1c("7.9", "2026-03-01")
    )
    assert lines(chart, "labs") == (
        f"{HBA1C}: 9.10 % (2026-09-01), above the recorded range 4.0–5.6 %; "
        "trend 7.9 (2026-03-01) → 8.4 (2026-06-01) → 9.10 (2026-09-01), rising",
    )


@pytest.mark.parametrize(
    ("values", "direction"),
    [
        (["1", "2", "3"], "rising"),
        (["3", "2", "1"], "falling"),
        (["2", "2", "2"], "unchanged"),
        (["1", "3", "2"], "no steady direction"),
        (["1", "2"], "higher than before"),
        (["2", "1"], "lower than before"),
        (["2.0", "2.00"], "unchanged"),
    ],
)
def test_names_a_direction_only_where_there_is_one(values: list[str], direction: str) -> None:
    chart = record(*(_a1c(value, f"2026-0{month}-01") for month, value in enumerate(values, 1)))
    assert lines(chart, "labs")[0].endswith(f", {direction}")


def test_other_units_are_not_compared_and_nothing_is_converted() -> None:
    chart = record(_a1c("53", "2026-01-01", "mmol/mol"), _a1c("7.1", "2026-06-01"))
    (line,) = lines(chart, "labs")
    assert line == f"{HBA1C}: 7.1 % (2026-06-01); 1 value in another unit not compared"


def test_a_value_beyond_measuring_has_no_direction() -> None:
    low = observation("Troponin", "2026-02-01", valueQuantity=quantity("0.01", "ng/mL", "<"))
    chart = record(lab("Troponin", "0.04", "ng/mL", "2026-01-01"), low)
    (line,) = lines(chart, "labs")
    assert line == "Troponin: <0.01 ng/mL (2026-02-01); trend 0.04 (2026-01-01) → <0.01 (2026-02-01)"


def test_values_of_one_day_are_told_apart_by_the_hour() -> None:
    chart = record(
        lab("Lactate", "4.1", "mmol/L", "2026-02-01T08:05:00Z"), lab("Lactate", "2.2", "mmol/L", "2026-02-01T14:30:00Z")
    )
    assert "4.1 (2026-02-01 08:05) → 2.2 (2026-02-01 14:30)" in lines(chart, "labs")[0]


def test_the_newest_is_found_across_time_zones() -> None:
    chart = record(
        lab("Lactate", "1", "mmol/L", "2026-02-01T23:30:00-08:00"),
        lab("Lactate", "2", "mmol/L", "2026-02-02T05:00:00Z"),
    )
    assert lines(chart, "labs")[0].startswith("Lactate: 1 mmol/L")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"valueQuantity": quantity("7.50", "mmol/L")}, "7.50 mmol/L"),
        ({"valueQuantity": {"value": Decimal("1E+2"), "unit": "U/L"}}, "100 U/L"),
        ({"valueQuantity": {"value": 5}}, "5"),
        ({"valueCodeableConcept": concept("Positive")}, "Positive"),
        ({"valueString": "haemolysed\nsample"}, "haemolysed sample"),
        ({"valueBoolean": False}, "no"),
        ({"valueInteger": 3}, "3"),
        ({"valueRange": {"low": quantity("1"), "high": quantity("2", "/HPF")}}, "1–2 /HPF"),
        ({"valueRatio": {"numerator": quantity("1"), "denominator": quantity("128")}}, "1:128"),
        ({"valueDateTime": "2026-01-01"}, "2026-01-01"),
        ({"dataAbsentReason": concept("specimen lost")}, "no value (specimen lost)"),
        ({}, "no value recorded"),
        ({"valueQuantity": {"unit": "mg"}}, "no value recorded"),
        ({"valueQuantity": "7"}, "no value recorded"),
        ({"valueQuantity": {"value": True}}, "no value recorded"),
        ({"hasMember": [{}, {}]}, "a panel of 2"),
        (
            {"component": [{"code": concept("Hue"), "valueString": "red"}, {"code": concept("pH"), "valueInteger": 6}]},
            "Hue red; pH 6",
        ),
    ],
)  # fmt: skip
def test_every_kind_of_value(fields: dict[str, Any], said: str) -> None:
    assert lines(observation("Test", "2026-01-01", **fields), "labs") == (f"Test: {said} (2026-01-01)",)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"referenceRange": [{"low": quantity("2"), "high": quantity("4")}]}, "above the recorded range 2–4"),
        ({"referenceRange": [{"low": quantity("6", "mg")}]}, "below the recorded range ≥ 6 mg"),
        ({"referenceRange": [{"high": quantity("5", "mg")}]}, "within the recorded range ≤ 5 mg"),
        ({"referenceRange": [{"high": quantity("4", "g")}]}, "recorded range ≤ 4 g"),
        ({"referenceRange": [{"text": "negative"}]}, "recorded range negative"),
        (
            {"referenceRange": [{"high": quantity("4"), "appliesTo": [concept("men")]}, {"high": quantity("6")}]},
            "recorded ranges ≤ 4 (men); ≤ 6",
        ),
        ({"interpretation": [{"coding": [{"code": "HH"}]}]}, "flagged critically high"),
        ({"interpretation": [concept("borderline")]}, "flagged borderline"),
        ({"referenceRange": "2-4", "interpretation": "H"}, ""),
    ],
)  # fmt: skip
def test_judges_only_by_what_is_recorded(fields: dict[str, Any], said: str) -> None:
    (line,) = lines(lab("Test", "5", "mg", "2026-01-01", **fields), "labs")
    assert line == f"Test: 5 mg (2026-01-01){f', {said}' if said else ''}"


@pytest.mark.parametrize(
    ("state", "mark"),
    [("preliminary", ", preliminary"), ("amended", ", amended"), ("corrected", ", corrected"), ("final", "")],
)
def test_marks_what_is_not_final(state: str, mark: str) -> None:
    assert f"(2026-01-01{mark})" in lines(lab("Test", "5", "mg", "2026-01-01", state=state), "labs")[0]


@pytest.mark.parametrize("state", ["entered-in-error", "cancelled"])
def test_a_withdrawn_result_is_neither_value_nor_trend(state: str) -> None:
    chart = project(
        record(_a1c("7.0", "2026-01-01"), _a1c("99", "2026-02-01", state=state)), today=TODAY, budget=10_000
    )
    assert lines_of(chart, "labs") == (f"{HBA1C}: 7.0 % (2026-01-01)",)
    assert any("cancelled or entered in error" in sentence for sentence in chart.omitted)


def test_a_result_listed_by_a_report_is_a_laboratory_result() -> None:
    bare = {**lab("Ferritin", "40", "ng/mL", "2026-01-01"), "id": "o1", "category": None}
    report = {"resourceType": "DiagnosticReport", "status": "final", "result": [{"reference": "Observation/o1"}]}
    assert lines(record(dict(bare)), "labs") == ()
    assert lines(record(bare, report), "labs")[0].startswith("Ferritin")


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("last INR?", "INR"),
        ("what was her last K?", "Potassium"),
        ("hba1c trend", HBA1C),
        ("her haemoglobin?", "Hemoglobin [Mass/volume] in Blood"),
        ("white count today", "Leukocytes [#/volume] in Blood by Automated count"),
        ("LDL", "Low Density Lipoprotein Cholesterol"),
        ("creatinine", "Creatinine"),
    ],
)
def test_a_test_that_is_asked_for_comes_alone_and_first(question: str, first: str) -> None:
    names = [
        "INR", "Potassium", HBA1C, "Hemoglobin [Mass/volume] in Blood", "Creatinine",
        "Creatinine [Mass/volume] in Urine",
        "Leukocytes [#/volume] in Blood by Automated count", "Low Density Lipoprotein Cholesterol",
        "MCHC",
    ]  # fmt: skip
    chart = project(record(*(lab(name, "1", "u", "2026-01-01") for name in names)), question, today=TODAY)
    shown = lines_of(chart, "labs")
    assert [line.partition(": ")[0] for line in shown] == [first]
    assert any("1 of 9 tests shown" in sentence for sentence in chart.omitted)
    assert chart.sections[0].title == "Laboratory results"


def test_kidney_function_means_several_tests() -> None:
    names = ("Creatinine", "Potassium", "Urea Nitrogen", "Estimated Glomerular Filtration Rate", "Sodium")
    chart = record(*(lab(name, "1", "u", "2026-01-01") for name in names))
    shown = {line.partition(": ")[0] for line in lines(chart, "labs", "how is her kidney function?")}
    assert shown == set(names) - {"Sodium"}


def test_a_panel_by_its_report() -> None:
    names = ("Alpha", "Beta", "Gamma")
    results = [lab(name, "1", "u", "2026-01-01", id=name) for name in names]
    report = {
        "resourceType": "DiagnosticReport",
        "status": "final",
        "code": concept("Porphyria screen"),
        "result": [{"reference": "Observation/Gamma"}],
    }
    assert lines(record(*results, report), "labs", "show the porphyria labs")[0].startswith("Gamma")


def test_a_test_that_is_not_there_is_said_and_what_is_there_named() -> None:
    shown = lines(record(lab("Sodium", "140", "mmol/L", "2026-01-01")), "labs", "last INR?")
    assert shown == (
        "No INR is recorded among the observations (1 observation read).",
        "Recorded are: Sodium.",
    )


def test_a_test_that_was_not_read_is_not_known() -> None:
    (line,) = lines(record(gaps=(Gap("Observation", "timeout"),)), "labs", "last INR?")
    assert "not known" in line
    assert "is recorded" not in line


def test_a_test_that_stands_only_in_a_procedure_or_a_note_is_shown_from_there() -> None:
    typed = {
        "resourceType": "Procedure", "status": "completed", "code": concept("Blood typing, Rh typing"),
        "outcome": concept("O, Rh positive"),
    }  # fmt: skip
    chart = record(typed, lab("Sodium", "140", "mmol/L", "2026-01-01"))
    assert lines(chart, "labs", "blood group?")[0].startswith("No blood group is recorded among the observations")
    assert lines(chart, "procedures", "blood group?") == ("Blood typing, Rh typing: undated (outcome O, Rh positive)",)
    assert lines(chart, "procedures", "sodium?") == ()


def test_how_much_of_a_long_series_is_shown_is_said() -> None:
    days = [lab("Sodium", str(130 + number), "mmol/L", f"2026-01-{number:02}") for number in range(1, 21)]
    (line,) = lines(record(*days), "labs", "sodium")
    assert line.endswith("rising, the newest 8 of 20 values")


@pytest.mark.parametrize(
    ("question", "test"),
    [
        ("hb", "Hemoglobin"),
        ("is she anaemic", "Hemoglobin"),
        ("sugar", "Glucose"),
        ("hyperkalaemia?", "Potassium"),
        ("any proteinuria", "Urine albumin-creatinine ratio"),
    ],
)
def test_a_finding_asks_for_its_test(question: str, test: str) -> None:
    names = ("Hemoglobin", "Glucose", "Potassium", "Urine albumin-creatinine ratio")
    chart = record(*(lab(name, "1", "u", "2026-01-01") for name in names))
    (line,) = lines(chart, "labs", question)
    assert line.startswith(f"{test}:")
