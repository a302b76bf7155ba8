"""Criteria for measuring speed: wordings of trials filled with terms, as many different ones as are asked for."""

from __future__ import annotations

import random
from collections.abc import Iterator

from docgemma.grounding.contract import Criterion, CriterionType

SEED = 11
_CONDITIONS = (
    "type 2 diabetes mellitus",
    "chronic kidney disease",
    "rheumatoid arthritis",
    "metastatic breast cancer",
    "atrial fibrillation",
    "multiple sclerosis",
    "active hepatitis B infection",
    "major depressive disorder",
    "COPD",
    "myocardial infarction",
    "epilepsy",
    "ulcerative colitis",
    "non-small cell lung cancer",
    "heart failure",
    "psoriasis",
)
_MEDICATIONS = (
    "warfarin",
    "metformin",
    "systemic corticosteroids",
    "methotrexate",
    "insulin glargine",
    "pembrolizumab",
    "aspirin",
    "rifampicin",
    "lithium",
    "a live vaccine",
    "clopidogrel",
    "SSRIs",
)
_PROCEDURES = ("major surgery", "radiotherapy", "haemodialysis", "organ transplantation", "PCI", "a lumbar puncture")
_LABS = (
    ("HbA1c", "%", (6, 11)),
    ("eGFR", "mL/min/1.73 m2", (15, 90)),
    ("ALT", "x ULN", (2, 5)),
    ("haemoglobin", "g/dL", (7, 12)),
    ("absolute neutrophil count", "x 10^9/L", (1, 3)),
    ("platelet count", "/mm3", (50_000, 150_000)),
    ("QTcF", "ms", (430, 500)),
    ("systolic blood pressure", "mmHg", (90, 180)),
)
_BIOMARKERS = ("EGFR mutation", "HER2-positive disease", "PD-L1 expression", "BRAF V600E", "KRAS wild type")
_WORDINGS = (
    "Adults aged {low} to {high} years with a diagnosis of {condition} for at least {number} months",
    "History of {condition} or {other} within {number} months before screening",
    "Treatment with {medication} or {second} in the last {number} weeks",
    "{lab} between {value} and {upper} {unit} at the screening visit, confirmed by a second measurement",
    "{lab} > {value} {unit}, or {condition} that needs {medication}",
    "Planned {procedure} during the study or {procedure} within {number} days of the first dose",
    "No evidence of {condition}; patients with {biomarker} and stable {other} may be enrolled",
    "Pregnant or breast-feeding women, and women of childbearing potential who do not use contraception",
    "Known allergy to {medication}, or any {condition} which in the opinion of the investigator is a risk",
    "Documented {biomarker} and progression after {medication} plus {procedure}, with {lab} below {upper} {unit}",
)
_KINDS: tuple[CriterionType, ...] = ("inclusion", "exclusion")


def made_up(count: int) -> Iterator[Criterion]:
    """The same ones for the same count."""
    dice = random.Random(SEED)
    for number in range(count):
        lab, unit, (lowest, highest) = dice.choice(_LABS)
        value = dice.randint(lowest, highest)
        low = dice.randint(18, 50)
        filled = dice.choice(_WORDINGS).format(
            condition=dice.choice(_CONDITIONS),
            other=dice.choice(_CONDITIONS),
            medication=dice.choice(_MEDICATIONS),
            second=dice.choice(_MEDICATIONS),
            procedure=dice.choice(_PROCEDURES),
            biomarker=dice.choice(_BIOMARKERS),
            number=dice.randint(1, 24),
            lab=lab,
            unit=unit,
            value=value,
            upper=value + dice.randint(1, 10),
            low=low,
            high=low + dice.randint(10, 40),
        )
        yield Criterion(criterion_id=f"s{number:06}", protocol_id="scale", type=dice.choice(_KINDS), text=filled)
