"""Sorting a message into four ways, by the rule and by a scripted model."""

from __future__ import annotations

from typing import get_args

import pytest

from docgemma.agent.graphs.triage import after_triage
from docgemma.agent.nodes.triage_router import triage_router
from docgemma.agent.schemas import Route
from docgemma.llm.scripted import ScriptedModel
from docgemma.tools.registry import REGISTRY
from tests.agent.nodes.states import assembled, runtime

WRITES = {name for name, tool in REGISTRY.items() if tool.writes}

ROUTES = [
    ("Hello", "direct", None, "synthesize"),
    ("What is hypertension?", "direct", None, "synthesize"),
    ("Check FDA warnings for dofetilide", "lookup", "check_drug_safety", "fast_path"),
    ("Show me the chart of abc-123", "lookup", "get_patient_chart", "fast_path"),
    ("Find patient John Smith and check his chart", "multi_step", None, "decompose_intent"),
    ("Check FDA warnings for dofetilide and amiodarone", "multi_step", None, "decompose_intent"),
]


@pytest.mark.parametrize(("message", "route", "tool", "node"), ROUTES)
async def test_triage_router(message: str, route: str, tool: str | None, node: str) -> None:
    state = await assembled(message)
    by_rule = await triage_router(state, runtime())
    assert (by_rule["route"], by_rule["suggested_tool"]) == (route, tool)
    model = ScriptedModel({"route": route, "tool": tool, "query": "as said"})
    by_model = await triage_router(state, runtime(model))
    assert (by_model["route"], by_model["suggested_tool"], by_model["query"]) == (route, tool, "as said")
    assert after_triage(state | by_model).node == node
    assert message in model.prompts[0].messages[-1].text


async def test_triage_router_sends_a_case_to_think_about_it() -> None:
    state = await assembled("Best antihypertensive in stage 3 kidney disease?")
    thinks = await triage_router(state, runtime(ScriptedModel({"route": "reasoning"})))
    assert after_triage(state | thinks).node == "thinking"


async def test_triage_router_shows_all_tools_and_opens_no_entry_that_was_not_asked_for() -> None:
    model = ScriptedModel({"route": "direct"})
    await triage_router(await assembled("Should I prescribe warfarin to mgr-204?"), runtime(model))
    shown = model.prompts[0].messages[0].text
    assert all(tool.description in shown for tool in REGISTRY.values())
    schema = model.calls[0].schema
    assert schema is not None
    open_names = {name for part in get_args(schema.model_fields["tool"].annotation) for name in get_args(part)}
    assert open_names
    assert not WRITES & open_names


async def test_a_plain_greeting_asks_no_model_where_shortcuts_are_on() -> None:
    sorted_ = await triage_router(await assembled("Hello"), runtime(ScriptedModel(), shortcuts=True))
    assert (sorted_["route"], sorted_["timeline"][-1].by) == ("direct", "code")


def test_every_route_leads_somewhere() -> None:
    known = {row[1] for row in ROUTES} | {"reasoning"}
    assert known == set(get_args(Route))
