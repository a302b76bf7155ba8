"""Computed values against published worked examples, and every reason not to compute one."""

from __future__ import annotations

from typing import Any

import pytest

from docgemma.ehr.chart.projection import project
from docgemma.ehr.chart.sections.computed import Sex, bedside_schwartz, ckd_epi_2021, cockcroft_gault
from docgemma.ehr.contract import Gap
from tests.support.chart_records import (
    TODAY,
    concept,
    condition,
    lab,
    lines,
    lines_of,
    observation,
    quantity,
    record,
    vital,
)

ON = "2026-09-01"
KIDNEYS = "how is the kidney function?"


@pytest.mark.parametrize(
    ("creatinine", "age", "sex", "rate"),
    [
        (1.2, 55, "male", 71),
        (1.1, 50, "male", 82),
        (0.9, 55, "female", 75),
        (0.7, 40, "female", 112),
        (0.9, 40, "male", 111),
        (0.5, 30, "female", 129),
        (0.6, 30, "male", 133),
        (2.0, 60, "female", 28),
        (3.5, 70, "male", 18),
    ],
)
def test_ckd_epi_2021(creatinine: float, age: int, sex: Sex, rate: int) -> None:
    """The first is what the National Kidney Foundation's calculator gives, the second another program's test; the rest
    lie on both sides of each sex's hinge.
    """
    assert round(ckd_epi_2021(creatinine, age, sex)) == rate


@pytest.mark.parametrize(("height", "creatinine", "rate"), [(100, 0.4, 103), (100, 0.5, 83), (140, 0.7, 83)])
def test_bedside_schwartz(height: float, creatinine: float, rate: int) -> None:
    assert round(bedside_schwartz(creatinine, height)) == rate


@pytest.mark.parametrize(
    ("creatinine", "age", "sex", "weight", "clearance"),
    [
        (1.4, 65, "male", 70, 52.1),
        (0.9, 45, "female", 60, 74.8),
        (1.2, 60, "male", 80, 74.1),
        (1.0, 50, "male", 70, 87.5),
    ],
)
def test_cockcroft_gault(creatinine: float, age: int, sex: Sex, weight: float, clearance: float) -> None:
    """Worked examples of others."""
    assert cockcroft_gault(creatinine, age, sex, weight) == pytest.approx(clearance, abs=0.1)


def _creatinine(value: str = "0.9", unit: str = "mg/dL", on: str = ON, **more: Any) -> dict[str, Any]:
    return lab("Creatinine", value, unit, on, **more)


def test_an_adult_with_everything() -> None:
    chart = record(
        _creatinine(), vital("Body Weight", "65", "kg", ON), vital("Body Height", "169.0", "cm", "2019-01-01")
    )
    assert lines(chart, "computed") == (
        "Age: 55 years (from the date of birth)",
        f"Body mass index: 22.8 kg/m² (weight ÷ height²; weight 65 kg of {ON}, height 169.0 cm of 2019-01-01)",
        f"eGFR: 75 mL/min/1.73 m² (CKD-EPI 2021; creatinine 0.9 mg/dL of {ON}, age 55, female; "
        "assumes a stable creatinine)",
        f"Creatinine clearance: 72 mL/min (Cockcroft–Gault, actual weight 65 kg of {ON}; "
        f"creatinine 0.9 mg/dL of {ON}, age 55, female; assumes a stable creatinine)",
    )


@pytest.mark.parametrize("unit", ["umol/L", "µmol/L", "μmol/l"])
def test_both_units_of_creatinine_give_the_same(unit: str) -> None:
    assert any(line.startswith("eGFR: 75 ") for line in lines(_creatinine("79.56", unit), "computed"))


def test_a_child_by_its_height() -> None:
    chart = record(_creatinine("0.4"), vital("Body Height", "1.00", "m", "2026-08-01"), birthDate="2020-01-01")
    assert any(line.startswith("eGFR: 103 mL/min/1.73 m² (bedside Schwartz;") for line in lines(chart, "computed"))


@pytest.mark.parametrize(
    ("resources", "patient", "reason"),
    [
        ([], {}, "no creatinine is recorded"),
        ([_creatinine("0.9", "mg/mL")], {}, "the unit of creatinine 0.9 mg/mL of 2026-09-01 is not known"),
        ([_creatinine("88")], {}, "creatinine 88 mg/dL of 2026-09-01 is implausible"),
        ([_creatinine("0")], {}, "is implausible"),
        ([_creatinine(on="2026-09")], {}, "is not usable"),
        ([_creatinine(on="2027-09-01")], {}, "is not usable"),
        (
            [observation("Creatinine", ON, valueQuantity=quantity("0.2", "mg/dL", "<"))],
            {},
            "creatinine <0.2 mg/dL of 2026-09-01 is not a plain number",
        ),
        ([_creatinine()], {"gender": "other"}, "need a recorded sex of female or male"),
        ([_creatinine()], {"gender": None}, "need a recorded sex of female or male"),
        ([_creatinine()], {"birthDate": "1971"}, "the age at the time of the creatinine is not known"),
        ([_creatinine()], {"birthDate": None}, "the age at the time of the creatinine is not known"),
        ([_creatinine()], {"birthDate": "2026-01-05"}, "from 1 year of age"),
        ([_creatinine()], {"birthDate": "2020-01-05"}, "no height is recorded"),
        (
            [_creatinine(), vital("Body Height", "100", "cm", "2025-01-01")],
            {"birthDate": "2020-01-05"},
            "lie too far apart",
        ),
    ],
)  # fmt: skip
def test_says_why_there_is_no_egfr(resources: list[dict[str, Any]], patient: dict[str, Any], reason: str) -> None:
    shown = lines(record(*map(dict, resources), **patient), "computed", KIDNEYS)
    assert any("eGFR" in line and "not computed" in line and reason in line for line in shown), shown
    assert not any(line.startswith(("eGFR: ", "Creatinine clearance: ")) for line in shown)


