"""Writing the answer: what the model is shown, what of its text is released, and what code writes itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from langgraph.runtime import Runtime

from docgemma.agent.nodes.synthesize import synthesize
from docgemma.agent.state import State, ToolRun
from docgemma.agent.understanding.needs import Need
from docgemma.clinical import ToolResult
from docgemma.llm.scripted import ScriptedModel
from docgemma.tools.registry import REGISTRY
from tests.agent.nodes.states import assembled, runtime
from tests.support import results as r


async def written(
    text: str | list[str], *runs: tuple[str, dict[str, Any], ToolResult], message: str = "Check warnings for dofetilide"
) -> tuple[State, ScriptedModel, list[str]]:
    state = await assembled(message)
    made = tuple(ToolRun(REGISTRY[tool].name, args, result, "success_rich") for tool, args, result in runs)
    model = ScriptedModel(text)
    shown: list[str] = []
    watched = Runtime(context=replace(runtime(model).context, emit=lambda event: shown.append(str(event))))
    return await synthesize(state | {"runs": made}, watched), model, shown


SAFETY = ("check_drug_safety", {"drug_name": "dofetilide"}, r.DOFETILIDE)
CHART = ("get_patient_chart", {"patient_id": "abc-123"}, r.chart("abc-123", "John Smith, born 1958-09-30"))

FALSE = [
    ("an action nobody took", "I have sent the prescription to the pharmacy.", SAFETY),
    ("a paper nobody retrieved", "See PMID 31535829 for the trial.", SAFETY),
    ("a trial nobody retrieved", "NCT01234567 showed a benefit.", SAFETY),
    ("a value not in the chart", "His potassium is 5.9 mmol/L.", CHART),
]


@pytest.mark.parametrize(("case", "sentence", "run"), FALSE, ids=[row[0] for row in FALSE])
async def test_withholds(case: str, sentence: str, run: tuple[str, dict[str, Any], ToolResult]) -> None:
    update, _, shown = await written(f"Here is the summary. {sentence} Please review.", run)
    assert update["response"] == "Here is the summary. Please review."
    assert "".join(shown).strip() == update["response"]
    assert update["dropped"] is True
    assert any("withheld" in notice for notice in update["notices"])


async def test_marks_what_no_source_says() -> None:
    update, _, _ = await written("Start at 500 mcg twice daily. Torsade de pointes is the risk.", SAFETY)
    first, second = update["response"].split(". ", 1) if ". " in update["response"] else (update["response"], "")
    assert "[not from the sources]" in update["response"]
    assert update["marked"] is True
    assert "Torsade de pointes is the risk." in first + second


async def test_values_of_the_chart_stay() -> None:
    update, _, _ = await written("His eGFR is 71 mL/min/1.73 m2. He takes metformin 500 mg twice daily.", CHART)
    assert update["response"] == "His eGFR is 71 mL/min/1.73 m2. He takes metformin 500 mg twice daily."
    assert (update["marked"], update["dropped"]) == (False, False)


async def test_a_sentence_is_shown_before_the_next_one_is_written() -> None:
    _, _, shown = await written(["Torsade de pointes ", "is the risk. Monitor", " the ECG."], SAFETY)
    assert [piece.strip() for piece in shown] == ["Torsade de pointes is the risk.", "Monitor the ECG."]


async def test_a_looping_model_is_cut_off() -> None:
    update, _, _ = await written("Monitor the ECG. " * 40, SAFETY)
    assert update["response"].count("Monitor the ECG.") < 4


@pytest.mark.parametrize("run", [SAFETY, CHART])
async def test_brief_only_for_a_single_look_up(run: tuple[str, dict[str, Any], ToolResult]) -> None:
    _, model, _ = await written("Fine.", run)
    assert model.prompts[0].messages[0].text.startswith("Include only the most critical findings.") is (run is SAFETY)


async def test_results_are_shown_under_clinical_labels_and_never_by_tool_name() -> None:
    _, model, _ = await written("Fine.", SAFETY)
    shown = model.prompts[0].messages[-1].text
    assert "[Drug Safety Report]" in shown
    assert not any(name in shown for name in REGISTRY)


async def test_a_card_is_written_by_code() -> None:
    order = ToolRun("prescribe_medication", {"patient_id": "abc-123"}, r.proposal("metformin 500 mg twice daily"))
    state = await assembled("Prescribe metformin 500 mg twice daily for abc-123")
    state = state | {"runs": (order,), "needs": (Need("prescribe_medication"), Need("save_clinical_note"))}
    update = await synthesize(state, runtime(ScriptedModel()))
    assert [card.id for card in update["approvals"]] == ["ord-7f3a"]
    assert "Nothing is in the chart yet" in update["response"]
