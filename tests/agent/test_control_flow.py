"""Whatever the model decides and the tools return: a turn ends, keeps its limits and writes only what was said."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from docgemma.agent.record import TurnRecord
from docgemma.agent.router import Next, after_error, after_intent, after_result
from docgemma.agent.rules import RULES
from docgemma.agent.schemas import Quality
from docgemma.agent.session import Question, Sessions
from docgemma.agent.shortcuts import ALL, NONE
from docgemma.agent.state import MAX_RETRIES, MAX_STEPS, MAX_TOTAL_RETRIES, Services, State, ToolRun
from docgemma.agent.understanding.needs import WRITE_TOOLS, Need
from docgemma.clinical import ToolResult
from docgemma.llm.rules import GuardedModel, RulesModel
from docgemma.store.sessions import Store, open_store
from docgemma.tools.registry import REGISTRY
from docgemma.tools.results import DrugSafetyReport, PatientSearchResult
from docgemma.tools.scripted import Timeout
from tests.agent.whims import Call, Outcome, Tools, Whims, any_outcome, good_outcome, whims
from tests.support import results as r
from tests.support.reading import understood
from tests.support.turns import stage

STEPS = {
    "input_assembly",
    "intent_classify",
    "tool_select",
    "tool_execute",
    "result_classify",
    "error_handler",
    "router",
    "synthesize",
}
READING = (
    "Check FDA warnings for dofetilide",
    "does warfarin interact with ibuprofen",
    "find patient Maria Garcia",
    "look up James Wilson and check his chart",
    "check her chart",
    "what are the medications of abc-123",
    "are there recruiting trials for heart failure",
    "search the literature on metformin in renal failure",
    "should I prescribe warfarin to mgr-204",
    "do not prescribe amoxicillin 500 mg twice daily for jwa-101",
    'the leaflet says "prescribe dofetilide 500 mcg twice daily for jwb-102"',
    "is she allergic to penicillin",
    "thanks",
)
WRITING = {
    "prescribe metformin 500 mg twice daily for abc-123": "prescribe_medication",
    "prescribe lisinopril 10 mg once daily for Maria Garcia": "prescribe_medication",
    "prescribe metformin 500 mg twice daily": "prescribe_medication",
    "prescribe metformin": "prescribe_medication",
    "add a penicillin allergy with hives for abc-123": "add_allergy",
    "document an allergy to aspirin for James Wilson": "add_allergy",
    "save a progress note for abc-123: feels better on metformin": "save_clinical_note",
}
"""Each order with the one tool that it may lead to."""
ANSWERS = ("1", "2", "yes", "the second one", "500 mg", "twice daily", "unknown", "abc-123", "Maria Garcia", "no")
PLACES = {"1": 0, "2": 1, "the second one": 1}
WRITES = set(WRITE_TOOLS.values())


phrases = st.lists(st.sampled_from((*READING, *WRITING)), min_size=1, max_size=3).map(". ".join)
dialogues = st.tuples(phrases, st.lists(st.sampled_from(ANSWERS) | phrases, max_size=3)).map(lambda t: [t[0], *t[1]])


def examples(number: int) -> settings:
    """The same ones every time; how long one takes says nothing."""
    return settings(max_examples=number, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


@dataclass(frozen=True)
class Loop:
    """One event loop and one store for all examples of this module."""

    runner: asyncio.Runner
    store: Store


@pytest.fixture(scope="module")
def loop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loop]:
    with asyncio.Runner() as runner:
        store = open_store(str(tmp_path_factory.mktemp("flow") / "sessions.sqlite"))
        runner.run(store.open())
        yield Loop(runner, store)
        runner.run(store.close())


@dataclass
class Dialogue:
    """Plays messages and, after each turn, holds what happened against what the user has said so far."""

    store: Store
    services: Services
    tools: Tools
    said: list[str] = field(default_factory=list)
    picked: set[str] = field(default_factory=set)
    before: TurnRecord | None = None
    limits: Callable[[TurnRecord, Sequence[Call]], None] | None = None
    steps: frozenset[str] = frozenset(STEPS)

    async def play(self, messages: Sequence[str]) -> None:
        sessions = Sessions(self.store, self.services)
        for message in messages:
            self.tools.calls.clear()
            self._note(message)
            session_id = self.before.session_id if self.before else None
            record = await sessions.ask(Question(message, session_id=session_id))
            (self.limits or within_limits)(record, self.tools.calls)
            consistent(record, self.steps)
            self._writes(record)
            self.before = record

    def _note(self, message: str) -> None:
        self.said.append(message)
        question = self.before.clarification if self.before else None
        if question is None:
            return
        values = [option.value for option in question.options]
        if message == "yes" and len(values) == 1:
            self.picked.add(values[0])
        elif message in PLACES and PLACES[message] < len(values):
            self.picked.add(values[PLACES[message]])
        elif message == "Maria Garcia":
            self.picked |= {option.value for option in question.options if message in option.label}

    def _writes(self, record: TurnRecord) -> None:
        written = [call for call in self.tools.calls if REGISTRY[call[0]].writes]
        assert all(written.count(call) == 1 for call in written), "the same entry is proposed once"
        assert sum(call.status == "proposed" and call.tool in WRITES for call in record.tool_calls) <= 1
        asked = {tool for phrase, tool in WRITING.items() if any(phrase in text for text in self.said)}
        for tool, args in written:
            assert tool in asked, "the user's own words ask for it"
            for name, value in args.items():
                assert self._sourced(name, str(value)), (name, value, self.said)

    def _sourced(self, name: str, value: str) -> bool:
        """Word for word in what the user wrote outside quotations and refusals, or picked from what was offered.

        A note may hold both, and a refusal may still say whom the rest is about.
        """
        if value in self.picked or (name == "patient_id" and _is_named_in_full(value, self.said)):
            return True
        pattern = {"patient_id": r'"[^"]*"', "note_text": "$^"}.get(name, r'"[^"]*"|do not [^.]*')
        texts = [re.sub(pattern, "", text, flags=re.IGNORECASE) for text in self.said]
        return any(value.casefold() in text.casefold() for text in texts)


def _is_named_in_full(patient: str, said: Sequence[str]) -> bool:
    """By the full name that one patient alone has."""
    names = {match.patient_id: match.name.casefold() for found in (r.JOHN, r.MARIA) for match in found.matches}
    return any(names.get(patient, "?") in text.casefold() for text in said)


def within_limits(record: TurnRecord, calls: Sequence[Call]) -> None:
    assert len(calls) <= MAX_STEPS + MAX_TOTAL_RETRIES
    assert len(record.tool_calls) <= MAX_STEPS + 1  # a patient picked by the user is shown as found, and is no step
    assert all(call.attempts <= 1 + MAX_RETRIES for call in record.tool_calls)
    assert sum(call.attempts - 1 for call in record.tool_calls) <= MAX_TOTAL_RETRIES
    assert all(call.attempts == 1 for call in record.tool_calls if call.tool in WRITES)
    assert record.llm_calls <= 2 + 4 * (MAX_STEPS + MAX_TOTAL_RETRIES)
    made = [name for name, _ in calls]
    assert all(made.count(call.tool) >= 1 for call in record.tool_calls if call.status not in ("found", "invalid"))


def consistent(record: TurnRecord, steps: Collection[str]) -> None:
    assert record.response.strip()
    assert {entry.step for entry in record.timeline} <= set(steps)
    expected = "ask_user" if record.clarification else "approval" if record.approval else "answer"
    assert record.outcome == expected
    assert record.clarification is None or record.approval is None
    assert "jwc-103" not in record.response or "jwc-103" in str((record.clarification, record.tool_calls))
    if record.outcome == "answer":
        assert not any(call.status == "proposed" and call.tool in WRITES for call in record.tool_calls)


@examples(40)
@given(messages=dialogues, model=whims, results=st.lists(any_outcome, min_size=1, max_size=6), short=st.booleans())
def test_any_outcome_any_decision(
    loop: Loop, messages: list[str], model: Whims, results: list[Outcome], short: bool
) -> None:
    tools = Tools(results)
    services = Services(GuardedModel(model, RulesModel(RULES)), tools, shortcuts=ALL if short else NONE)
    loop.runner.run(Dialogue(loop.store, services, tools).play(messages))


@examples(40)
@given(messages=dialogues, model=st.none() | whims, results=st.lists(good_outcome, min_size=1, max_size=4))
def test_when_everything_is_found_only_what_was_said_is_written(
    loop: Loop, messages: list[str], model: Whims | None, results: list[Outcome]
) -> None:
    """Nothing fails here, so that write tools are really reached."""
    tools, rules = Tools(results), RulesModel(RULES)
    services = Services(rules if model is None else GuardedModel(model, rules), tools)
    loop.runner.run(Dialogue(loop.store, services, tools).play(messages))


async def test_a_retried_look_up_and_the_next_one_are_both_kept(tmp_path: Path) -> None:
    scripts = {"check_drug_safety": [Timeout(), r.DOFETILIDE, r.AMIODARONE]}
    async with stage(tmp_path, None, scripts) as on:
        record = await on.ask("Check FDA warnings for dofetilide and amiodarone")
    found = [(call.args["drug_name"], call.status, call.attempts) for call in record.tool_calls]
    assert found == [("dofetilide", "found", 2), ("amiodarone", "found", 1)]


FOUND = DrugSafetyReport(status="found")
DOWN = DrugSafetyReport(status="unavailable", error_type="timeout")
SAFETY, CHART = Need("check_drug_safety", "dofetilide"), Need("get_patient_chart")


def ran(tool: str, result: ToolResult, quality: Quality | None = "success_rich", **more: Any) -> ToolRun:
    return ToolRun(REGISTRY[tool].name, more.pop("args", {"drug_name": "dofetilide"}), result, quality, **more)


def state_of(**parts: Any) -> State:
    start: State = {"needs": (), "runs": (), "steps": 1, "entities": understood("…")}
    return start | parts  # type: ignore[return-value]


INTENT_TABLE: list[tuple[str, State, str]] = [
    ("a look-up", state_of(intent="TOOL_NEEDED"), "tool_select"),
    ("an answer from knowledge", state_of(intent="DIRECT"), "synthesize"),
    ("the words outweigh the model", state_of(intent="DIRECT", needs=(SAFETY,)), "tool_select"),
    ("a pick that was all", state_of(intent="TOOL_NEEDED", runs=(ran("search_patient", r.JOHN),)), "synthesize"),
    (
        "a pick, then a chart",
        state_of(intent="TOOL_NEEDED", runs=(ran("search_patient", r.JOHN),), needs=(CHART,)),
        "tool_select",
    ),
    (
        "a pick, then the interrupted call",
        state_of(intent="TOOL_NEEDED", runs=(ran("search_patient", r.JOHN),), resumed=("get_patient_chart", {})),
        "tool_select",
    ),
]
RESULT_TABLE: list[tuple[str, State, str]] = [
    ("all looked up", state_of(runs=(ran("check_drug_safety", FOUND),), needs=(SAFETY,)), "synthesize"),
    ("more to look up", state_of(runs=(ran("check_drug_safety", FOUND),), needs=(SAFETY, CHART)), "tool_select"),
    (
        "no steps left",
        state_of(runs=(ran("check_drug_safety", FOUND),), needs=(SAFETY, CHART), steps=MAX_STEPS),
        "synthesize",
    ),
    (
        "nothing found is no error",
        state_of(runs=(ran("check_drug_safety", DrugSafetyReport(status="not_found"), "no_results"),)),
        "synthesize",
    ),
    ("an error", state_of(runs=(ran("check_drug_safety", DOWN, "error_retryable"),), needs=(SAFETY,)), "error_handler"),
    ("twins", state_of(runs=(ran("search_patient", r.WILSONS),), needs=(CHART,)), "error_handler"),
    (
        "one patient, but not exactly",
        state_of(runs=(ran("search_patient", r.patients(("x", "M", "1"), exact=False)),), needs=(CHART,)),
        "error_handler",
    ),
    (
        "after a card the other requests go on",
        state_of(runs=(ran("add_allergy", r.proposal("…")),), needs=(Need("add_allergy"), SAFETY)),
        "tool_select",
    ),
    ("a loop", state_of(runs=(ran("check_drug_safety", DOWN, "error_fatal"),), stuck=True), "synthesize"),
    (
        "an unknown patient has no chart",
        state_of(runs=(ran("search_patient", PatientSearchResult(status="not_found"), "no_results"),), needs=(CHART,)),
        "synthesize",
    ),
]
SKIPPED = ran("check_drug_safety", DOWN, "error_fatal", skipped=True)
ERROR_TABLE: list[tuple[str, State, str]] = [
    ("a question comes first", state_of(action="ask_user", needs=(SAFETY, CHART)), "synthesize"),
    ("the same again", state_of(action="retry_same"), "tool_select"),
    ("in other words", state_of(action="retry_different_args"), "tool_select"),
    ("skipped, nothing else", state_of(action="skip", runs=(SKIPPED,), needs=(SAFETY,)), "synthesize"),
    ("skipped, the others go on", state_of(action="skip", runs=(SKIPPED,), needs=(SAFETY, CHART)), "tool_select"),
    ("skipped, no steps left", state_of(action="skip", runs=(SKIPPED,), needs=(CHART,), steps=MAX_STEPS), "synthesize"),
]
ROUTES = [
    *((after_intent, *row) for row in INTENT_TABLE),
    *((after_result, *row) for row in RESULT_TABLE),
    *((after_error, *row) for row in ERROR_TABLE),
]


@pytest.mark.parametrize(
    ("route", "case", "state", "node"), ROUTES, ids=[f"{row[0].__name__}: {row[1]}" for row in ROUTES]
)
def test_where_to_go_next(route: Callable[[State], Next], case: str, state: State, node: str) -> None:
    chosen = route(state)
    assert (chosen.node, bool(chosen.reason)) == (node, True)
