"""How often a model is asked, counted where it counts: at the server."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from docgemma.agent.record import TurnRecord
from docgemma.agent.shortcuts import ALL
from docgemma.fetch.door import Door
from docgemma.llm.openai import OpenAiModel
from docgemma.tools.results import DrugSafetyReport
from docgemma.tools.scripted import ScriptedTools
from tests.support import results as r
from tests.support.model_server import Answer, ModelServer, instance, schema_name
from tests.support.turns import Stage, stage

NOTHING = DrugSafetyReport(status="none", origin="live", drug="warfarin")
INTENTS = {"What is hypertension?": "DIRECT", "Hello": "DIRECT"}


def clinician(body: dict[str, Any]) -> Answer:
    """A sensible model: sorts rightly, otherwise the first valid answer."""
    asked = body.get("response_format", {}).get("json_schema")
    if asked is None:
        return Answer("This is what was found.")
    answer = instance(asked["schema"])
    if schema_name(body) == "IntentClassification":
        prompt = json.dumps(body["messages"])
        answer["intent"] = "DIRECT" if any(text in prompt for text in INTENTS) else "TOOL_NEEDED"
    if "drug_name" in answer:
        answer["drug_name"] = "dofetilide"
    return Answer(json.dumps(answer))


def tools() -> ScriptedTools:
    return ScriptedTools(
        {
            "check_drug_safety": lambda args: (
                r.safety(args["drug_name"], "A boxed warning.") if args["drug_name"] != "warfarin" else NOTHING
            ),
            "check_drug_interactions": lambda _: r.INTERACTIONS,
            "search_patient": lambda _: r.JOHN,
            "get_patient_chart": lambda _: r.chart("abc-123", "John Smith, born 1958-09-30"),
        }
    )


@asynccontextmanager
async def counted(folder: Path, *, shortcuts: bool) -> AsyncIterator[tuple[Stage, ModelServer]]:
    async with ModelServer(clinician) as server, Door() as door:
        model = OpenAiModel(door, server.url, "medgemma", facts=Facts())
        async with stage(folder, model, tools(), shortcuts=shortcuts) as on:
            yield on, server


class Facts:
    """Constrained decoding was proven before: the self-test is not part of a turn."""

    async def get_fact(self, key: str) -> dict[str, Any] | None:
        return {"constrained": True}

    async def put_fact(self, key: str, value: dict[str, Any], ttl_seconds: float) -> None:
        raise AssertionError("nothing to prove")


async def ask(on: Stage, server: ModelServer, message: str) -> tuple[TurnRecord, int]:
    before = len(server.requests)
    record = await on.ask(message)
    asked = len(server.requests) - before
    assert record.llm_calls == asked, "the record says what the server saw"
    return record, asked


@pytest.mark.parametrize(
    ("shortcuts", "message", "calls"),
    [
        (False, "What is hypertension?", 2),
        (False, "Check FDA warnings for dofetilide", 5),
        (False, "Check FDA warnings for warfarin", 5),
        (True, "Hello", 1),
        (True, "What is hypertension?", 1),
        (True, "Check FDA warnings for dofetilide", 1),
        (True, "Check interactions between warfarin and aspirin", 1),
        (True, "Show me the chart of abc-123", 1),
    ],
)
async def test_calls_a_turn(shortcuts: bool, message: str, calls: int, tmp_path: Path) -> None:
    async with counted(tmp_path, shortcuts=shortcuts) as (on, server):
        record, asked = await ask(on, server, message)
    assert asked == calls
    assert record.tokens.prompt > 0


async def test_each_further_tool_takes_at_most_one_more_call(tmp_path: Path) -> None:
    messages = [
        "Find patient John Smith and check his chart",
        "Find patient John Smith, check his chart, and verify metformin safety",
        "Check FDA warnings for dofetilide and amiodarone",
    ]
    extra_calls = extra_tools = 0
    async with counted(tmp_path, shortcuts=True) as (on, server):
        for message in messages:
            record, asked = await ask(on, server, message)
            assert len(record.tool_calls) > 1
            extra_tools += len(record.tool_calls) - 1
            extra_calls += asked - 2
    assert extra_calls <= extra_tools


async def test_every_shortcut_is_named_in_the_timeline(tmp_path: Path) -> None:
    async with counted(tmp_path, shortcuts=True) as (on, server):
        greeting, _ = await ask(on, server, "Hello")
        look_up, _ = await ask(on, server, "Check FDA warnings for dofetilide")
        none, _ = await ask(on, server, "Check FDA warnings for warfarin")
    by_code = " ".join(
        step.detail for record in (greeting, look_up, none) for step in record.timeline if step.by == "code"
    )
    assert all(f"({name}: " in by_code for name in ALL)
