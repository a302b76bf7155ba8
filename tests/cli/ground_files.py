"""A terminology of five concepts, and criteria that speak of them. Codes as in the shipped tables."""

from __future__ import annotations

import json
from pathlib import Path

from docgemma.terminology.contract import Concept
from docgemma.terminology.index.building import compile_index

CONCEPTS = [
    Concept("asthma", "Condition", "MONDO", ("asthma",), "C0004096", ids={"MESH": ("D001249",)}),
    Concept("myocardial infarction", "Condition", "MONDO", ("heart attack",), "C0027051", "22298006"),
    Concept("metformin", "Medication", "CORE", ("metformin", "Glucophage"), "C0025598", ids={"RXNORM": ("6809",)}),
    Concept("aspirin", "Medication", "CORE", ("acetylsalicylic acid",), "C0004057", ids={"RXNORM": ("1191",)}),
    Concept("hemoglobin A1c", "Lab_Value", "CORE", ("hemoglobin A1c", "HbA1c"), ids={"LOINC": ("4548-4",)}),
]  # fmt: skip
TEXTS = ("Treated with metformin", "No heart attack", "HbA1c > 7.5 %", "Willing to sign")


def tiny_index(path: Path) -> Path:
    compile_index(CONCEPTS, path)
    return path


def criteria(path: Path, *texts: str) -> Path:
    lines = [{"id": f"c{n}", "protocol_id": "P1", "type": "inclusion", "text": text} for n, text in enumerate(texts)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path
