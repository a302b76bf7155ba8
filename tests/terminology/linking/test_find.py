"""Mentions in a text: what a reader would underline, and nothing else."""

from __future__ import annotations

import pytest

from docgemma.terminology.contract import Candidate, EntityType
from docgemma.terminology.linking.linking import find, link
from tests.terminology.linking.vocabulary import lexicon

CASES = {
    "the longest name wins": ("type 2 diabetes mellitus and gout", "type 2 diabetes mellitus | gout"),
    "plurals and British spelling": ("Melanomas, haemoglobin and strokes", "Melanomas | haemoglobin | strokes"),
    "a comma ends a name": ("hepatitis, B cells", ""),
    "ordinary words are no mention": ("History of the disease before treatment", ""),
    "lower case is no gene": ("The criteria were met, the cat sat", ""),
    "upper case is a gene": ("MET amplification", "MET"),
    "modifiers of the concept": ("metastatic breast cancer, severe asthma", "metastatic breast cancer | asthma"),
    "compound modifiers": ("castration-resistant prostate cancer", "castration-resistant prostate cancer"),
    "a stage belongs to its disease": ("stage III melanoma", "stage III melanoma"),
    "half of a compound is nothing": ("CAT-1, platinum-resistant, post-bronchodilator values", ""),
    "a hyphen may join a name": ("HER2-negative, PD-L1 and drug-abuse", "HER2 | PD-L1 | drug-abuse"),
    "a final capital A belongs": ("Haemophilia A with a seizure", "Haemophilia A | seizure"),
    "clinical abbreviations": ("MI or COPD", "MI=myocardial infarction | COPD=chronic obstructive pulmonary disease"),
    "an abbreviation keeps what changes its concept": (
        "chronic GVHD, relapsed ALL",
        "chronic GVHD=chronic graft versus host disease | relapsed ALL=acute lymphoblastic leukemia",
    ),
    "an ambiguous abbreviation, decided": ("warfarin and PD for renal failure", "warfarin | PD=peritoneal dialysis"),
    "an ambiguous abbreviation, open": ("PD and gout", "PD | gout"),
    "an ordinary word in capitals": ("ALL patients with gout", "gout"),
    "a misspelt long word": ("bortezomib or thalidomid", "thalidomid=thalidomide"),
    "an English ending is no slip": ("a protection against it", ""),
    "a type behind its disease": ("Epilepsy type 2A and gout type of", "Epilepsy type 2A | gout"),
    "a type before the next disease": ("asthma type 2 diabetes", "asthma | type 2 diabetes"),
    "slash between two": ("warfarin/aspirin", "warfarin | aspirin"),
    "shared head": ("breast or ovarian cancer", "breast=breast cancer | ovarian cancer"),
    "three, one head": ("breast, lung or ovarian cancer", "breast=breast cancer | lung=lung cancer | ovarian cancer"),
    "shared head, two words": ("type 1 or type 2 diabetes", "type 1=type 1 diabetes | type 2 diabetes"),
    "shared head of a drug's name": ("Alcohol or drug abuse", "Alcohol=Alcohol abuse | drug abuse"),
    "shared head by listed words": ("hepatic or renal impairment", "hepatic=hepatic impairment | renal impairment"),
    "one number shared": ("Type 1 or 2 diabetes", "Type 1=Type 1 diabetes | 2 diabetes=Type 2 diabetes"),
    "letters after a name": ("Hepatitis B or C", "Hepatitis B | C=Hepatitis C"),
    "a letter that is a word": ("hepatitis B. A stroke", "hepatitis B | stroke"),
    "no shared head": ("asthma or ovarian cancer", "asthma | ovarian cancer"),
    "defined in the text": (
        "Major depressive disorder (MDD), first episode of MDD",
        "Major depressive disorder | MDD=Major depressive disorder",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", list(CASES))
def test_finds_what_a_reader_would_underline(case: str) -> None:
    text, expected = CASES[case]
    spans = find(text, lexicon())
    told = [
        text[span.start : span.end] + (f"={span.term}" if span.term != text[span.start : span.end] else "")
        for span in spans
    ]
    assert " | ".join(told) == expected


@pytest.mark.parametrize(("text", "kind"), [("eGFR below 30", "Lab_Value"), ("EGFR mutation", "Biomarker")])
def test_capital_letters_tell_a_measurement_from_a_gene(text: str, kind: EntityType) -> None:
    assert [span.type for span in find(text, lexicon())] == [kind]


def test_an_abbreviation_may_be_defined_above_the_criterion() -> None:
    above = "Patients with heart failure (HRF):"
    assert find("Untreated HRF", lexicon()) == []
    assert [span.term for span in find("Untreated HRF", lexicon(), context=above)] == ["heart failure"]


def test_candidates_are_searched_for_by_what_the_mention_stands_for() -> None:
    asked: list[tuple[str, int, EntityType | None, str]] = []

    class Search:
        def search(
            self, term: str, max_results: int = 5, type: EntityType | None = None, context: str = ""
        ) -> list[Candidate]:
            asked.append((term, max_results, type, context))
            return [Candidate(display=term, ontology="TEST", confidence=0.9)]

    text = "breast or ovarian cancer"
    linked = link(text, lexicon(), Search(), max_results=3)
    assert asked == [("breast cancer", 3, "Condition", text), ("ovarian cancer", 3, "Condition", text)]
    assert [(one.text, one.term, one.candidates[0].display) for one in linked] == [
        ("breast", "breast cancer", "breast cancer"),
        ("ovarian cancer", "ovarian cancer", "ovarian cancer"),
    ]