def test_an_older_value_never_stands_in_for_a_newer_one() -> None:
    chart = record(_creatinine("0.9", on="2026-01-01"), _creatinine("180", on="2026-09-01"))
    assert not any(line.startswith("eGFR: ") for line in lines(chart, "computed"))


def test_what_was_not_measured_is_passed_over() -> None:
    lost = observation("Creatinine", "2026-09-20", dataAbsentReason=concept("clotted"))
    assert any("of 2026-09-01" in line for line in lines(record(_creatinine(), lost), "computed"))


@pytest.mark.parametrize("name", ["Creatinine [Mass/volume] in Urine", "Creatine kinase", "Creatinine renal clearance"])
def test_other_things_are_not_taken_for_creatinine(name: str) -> None:
    shown = lines(lab(name, "1.0", "mg/dL", ON), "computed", KIDNEYS)
    assert "eGFR not computed: no creatinine is recorded." in shown


def test_clearance_needs_a_weight_of_the_same_time() -> None:
    chart = record(_creatinine(), vital("Body Weight", "65", "kg", "2020-01-01"))
    shown = lines(chart, "computed", KIDNEYS)
    assert any(line.startswith("eGFR: ") for line in shown)
    assert any("Creatinine clearance not computed" in line and "too far apart" in line for line in shown)


def test_an_old_creatinine_says_so() -> None:
    assert any("more than a year old" in line for line in lines(_creatinine(on="2024-01-01"), "computed"))


@pytest.mark.parametrize(
    ("entry", "warned"),
    [
        (condition("Normal pregnancy"), True),
        (condition("Normal pregnancy", "resolved"), False),
        (condition("History of pregnancy"), False),
        (observation("Gestational age", "2026-09-01", "exam", valueQuantity=quantity("22", "wk")), True),
        (observation("Gestational age", "2020-09-01", "exam", valueQuantity=quantity("22", "wk")), False),
        (observation("Pregnancy status", "2026-09-01", "exam", valueCodeableConcept=concept("Not pregnant")), False),
    ],
)
def test_in_pregnancy_the_equations_are_not_valid(entry: dict[str, Any], warned: bool) -> None:
    shown = lines(record(_creatinine(), dict(entry)), "computed")
    assert any("NOT VALID IN PREGNANCY" in line for line in shown) == warned


def test_what_was_not_read_is_not_called_missing() -> None:
    shown = lines(record(gaps=(Gap("Observation", "timeout"),)), "computed", KIDNEYS)
    assert any("observations were not read completely" in line for line in shown)


def test_a_small_child_and_the_dead_have_their_age() -> None:
    assert lines(record(birthDate="2026-09-20"), "computed")[0].startswith("Age: 11 days")
    assert lines(record(birthDate="2026-01-20"), "computed")[0].startswith("Age: 8 months")
    assert lines(record(deceasedDateTime="2020-03-04"), "computed")[0].startswith("Age at death: 48 years")
    assert lines(record(birthDate="1971"), "computed")[0].startswith("Age not computed: only 1971")


def test_asked_about_pregnancy_silence_is_not_a_no() -> None:
    chart = project(record(), "is she pregnant?", today=TODAY)
    assert "not the same as not pregnant" in lines_of(chart, "pregnancy")[0]
    unread = project(record(gaps=(Gap("Observation", "timeout"),)), "is she pregnant?", today=TODAY)
    assert "not known" in lines_of(unread, "pregnancy")[0]
    found = project(record(condition("Normal pregnancy")), "is she pregnant?", today=TODAY)
    assert lines_of(found, "pregnancy")[0].startswith("Normal pregnancy, active")


def test_pregnancies_that_are_over_do_not_answer_for_today() -> None:
    chart = project(record(condition("Normal pregnancy", "resolved")), "is she pregnant?", today=TODAY)
    first, second = lines_of(chart, "pregnancy")
    assert first == "No entry speaks of a pregnancy at present. That is not the same as not pregnant."
    assert second.startswith("Normal pregnancy, resolved")
