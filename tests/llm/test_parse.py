"""One valid object or an honest failure; never a repaired one, never the model's words in an error."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.agent.schemas import IntentClassification, ToolSelection, tool_selection
from docgemma.errors import ModelOutputInvalid
from docgemma.llm.parse import parse_object
from docgemma.tools.arguments import PrescribeMedicationArgs

GOOD = '{"tool_name":"search_patient"}'


@pytest.mark.parametrize(
    "raw",
    [
        GOOD,
        f"\ufeff{GOOD}\x00\n",
        f"```json\n{GOOD}\n```",
        f"Sure! Here it is:\n{GOOD}\nAnything else?",
        f"<unused94>thought\nmaybe {{x}}<unused95>{GOOD}<end_of_turn>",
        f"<think>{GOOD}</think>{GOOD}",
    ],
)
def test_finds_the_one_object(raw: str) -> None:
    assert parse_object(raw, ToolSelection).tool_name == "search_patient"


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "no object",
        GOOD + GOOD,
        f"[{GOOD}]",
        f"[{GOOD},{GOOD}]",
        GOOD[:-1],
        GOOD + "}",
        f'{{"a": {GOOD}',
        f"{{maybe}} {GOOD}",
        '{"tool_name":"a","tool_name":"b"}',
        "{'tool_name':'a'}",
        '{"tool_name":null}',
        '{"tool_name":"a","extra":1}',
        '{"tool_name":"a","extra":NaN}',
        '{"tool_name":"\\ud800"}',
        '{"tool_name":' * 5000,
        '{"tool_name":' + "[" * 100_000,
        '{"tool_name":' + "9" * 5000 + "}",
        f"<unused94>thought {GOOD}",
        '{"tool_name":"a"}' + " " * 300_000 + "x",
    ],
)
def test_refuses_everything_else(raw: str) -> None:
    with pytest.raises(ModelOutputInvalid):
        parse_object(raw, ToolSelection)


def test_converts_nothing() -> None:
    order: dict[str, Any] = {"patient_id": "p1", "medication_name": "metformin", "dosage": 500, "frequency": "bid"}
    with pytest.raises(ModelOutputInvalid):
        parse_object(str(order).replace("'", '"'), PrescribeMedicationArgs)


def test_holds_to_the_narrower_choice() -> None:
    with pytest.raises(ModelOutputInvalid):
        parse_object(GOOD, tool_selection(("check_drug_safety", "none")))


def test_error_does_not_repeat_the_answer() -> None:
    with pytest.raises(ModelOutputInvalid) as failure:
        parse_object('{"intent":"John Smith, HIV positive","task_summary":7,"Jane":1}', IntentClassification)
    assert not any(word in str(failure.value) for word in ("John", "HIV", "Jane", "7"))
    assert failure.value.__cause__ is None
    assert failure.value.__context__ is None


@given(st.text(st.sampled_from('{}[]"\\:,tool_name ax1<unused94>\n')) | st.text())
def test_never_anything_but_an_object_or_a_model_error(raw: str) -> None:
    with suppress(ModelOutputInvalid):
        assert parse_object(raw, ToolSelection).tool_name in raw
