"""Sort the message: answer directly, or reach for a tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph.runtime import Runtime

from docgemma.agent.prompts import render
from docgemma.agent.schemas import IntentClassification
from docgemma.agent.shortcuts import used
from docgemma.agent.state import Services, State, patient_context, step
from docgemma.llm.contract import Prompt, current_usage

MAX_TOKENS = 256
LABEL = "Understanding the request"


async def intent_classify(state: State, runtime: Runtime[Services]) -> State:
    """One binary decision, and a summary that later serves as reasoning context."""
    if state.get("resumed") or state.get("picked"):
        return _by_code("TOOL_NEEDED", state["request"], "answered question: the request goes on")
    if state.get("clarification"):
        return _by_code("TOOL_NEEDED", state["request"], "the question to the user is still open")
    if state.get("said"):
        return _by_code("DIRECT", "", "the offer was declined")
    if "greeting" in runtime.context.shortcuts and state["entities"].small_talk:
        return _by_code("DIRECT", "", used("greeting"))
    if "understood" in runtime.context.shortcuts and state["entities"].sure:
        return _by_reader(state)
    answer = await runtime.context.llm.decide(intent_prompt(state), IntentClassification, max_tokens=MAX_TOKENS)
    return {
        "intent": answer.intent,
        "task_summary": answer.task_summary.strip(),
        "suggested_tool": answer.suggested_tool,
        "timeline": step("intent_classify", LABEL, _words(answer.intent), by=current_usage().answered_by),
    }


def intent_prompt(state: State) -> Prompt:
    """What the model is asked."""
    findings = state.get("image_findings")
    return render(
        "intent_classify",
        history=state.get("history", ()),
        message=state["request"],
        patient=patient_context(state),
        image_findings=findings.text() if findings else "",
        entities=state["entities"],
        needs=state["needs"],
    )


def rule(variables: Mapping[str, Any]) -> IntentClassification:
    """Without a model: a tool is needed when a task pattern says so, or a patient or an order is named."""
    needs, entities = variables["needs"], variables["entities"]
    tool = needs[0].tool if needs else None
    if tool is None and entities.patient_ids and entities.doubtful:
        tool = "get_patient_chart"
    return IntentClassification(
        intent="TOOL_NEEDED" if tool else "DIRECT",
        task_summary=str(variables["message"])[:400],
        suggested_tool=tool,
    )


def _by_reader(state: State) -> State:
    """What the reader is sure of needs no model: a look-up or an entry is asked for, or nothing is."""
    wanted = state["needs"]
    chosen = _by_code("TOOL_NEEDED" if wanted else "DIRECT", state["request"][:400], used("understood"))
    chosen["suggested_tool"] = wanted[0].tool if wanted else None
    return chosen


def _by_code(intent: str, summary: str, why: str) -> State:
    chosen: State = {
        "task_summary": summary,
        "suggested_tool": None,
        "timeline": step("intent_classify", LABEL, f"{_words(intent)} ({why})"),
    }
    chosen["intent"] = "DIRECT" if intent == "DIRECT" else "TOOL_NEEDED"
    return chosen


def _words(intent: str) -> str:
    return "can be answered directly" if intent == "DIRECT" else "needs a look-up"
