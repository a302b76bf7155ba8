"""Sort the message into one of four ways: answer, look one thing up, think first, or take it apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph.runtime import Runtime

from docgemma.agent.plans import QUERY_LIMIT, Route, TriageDecision, triage_decision
from docgemma.agent.prompts import render
from docgemma.agent.queries import TOOL_LIST, open_tools
from docgemma.agent.shortcuts import used
from docgemma.agent.state import Services, State, patient_context, step
from docgemma.agent.subtasks import after_answer, begun
from docgemma.llm.contract import current_usage
from docgemma.tools.registry import REGISTRY

MAX_TOKENS = 128
LABEL = "Understanding the request"
WORDS: dict[Route, str] = {
    "direct": "can be answered directly",
    "lookup": "needs one look-up",
    "reasoning": "needs thinking first",
    "multi_step": "has several parts",
}


async def triage_router(state: State, runtime: Runtime[Services]) -> State:
    """One decision for the whole turn. The answer to an open question goes on by code, whatever a model would say."""
    if state.get("resumed") or state.get("picked"):
        return begun(after_answer(state)) | _by_code("multi_step", "answered question: the request goes on")
    if state.get("clarification"):
        return _by_code("lookup", "the question to the user is still open")
    if state.get("said"):
        return _by_code("direct", "the offer was declined")
    if "greeting" in runtime.context.shortcuts and state["entities"].small_talk:
        return _by_code("direct", used("greeting"))
    findings = state.get("image_findings")
    prompt = render(
        "triage_router",
        history=state.get("history", ()),
        message=state["request"],
        patient=patient_context(state),
        image_findings=findings.text() if findings else "",
        tool_list=TOOL_LIST,
        entities=state["entities"],
        needs=state["needs"],
    )
    answer = await runtime.context.llm.decide(prompt, triage_decision(open_tools(state)), max_tokens=MAX_TOKENS)
    update: State = {
        "route": answer.route,
        "query": answer.query or "",
        "intent": "DIRECT" if answer.route == "direct" else "TOOL_NEEDED",
        "suggested_tool": None,
        "timeline": step("triage_router", LABEL, WORDS[answer.route], by=current_usage().answered_by),
    }
    if answer.route == "lookup" and answer.tool is not None:
        update["suggested_tool"] = REGISTRY[answer.tool].name
    return update


def rule(variables: Mapping[str, Any]) -> TriageDecision:
    """Without a model: as many look-ups as the words of the request ask for; of a bare id the chart."""
    needs = variables["needs"]
    if len(needs) > 1:
        return TriageDecision(route="multi_step")
    if needs:
        return TriageDecision(route="lookup", tool=needs[0].tool, query=(needs[0].subject or "")[:QUERY_LIMIT])
    if variables["entities"].patient_ids and variables["entities"].doubtful:
        return TriageDecision(route="lookup", tool="get_patient_chart")
    return TriageDecision(route="direct")


def _by_code(route: Route, why: str) -> State:
    chosen: State = {
        "route": route,
        "suggested_tool": None,
        "timeline": step("triage_router", LABEL, f"{WORDS[route]} ({why})"),
    }
    chosen["intent"] = "DIRECT" if route == "direct" else "TOOL_NEEDED"
    return chosen
