"""Numbers are compared by what they mean, not by how they are written."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.agent.answer.births import births
from docgemma.agent.answer.evidence import Evidence
from docgemma.agent.answer.labs import lab_values
from docgemma.clinical import Source, ToolResult
from docgemma.entities.amounts.quantities import quantities
from docgemma.tools.results import Article, LiteratureResult, PatientMatch, PatientSearchResult, Trial, TrialsResult


def known(source: str, said: str) -> bool:
    amounts = Evidence.of(user=(source,)).amounts
    found = quantities(said)
    assert found, f"no quantity in {said!r}"
    return all(quantity.forms & amounts for quantity in found)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("500mg", "500 mg"),
        ("0.5 mg", ".5 mg"),
        ("0.5 mg", "0.50 mg"),
        ("0,5 mg", "0.5 mg"),
        ("1,000 mg", "1000 mg"),
        ("1 g", "1000 mg"),
        ("50 µg", "50 mcg"),
        ("50 μg", "0.05 mg"),
        ("50 micrograms", "50 ug"),
        ("5-10 mg", "5 mg to 10 mg"),
        ("5 to 10 mg", "5–10 mg"),
        ("142/88 mmHg", "88 mmHg"),
        ("a 500-mg tablet", "500 mg"),
        ("2000 mg/day", "2000 mg daily"),
        ("2000 mg daily", "2000 mg per day"),
        ("25 mL/min/1.73 m²", "25 ml/min/1.73 m2"),
        ("10 units", "10 U"),
        ("4.5 x 10^9/L", "4.5 ×10^9/L"),
        ("3 days", "3-day"),
    ],
)
def test_the_same_amount(source: str, said: str) -> None:
    assert known(source, said)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("5 mg/kg", "5 mg"),
        ("5 mg", "5 mg/kg"),
        ("0.5 mg", "5 mg"),
        ("5 mg", "5 mcg"),
        ("10 mg/dL", "10 mg/L"),
        ("5 mg", "5 mL"),
        ("5-10 mg", "7 mg"),
        ("100 mg", "1,000 mg"),
        ("2000 mg/day", "2000 mg"),
    ],
)
def test_not_the_same_amount(source: str, said: str) -> None:
    assert not known(source, said)


@given(st.decimals(min_value=0, max_value=99999, places=3), st.sampled_from(["mg", "mL", "mmol/L", "%", "weeks"]))
def test_an_amount_is_found_however_it_is_spaced(value: object, unit: str) -> None:
    assert known(f"{value}{unit}", f"about {value} {unit} in all")


@pytest.mark.parametrize("text", ["type 2 diabetes", "in 2019 and 2020", "three drugs", "COX-2", "B12", "step 3 of 4"])
def test_a_bare_number_is_no_amount(text: str) -> None:
    assert quantities(text) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Potassium was 5.9 mmol/L", [("potassium", "5.9")]),
        ("potassium in 2019 was 5.9", [("potassium", "5.9")]),
        ("creatinine on 2024-01-02: 1.2", [("creatinine", "1.2")]),
        ("BP 140/90, HR 88", [("blood pressure", "140"), ("blood pressure", "90"), ("heart rate", "88")]),
        ("hemoglobin A1c 8.2%", [("hba1c", "8.2")]),
        ("recheck the INR in 3 days", []),
        ("her INR is not known", []),
    ],
)
def test_a_value_belongs_to_its_name(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(value.name, f"{value.value:f}") for value in lab_values(text)] == expected


def test_identifiers_come_from_data_words_and_sources() -> None:
    evidence = Evidence.of(
        [
            LiteratureResult(status="found", articles=(Article(pmid="111111", title="On falls"),)),
            TrialsResult(status="found", trials=(Trial(nct_id="NCT02576665", title="A trial"),)),
            ToolResult(status="found", message="PMID 222222", sources=(Source(kind="article", title="PMID: 333333"),)),
        ],
        user=("Is PMID 444444 about this?",),
    )
    assert evidence.retrieved == {"PMID:111111", "PMID:222222", "PMID:333333", "NCT02576665"}
    assert evidence.asked == {"PMID:444444"}


def test_an_age_follows_from_the_birth_date() -> None:
    found = PatientSearchResult(
        status="found", matches=(PatientMatch(patient_id="p", name="Test Patient", birth_date="1958-11-20"),)
    )
    day_before = Evidence.of([found], today=date(2024, 11, 19)).amounts
    birthday = Evidence.of([found], today=date(2024, 11, 20)).amounts
    age = {number: quantities(f"a {number}-year-old")[0].forms for number in (65, 66)}
    assert age[65] <= day_before
    assert age[66] <= birthday
    assert not age[66] <= day_before


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("born 1962-04-17", (1962, 4, 17)),
        ("DOB: 1962-04-17", (1962, 4, 17)),
        ("was born on April 17, 1962", (1962, 4, 17)),
        ("Date of birth: 17 Apr 1962", (1962, 4, 17)),
        ("was born in 1962", (1962,)),
        ("DOB 04/17/1962", (1962,)),
        ("born in April 1962", (1962,)),
    ],
)
def test_a_birth_date_is_read_however_it_is_written(text: str, expected: tuple[int, ...]) -> None:
    assert births(text) == (expected,)


@pytest.mark.parametrize(
    "text", ["born at term", "born prematurely at 32 weeks", "newborn 3 days old", "stubborn 1962"]
)
def test_no_birth_date(text: str) -> None:
    assert births(text) == ()
