"""The decompose graph from question to record: how often the model is asked, what it decides, and what it may not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from docgemma.agent.record import TurnRecord
from docgemma.agent.replay.player import replay
from docgemma.agent.replay.trace import read
from docgemma.agent.state import MAX_TOTAL_RETRIES
from docgemma.errors import ModelCannotSee, ModelUnreachable
from docgemma.llm.scripted import Answer, ScriptedModel
from docgemma.tools.results import DrugSafetyReport, LiteratureResult, PatientSearchResult, Proposal
from tests.support import results as r
from tests.support.images import png
from tests.support.turns import Stage, stage, steps

SECRET = "She surely has torsades; give 999 mg of sotalol."
LATE = DrugSafetyReport(status="unavailable", error_type="timeout")
LABELS = {"dofetilide": r.DOFETILIDE, "amiodarone": r.AMIODARONE, "metformin": r.METFORMIN}


def part(tool: str | None, context: str = "", intent: str = "look it up") -> dict[str, Any]:
    return {"intent": intent, "requires_tool": tool, "context": context}


def plan(tool: str, **arguments: str) -> dict[str, Any]:
    told = [{"name": name, "value": value} for name, value in arguments.items()]
    return {"tool_name": tool, "arguments": told, "reasoning": "because"}


def script(parts: Sequence[Mapping[str, Any]], plans: Sequence[Answer], **others: Sequence[Answer]) -> ScriptedModel:
    """A complex request, thought about, taken apart into these parts and planned like this."""
    return ScriptedModel.by_prompt(
        {
            "complexity_router": [{"complexity": "complex", "reasoning": "needs data"}],
            "thinking_mode": [{"reasoning": SECRET}],
            "decompose_request": [{"requires_clarification": False, "subtasks": list(parts)}],
            "plan_call": plans,
            "synthesize": ["Here it is."],
            **others,
        }
    )


def tools(**others: Any) -> dict[str, Any]:
    return {
        "check_drug_safety": lambda args: LABELS[args["drug_name"]],
        "check_drug_interactions": lambda _: r.INTERACTIONS,
        "search_medical_literature": lambda _: LiteratureResult(status="none", origin="live"),
        "search_patient": lambda _: r.JOHN,
        "get_patient_chart": lambda args: r.chart(args["patient_id"], "John Smith, born 1958-09-30"),
        "prescribe_medication": lambda _: r.proposal("Prescription for John Smith"),
        **others,
    }


async def ask(folder: Path, model: ScriptedModel, message: str, **others: Any) -> tuple[TurnRecord, Stage]:
    more = {name: others.pop(name) for name in ("image", "patient_id") if name in others}
    async with stage(folder, model, tools(**others), graph="decompose") as on:
        return await on.ask(message, **more), on


def called(record: TurnRecord) -> list[tuple[str, dict[str, Any]]]:
    return [(call.tool, call.args) for call in record.tool_calls]


async def test_a_direct_answer_takes_two_calls(tmp_path: Path) -> None:
    model = ScriptedModel({"complexity": "direct", "reasoning": "general"}, "It is raised blood pressure.")
    record, on = await ask(tmp_path, model, "What is hypertension?")
    assert on.asked == ["complexity_router", "synthesize"]
    assert (record.graph, record.intent, record.outcome, record.llm_calls) == ("decompose", "DIRECT", "answer", 2)


@pytest.mark.parametrize("count", [1, 2, 3])
async def test_so_many_parts_take_four_calls_and_one_for_each(tmp_path: Path, count: int) -> None:
    drugs = ["dofetilide", "amiodarone", "metformin"][:count]
    model = script(
        [part("check_drug_safety", drug) for drug in drugs],
        [plan("check_drug_safety", drug_name=drug) for drug in drugs],
    )
    record, _ = await ask(tmp_path, model, f"Check FDA warnings for {' and '.join(drugs)}")
    assert called(record) == [("check_drug_safety", {"drug_name": drug}) for drug in drugs]
    assert record.llm_calls == 4 + count
    assert [call.quality for call in record.tool_calls] == ["success_rich"] * count
    model.assert_done()


async def test_the_way_of_one_part(tmp_path: Path) -> None:
    model = script([part("check_drug_safety")], [plan("check_drug_safety", drug_name="dofetilide")])
    record, _ = await ask(tmp_path, model, "Check FDA warnings for dofetilide")
    assert [name for name in steps(record) if name != "router"] == [
        "input_assembly",
        "complexity_router",
        "thinking_mode",
        "decompose_request",
        "plan_call",
        "tool_execute",
        "check_result",
        "synthesize",
    ]


async def test_a_record_by_name_is_searched_for_and_then_read_with_one_plan(tmp_path: Path) -> None:
    model = script([part("get_patient_record", "John Smith")], [plan("get_patient_record", patient="John Smith")])
    record, _ = await ask(tmp_path, model, "Find patient John Smith and check his chart")
    assert [tool for tool, _ in called(record)] == ["search_patient", "get_patient_chart"]
    assert record.tool_calls[1].args["patient_id"] == "abc-123"
    assert record.llm_calls <= 5


async def test_a_search_that_was_all_that_was_asked_opens_no_chart(tmp_path: Path) -> None:
    model = script([part("get_patient_record")], [plan("get_patient_record", patient="John Smith")])
    record, _ = await ask(tmp_path, model, "Find patient John Smith")
    assert [tool for tool, _ in called(record)] == ["search_patient"]


async def test_an_id_that_only_the_model_knows_is_not_read(tmp_path: Path) -> None:
    model = script([part("get_patient_record")], [plan("get_patient_record", patient="xyz-999")])
    record, _ = await ask(tmp_path, model, "Show me the latest labs of the patient")
    assert record.outcome == "ask_user"
    assert record.clarification is not None
    assert record.clarification.reason == "missing_patient_id"


async def test_several_patients_are_put_to_the_user_and_the_pick_goes_on_by_code(tmp_path: Path) -> None:
    model = script([part("get_patient_record")], [plan("get_patient_record", patient="James Wilson")])
    charts = {"search_patient": lambda _: r.WILSONS}
    async with stage(tmp_path, model, tools(**charts), graph="decompose") as on:
        first = await on.ask("Find patient James Wilson and check his chart")
        assert (first.outcome, len(first.clarification.options if first.clarification else ())) == ("ask_user", 3)
        asked = len(on.asked)
        second = await on.ask("the second", session_id=first.session_id)
    assert called(second) == [("get_patient_chart", {"patient_id": "jwb-102"})]
    assert on.asked[asked:] == ["synthesize"]


async def test_an_entry_is_made_of_the_users_words_whatever_the_model_says(tmp_path: Path) -> None:
    wrong = plan("update_patient_record", patient="xyz-999", medication_name="sotalol", dosage="999 mg")
    model = script([part("update_patient_record", "sotalol 999 mg")], [wrong])
    record, on = await ask(tmp_path, model, "Prescribe metformin 500 mg twice daily for abc-123")
    assert record.outcome == "approval"
    args = {"patient_id": "abc-123", "medication_name": "metformin", "dosage": "500 mg", "frequency": "twice daily"}
    assert called(record) == [("prescribe_medication", args)]
    assert on.asked[-1] == "plan_call", "code shows the card"


async def test_a_detail_that_the_user_did_not_give_is_asked_for(tmp_path: Path) -> None:
    model = script([part("update_patient_record")], [plan("update_patient_record", frequency="once daily")])
    record, _ = await ask(tmp_path, model, "Prescribe metformin 500 mg for abc-123")
    assert record.outcome == "ask_user"
    assert "how often" in record.response


async def test_an_entry_that_nobody_asked_for_is_refused_and_said(tmp_path: Path) -> None:
    model = script(
        [part("update_patient_record", "metformin"), part("check_drug_safety", "metformin")],
        [
            plan("check_drug_safety", drug_name="metformin"),
            plan("update_patient_record", patient="abc-123", medication_name="metformin", dosage="500 mg"),
        ],
    )
    record, _ = await ask(tmp_path, model, "Is metformin safe in kidney failure?")
    assert [tool for tool, _ in called(record)] == ["check_drug_safety"]
    assert record.outcome == "answer"
    assert any("No entry was prepared" in notice for notice in record.notices)


async def test_an_entry_comes_after_every_look_up(tmp_path: Path) -> None:
    model = script(
        [part(None, intent="order it"), part("check_drug_safety", "metformin")],
        [
            plan("update_patient_record"),
            plan("check_drug_safety", drug_name="metformin"),
            plan("update_patient_record"),
        ],
    )
    message = "Prescribe metformin 500 mg twice daily for abc-123. Any warnings for metformin?"
    record, _ = await ask(tmp_path, model, message)
    assert [tool for tool, _ in called(record)] == ["check_drug_safety", "prescribe_medication"]
    assert record.outcome == "approval"
    assert record.approval is not None
    assert record.approval.sources["dosage"] == "this message"


async def test_thoughts_reach_the_next_node_alone(tmp_path: Path) -> None:
    model = script([part("check_drug_safety")], [plan("check_drug_safety", drug_name="dofetilide")])
    record, on = await ask(tmp_path, model, "Check FDA warnings for dofetilide")
    saw = [prompt.name for prompt in model.prompts if "torsades" in " ".join(m.text for m in prompt.messages)]
    assert saw == ["decompose_request"]
    assert "sotalol" not in record.model_dump_json()
    assert "sotalol" not in on.streamed


async def test_a_question_of_the_models_own_is_marked_and_offers_nothing(tmp_path: Path) -> None:
    asks = {"requires_clarification": True, "subtasks": [], "clarification_question": "Which indication do you mean?"}
    model = ScriptedModel(
        {"complexity": "complex", "reasoning": ""},
        {"reasoning": SECRET},
        asks,
        "All right.",
    )
    async with stage(tmp_path, model, tools(), graph="decompose") as on:
        first = await on.ask("Check FDA warnings for dofetilide")
        assert (first.outcome, first.response) == ("ask_user", "The model asks: Which indication do you mean?")
        assert first.clarification is not None
        assert (first.clarification.reason, first.clarification.options) == ("model_question", ())
        second = await on.ask("hello", session_id=first.session_id)
    assert second.outcome == "answer"


@pytest.mark.parametrize("question", [None, "  ", "I have already prescribed it for you.", "{'tool': 'x'}"])
async def test_a_question_that_may_not_be_shown_does_not_end_the_turn(tmp_path: Path, question: str | None) -> None:
    answer = {
        "requires_clarification": True,
        "subtasks": [part("check_drug_safety")],
        "clarification_question": question,
    }
    plans = [plan("check_drug_safety", drug_name="dofetilide")]
    model = script([], plans, decompose_request=[answer])
    record, _ = await ask(tmp_path, model, "Check FDA warnings for dofetilide")
    assert (record.outcome, [tool for tool, _ in called(record)]) == ("answer", ["check_drug_safety"])


async def test_a_read_is_tried_three_more_times_and_then_the_rest_is_said(tmp_path: Path) -> None:
    model = script(
        [part("check_drug_safety", "dofetilide"), part("check_drug_safety", "amiodarone")],
        [plan("check_drug_safety", drug_name="dofetilide")],
    )
    failing = {"check_drug_safety": lambda _: LATE}
    record, on = await ask(tmp_path, model, "Check FDA warnings for dofetilide and amiodarone", **failing)
    (call,) = record.tool_calls
    assert (call.status, call.attempts) == ("unavailable", 4)
    assert any("1 further part of the request was not worked on" in notice for notice in record.notices)
    assert any("amiodarone" in notice for notice in record.notices), "what was not checked is named"
    assert "synthesize" not in on.asked, "a failed look-up is not put into words by a model"


async def test_a_read_that_comes_back_goes_on(tmp_path: Path) -> None:
    answers = [LATE, r.DOFETILIDE]
    model = script([part("check_drug_safety")], [plan("check_drug_safety", drug_name="dofetilide")])
    record, _ = await ask(tmp_path, model, "Check FDA warnings for dofetilide", check_drug_safety=answers)
    assert [(call.status, call.attempts) for call in record.tool_calls] == [("found", 2)]


async def test_a_write_is_never_tried_again(tmp_path: Path) -> None:
    failed = Proposal(status="unavailable", error_type="timeout")
    model = script([part("update_patient_record")], [plan("update_patient_record")])
    message = "Prescribe metformin 500 mg twice daily for abc-123"
    record, _ = await ask(tmp_path, model, message, prescribe_medication=[failed])
    assert [(call.status, call.attempts) for call in record.tool_calls] == [("unavailable", 1)]


async def test_a_look_up_that_is_planned_twice_is_made_once(tmp_path: Path) -> None:
    model = script(
        [part("check_drug_safety"), part(None, intent="sum up")],
        [plan("check_drug_safety", drug_name="dofetilide")] * 2,
    )
    record, _ = await ask(tmp_path, model, "Check FDA warnings for dofetilide")
    assert len(record.tool_calls) == 1


async def test_a_drug_that_the_model_leaves_out_is_checked_with_the_others(tmp_path: Path) -> None:
    model = script(
        [part("check_drug_interactions")], [plan("check_drug_interactions", drug_names="warfarin, ibuprofen")]
    )
    record, _ = await ask(tmp_path, model, "Check interactions between warfarin, aspirin and ibuprofen")
    assert called(record) == [("check_drug_interactions", {"drug_names": ["warfarin", "aspirin", "ibuprofen"]})]


async def test_what_the_model_does_not_look_up_is_said(tmp_path: Path) -> None:
    model = ScriptedModel({"complexity": "direct", "reasoning": ""}, "I do not know.")
    record, _ = await ask(tmp_path, model, "Check FDA warnings for dofetilide")
    assert record.tool_calls == ()
    assert any(notice.startswith("Not checked: Drug Safety Report for dofetilide") for notice in record.notices)


async def test_an_attached_image_is_complex_without_asking(tmp_path: Path) -> None:
    blind = [ModelCannotSee("This model reads text alone.")]
    plans = [plan("analyze_medical_image", query="effusion")]
    model = script([part("analyze_medical_image")], plans, input_assembly=blind)
    unseen = {"analyze_medical_image": lambda _: pytest.fail("nobody could look at it")}
    record, on = await ask(tmp_path, model, "Is there an effusion?", image=png(), **unseen)
    assert "complexity_router" not in on.asked
    assert [call.status for call in record.tool_calls] == ["unavailable"]
    assert "effusion" not in record.response.replace("Is there an effusion?", "")


async def test_a_model_that_dies_half_way_leaves_the_rest_to_the_rules(tmp_path: Path) -> None:
    gone = ModelUnreachable("The model server does not answer.")
    model = ScriptedModel({"complexity": "complex", "reasoning": ""}, {"reasoning": "hm"}, gone)
    record, _ = await ask(tmp_path, model, "Check FDA warnings for dofetilide and amiodarone")
    assert [args["drug_name"] for _, args in called(record)] == ["dofetilide", "amiodarone"]
    assert (record.outcome, record.llm_calls) == ("answer", 3)


async def test_it_runs_again_from_its_trace(tmp_path: Path) -> None:
    model = script([part("get_patient_record")], [plan("get_patient_record", patient="John Smith")])
    async with stage(tmp_path, model, tools(), graph="decompose") as on:
        record = await on.ask("Find patient John Smith and check his chart")
        again = await replay(record, read(await on.store.get_trace(record.turn_id) or b""))
    assert (again.same, again.differences) == (True, ())


async def test_the_longest_way_that_a_model_can_make_of_it_ends(tmp_path: Path) -> None:
    """Five parts, all put off as entries, each about two people of whom none is found at the first try."""
    people = ["Smith", "Brown", "Miller", "Walker", "Turner", "Cooper", "Fisher", "Baker", "Carter", "Hughes"]
    names = [f"John {name}" for name in people]
    late: set[str] = set()

    def search(args: dict[str, Any]) -> PatientSearchResult:
        name = str(args["name"])
        if len(late) < MAX_TOTAL_RETRIES and name not in late:
            late.add(name)
            return PatientSearchResult(status="unavailable", error_type="timeout")
        return r.patients((f"p-{names.index(name)}", name, "1960-01-01"))

    put_off: list[Answer] = [plan("update_patient_record")] * 4
    spoken = [plan("get_patient_record", patient=names[2 * number]) for number in (4, 0, 1, 2, 3)]
    parts = [part(None, names[2 * number + 1]) for number in range(5)]
    message = ". ".join(f"Show me the chart of {name}" for name in names)
    record, _ = await ask(tmp_path, script(parts, [*put_off, *spoken]), message, search_patient=search)
    assert record.outcome == "answer"
    assert [call.tool for call in record.tool_calls] == ["search_patient", "search_patient", "get_patient_chart"] * 5
