"""Vital signs: the newest of each, with the course of those that are followed."""

from __future__ import annotations

from typing import Any

from tests.support.chart_records import concept, lines, observation, quantity, record, vital


def _pressure(upper: str, lower: str, on: str) -> dict[str, Any]:
    parts = [
        {"code": concept("Diastolic Blood Pressure"), "valueQuantity": quantity(lower, "mm[Hg]")},
        {"code": concept("Systolic Blood Pressure"), "valueQuantity": quantity(upper, "mm[Hg]")},
    ]
    return observation("Blood Pressure", on, "vital-signs", component=parts)


def test_blood_pressure_is_said_as_it_is_spoken() -> None:
    chart = record(_pressure("150", "95", "2026-01-02"), _pressure("138", "85", "2026-03-04"))
    assert lines(chart, "vitals") == (
        "Blood Pressure: 138/85 mmHg (2026-03-04); trend 150/95 (2026-01-02) → 138/85 (2026-03-04)",
    )


def test_half_a_blood_pressure_is_no_pair() -> None:
    half = _pressure("150", "95", "2026-01-02")
    half["component"][0] = {"code": concept("Diastolic Blood Pressure"), "dataAbsentReason": concept("not heard")}
    (line,) = lines(half, "vitals")
    assert "Diastolic Blood Pressure no value (not heard); Systolic Blood Pressure 150 mmHg" in line


def test_a_child_is_weighed_with_its_age() -> None:
    chart = record(
        vital("Body Weight", "12.1", "kg", "2025-09-05"),
        vital("Body Weight", "14.2", "kg", "2026-09-05"),
        birthDate="2023-06-20",
    )
    assert lines(chart, "vitals")[0].startswith("Body Weight: 14.2 kg (2026-09-05, at 3 years 2 months); trend 12.1")


def test_an_adult_is_not() -> None:
    assert lines(vital("Body Weight", "70", "kg", "2026-01-01"), "vitals") == ("Body Weight: 70 kg (2026-01-01)",)


def test_others_are_shown_without_their_course_until_it_is_asked_for() -> None:
    chart = record(vital("Heart rate", "70", "/min", "2026-01-01"), vital("Heart rate", "90", "/min", "2026-02-01"))
    assert lines(chart, "vitals") == ("Heart rate: 90 /min (2026-02-01)",)
    assert "trend 70" in lines(chart, "vitals", "how is her pulse?")[0]
    assert "trend 70" in lines(chart, "vitals", "vitals trend")[0]


def test_a_vital_sign_without_a_category_is_known_by_its_name() -> None:
    bare = {**vital("Body Weight", "70", "kg", "2026-01-01"), "category": None}
    assert lines(bare, "vitals") != ()


def test_an_answer_that_never_changed_is_said_once() -> None:
    smoking = [
        observation("Smoking", f"20{year}-01-01", "social-history", valueCodeableConcept=concept("Never smoker"))
        for year in (24, 25, 26)
    ]
    assert lines(record(*smoking), "social", "does she smoke?") == (
        "Smoking: Never smoker (2026-01-01); the same in 3 entries since 2024-01-01",
    )
