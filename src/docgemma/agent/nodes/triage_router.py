"""Sort the message into one of four ways: answer, look one thing up, think first, or take it apart."""

from __future__ import annotations

from docgemma.agent.asking import Live, Variables, decide, intent_update, is_continued, known_intent
from docgemma.agent.progress import parts_after_answer, start_parts
from docgemma.agent.queries import open_tools
from docgemma.agent.schemas import QUERY_LIMIT, Route, TriageDecision, narrowed
from docgemma.agent.state import State
from docgemma.clinical import By
from docgemma.tools.registry import REGISTRY

MAX_TOKENS = 128
WORDS: dict[Route, str] = {
    "direct": "can be answered directly",
    "lookup": "needs one look-up",
    "reasoning": "needs thinking first",
    "multi_step": "has several parts",
}


async def triage_router(state: State, runtime: Live) -> State:
    """One decision for the whole turn. The answer to an open question goes on by code, whatever a model would say."""
    known = known_intent(state, runtime)
    if known is not None and is_continued(state):
        return start_parts(parts_after_answer(state)) | _sorted("multi_step", known[1])
    if known is not None:
        return _sorted("direct" if known[0] == "DIRECT" else "lookup", known[1])
    schema, history = narrowed(TriageDecision, open_tools(state), "tool"), state.get("history", ())
    answer, by = await decide(state, runtime, "triage_router", schema, MAX_TOKENS, history=history)
    update = _sorted(answer.route, by=by) | {"query": answer.query or ""}
    if answer.route == "lookup" and answer.tool is not None:
        update["suggested_tool"] = REGISTRY[answer.tool].name
    return update


def rule(variables: Variables) -> TriageDecision:
    """Without a model: as many look-ups as the words of the request ask for; of a bare id the chart."""
    needs = variables["needs"]
    if len(needs) > 1:
        return TriageDecision(route="multi_step")
    if needs:
        return TriageDecision(route="lookup", tool=needs[0].tool, query=(needs[0].subject or "")[:QUERY_LIMIT])
    if variables["entities"].patient_ids and variables["entities"].doubtful:
        return TriageDecision(route="lookup", tool="get_patient_chart")
    return TriageDecision(route="direct")


def _sorted(route: Route, why: str = "", by: By = "code") -> State:
    taken = intent_update("triage_router", "DIRECT" if route == "direct" else "TOOL_NEEDED", why, by, WORDS[route])
    return taken | {"route": route}
