"""The summary of a pinned patient: allergies never cut, and what is cut says so."""

from __future__ import annotations

from docgemma.ehr.chart.projection import cost
from docgemma.ehr.chart.sections.allergies import NONE_RECORDED
from docgemma.ehr.chart.summary import summarise
from docgemma.ehr.contract import Gap
from tests.support.chart_records import TODAY, allergy, condition, order, record


def test_says_the_three_lists() -> None:
    summary = summarise(record(allergy("Latex"), order("Warfarin 5 mg"), condition("Gout")), today=TODAY)
    assert summary.allergies[0].startswith("Latex")
    assert summary.medications[0].startswith("Warfarin 5 mg")
    assert summary.problems == ("Gout, since 2011-05-06",)
    assert [line.partition(":")[0] for line in summary.text().splitlines()] == [
        "Allergies",
        "Active medications",
        "Active problems",
    ]


def test_with_little_room_the_words_are_short_and_nothing_is_missing() -> None:
    chart = record(
        *(allergy(f"Allergen {letter}", criticality="high") for letter in "ABC"),
        *(order(f"Drug {letter}") for letter in "ABCDEF"),
    )
    text = summarise(chart, today=TODAY).text(limit=120)
    assert "Allergen A (high criticality); Allergen B (high criticality); Allergen C (high criticality)" in text
    assert all(f"Drug {letter}, dose not recorded" in text for letter in "ABCDEF")
    assert "ordered" not in text


def test_without_room_only_allergies_are_whole_and_the_cut_is_said() -> None:
    chart = record(
        *(allergy(f"Allergen{number}") for number in range(30)),
        *(order(f"Drug{number}") for number in range(90)),
        *(condition(f"Problem{number}") for number in range(90)),
    )
    text = summarise(chart, today=TODAY).text(limit=500)
    assert all(f"Allergen{number}" in text for number in range(30))
    assert "more NOT LISTED HERE: read the chart for them" in text
    assert cost(text) < 600


def test_unknown_is_never_none() -> None:
    assert NONE_RECORDED in summarise(record(), today=TODAY).text()
    unread = summarise(record(gaps=(Gap("AllergyIntolerance", "timeout"),)), today=TODAY)
    for limit in (1, 50, 5_000):
        assert "Allergies could not be read" in unread.text(limit)
        assert NONE_RECORDED not in unread.text(limit)
    assert len(unread.not_checked) == 1


def test_a_contradiction_is_a_warning() -> None:
    summary = summarise(record(allergy("No known allergies"), allergy("Latex")), today=TODAY)
    assert any("ask the patient" in warning for warning in summary.warnings)
