"""The triage graph from end to end: its budgets of model calls, its four ways, and the rules that hold on each."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from docgemma.agent.asking import THOUGHT_TOKENS
from docgemma.agent.graphs.triage import build
from docgemma.agent.progress import MAX_ASKED, MAX_ITERATIONS
from docgemma.agent.record import TurnRecord
from docgemma.agent.rules import RULES
from docgemma.agent.schemas import MOST_PARTS
from docgemma.agent.shortcuts import ALL, NONE
from docgemma.agent.state import MAX_RETRIES, MAX_TOTAL_RETRIES, Services
from docgemma.llm.contract import Prompt, T, current_usage
from docgemma.llm.rules import GuardedModel, RulesModel
from docgemma.llm.schema import json_schema
from docgemma.llm.scripted import ScriptedModel
from docgemma.store.sessions import open_store
from docgemma.tools.registry import REGISTRY
from docgemma.tools.results import LiteratureResult
from docgemma.tools.scripted import ScriptedTools, Timeout
from tests.agent.test_control_flow import Dialogue, Loop, dialogues
from tests.agent.whims import Call, Outcome, Tools, any_outcome, good_outcome
from tests.support import results as r
from tests.support.turns import stage, steps

TEXT = "This is what was found."
THOUGHT = "Warfarin 5 mg would be my choice for jwc-103."
ORDER = "Prescribe metformin 500 mg twice daily for abc-123"
NODES = frozenset(build().get_graph().nodes) - {"__start__", "__end__"} | {"router"}


def tools() -> ScriptedTools:
    return ScriptedTools(
        {
            "check_drug_safety": lambda args: r.safety(args["drug_name"], "A boxed warning."),
            "check_drug_interactions": lambda _: r.INTERACTIONS,
            "search_patient": lambda args: r.WILSONS if "Wilson" in args["name"] else r.JOHN,
            "get_patient_chart": lambda _: r.chart("abc-123", "John Smith, born 1958-09-30"),
            "search_medical_literature": lambda _: LiteratureResult(status="none", origin="live"),
            "prescribe_medication": lambda args: r.proposal(f"{args['medication_name']} {args['dosage']}"),
            "add_allergy": lambda args: r.proposal(args["substance"]),
        }
    )


def plan(tool: str, query: str = "") -> dict[str, Any]:
    return {"tool_name": tool, "query": query}


def parts(*words: str) -> dict[str, Any]:
    return {"count": len(words), "subtasks": list(words)}


def needs(*calls: tuple[str, str]) -> dict[str, Any]:
    first, second = [*calls, ("none", ""), ("none", "")][:2]
    return {"first_tool": first[0], "second_tool": second[0], "first_query": first[1], "second_query": second[1]}


SAFETY = {"route": "lookup", "tool": "check_drug_safety", "query": "dofetilide"}
PAIR = {"route": "lookup", "tool": "check_drug_interactions", "query": "warfarin"}
SEVERAL = {"route": "multi_step"}
THINK = {"route": "reasoning"}
SEARCH = plan("search_medical_literature", "gout")

Script = Mapping[str, Sequence[Any]]
BUDGETS: list[tuple[str, str, Script, list[str], int]] = [
    ("direct", "What is hypertension?", {"triage_router": [{"route": "direct"}]}, [], 2),
    ("look-up", "Check FDA warnings for dofetilide", {"triage_router": [SAFETY]}, ["check_drug_safety"], 2),
    (
        "look-up with details read again",
        "interactions of warfarin?",
        {"triage_router": [PAIR], "fix_args": [{"drug_names": ["warfarin", "aspirin"]}]},
        ["check_drug_interactions"],
        3,
    ),
    (
        "reasoning without a look-up",
        "Best antihypertensive in stage 3 kidney disease?",
        {"triage_router": [THINK], "thinking": [THOUGHT], "extract_needs": [needs()]},
        [],
        4,
    ),
    (
        "reasoning with two look-ups",
        "Best antihypertensive in stage 3 kidney disease?",
        {
            "triage_router": [THINK],
            "thinking": [THOUGHT],
            "extract_needs": [needs(("check_drug_safety", "lisinopril"), ("check_drug_safety", "amlodipine"))],
            "reasoning": ["Lisinopril."],
        },
        ["check_drug_safety", "check_drug_safety"],
        5,
    ),
    (
        "several parts: 3 + N",
        "Check FDA warnings for dofetilide and amiodarone",
        {
            "triage_router": [SEVERAL],
            "decompose_intent": [parts("dofetilide", "amiodarone")],
            "plan_tool": [plan("check_drug_safety", "dofetilide"), plan("check_drug_safety", "amiodarone")],
        },
        ["check_drug_safety", "check_drug_safety"],
        5,
    ),
    (
        "several parts: at most 3 + 3N",
        "interactions of warfarin? and what is published on gout",
        {
            "triage_router": [SEVERAL],
            "decompose_intent": [parts("warfarin", "gout")],
            "plan_tool": [
                plan("check_drug_interactions", "warfarin"),
                SEARCH,
                SEARCH | {"query": "gout therapy"},
                SEARCH | {"query": "urate lowering"},
            ],
            "fix_args": [{"drug_names": ["warfarin", "aspirin"]}],
        },
        ["check_drug_interactions", "search_medical_literature"],
        8,
    ),
]


@pytest.mark.parametrize(("case", "message", "script", "called", "calls"), BUDGETS, ids=[row[0] for row in BUDGETS])
async def test_model_calls_of_each_way(
    case: str, message: str, script: Script, called: list[str], calls: int, tmp_path: Path
) -> None:
    model = ScriptedModel.by_prompt({**script, "synthesize": [TEXT]})
    async with stage(tmp_path, model, tools(), shortcuts=False, graph="triage") as on:
        record = await on.ask(message)
    model.assert_done()
    assert record.llm_calls == len(on.asked) == calls
    assert [call.tool for call in record.tool_calls] == called
    assert (record.graph, record.outcome) == ("triage", "answer")
    assert set(steps(record)) <= NODES


async def test_a_part_asks_the_model_at_most_three_times(tmp_path: Path) -> None:
    """The details of a third plan are not read again: what they lack is asked of the user."""
    model = ScriptedModel.by_prompt(
        {
            "triage_router": [SEVERAL],
            "decompose_intent": [parts("gout and warfarin")],
            "plan_tool": [SEARCH, SEARCH | {"query": "gout therapy"}, plan("check_drug_interactions", "warfarin")],
            "synthesize": [TEXT],
        }
    )
    async with stage(tmp_path, model, tools(), shortcuts=False, graph="triage") as on:
        record = await on.ask("what is published on gout, and interactions of warfarin?")
    assert on.asked.count("plan_tool") == MAX_ASKED
    assert "fix_args" not in on.asked
    assert record.outcome == "ask_user"


async def test_a_look_up_that_times_out_is_made_twice_more_and_then_told(tmp_path: Path) -> None:
    script = {"check_drug_safety": [Timeout(), Timeout(), Timeout()]}
    model = ScriptedModel.by_prompt({"triage_router": [SAFETY]})
    async with stage(tmp_path, model, script, graph="triage") as on:
        record = await on.ask("Check FDA warnings for dofetilide")
    assert [(call.status, call.attempts) for call in record.tool_calls] == [("unavailable", 1 + MAX_RETRIES)]
    assert "did not answer in time" in record.response
    assert record.confidence == "low"


async def test_a_part_that_fails_does_not_stop_the_others(tmp_path: Path) -> None:
    script = {"check_drug_safety": [Timeout(), r.DOFETILIDE, r.AMIODARONE]}
    async with stage(tmp_path, None, script, graph="triage") as on:
        record = await on.ask("Check FDA warnings for dofetilide and amiodarone")
    found = [(call.args["drug_name"], call.status, call.attempts) for call in record.tool_calls]
    assert found == [("dofetilide", "found", 2), ("amiodarone", "found", 1)]


async def test_thoughts_serve_the_answer_and_are_in_no_answer_record_or_timeline(tmp_path: Path) -> None:
    model = ScriptedModel.by_prompt(
        {"triage_router": [THINK], "thinking": [THOUGHT], "extract_needs": [needs()], "synthesize": [TEXT]}
    )
    async with stage(tmp_path, model, tools(), graph="triage") as on:
        record = await on.ask("Best antihypertensive in stage 3 kidney disease?")
    assert THOUGHT in model.prompts[-1].messages[-1].text
    assert THOUGHT not in record.model_dump_json()
    assert THOUGHT not in on.streamed
    assert record.confidence == "low"
    assert model.calls[1].max_tokens == THOUGHT_TOKENS


async def test_what_a_model_did_not_look_up_is_said(tmp_path: Path) -> None:
    """The model decides the way, which is what this graph measures; what the words asked for is not passed over."""
    model = ScriptedModel.by_prompt({"triage_router": [{"route": "direct"}] * 2, "synthesize": ["Fine."] * 2})
    async with stage(tmp_path, model, tools(), graph="triage") as on:
        read = await on.ask("Check FDA warnings for dofetilide")
        write = await on.ask(ORDER)
    assert any(line.startswith("Not checked: Drug Safety Report for dofetilide") for line in read.notices)
    assert any(line.startswith("Not prepared: Prescription") for line in write.notices)
    assert not read.tool_calls + write.tool_calls


async def test_an_entry_comes_after_every_look_up_whatever_order_the_model_gives(tmp_path: Path) -> None:
    model = ScriptedModel.by_prompt(
        {
            "triage_router": [SEVERAL],
            "decompose_intent": [parts("prescribe metformin", "check warfarin with aspirin")],
            "plan_tool": [plan("prescribe_medication"), plan("check_drug_interactions", "warfarin aspirin")],
        }
    )
    async with stage(tmp_path, model, tools(), graph="triage") as on:
        record = await on.ask(f"{ORDER} and check the interaction of warfarin and aspirin")
    assert [call.tool for call in record.tool_calls] == ["check_drug_interactions", "prescribe_medication"]
    assert record.outcome == "approval"
    assert record.approval is not None
    assert "more bleeding" in record.response


async def test_a_question_is_answered_and_the_request_goes_on_without_a_model(tmp_path: Path) -> None:
    model = ScriptedModel.by_prompt(
        {
            "triage_router": [SEVERAL],
            "decompose_intent": [parts("find James Wilson", "his chart")],
            "plan_tool": [plan("search_patient", "James Wilson")],
            "synthesize": [TEXT],
        }
    )
    async with stage(tmp_path, model, tools(), graph="triage") as on:
        first = await on.ask("look up James Wilson and check his chart")
        assert first.clarification is not None
        assert first.clarification.reason == "multiple_patient_matches"
        second = await on.ask("2", session_id=first.session_id)
    assert [(call.tool, call.args) for call in second.tool_calls] == [
        ("get_patient_chart", {"patient_id": "jwb-102"}),
    ]
    assert second.llm_calls == 1
    model.assert_done()


async def test_missing_details_of_an_entry_are_asked_for_and_the_answer_makes_the_card(tmp_path: Path) -> None:
    invented = {"patient_id": "jwc-103", "medication_name": "warfarin", "dosage": "5 mg", "frequency": "hourly"}
    order = {"route": "lookup", "tool": "prescribe_medication", "query": "warfarin 5 mg for jwc-103"}
    model = ScriptedModel.by_prompt({"triage_router": [order], "fix_args": [invented]})
    async with stage(tmp_path, model, tools(), graph="triage") as on:
        first = await on.ask("Prescribe metformin 500 mg for abc-123")
        assert first.clarification is not None
        assert first.clarification.pending is not None
        assert first.clarification.pending.missing == ("frequency",)
        second = await on.ask("twice daily", session_id=first.session_id)
    assert second.outcome == "approval"
    assert [call.args for call in second.tool_calls] == [
        {"patient_id": "abc-123", "medication_name": "metformin", "dosage": "500 mg", "frequency": "twice daily"}
    ]


async def test_what_no_tool_does_is_said_whatever_the_model_chose(tmp_path: Path) -> None:
    model = ScriptedModel.by_prompt({"triage_router": [SAFETY]})
    async with stage(tmp_path, model, tools(), graph="triage") as on:
        record = await on.ask("Discontinue her warfarin")
    assert record.response.startswith("Nothing was done about")
    assert on.tools.calls == []


async def test_a_model_that_cannot_be_used_leaves_the_rules_to_it(tmp_path: Path) -> None:
    model = ScriptedModel("no json at all", "none here either")
    async with stage(tmp_path, model, tools(), graph="triage") as on:
        record = await on.ask("Check FDA warnings for dofetilide")
    assert [call.tool for call in record.tool_calls] == ["check_drug_safety"]


@dataclass
class Anything:
    """A model that gives any answer that its schema allows, as an attacker or a broken model would."""

    draw: random.Random
    words: Sequence[str]
    name: str = "anything"

    async def decide(self, prompt: Prompt, schema: type[T], *, max_tokens: int) -> T:
        current_usage().calls += 1
        return schema.model_validate(self._any(json_schema(schema)))

    async def write(self, prompt: Prompt, *, temperature: float, max_tokens: int) -> AsyncIterator[str]:
        current_usage().calls += 1
        yield self.draw.choice((TEXT, "", "…\n\n", "Call add_allergy.", "I have prescribed warfarin 5 mg for jwc-103."))

    def _any(self, part: dict[str, Any]) -> Any:
        if choices := part.get("enum") or ([part["const"]] if "const" in part else []):
            return self.draw.choice(choices)
        if "anyOf" in part:
            return self._any(self.draw.choice(part["anyOf"]))
        match part["type"]:
            case "object":
                return {name: self._any(inner) for name, inner in part["properties"].items()}
            case "array":
                least, most = part.get("minItems", 0), part["maxItems"]
                return [self._any(part["items"]) for _ in range(self.draw.randint(least, min(most, 5)))]
            case "null":
                return None
            case _:
                return self.draw.choice(self.words)[: part["maxLength"]]


WORDS = (
    "jwc-103",
    "warfarin 5 mg hourly for jwc-103",
    "dofetilide",
    "Maria Garcia",
    "gout",
    "prescribe it",
    "",
    "none",
)
models = st.builds(lambda seed: Anything(random.Random(seed), WORDS), st.integers(0, 10_000))


def within_budget(record: TurnRecord, calls: Sequence[Call]) -> None:
    most = MOST_PARTS + MAX_ITERATIONS - 1 + MAX_TOTAL_RETRIES
    assert len(calls) <= most
    assert record.llm_calls <= 3 + 3 * MOST_PARTS
    assert all(call.attempts <= MAX_ITERATIONS for call in record.tool_calls)
    assert all(call.attempts == 1 for call in record.tool_calls if REGISTRY[call.tool].writes)


@pytest.fixture(scope="module")
def loop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loop]:
    with asyncio.Runner() as runner:
        store = open_store(str(tmp_path_factory.mktemp("triage") / "sessions.sqlite"))
        runner.run(store.open())
        yield Loop(runner, store)
        runner.run(store.close())


@settings(max_examples=40, deadline=None, derandomize=True, phases=[Phase.generate])
@given(
    messages=dialogues,
    model=models,
    results=st.lists(any_outcome, min_size=1, max_size=6) | st.lists(good_outcome, min_size=1, max_size=4),
    short=st.booleans(),
)
def test_whatever_a_model_answers_only_what_was_said_is_written(
    loop: Loop, messages: list[str], model: Anything, results: list[Outcome], short: bool
) -> None:
    live = Tools(results)
    services = Services(GuardedModel(model, RulesModel(RULES)), live, graph="triage", shortcuts=ALL if short else NONE)
    loop.runner.run(Dialogue(loop.store, services, live, limits=within_budget, steps=NODES).play(messages))


async def test_the_rules_answer_as_the_routed_graph_does(tmp_path: Path) -> None:
    async def played(graph: str) -> list[tuple[Any, ...]]:
        told = []
        (tmp_path / graph).mkdir()
        async with stage(tmp_path / graph, None, tools(), graph=graph) as on:
            for message in MESSAGES:
                told.append(seen(await on.ask(message)))
        return told

    assert await played("triage") == await played("routed")


MESSAGES = (
    "Hello",
    "What is hypertension?",
    "Check FDA warnings for dofetilide and amiodarone",
    "Find patient John Smith and check his chart",
    "look up James Wilson and check his chart",
    "Prescribe metformin for abc-123",
    f"check warfarin with aspirin, then {ORDER}",
    "Add a penicillin allergy with hives for abc-123",
)


def seen(record: TurnRecord) -> tuple[Any, ...]:
    calls = [(call.tool, call.args, call.status) for call in record.tool_calls]
    return record.query, record.intent, calls, record.outcome, record.response, record.notices, record.confidence
