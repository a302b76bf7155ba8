"""The suite `latency`: budgets, where the time went, and a run in the clinic. No test looks at a clock."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest

from docgemma.agent.record import ToolCall, TurnRecord
from docgemma.cli.eval_lines import latency_lines
from docgemma.clinical import GRAPHS, TimelineStep
from docgemma.config import Settings
from docgemma.evals.latency import (
    Latency,
    LatencyCase,
    Route,
    budget,
    calls_met,
    counts_of,
    model_ms,
    path_taken,
)
from docgemma.evals.running import run_suite
from docgemma.evals.suite import CaseRecord, Variant
from docgemma.evals.summary import summarize
from tests.evals.written import call, record
from tests.support.model_server import Answer, ModelServer, instance, schema_name

SAFETY = call("check_drug_safety", drug_name="dofetilide")


def case(**more: Any) -> LatencyCase:
    given = {"id": "c", "kind": "single_tool", "say": "?", "way": {"tools": ["check_drug_safety"]}}
    return LatencyCase.model_validate(given | more)


def test_the_budgets_are_those_of_the_specifications() -> None:
    full = {path: budget("routed", path, shortcuts=False) for path in get_args(Route)}
    assert (full["direct"], full["single_tool"], full["two_tools"], full["three_tools"]) == (2, 5, 8, 11)
    assert (full["error_retry"], full["ask_user"], full["write_card"], full["image"]) == (7, 4, 4, 6)
    short = {path: budget("routed", path, shortcuts=True) for path in get_args(Route)}
    assert (short["greeting"], short["direct"], short["single_tool"], short["three_tools"]) == (1, 2, 3, 5)
    assert (budget("triage", "direct", shortcuts=True), budget("triage", "single_tool", shortcuts=True)) == (2, 3)
    assert (budget("triage", "two_tools", shortcuts=True), budget("triage", "three_tools", shortcuts=True)) == (9, 12)
    assert (budget("decompose", "direct", shortcuts=True), budget("decompose", "two_tools", shortcuts=True)) == (2, 6)
    for graph in GRAPHS:
        for path in get_args(Route):
            assert 1 <= budget(graph, path, shortcuts=True) <= budget(graph, path, shortcuts=False), (graph, path)


def test_a_call_too_many_is_seen() -> None:
    assert calls_met(record(SAFETY, llm_calls=3), 3).passed
    over = calls_met(record(SAFETY, llm_calls=4), 3)
    assert (over.passed, over.expected, over.got) == (False, "at most 3 model calls", "4")


@pytest.mark.parametrize(
    ("given", "told", "passed"),
    [
        ({}, record(SAFETY), True),
        ({}, record(), False),
        ({}, record(SAFETY, call("get_patient_chart", patient_id="abc-123")), False),
        ({}, record(SAFETY, outcome="ask_user"), False),
        ({"kind": "error_retry", "fault": "timeout"}, record(SAFETY), False),
        (
            {"kind": "error_retry", "fault": "timeout"},
            record(ToolCall.model_validate(SAFETY.model_dump() | {"attempts": 2})),
            True,
        ),
    ],
    ids=["taken", "no look-up", "one too many", "another end", "no second try", "second try"],
)
def test_a_turn_that_took_another_path_is_seen(given: dict[str, Any], told: TurnRecord, passed: bool) -> None:
    assert path_taken(case(**given), told).passed is passed


def step(name: str, by: str, ms: float) -> TimelineStep:
    return TimelineStep.model_validate({"step": name, "label": name, "by": by, "ms": ms})


def test_the_time_of_a_turn_is_divided() -> None:
    timeline = (
        step("input_assembly", "code", 5),
        step("tool_select", "model", 0),  # the first stage; the node's time stands at its last step
        step("tool_select", "code", 300),
        step("router", "code", 0),
        step("synthesize", "model", 600),
    )
    looked_up = ToolCall.model_validate(SAFETY.model_dump() | {"duration_ms": 40})
    told = record(looked_up, timeline=timeline, duration_ms=990, llm_calls=2, tokens={"prompt": 900, "completion": 80})
    assert model_ms(told) == 900
    counts = counts_of(told, 1000, 950, most=3)
    assert (counts["tool_ms"], counts["own_ms"], counts["seconds"]) == (40, 60, 1.0)
    assert (counts["llm_calls"], counts["prompt_tokens"], counts["completion_tokens"]) == (2, 900, 80)
    assert "first_text_ms" not in counts_of(told, 1000, None, most=3)
    assert model_ms(record(timeline=(step("synthesize", "code", 7),))) == 0


def kept(id: str, kind: str, seconds: float, **more: Any) -> CaseRecord:
    counts = counts_of(record(llm_calls=3), seconds * 1000, None, most=3)
    given = {"suite": "latency", "variant": "routed", "id": id, "kind": kind, "split": "dev", "model": "m"}
    return CaseRecord.model_validate(given | {"counts": counts} | more)


def test_one_row_a_path() -> None:
    records = (
        kept("a", "direct", 1),
        kept("b", "direct", 3),
        kept("c", "image", 9),
        kept("d", "direct", 60, error="The model is gone."),
    )
    figures = Latency().figures(records)
    direct = figures["paths"]["direct"]
    assert (direct["turns"], direct["seconds"]) == (2, {"median": 2.0, "p95": 2.9})
    assert (direct["calls"]["median"], direct["budget"], direct["first_text_ms"]) == (3, 3, None)
    assert list(figures["paths"]) == ["direct", "image"]
    shown = [line.text for line in latency_lines(figures)]
    assert shown[1].split() == ["direct", "2", "3", "3", "3", "2.00", "2.90", "–", "0", "0", "0", "2000"]


def test_every_path_has_a_few_cases() -> None:
    cases = Latency().load()
    assert len(cases) >= 30
    for path in get_args(Route):
        assert sum(one.kind == path for one in cases) >= 3, path


async def test_one_case_of_each_path_takes_its_path_by_rules(tmp_path: Path) -> None:
    cases = list({one.kind: one for one in reversed(Latency().load())}.values())
    suite = Latency()
    settings = Settings(home=tmp_path / "mine", model="rules")
    run = await run_suite(suite, settings, cases, [Variant()], concurrency=4)
    (report,) = summarize(suite, run)
    assert report.misses == ()
    assert set(report.figures["paths"]) == set(get_args(Route))
    assert all(one.counts["seconds"] > 0 and one.counts["own_ms"] > 0 for one in run.records)
    assert list(tmp_path.iterdir()) == []


def sorts_rightly(body: dict[str, Any]) -> Answer:
    """A model that knows small talk and definitions from look-ups, and else gives the first valid answer."""
    asked = body.get("response_format", {}).get("json_schema")
    if asked is None:
        return Answer("This is what was found.")
    answer = instance(asked["schema"])
    if schema_name(body) == "IntentClassification":
        said = json.dumps(body["messages"][-1])
        answer["intent"] = "DIRECT" if "hypertension" in said or "hello" in said else "TOOL_NEEDED"
    return Answer(json.dumps(answer))


async def test_without_shortcuts_a_turn_takes_all_the_calls_of_its_budget(tmp_path: Path) -> None:
    """So a budget is neither too wide to see a call too many, nor too narrow for the specification's own count."""
    ids = {"la-direct-01", "la-single-tool-01", "la-two-tools-04", "la-error-retry-01", "la-write-card-01"}
    cases = [one for one in Latency().load() if one.id in ids]
    async with ModelServer(sorts_rightly) as server:
        model = Settings(home=tmp_path, model="openai", model_url=server.url, model_name="first")
        variants = [Variant(), Variant(configuration="no_shortcuts")]
        run = await run_suite(Latency(), model, cases, variants)
    assert [one.differences for one in run.records if one.differences] == []
    full = [one for one in run.records if one.variant == "no_shortcuts"]
    assert [(one.id, one.llm_calls) for one in full] == [(one.id, one.counts["budget"]) for one in full]
    assert len(full) == len(ids)
    assert all(one.counts["model_ms"] > 0 and one.tokens.prompt > 0 for one in full)
