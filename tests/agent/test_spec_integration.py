"""The end-to-end rows of the specification's test table: the whole agent, scripted model, scripted tools over MCP."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from docgemma.llm.scripted import ScriptedModel
from docgemma.tools.scripted import Timeout
from tests.agent.walkthroughs import intent, judge, select
from tests.support import results as r
from tests.support.images import CHEST, xray
from tests.support.turns import stage, steps

LOOK_UP = ["tool_select", "tool_execute", "result_classify", "router"]


def script(*parts: Any) -> ScriptedModel:
    answers: list[Any] = []
    for part in parts:
        answers += [answer for _, answer in part] if isinstance(part, list) else [part[1]]
    return ScriptedModel(*answers)


def says(text: str) -> tuple[str, str]:
    return "synthesize", text


async def test_hello_how_are_you(tmp_path: Path) -> None:
    model = script(intent("A greeting"), says("Hello! How can I help you today?"))
    async with stage(tmp_path, model, shortcuts=False) as on:
        record = await on.ask("Hello, how are you?")
    assert steps(record) == ["input_assembly", "intent_classify", "router", "synthesize"]
    assert record.response == "Hello! How can I help you today?"
    assert record.tool_calls == ()


async def test_what_is_hypertension(tmp_path: Path) -> None:
    text = "Hypertension is persistently elevated arterial blood pressure."
    async with stage(tmp_path, script(intent("A definition"), says(text)), shortcuts=False) as on:
        record = await on.ask("What is hypertension?")
    assert steps(record) == ["input_assembly", "intent_classify", "router", "synthesize"]
    assert record.response == text
    assert any("General knowledge of the model, not checked" in notice for notice in record.notices)


async def test_check_fda_warnings_for_dofetilide(tmp_path: Path) -> None:
    model = script(
        intent("Safety of dofetilide", "check_drug_safety"),
        select("check_drug_safety", drug_name="dofetilide"),
        judge("success_rich", "boxed warning"),
        says("Dofetilide has a boxed warning for torsade de pointes."),
    )
    async with stage(tmp_path, model, {"check_drug_safety": [r.DOFETILIDE]}, shortcuts=False) as on:
        record = await on.ask("Check FDA warnings for dofetilide")
    assert steps(record) == ["input_assembly", "intent_classify", "router", *LOOK_UP, "synthesize"]
    assert any("Torsade de pointes" in notice for notice in record.notices), "boxed warning shown by code"
    assert "Include only the most critical findings." in model.prompts[-1].messages[0].text, "brief variant"


async def test_find_patient_maria_garcia_and_check_her_chart(tmp_path: Path) -> None:
    model = script(
        intent("Find a patient and read the chart", "search_patient"),
        select("search_patient", name="Maria Garcia"),
        judge("success_rich", "one patient"),
        select("get_patient_chart", patient_id="mgr-204"),
        judge("success_rich", "chart"),
        says("Maria Garcia is allergic to penicillin (hives)."),
    )
    tools = {"search_patient": [r.MARIA], "get_patient_chart": [r.chart("mgr-204", "Maria Garcia, born 1962-04-17")]}
    async with stage(tmp_path, model, tools, shortcuts=False) as on:
        record = await on.ask("Find patient Maria Garcia and check her chart")
    assert steps(record) == ["input_assembly", "intent_classify", "router", *LOOK_UP, *LOOK_UP, "synthesize"]
    assert [call.tool for call in record.tool_calls] == ["search_patient", "get_patient_chart"]
    assert "[Patient Search]" in model.prompts[4].messages[-1].text, "re-entry sees what was found"
    assert record.patient is not None
    assert record.patient.id == "mgr-204"


async def test_check_interactions_between_warfarin_aspirin_and_ibuprofen(tmp_path: Path) -> None:
    drugs = ["warfarin", "aspirin", "ibuprofen"]
    model = script(
        intent("Interactions of three drugs", "check_drug_interactions"),
        select("check_drug_interactions", drug_names=drugs),
        judge("success_rich", "three pairs"),
        says("Warfarin with aspirin or ibuprofen is a major interaction: more bleeding."),
    )
    async with stage(tmp_path, model, {"check_drug_interactions": [r.INTERACTIONS]}, shortcuts=False) as on:
        record = await on.ask("Check interactions between warfarin, aspirin, and ibuprofen")
        assert on.tools.calls == [("check_drug_interactions", {"drug_names": drugs})]
    assert len(set(steps(record))) == 7


async def test_check_fda_warnings_for_amiodarone_with_a_timeout(tmp_path: Path) -> None:
    model = script(
        intent("Safety of amiodarone", "check_drug_safety"),
        select("check_drug_safety", drug_name="amiodarone"),
        judge("error_retryable", "timed out"),
        ("error_handler", {"strategy": "retry_same"}),
        judge("success_rich", "boxed warning"),
        says("Amiodarone has a boxed warning for pulmonary toxicity."),
    )
    async with stage(tmp_path, model, {"check_drug_safety": [Timeout(), r.AMIODARONE]}, shortcuts=False) as on:
        record = await on.ask("Check FDA warnings for amiodarone")
    assert steps(record) == [
        "input_assembly",
        "intent_classify",
        "router",
        *LOOK_UP,
        "error_handler",
        "router",
        *LOOK_UP,
        "synthesize",
    ]
    assert record.tool_calls[0].attempts == 2
    assert record.outcome == "answer"


async def test_search_for_patient_james_wilson_with_three_matches(tmp_path: Path) -> None:
    """The question is written by code, not by the model: options must reach the user word for word."""
    model = script(
        intent("Find James Wilson", "search_patient"),
        select("search_patient", name="James Wilson"),
        judge("success_rich", "three patients"),
    )
    async with stage(tmp_path, model, {"search_patient": [r.WILSONS]}, shortcuts=False) as on:
        record = await on.ask("Search for patient James Wilson")
    assert record.outcome == "ask_user"
    assert record.clarification is not None
    assert record.response.startswith("I found 3 patients matching 'James Wilson'. Which one did you mean?")
    assert "2. James Wilson, born 1955-06-02" in record.response
    assert record.patient is None
    model.assert_done()


async def test_chest_x_ray_what_do_you_see(tmp_path: Path) -> None:
    model = ScriptedModel(
        xray("Opacity in the right lower lobe", "Normal heart size"),
        {"intent": "DIRECT", "task_summary": "Reading a chest X-ray", "suggested_tool": None},
        "The image shows an opacity in the right lower lobe. Heart size is normal.",
    )
    async with stage(tmp_path, model, shortcuts=False) as on:
        record = await on.ask("What do you see?", image=CHEST)
    assert on.asked == ["input_assembly", "intent_classify", "synthesize"]
    assert steps(record) == ["input_assembly", "intent_classify", "router", "synthesize"]
    assert "right lower lobe" in record.response
    assert "Opacity in the right lower lobe" in model.prompts[-1].messages[-1].text
    assert model.prompts[0].images[0].media_type == "image/png"
    assert (model.calls[0].temperature, model.calls[0].max_tokens) == (0.0, 512)
    assert record.confidence == "low"
    assert any("specialist" in notice for notice in record.notices)


async def test_prescribe_metformin_500mg_for_abc_123(tmp_path: Path) -> None:
    """Overridden by the design: the frequency is missing, so it is asked for and never made up; then the card."""
    model = script(
        intent("Order metformin", "prescribe_medication"),
        select(
            "prescribe_medication",
            patient_id="abc-123",
            medication_name="metformin",
            dosage="500mg",
            frequency="once daily",
        ),
        judge("error_fatal", "details are missing"),
    )
    card = r.proposal("metformin 500 mg by mouth twice daily for John Smith")
    async with stage(tmp_path, model, {"prescribe_medication": [card]}, shortcuts=False) as on:
        asked = await on.ask("Prescribe metformin 500mg for abc-123")
        assert asked.outcome == "ask_user"
        assert asked.clarification is not None
        assert asked.clarification.pending is not None
        assert asked.clarification.pending.missing == ("frequency",)
        assert on.tools.calls == []
        model._shared.append({"quality": "success_rich", "brief_summary": "a card"})
        record = await on.ask("twice daily", session_id=asked.session_id)
    [(tool, args)] = on.tools.calls
    assert tool == "prescribe_medication"
    assert (args["patient_id"], args["medication_name"]) == ("abc-123", "metformin")
    assert "twice" in args["frequency"]
    assert record.outcome == "approval"
    assert record.approval is not None
    assert record.approval.id == "ord-7f3a"
    assert "waits for your approval" in record.response


@pytest.mark.parametrize("answer", ["the second one, born 1955", "2", "jwb-102", "James Wilson born 1955-06-02"])
async def test_the_next_message_answers_the_clarification(tmp_path: Path, answer: str) -> None:
    tools = {"search_patient": [r.WILSONS], "get_patient_chart": [r.chart("jwb-102", "James Wilson, born 1955-06-02")]}
    async with stage(tmp_path, None, tools) as on:
        asked = await on.ask("Find patient James Wilson and check his chart")
        assert asked.outcome == "ask_user"
        record = await on.ask(answer, session_id=asked.session_id)
        tool, args = on.tools.calls[-1]
        assert (tool, args["patient_id"]) == ("get_patient_chart", "jwb-102")
    assert record.outcome == "answer"
    assert record.patient is not None
    assert record.patient.id == "jwb-102"
    assert "penicillin: hives" in record.response


async def test_a_new_request_drops_the_clarification_visibly(tmp_path: Path) -> None:
    tools = {"search_patient": [r.WILSONS], "check_drug_safety": [r.DOFETILIDE]}
    async with stage(tmp_path, None, tools) as on:
        asked = await on.ask("Search for patient James Wilson")
        record = await on.ask("Check FDA warnings for dofetilide", session_id=asked.session_id)
        later = await on.store.get_session(asked.session_id)
    assert [call.tool for call in record.tool_calls] == ["check_drug_safety"]
    assert any("set aside" in notice for notice in record.notices)
    assert later.pending is None


async def test_a_second_drug_joins_the_first(tmp_path: Path) -> None:
    async with stage(tmp_path, None, {"check_drug_interactions": [r.INTERACTIONS]}) as on:
        asked = await on.ask("Check interactions of warfarin")
        assert asked.outcome == "ask_user"
        record = await on.ask("ibuprofen", session_id=asked.session_id)
        assert on.tools.calls == [("check_drug_interactions", {"drug_names": ["warfarin", "ibuprofen"]})]
    assert record.outcome == "answer"


async def test_an_image_question_asks_the_vision_model_once(tmp_path: Path) -> None:
    model = ScriptedModel(
        xray("Small left effusion"),
        "There is a small left effusion.",
    )
    async with stage(tmp_path, model) as on:
        record = await on.ask("Is there an effusion?", image=CHEST)
        assert on.tools.calls == []
    assert [call.tool for call in record.tool_calls] == ["analyze_medical_image"]
    assert "small left effusion" in record.response
    assert record.confidence == "low"


async def test_clinical_advice_in_reply_to_a_greeting_is_marked_as_the_models_own(tmp_path: Path) -> None:
    async with stage(tmp_path, ScriptedModel("Take 500 mg of metformin twice daily.")) as on:
        record = await on.ask("Hello")
    assert record.confidence == "low"
    assert any("General knowledge of the model" in notice for notice in record.notices)
