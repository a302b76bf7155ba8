"""Lab and vital names as people type them, and the letters and words that only look like them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.entities.labs import find_labs
from docgemma.entities.model import Mention
from docgemma.entities.words import word_set, words
from tests.support.tables import each_of


def _labs(text: str) -> list[str]:
    return [mention.value for mention in find_labs(text, words(text))]


@each_of(
    ("text", "labs"),
    [
        ("what was her last K?", ["potassium"]),
        ("whats her last k", ["potassium"]),
        ("K 5.4, Na 128", ["potassium", "sodium"]),
        ("Garcia's K?", ["potassium"]),
        ("potassium level", ["potassium"]),
        ("creatinine trend", ["creatinine"]),
        ("creat today?", ["creatinine"]),
        ("eGFR 22", ["eGFR"]),
        ("how is his renal function", ["eGFR"]),
        ("A1c and LFTs", ["HbA1c", "liver function tests"]),
        ("HbA1c", ["HbA1c"]),
        ("INR this am", ["INR"]),
        ("Hb dropped to 7", ["hemoglobin"]),
        ("haemoglobin", ["hemoglobin"]),
        ("hgb 9, plts 40", ["hemoglobin", "platelets"]),
        ("platelet count", ["platelets"]),
        ("WBC", ["white cell count"]),
        ("wcc 18", ["white cell count"]),
        ("ALT AST and bili", ["ALT", "AST", "bilirubin"]),
        ("SGPT", ["ALT"]),
        ("TSH and free T4", ["TSH", "thyroxine"]),
        ("trops negative?", ["troponin"]),
        ("NT-proBNP", ["BNP"]),
        ("lactate CRP ESR", ["lactate", "CRP", "ESR"]),
        ("lipid panel and LDL", ["lipid panel", "LDL"]),
        ("blood sugar", ["glucose"]),
        ("her sugars", ["glucose"]),
        ("BM 12.3", ["glucose"]),
        ("FBS", ["glucose"]),
        ("BUN", ["urea"]),
        ("U&Es", ["electrolytes"]),
        ("mag and phos", ["magnesium", "phosphate"]),
        ("Mg 0.6", ["magnesium"]),
        ("Ca 2.9 albumin 30", ["calcium", "albumin"]),
        ("UA clean?", ["urinalysis"]),
        ("any growth in blood cultures", ["culture"]),
        ("BP and HR", ["blood pressure", "heart rate"]),
        ("pulse 110", ["heart rate"]),
        ("her hr", ["heart rate"]),
        ("sats 92% on air", ["oxygen saturation"]),
        ("SpO2", ["oxygen saturation"]),
        ("pulse ox", ["oxygen saturation"]),
        ("temp 38.5, RR 22", ["temperature", "respiratory rate"]),
        ("weight and height", ["weight", "height"]),
        ("BMI 31", ["BMI"]),
        ("urine output overnight", ["urine output"]),
        ("CA 125", ["CA 125"]),
        ("D-dimer", ["D-dimer"]),
        ("digoxin level", ["digoxin level"]),
        ("vancomycin trough", ["vancomycin level"]),
        ("FBC", ["complete blood count"]),
        ("ABG", ["blood gas"]),
        ("vitals?", ["vital signs"]),
    ],
)
def test_labs(text: str, labs: list[str]) -> None:
    assert _labs(text) == labs


@pytest.mark.parametrize(
    "text",
    [
        "vitamin K",
        "give vit K 10 mg",
        "R K Sharma",
        "K. Smith is here",
        "k thanks",
        "na",
        "not applicable (n/a)",
        "500 mg",
        "500 Mg bd",
        "every 8 hr",
        "in 2 hr",
        "Ca breast with mets",
        "Ca of the stomach",
        "California, CA",
        "HR 0.85 in the trial",
        "potassium chloride 20 mEq",
        "sodium valproate",
        "calcium carbonate",
        "calcium channel blocker",
        "magnesium sulphate 2 g",
        "diclofenac sodium",
        "losartan potassium 50 mg",
        "docusate sodium",
        "weight loss",
        "weight-based dosing",
        "pulse dose steroids",
        "avoid sugar",
        "had a BM",
        "safety culture",
        "she sat up",
        "ok",
        "alternate days",
    ],
)
def test_words_that_are_no_labs(text: str) -> None:
    assert _labs(text) == []


def test_a_person_is_no_sodium() -> None:
    text = "what is Li Na's Na"
    person = Mention("Li Na", 8, 13)
    assert [mention.start for mention in find_labs(text, words(text), [person])] == [16]


_PIECES = sorted(
    word_set("her last K k Na 5 . Ca breast blood pressure vitamin u & e pulse ox digoxin level HR 0 's HB mg") | {"\n"}
)


@given(st.one_of(st.text(max_size=200), st.lists(st.sampled_from(_PIECES), max_size=30).map(" ".join)))
@settings(max_examples=200, deadline=None)
def test_any_text_is_read_and_each_lab_stands_where_it_says(text: str) -> None:
    found = find_labs(text, words(text))
    assert all(text[mention.start : mention.end] == mention.text for mention in found)
    assert all(one.end <= other.start for one, other in pairwise(found))
