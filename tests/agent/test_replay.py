"""A turn run again from its trace: the same answer, or what differs in words."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from docgemma.agent.nodes import input_assembly
from docgemma.agent.prompts import PROMPTS
from docgemma.agent.record import TurnRecord, Versions
from docgemma.agent.replay.player import Replayed, replay
from docgemma.agent.replay.recorder import Recorder
from docgemma.agent.replay.trace import Exchange, Start, Trace, read
from docgemma.agent.rules import RULES
from docgemma.agent.schemas import IntentClassification
from docgemma.agent.state import State
from docgemma.clinical import ToolResult
from docgemma.errors import Conflict, ModelOutputInvalid, ModelUnreachable, Unavailable
from docgemma.llm.contract import Image
from docgemma.llm.scripted import ScriptedModel
from docgemma.store.sessions import Store, open_store
from docgemma.tools.results import PatientSearchResult, PatientSummary
from docgemma.tools.scripted import Timeout
from tests.agent.walkthroughs import WALKTHROUGHS, Walkthrough, play
from tests.support import results as r
from tests.support.images import CHEST, png, xray
from tests.support.turns import Stage, stage
from tests.support.vision_server import ANSWERS

SAFETY = "Boxed warning of dofetilide?"
NEEDED = {"intent": "TOOL_NEEDED", "task_summary": "look it up", "suggested_tool": None}
RICH = {"quality": "success_rich", "brief_summary": "found"}


async def kept(store: Store, turn_id: str) -> tuple[TurnRecord, Trace]:
    body, turn = await store.get_trace(turn_id), await store.get_turn(turn_id)
    assert body
    return TurnRecord.model_validate(turn.record), read(body)


async def again(on: Stage, record: TurnRecord, **more: Any) -> Replayed:
    return await replay(*await kept(on.store, record.turn_id), **more)


SAME = Replayed(True)


def verdict(found: Replayed) -> Replayed:
    """Without the prompts."""
    return replace(found, prompts=())


@pytest.mark.parametrize("walkthrough", WALKTHROUGHS, ids=lambda walkthrough: walkthrough.title)
async def test_turns_of_a_model_come_out_the_same(walkthrough: Walkthrough, tmp_path: Path) -> None:
    record = (await play(walkthrough, tmp_path)).record
    async with open_store(str(tmp_path / "sessions.sqlite")) as store:
        found = await replay(*await kept(store, record.turn_id))
    assert verdict(found) == SAME
    assert [prompt.name for _, prompt in found.prompts] == [name for name, _ in walkthrough.script]


@pytest.mark.parametrize(
    ("text", "tools"),
    [
        (SAFETY, {"check_drug_safety": [r.DOFETILIDE]}),
        (SAFETY, {"check_drug_safety": [Timeout, Timeout, r.DOFETILIDE]}),
        (SAFETY, {"check_drug_safety": [Timeout, Timeout, Timeout, Timeout]}),
        (SAFETY, {"check_drug_safety": [ToolResult(status="not_found", error_type="drug_not_in_database")]}),
        (
            "Find patient Maria Garcia and check her chart",
            {"search_patient": [r.MARIA], "get_patient_chart": [r.chart("mgr-204", "Maria Garcia, born 1962-04-17")]},
        ),
        ("Hello!", {}),
        ("What is hypertension?", {}),
        ("Delete her chart.", {}),
    ],
)
async def test_turns_of_the_rules_come_out_the_same(text: str, tools: dict[str, Any], tmp_path: Path) -> None:
    async with stage(tmp_path, tools=tools) as on:
        record = await on.ask(text)
        assert verdict(await again(on, record)) == SAME


async def test_an_answered_question_comes_out_the_same(tmp_path: Path) -> None:
    tools = {"search_patient": [r.WILSONS], "get_patient_chart": [r.chart("jwb-102", "James Wilson, born 1955-06-02")]}
    async with stage(tmp_path, tools=tools) as on:
        asked = await on.ask("Find patient James Wilson and check his chart")
        answered = await on.ask("the second", session_id=asked.session_id)
        followed = await on.ask("thanks", session_id=asked.session_id)
        assert [asked.outcome, answered.outcome] == ["ask_user", "answer"]
        for record in (asked, answered, followed):
            assert verdict(await again(on, record)) == SAME


@pytest.mark.parametrize(
    "model",
    [
        ScriptedModel("no object at all", '{"quality": "splendid"}', ModelOutputInvalid("cut off")),
        ScriptedModel(ModelUnreachable("The model server is down.")),
        ScriptedModel.by_prompt(
            {"intent_classify": [NEEDED], "result_classify": [RICH], "synthesize": ["Torsade. " * 40]}
        ),
        ScriptedModel.by_prompt(
            {"intent_classify": [NEEDED], "result_classify": [RICH], "synthesize": ["Start it only on a ward \ud83d."]}
        ),
        ScriptedModel.by_prompt({"intent_classify": [NEEDED], "result_classify": [RICH], "synthesize": [" "]}),
    ],
    ids=["unusable", "unreachable", "looping", "half a character", "blank"],
)
async def test_a_model_that_fails_fails_the_same_way(model: ScriptedModel, tmp_path: Path) -> None:
    async with stage(tmp_path, model, {"check_drug_safety": [r.DOFETILIDE]}) as on:
        record = await on.ask(SAFETY)
        assert verdict(await again(on, record)) == SAME


async def test_an_image_is_not_looked_at_again(tmp_path: Path) -> None:
    model = ScriptedModel.by_prompt(
        {
            "input_assembly": [xray("No effusion", "Heart of normal size")],
            "intent_classify": [NEEDED],
            "synthesize": ["The image shows no effusion."],
        }
    )
    async with stage(tmp_path, model) as on:
        record = await on.ask("Is there an effusion?", image=CHEST)
        assert "no effusion" in record.response
        assert verdict(await again(on, record)) == SAME


async def test_images_that_were_remembered_or_compared_are_so_again(tmp_path: Path) -> None:
    said = {"intent": "DIRECT", "task_summary": "an image", "suggested_tool": None}
    model = ScriptedModel.by_prompt(
        {
            "input_assembly": [xray("No effusion")],
            "image_comparison": [ANSWERS["ImageComparison"]],
            "intent_classify": [said] * 3,
            "synthesize": ["The image shows no effusion."] * 3,
        }
    )
    async with stage(tmp_path, model) as on:
        first = await on.ask("What do you see?", image=CHEST)
        remembered = await on.ask("What do you see?", session_id=first.session_id, image=CHEST)
        compared = await on.ask("What has changed?", session_id=first.session_id, image=png(9, 9))
        assert compared.findings is not None
        assert compared.findings.compared
        for record in (first, remembered, compared):
            assert verdict(await again(on, record)) == SAME


async def test_a_card_comes_out_the_same_and_is_not_made_again(tmp_path: Path) -> None:
    tools = {"prescribe_medication": [r.proposal("Metformin 500 mg by mouth twice daily")]}
    async with stage(tmp_path, tools=tools) as on:
        record = await on.ask("Prescribe metformin 500 mg twice daily for patient abc-123")
        assert record.outcome == "approval"
        assert verdict(await again(on, record)) == SAME
        assert len(on.tools.calls) == 1


async def test_look_ups_that_had_no_time_left_have_none_again(tmp_path: Path) -> None:
    async with stage(tmp_path, tools_budget_s=0) as on:
        record = await on.ask(SAFETY)
        assert record.tool_calls[0].error_type == "timeout"
        assert verdict(await again(on, record)) == SAME


class Hospital:
    """A record system that knows one patient, as long as nothing ails it."""

    def __init__(self, ailment: Exception | None = None, *, hangs: bool = False) -> None:
        self.ailment, self.hangs, self.asked = ailment, hangs, 0

    async def who(self, written: str) -> PatientSearchResult:
        self.asked += 1
        return r.JOHN

    async def summary(self, patient_id: str) -> PatientSummary:
        self.asked += 1
        if self.hangs:
            await asyncio.sleep(60)
        if self.ailment:
            raise self.ailment
        return PatientSummary(
            status="found",
            patient_id=patient_id,
            banner="John Smith, born 1958-09-30, male",
            allergies=("dofetilide: rash",),
            alerts=("dofetilide: rash",),
            brief="Allergies: dofetilide",
        )


@pytest.mark.parametrize(
    "hospital",
    [
        Hospital(),
        Hospital(hangs=True),
        Hospital(Unavailable("The audit log cannot be written, so no chart is opened.")),
    ],
    ids=["answers", "hangs", "fails"],
)
async def test_what_the_record_system_said_is_not_asked_again(
    hospital: Hospital, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(input_assembly, "READ_AHEAD_S", 0.01 if hospital.hangs else 5)
    async with stage(tmp_path, tools={"check_drug_safety": [r.DOFETILIDE]}, charts=hospital) as on:
        record = await on.ask(SAFETY, patient_id="abc-123")
        assert record.outcome == ("unavailable" if hospital.ailment else "answer")
        asked = hospital.asked
        assert verdict(await again(on, record)) == SAME
        assert hospital.asked == asked


async def test_the_day_is_that_of_the_turn(tmp_path: Path) -> None:
    """Whether an age fits a birth date depends on the day it is said."""
    model = ScriptedModel.by_prompt(
        {
            "intent_classify": [NEEDED],
            "result_classify": [RICH, RICH],
            "synthesize": [f"The patient is {date.today().year - 1952} years old and has penicillin allergy."],
        }
    )
    banner = "Maria Garcia, born 1952-01-01"
    tools = {"search_patient": [r.MARIA], "get_patient_chart": [r.chart("mgr-204", banner)]}
    async with stage(tmp_path, model, tools) as on:
        turn = await on.ask("Find patient Maria Garcia and check her chart")
        record, trace = await kept(on.store, turn.turn_id)
        assert verdict(await replay(record, trace)) == SAME
        later = replace(trace, state=trace.state | {"today": date(2090, 1, 1)})
        found = await replay(record, later)
    assert found.differences[0].startswith("The answer: was “The patient is ")


async def asked_by_rules(on: Stage) -> tuple[TurnRecord, Trace]:
    return await kept(on.store, (await on.ask(SAFETY)).turn_id)


async def test_another_rule_is_told_with_what_it_decides(tmp_path: Path) -> None:
    def direct(variables: object) -> IntentClassification:
        return IntentClassification(intent="DIRECT", task_summary="nothing to look up")

    async with stage(tmp_path, tools={"check_drug_safety": [r.DOFETILIDE]}, shortcuts=False) as on:
        record, trace = await asked_by_rules(on)
    found = await replay(record, trace, rules={**RULES, "intent_classify": direct})
    assert found.same is False
    told = "\n".join(found.differences)
    assert "What kind of request it is: was “TOOL_NEEDED”, is now “DIRECT”." in told
    assert "A step is gone: Understanding the request: needs a look-up (by code)" in told
    assert "a rule decides otherwise (Understanding the request): was intent: TOOL_NEEDED" in told


async def test_what_is_no_longer_asked_for_is_told(tmp_path: Path) -> None:
    async with stage(tmp_path, tools={"check_drug_safety": [r.DOFETILIDE]}) as on:
        record, trace = await asked_by_rules(on)
    twice = replace(trace, exchanges=(*trace.exchanges, trace.exchanges[0]))
    assert (await replay(record, twice)).differences == (
        "The program has changed since: it no longer asks for Drug Safety Report (drug name: dofetilide).",
    )


async def test_an_answer_put_together_otherwise_is_shown_where_it_parts(tmp_path: Path) -> None:
    async with stage(tmp_path, tools={"check_drug_safety": [r.DOFETILIDE]}) as on:
        record, trace = await asked_by_rules(on)
    found = await replay(record, trace, rules={**RULES, "synthesize": lambda variables: "All is well."})
    assert found.same is False
    assert found.differences[0].endswith("is now “All is well.”.")
    assert "Torsade" in found.differences[0]


async def test_other_words_to_the_model_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = ScriptedModel.by_prompt(
        {"intent_classify": [NEEDED], "result_classify": [RICH], "synthesize": ["Torsade de pointes can occur."]}
    )
    async with stage(tmp_path, model, {"check_drug_safety": [r.DOFETILIDE]}) as on:
        record, trace = await asked_by_rules(on)
    other = PROMPTS._environment.from_string("Answer in verse: {{ message }}")
    monkeypatch.setitem(PROMPTS._templates, "synthesize", (PROMPTS._environment.from_string(""), other))
    found = await replay(record, trace)
    assert found.differences == (
        "The program has changed since: the model is now asked in other words (Writing the answer).",
    )


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            {"args": {"drug_name": "dofetilid"}},
            "it now asks for Drug Safety Report (drug name: dofetilide) (then: drug name: dofetilid), "
            "which was not recorded.",
        ),
        ({"output": {"status": "splendid"}}, "it cannot read what came back then for Drug Safety Report."),
        ({"output": {"status": "none"}}, "The answer: was “"),
    ],
)
async def test_a_question_the_trace_has_no_answer_for_ends_the_replay(
    change: dict[str, Any], told: str, tmp_path: Path
) -> None:
    async with stage(tmp_path, tools={"check_drug_safety": [r.DOFETILIDE]}) as on:
        record, trace = await asked_by_rules(on)

    def changed(exchange: Exchange) -> Exchange:
        return replace(exchange, **change) if exchange.kind == "tool" else exchange

    found = await replay(record, replace(trace, exchanges=tuple(map(changed, trace.exchanges))))
    assert found.same is False
    assert any(told in one for one in found.differences)


async def test_an_unasked_model_and_an_answer_that_does_not_fit_end_it_too(tmp_path: Path) -> None:
    model = ScriptedModel.by_prompt(
        {
            "intent_classify": [NEEDED],
            "tool_select": [{"tool_name": "check_drug_safety"}],
            "tool_select_arguments": [{"drug_name": "dofetilide"}],
            "result_classify": [RICH],
            "synthesize": ["Torsade de pointes can occur."],
        }
    )
    async with stage(tmp_path, model, {"check_drug_safety": [r.DOFETILIDE]}, shortcuts=False) as on:
        record, trace = await asked_by_rules(on)

    def unreadable(exchange: Exchange) -> Exchange:
        return exchange if exchange.kind == "tool" else replace(exchange, output={"quality": "PERHAPS"})

    without = replace(trace, exchanges=trace.exchanges[:-1])
    assert "it now asks for Writing the answer" in (await replay(record, without)).differences[-1]
    unfit = replace(trace, exchanges=tuple(map(unreadable, trace.exchanges)))
    assert "does not fit any more" in (await replay(record, unfit)).differences[-1]


async def test_a_turn_that_failed_elsewhere_is_not_held_against_the_program(tmp_path: Path) -> None:
    async with stage(tmp_path, tools={"check_drug_safety": [r.DOFETILIDE]}) as on:
        record, trace = await asked_by_rules(on)
    failed = record.model_copy(update={"outcome": "unavailable", "response": "The store was away."})
    found = await replay(failed, trace)
    assert (found.same, found.differences) == (None, ())
    assert "failed outside" in found.note


async def test_everything_a_turn_starts_from_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new key of the first state belongs into the trace, or a replay starts from something else."""
    started: list[State] = []
    begin = Recorder.begin

    def noted(recorder: Recorder, state: State) -> State:
        started.append(state)
        return begin(recorder, state)

    monkeypatch.setattr(Recorder, "begin", noted)
    tools = {"search_patient": [r.MARIA], "get_patient_chart": [r.chart("mgr-204", "Maria Garcia, born 1962-04-17")]}
    async with stage(tmp_path, tools=tools) as on:
        first = await on.ask("Find patient Maria Garcia and check her chart")
        second = await on.ask("thanks", session_id=first.session_id, image=CHEST)
        _, trace = await kept(on.store, second.turn_id)
    given, image = started[-1], started[-1]["image"]
    assert set(given) == {*Start.__annotations__, "timeline", "notices", "errors"}
    assert image
    assert trace.state["image"] == replace(image, pictures=(Image("", b""),) * len(image.pictures))
    assert trace.state | {"image": None} == given | {"image": None}
    bound = trace.state["bound"]
    assert bound
    assert bound.confirmed is False


async def test_versions_are_stamped_and_older_records_still_load(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        record = await on.ask("Hello!")
    assert (record.versions.graph, record.versions.model) == ("routed", "rules")
    assert record.versions.docgemma
    assert len(record.versions.prompts) == 16
    older = record.model_dump(mode="json", exclude={"versions"})
    assert TurnRecord.model_validate(older).versions == Versions()


@pytest.mark.parametrize("body", [b"{}", b"[]", b"not json", b'{"form": 99}', b'{"form":1,"state":{}}'])
def test_a_trace_of_another_form_is_one_sentence(body: bytes) -> None:
    with pytest.raises(Conflict, match="a form that this version cannot read"):
        read(body)
