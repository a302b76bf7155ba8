"""Where a turn goes next: the router's rows of the specification."""

from __future__ import annotations

from docgemma.agent.nodes.error_handler import error_handler
from docgemma.agent.router import after_error, after_result
from docgemma.agent.state import ToolRun
from tests.agent.nodes.states import after, assembled, runtime
from tests.support import results as r


async def test_router_three_patient_matches_asks_the_user() -> None:
    state = after("search_patient", r.WILSONS, "success_rich", args={"name": "James Wilson"})
    chosen = after_result(state)
    assert (chosen.node, chosen.reason.split(":")[0]) == ("error_handler", "ask_user")
    asked = await error_handler(state, runtime())
    assert asked["action"] == "ask_user"
    assert asked["clarification"] is not None
    assert asked["clarification"].reason == "multiple_patient_matches"
    assert len(asked["clarification"].options) == 3
    assert after_error(state | asked).node == "synthesize"


async def test_router_step_count_4_goes_to_synthesize() -> None:
    state = await assembled("Find patient John Smith, check his chart, and verify metformin safety")
    run = ToolRun("check_drug_safety", {"drug_name": "warfarin"}, r.DOFETILIDE, "success_rich")
    unmet = state | {"runs": (run,), "steps": 3}
    assert after_result(unmet).node == "tool_select"
    assert after_result(unmet | {"steps": 4}).node == "synthesize"
