"""An allergy is never dropped, and nothing that is unknown ever reads as "none"."""

from __future__ import annotations

from typing import Any

import pytest

from docgemma.ehr.chart.projection import project
from docgemma.ehr.chart.sections.allergies import NONE_RECORDED, negated
from docgemma.ehr.contract import Gap
from tests.support.chart_records import TODAY, allergy, concept, condition, lines, lines_of, record


def test_says_what_happens_and_how_bad_it_is() -> None:
    entry = allergy(
        "Penicillin G",
        criticality="high",
        type="allergy",
        category=["medication"],
        onsetDateTime="2009-04",
        recordedDate="2019-05-26T17:02:34+00:00",
        reaction=[
            {"manifestation": [concept("Anaphylaxis"), concept("Hives")], "severity": "severe"},
            {"manifestation": [concept("Rash")], "severity": "mild"},
        ],
    )
    (line,) = lines(entry, "allergies")
    assert line == (
        "Penicillin G: Anaphylaxis, Hives (severe); Rash (mild); criticality high; allergy, medication; "
        "active, confirmed; onset 2009-04, recorded 2019-05-26"
    )


def test_an_empty_list_is_not_no_known_allergies() -> None:
    assert lines(record(), "allergies") == (NONE_RECORDED,)


@pytest.mark.parametrize("read", [(), (allergy("Latex"),)], ids=["nothing read", "half read"])
def test_a_list_that_was_not_read_never_looks_empty(read: tuple[Any, ...]) -> None:
    chart = project(record(*read, gaps=(Gap("AllergyIntolerance", "timeout"),)), today=TODAY)
    shown = lines_of(chart, "allergies")
    assert NONE_RECORDED not in shown
    assert "could not be read" in shown[0]
    assert any("Allergies could not be read" in sentence for sentence in chart.not_checked)
    assert len(shown) == 1 + len(read)


@pytest.mark.parametrize(("verified", "word"), [("refuted", "1 refuted"), ("entered-in-error", "1 entered in error")])
def test_what_was_withdrawn_is_counted_and_not_shown(verified: str, word: str) -> None:
    chart = project(record(allergy("Latex", verified=verified)), today=TODAY)
    (line,) = lines_of(chart, "allergies")
    assert "Latex" not in line
    assert word in line
    assert "not the same as no known allergies" in line
    assert any(word in sentence for sentence in chart.omitted)


def test_an_entry_that_is_both_refuted_and_confirmed_stands() -> None:
    entry = allergy("Latex", verificationStatus={"coding": [{"code": "refuted"}, {"code": "confirmed"}]})
    assert "Latex" in lines(entry, "allergies")[0]


@pytest.mark.parametrize("clinical", ["inactive", "resolved"])
def test_what_is_over_is_shown_and_marked(clinical: str) -> None:
    assert f"recorded as {clinical}" in lines(allergy("Egg", clinical), "allergies")[0]


def test_the_gravest_comes_first() -> None:
    chart = record(allergy("Apple", criticality="low"), allergy("Zinc", criticality="high"), allergy("Nut", "resolved"))
    assert [line.partition(":")[0] for line in lines(chart, "allergies")] == ["Zinc", "Apple", "Nut"]


@pytest.mark.parametrize(
    ("named", "scope"),
    [
        (concept(code="716186003", display="No known allergy"), "all"),
        (concept("No known allergy (situation)", code="716186003", display="No known allergy (situation)"), "all"),
        (concept(code="716186003"), "all"),
        (concept(code="409137002", display="No known drug allergy"), "medication"),
        (concept(code="no-known-food-allergies"), "food"),
        (concept("NKDA"), "medication"),
        (concept("NKA"), "all"),
        (concept("no known allergies."), "all"),
        (concept("No known drug allergies"), "medication"),
        (concept("No known drug or food allergies"), "medication"),
        (concept("No known latex allergy"), "latex"),
        (concept("No known penicillin allergy"), "one"),
        (concept("No Known Allergies", code="local-1"), "all"),
        ("No known allergies", "all"),
        (concept("No known allergies except penicillin"), None),
        (concept("No known allergies, but rash with amoxicillin"), None),
        (concept("No known cause of her severe latex allergy"), None),
        (concept("Penicillin", code="716186003", display="No known allergy"), None),
        (concept("No known allergies", code="91936005", display="Allergy to penicillin"), None),
        (concept("Allergy to nuts"), None),
        (concept("No-see-um allergy"), None),
        (concept("Unknown"), None),
        ({}, None),
        (None, None),
    ],
)
def test_tells_no_known_allergies_from_an_allergy(named: Any, scope: str | None) -> None:
    assert negated(named) == scope


