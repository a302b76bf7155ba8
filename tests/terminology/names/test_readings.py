"""Lists with shared words, compounds, and words that must not stand for each other."""

from __future__ import annotations

import pytest

from docgemma.terminology.names.combining import taken_apart
from docgemma.terminology.names.composites import readings
from docgemma.terminology.names.contraries import contrary
from docgemma.terminology.names.stems import stem


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("breast and ovarian cancer", ("breast cancer", "ovarian cancer")),
        ("hepatic or renal toxicity", ("hepatic toxicity", "renal toxicity")),
        ("lung, breast and colon cancer", ("lung cancer", "breast cancer", "colon cancer")),
        ("hepatitis B or C", ("hepatitis B", "hepatitis C")),
        ("nausea and vomiting", ("nausea", "vomiting")),
        ("AST/ALT", ("AST", "ALT")),
    ],
)
def test_a_reading_names_each_thing(text: str, parts: tuple[str, ...]) -> None:
    assert parts in list(readings(text))


@pytest.mark.parametrize("text", ["breast cancer", "and", "a, b, c, d and e"])
def test_no_list_no_reading(text: str) -> None:
    assert not list(readings(text))


def test_compounds() -> None:
    assert taken_apart("nephrotoxicity") == "kidney toxicity"
    assert taken_apart("severe cardiopathy") == "severe heart disease"
    assert taken_apart("pneumonia") is None


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("acute", "chronic", True),
        ("alcoholic", "nonalcoholic", True),
        ("hypertension", "hypotension", True),
        ("hyperthyroidism", "hypothyroidism", True),
        ("1", "2", True),
        ("renal", "kidney", False),
        ("cancer", "carcinoma", False),
    ],
)
def test_contraries(one: str, other: str, expected: bool) -> None:
    assert contrary(stem(one), stem(other)) is expected
