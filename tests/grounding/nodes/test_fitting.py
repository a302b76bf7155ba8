"""A concept that says less or more than the words is for an expert."""

from __future__ import annotations

import pytest

from docgemma.grounding.fitting import BROADER, NARROWER, misfit


@pytest.mark.parametrize(
    ("term", "matched", "why"),
    [
        ("valve surgery", "surgery", BROADER),
        ("radical prostatectomy", "prostatectomy", BROADER),
        ("diabetes type 2", "diabetes", BROADER),
        ("uveitis", "anterior uveitis", NARROWER),
        ("stroke", "stroke disorder", ""),
        ("severe asthma", "asthma", ""),
        ("anaemia", "anemia", ""),
        ("cerebral aneurysm", "brain aneurysm", ""),
        ("EGFR", "EGFR gene", ""),
        ("myocardial infarction", "myocardial infarction", ""),
        ("myocardial infarction", "", ""),
    ],
)
def test_words_left_out_or_added(term: str, matched: str, why: str) -> None:
    assert misfit(term, matched) == why