def test_no_known_allergies_is_a_fact_with_its_date() -> None:
    entry = allergy(concept(code="716186003", display="No known allergy"), recordedDate="2024-02-01")
    assert lines(entry, "allergies") == ("No known allergy (stated in the record; recorded 2024-02-01, confirmed)",)


def test_that_nobody_knows_is_said_so() -> None:
    entry = allergy(concept("No information about allergies", code="no-allergy-info"))
    (line,) = lines(entry, "allergies")
    assert line.startswith("No information about allergies")
    assert line != NONE_RECORDED


@pytest.mark.parametrize(
    ("stated", "other", "contradicts"),
    [
        ("No known allergies", allergy("Latex"), True),
        ("No known allergies", allergy("Latex", "resolved"), False),
        ("No known drug allergies", allergy("Penicillin", category=["medication"]), True),
        ("No known drug allergies", allergy("Peanut", category=["food"]), False),
        ("No known drug allergies", allergy("Something"), True),
        ("No known food allergies", allergy("Peanut", category=["food"]), True),
        ("No known latex allergy", allergy("Latex gloves", category=["environment"]), True),
        ("No known latex allergy", allergy("Peanut", category=["food"]), False),
    ],
)
def test_a_contradiction_shows_both_and_warns(stated: str, other: Any, contradicts: bool) -> None:
    chart = project(record(allergy(stated), other), today=TODAY)
    shown = " ".join(lines_of(chart, "allergies"))
    assert stated in shown
    assert other["code"]["text"] in shown
    assert any("ask the patient" in warning for warning in chart.warnings) == contradicts


@pytest.mark.parametrize(
    "entry",
    [
        {"resourceType": "AllergyIntolerance", "id": "a1"},
        {"resourceType": "AllergyIntolerance", "id": "a1", "code": {"coding": [{"display": 7}]}},
        {"resourceType": "AllergyIntolerance", "id": "a1", "code": [[]], "clinicalStatus": 3},
    ],
)
def test_an_entry_that_cannot_be_read_is_still_there(entry: Any) -> None:
    (line,) = lines(entry, "allergies")
    assert line.startswith("An allergy entry that cannot be read (AllergyIntolerance/a1)")


def test_a_bare_code_and_a_substance_named_only_in_the_reaction() -> None:
    assert "a substance given only as code 91936005" in lines(allergy(concept(code="91936005")), "allergies")[0]
    entry = allergy({}, reaction=[{"substance": concept("Cefaclor"), "manifestation": [concept("Hives")]}])
    assert lines(entry, "allergies")[0].startswith("Cefaclor: Hives")


def test_words_and_code_that_differ_are_both_shown() -> None:
    entry = allergy(concept("PCN", code="1", display="Sulfonamide"))
    assert lines(entry, "allergies")[0].startswith("PCN (coded as Sulfonamide):")


def test_statuses_of_an_older_dialect_are_understood() -> None:
    entry = allergy("Latex", clinicalStatus="active", verificationStatus="entered-in-error")
    assert "Latex" not in lines(record(entry, condition()), "allergies")[0]


def test_a_refuted_allergy_is_named_as_such_where_allergies_are_asked_for() -> None:
    chart = record(
        allergy("Latex"),
        allergy("Penicillin", "inactive", "refuted", note=[{"text": "Skin test negative."}]),
        allergy("Morphine", verified="entered-in-error"),
    )
    shown = lines(chart, "allergies", "any allergies?")
    assert shown[0].startswith("Latex:")
    assert shown[1:] == ("REFUTED, not an allergy: Penicillin; “Skin test negative.”",)
    assert len(lines(chart, "allergies", "last INR?")) == 1
    asked, other = (project(chart, question, today=TODAY).omitted for question in ("any allergies?", "last INR?"))
    assert "Allergies: 1 entered in error, not shown." in asked
    assert "Allergies: 1 entered in error, 1 refuted, not shown." in other


def test_a_refuted_allergy_alone_does_not_make_none_known() -> None:
    shown = lines(allergy("Penicillin", "inactive", "refuted"), "allergies", "allergies?")
    assert "That is not the same as no known allergies" in shown[0]
    assert shown[1].startswith("REFUTED")


def test_a_statement_that_no_longer_holds_begins_with_that() -> None:
    (line,) = lines(allergy("No known allergy", "inactive", recordedDate="2010-01-12"), "allergies")
    assert line == "No longer in force: the statement “No known allergy” (recorded 2010-01-12, confirmed, now inactive)"
