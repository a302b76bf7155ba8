"""Orders told with verbs that no list knows: what is ordered, how much, how often and for whom."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from docgemma.entities import extract
from docgemma.entities.entries.fields import prescription_fields
from tests.support.tables import each_of

_ROWS = Path(__file__).parents[1] / "fixtures" / "said" / "order_fields.jsonl"


def _rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in _ROWS.read_text(encoding="utf-8").splitlines()]


@each_of("row", _rows(), ids=lambda row: row["text"])
def test_an_order_keeps_what_was_said(row: dict[str, Any]) -> None:
    found = extract(row["text"])
    stated = {name: mention.value for name, mention in prescription_fields(found).items()}
    stated |= {"patient_id": found.patient_ids[0].text} if found.patient_ids else {}
    assert {name: stated.get(name) for name in row["fields"]} == row["fields"]


@pytest.mark.parametrize("verb", ["zap", "plonk in", "rustle up", "tee up", "please zhuzh up", "could you magic up"])
def test_any_verb_may_order_a_drug_in_full_for_a_patient(verb: str) -> None:
    assert [write.kind for write in extract(f"{verb} metformin 500 mg bd for abc-123").writes] == ["prescribe"]


@pytest.mark.parametrize(
    "verb", ["explain", "calculate", "convert", "stop", "compare", "crush", "please review", "note"]
)
def test_a_verb_that_means_something_else_does_not(verb: str) -> None:
    assert extract(f"{verb} metformin 500 mg bd for abc-123").writes == ()


@pytest.mark.parametrize("text", ["zap metformin for abc-123", "zap metformin 500 mg bd"])
def test_without_dose_or_patient_an_unknown_verb_orders_nothing(text: str) -> None:
    assert extract(text).writes == ()


@pytest.mark.parametrize(
    "text", ["500, not 250", "500 please", "250 is too much for her, make it less than that please"]
)
def test_a_corrected_amount_is_no_patient(text: str) -> None:
    assert extract(text).patient_ids == ()
