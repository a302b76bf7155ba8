"""Eligibility blocks as people paste them: headings, bullets, wrapped lines, escapes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.grounding.reading.blocks import split_block
from docgemma.grounding.reading.headings import heading


def said(text: str) -> list[tuple[str, str, str]]:
    return [(piece.type[:3], piece.text, piece.context) for piece in split_block(text)]


@pytest.mark.parametrize(
    ("line", "type_"),
    [
        ("Inclusion Criteria:", "inclusion"),
        ("INCLUSION CRITERIA", "inclusion"),
        ("**Inclusion Criteria**", "inclusion"),
        ("## Exclusion criteria", "exclusion"),
        ("Key Inclusion Criteria:", "inclusion"),
        ("Main exclusion criteria -", "exclusion"),
        ("Inclusion:", "inclusion"),
        ("EXCLUSION", "exclusion"),
        ("1. Inclusion Criteria", "inclusion"),
        ("5.2 Exclusion Criteria", "exclusion"),
        ("Inclusion Criteria for cohort A:", "inclusion"),
        ("Cohort B Exclusion Criteria", "exclusion"),
        ("Inclusion Criteria (Part 1)", "inclusion"),
        ("Exclusion Criteria – Healthy Volunteers", "exclusion"),
        ("Non-inclusion criteria:", "exclusion"),
        ("Criteria for exclusion:", "exclusion"),
        ("Inclusion/Exclusion Criteria:", "unknown"),
        ("Eligibility Criteria", "unknown"),
        ("Patients will be excluded if they meet any of the following:", "exclusion"),
        ("Subjects are eligible if all of the following criteria apply:", "inclusion"),
        ("Patients are not eligible if:", "exclusion"),
    ],
    ids=str,
)
def test_a_heading_gives_the_type(line: str, type_: str) -> None:
    found = heading(line)
    assert found is not None
    assert found.type == type_


@pytest.mark.parametrize(
    "line",
    [
        "Age ≥ 18 years",
        "Meets the inclusion criteria of the parent study",
        "Does not meet any exclusion criteria",
        "Exclusion of secondary hypertension by a specialist",
        "Patients with asthma",
        "Adequate organ function:",
        "Inclusion body myositis",
    ],
    ids=str,
)
def test_a_criterion_is_no_heading(line: str) -> None:
    found = heading(line)
    assert found is None or found.type is None


def test_headings_bullets_and_wrapped_lines() -> None:
    text = """
Inclusion Criteria:

1. Age 18 or older
   and able to walk
2) HbA1c \\> 7.5 %
• BMI &ge; 30
- Type 2 diabetes diagnosed at least six months before
the screening visit

Exclusion Criteria:
a. Pregnancy
"""
    assert said(text) == [
        ("inc", "Age 18 or older and able to walk", ""),
        ("inc", "HbA1c > 7.5 %", ""),
        ("inc", "BMI ≥ 30", "HbA1c > 7.5 %"),
        ("inc", "Type 2 diabetes diagnosed at least six months before the screening visit", "HbA1c > 7.5 %"),
        ("exc", "Pregnancy", ""),
    ]


def test_a_child_carries_its_parent_and_a_mere_introduction_is_no_criterion() -> None:
    text = """Inclusion Criteria
1. Patients must meet one of the following:
   a) HbA1c > 7.5%
      i) measured twice
   b) Fasting glucose > 126 mg/dL
2. Severe heart disease, specifically:
   * Heart failure
3. Asthma"""
    one = "Patients must meet one of the following:"
    assert said(text) == [
        ("inc", "HbA1c > 7.5%", one),
        ("inc", "measured twice", f"{one} > HbA1c > 7.5%"),
        ("inc", "Fasting glucose > 126 mg/dL", one),
        ("inc", "Severe heart disease, specifically:", ""),
        ("inc", "Heart failure", "Severe heart disease, specifically:"),
        ("inc", "Asthma", ""),
    ]


def test_sections_and_groups_are_context() -> None:
    text = """Inclusion Criteria for Cohort A
- Asthma
Healthy Volunteers:
- BMI 18-30
Exclusion Criteria
- Smoking"""
    assert said(text) == [
        ("inc", "Asthma", "Inclusion Criteria for Cohort A"),
        ("inc", "BMI 18-30", "Inclusion Criteria for Cohort A > Healthy Volunteers"),
        ("exc", "Smoking", ""),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Inclusion Criteria: Asthma", [("inc", "Asthma", "")]),
        (
            "Inclusion Criteria: - Adults - Asthma Exclusion Criteria: - Smokers - Age 18 - 65",
            [("inc", "Adults", ""), ("inc", "Asthma", ""), ("exc", "Smokers", ""), ("exc", "Age 18 - 65", "")],
        ),
        (
            "Inclusion Criteria: 1. Adults 2. HbA1c 7.5 to 10 3. Asthma",
            [("inc", "Adults", ""), ("inc", "HbA1c 7.5 to 10", ""), ("inc", "Asthma", "")],
        ),
        ("H. pylori infection", [("unk", "H. pylori infection", "")]),
        ("1.5 mg/dL creatinine", [("unk", "1.5 mg/dL creatinine", "")]),
        ("18 years or older", [("unk", "18 years or older", "")]),
        ("A. Adults\nB. Asthma", [("unk", "Adults", ""), ("unk", "Asthma", "")]),
        (
            "2.1 Adults\n2.1.1 Asthma\n2.2 Stroke",
            [("unk", "Adults", ""), ("unk", "Asthma", "Adults"), ("unk", "Stroke", "")],
        ),
        ("<p>Adults</p><ul><li>Asthma</li></ul>", [("unk", "Adults", ""), ("unk", "Asthma", "")]),
        ("\uf0b7 Adults\n\uf0b7 Asth\u200bma", [("unk", "Adults", ""), ("unk", "Asthma", "")]),
        ("* *E. coli* \\[ESBL\\] infection", [("unk", "*E. coli* [ESBL] infection", "")]),
        ("Patients must meet one of the following:", [("unk", "Patients must meet one of the following:", "")]),
    ],
    ids=str,
)
def test_other_shapes(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert said(text) == expected


_WORDS = st.sampled_from(("asthma", "stroke", "diabetes", "adults", "HbA1c", "platelets"))
_CRITERION = st.lists(_WORDS, min_size=2, max_size=6).map(lambda words: " ".join(words).capitalize())


@settings(max_examples=80, deadline=None)
@given(st.lists(_CRITERION, min_size=1, max_size=8), st.sampled_from(("* {}", "- {}", "{n}. {}", "{n}) {}", "• {}")))
def test_a_list_is_read_back_whatever_its_bullets(criteria: list[str], form: str) -> None:
    text = "Exclusion Criteria:\n" + "\n".join(form.format(each, n=place) for place, each in enumerate(criteria, 1))
    assert said(text) == [("exc", each, "") for each in criteria]


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="aI1.)(*-•: \n\t\\&<>;#é≥", max_size=200))
def test_no_text_breaks_it_and_no_word_is_invented(text: str) -> None:
    for piece in split_block(text):
        assert piece.text.strip() == piece.text
        assert set(piece.text) <= set(text) | set(" •")
