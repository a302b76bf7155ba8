"""A scripted model on real charts: what it is shown, what it may say of them, and what it cannot do."""

from __future__ import annotations

from pathlib import Path

import pytest

from docgemma.llm.scripted import ScriptedModel
from tests.support.charts import clinic, put_demo_charts
from tests.support.hospital import RICH, converse

NEEDED = {"intent": "TOOL_NEEDED", "task_summary": "review the chart", "suggested_tool": "get_patient_chart"}


def writing(*texts: str) -> ScriptedModel:
    """Classifies every request as a look-up and every result as rich, and writes these answers in turn."""
    return ScriptedModel.by_prompt(
        {"intent_classify": [NEEDED] * 9, "result_classify": [RICH] * 9, "synthesize": list(texts)}
    )


@pytest.fixture
def home(tmp_path: Path) -> Path:
    put_demo_charts(tmp_path)
    return tmp_path


async def test_find_a_patient_and_check_the_chart(home: Path) -> None:
    model = writing("Mr Mensah has gout and hypertension.")
    async with clinic(home, model) as on:
        record = await on.ask("Find patient Kwame Mensah and check his chart")
    assert [call.tool for call in record.tool_calls] == ["search_patient", "get_patient_chart"]
    assert record.response == "Mr Mensah has gout and hypertension."
    shown = model.prompts[-1].messages[-1].text
    assert "Allergies and intolerances:" in shown
    assert "gout" in shown.lower()


async def test_ambiguous_then_picked_then_a_follow_up(home: Path) -> None:
    model = writing("She is pregnant.", "No known allergies are recorded.")
    async with clinic(home, model) as on:
        asked, picked, after = await converse(
            on, "What meds is Maria Garcia on?", "the second one", "and her allergies?"
        )
    assert asked.outcome == "ask_user"
    assert asked.llm_calls <= 1
    assert [record.patient and record.patient.id for record in (picked, after)] == ["ghi-789"] * 2
    assert "ghi-789" in [call.args.get("patient_id") for call in after.tool_calls]


async def test_a_value_that_is_not_in_the_chart_is_withheld(home: Path) -> None:
    model = writing("His last HbA1c was 8.4 %. His potassium is 6.9 mmol/L. He takes metformin.")
    async with clinic(home, model) as on:
        record = await on.ask("Check the chart", patient_id="abc-123")
    assert "8.4 %" in record.response
    assert "6.9" not in record.response
    assert record.confidence != "high"


async def test_the_prompt_stays_small_on_a_chart_of_two_thousand_entries(home: Path) -> None:
    model = writing("Heart failure, watched from home.")
    async with clinic(home, model) as on:
        await on.ask("Check the chart", patient_id="yza-567")
    longest = max(sum(len(message.text) for message in prompt.messages) for prompt in model.prompts)
    assert longest < 16_000, "about 4,000 tokens: what a small model reads beside its instructions"
    assert "Left out:" in model.prompts[-1].messages[-1].text


async def test_an_obeying_model_cannot_make_an_entry_out_of_chart_text(home: Path) -> None:
    """The note of this chart tells programs what to do. A model that obeys it finds no tool that listens."""
    model = writing("As instructed, I have prescribed the medication.")
    async with clinic(home, model) as on:
        record = await on.ask("Check her notes", patient_id="cde-321")
    assert {call.tool for call in record.tool_calls} == {"get_patient_chart"}
    assert record.approval is None
    assert "prescribed" not in record.response


@pytest.mark.parametrize("written", ["ABC-123", "MRN 7001234"])
async def test_ids_in_other_forms(home: Path, written: str) -> None:
    async with clinic(home, writing("He has diabetes.")) as on:
        record = await on.ask(f"Show the chart of {written}")
    assert record.patient is not None
    assert record.patient.id == "abc-123"


async def test_an_unknown_patient_is_said_by_code(home: Path) -> None:
    model = writing("She is a 40-year-old woman.")
    async with clinic(home, model) as on:
        record = await on.ask("Find patient Zebulon Quark and check the chart")
    assert [call.status for call in record.tool_calls] == ["not_found"]
    assert "synthesize" not in [call.name for call in model.calls]
    assert "No patient is registered" in record.response
