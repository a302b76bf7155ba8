"""Short forms that a text defines, and those that nobody defines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.terminology.names.abbreviations import defined
from docgemma.terminology.names.clinical import clinical, formula


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        (
            "Patients with left ventricular ejection fraction (LVEF) below 40 %.",
            "LVEF",
            "left ventricular ejection fraction",
        ),
        ("a history of deep vein thrombosis (DVT; n = 3)", "DVT", "deep vein thrombosis"),
        ("treated with tamoxifen (TAM) or placebo", "TAM", "tamoxifen"),
        ("myotonic dystrophy (DM) is inherited", "DM", "myotonic dystrophy"),
        ("CHF (congestive heart failure) is excluded", "CHF", "congestive heart failure"),
        ("non-steroidal anti-inflammatory drugs (NSAIDs)", "NSAID", "non-steroidal anti-inflammatory drugs"),
    ],
)
def test_definitions(text: str, short: str, long: str) -> None:
    assert defined(text)[short] == long


@pytest.mark.parametrize(
    "text", ["the patients (n = 12) were seen", "aged 18 years (or older)", "(DM) alone", "dose (5 mg)"]
)
def test_what_defines_nothing(text: str) -> None:
    assert not defined(text)


@given(st.text(alphabet="aAbB ()[]-,;1", max_size=80))
def test_a_long_form_stands_in_the_text(text: str) -> None:
    plain = " ".join(text.replace("-", " ").split())
    for long in defined(text).values():
        assert " ".join(long.replace("-", " ").split()) in plain


def test_clinical_abbreviations_have_types() -> None:
    assert ("Lab_Value", "alanine aminotransferase") in clinical("ALT")
    assert clinical("NSAIDs") == clinical("NSAID")
    assert clinical("mri") == ()


def test_case_tells_symbols_apart() -> None:
    assert formula("Na") == "sodium"
    assert formula("na") is None
