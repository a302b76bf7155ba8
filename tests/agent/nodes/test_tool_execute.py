"""Checking the arguments and calling the tool: what is refused before a call, and what every call is given."""

from __future__ import annotations

from typing import Any

import pytest

from docgemma.agent.arguments.sourced import Sourced
from docgemma.agent.nodes.tool_execute import tool_execute
from docgemma.agent.state import AttachedImage, State, ToolRun
from docgemma.clinical import ToolResult
from docgemma.entities.model import Entities
from docgemma.tools.registry import REGISTRY
from tests.agent.nodes.states import runtime
from tests.support import results as r


class Recorded:
    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any], float | None]] = []

    async def call(self, name: str, args: dict[str, Any], *, deadline_s: float | None = None) -> ToolResult:
        self.calls.append((name, args, deadline_s))
        return r.DOFETILIDE


def about(tool: str, missing: tuple[str, ...] = (), runs: tuple[ToolRun, ...] = (), **args: Any) -> State:
    return {
        "tool": REGISTRY[tool].name,
        "entities": Entities(),
        "args": {name: Sourced(value, "message") for name, value in args.items()},
        "missing": missing,
        "runs": runs,
        "steps": len(runs),
        "retries": 0,
    }


REFUSED = [
    ("too short", "search_medical_literature", {"query": "MI"}, ("query",)),
    ("a one-letter drug", "check_drug_safety", {"drug_name": "x"}, ("drug_name",)),
    ("one drug only", "check_drug_interactions", {"drug_names": ["warfarin"]}, ("drug_names",)),
    ("the same drug twice", "check_drug_interactions", {"drug_names": ["Warfarin", "warfarin "]}, ("drug_names",)),
    ("no patient", "get_patient_chart", {}, ("patient_id",)),
    ("a blank patient", "get_patient_chart", {"patient_id": "  "}, ("patient_id",)),
    ("no image", "analyze_medical_image", {"query": "any effusion?"}, ("image",)),
]


@pytest.mark.parametrize(("case", "tool", "args", "missing"), REFUSED, ids=[row[0] for row in REFUSED])
async def test_refuses_without_a_call(case: str, tool: str, args: dict[str, Any], missing: tuple[str, ...]) -> None:
    tools = Recorded()
    update = await tool_execute(about(tool, **args), runtime(tools=tools))
    result = update["runs"][-1].result
    assert (result.status, result.error_type, result.missing) == ("invalid", "missing_required_args", missing)
    assert tools.calls == []


async def test_what_selection_found_missing_is_not_called_either() -> None:
    tools = Recorded()
    state = about("check_drug_safety", missing=("drug_name",), drug_name="dofetilide")
    update = await tool_execute(state, runtime(tools=tools))
    assert update["runs"][-1].result.missing == ("drug_name",)
    assert tools.calls == []


async def test_a_call_has_ten_seconds() -> None:
    tools = Recorded()
    update = await tool_execute(about("check_drug_safety", drug_name="dofetilide"), runtime(tools=tools))
    assert tools.calls == [("check_drug_safety", {"drug_name": "dofetilide"}, 10.0)]
    assert update["runs"][-1].label == "Drug Safety Report"


async def test_a_look_at_an_image_has_a_models_time_and_takes_none_of_the_others() -> None:
    tools = Recorded()
    state = about("analyze_medical_image", query="any effusion?") | {
        "image": AttachedImage("img-1", ()),
        "request": "What do you see?",
        "runs": (ToolRun("search_patient", {"name": "John Smith"}, r.JOHN, ms=29_000),),
    }
    await tool_execute(state, runtime(tools=tools))
    looked = ToolRun("analyze_medical_image", {"query": "any effusion?"}, r.DOFETILIDE, ms=50_000)
    await tool_execute(about("check_drug_safety", runs=(looked,), drug_name="dofetilide"), runtime(tools=tools))
    assert [deadline for _, _, deadline in tools.calls] == [60.0, 10.0]


async def test_tools_have_thirty_seconds_together() -> None:
    tools = Recorded()
    slow = ToolRun("search_patient", {"name": "John Smith"}, r.JOHN, ms=24_000)
    await tool_execute(about("check_drug_safety", runs=(slow,), drug_name="dofetilide"), runtime(tools=tools))
    assert tools.calls[0][2] == pytest.approx(6.0)
    spent = ToolRun("search_patient", {"name": "John Smith"}, r.JOHN, ms=30_000)
    state = about("check_drug_safety", runs=(spent,), drug_name="dofetilide")
    update = await tool_execute(state, runtime(tools=tools))
    assert update["runs"][-1].result.error_type == "timeout"
    assert len(tools.calls) == 1


async def test_the_same_call_twice_is_a_loop_and_is_not_made() -> None:
    tools = Recorded()
    before = ToolRun("check_drug_safety", {"drug_name": "dofetilide"}, r.DOFETILIDE, "success_rich")
    state = about("check_drug_safety", runs=(before,), drug_name="dofetilide")
    update = await tool_execute(state, runtime(tools=tools))
    assert update["stuck"] is True
    assert tools.calls == []
