"""Sort the message: answer directly, or reach for a tool."""

from __future__ import annotations

from docgemma.agent.asking import Intent, Live, Variables, ask_model, intent_update, known_intent, prompt_of
from docgemma.agent.schemas import IntentClassification
from docgemma.agent.shortcuts import shortcut_reason
from docgemma.agent.state import State
from docgemma.clinical import By
from docgemma.llm.contract import Prompt

MAX_TOKENS = 256


async def intent_classify(state: State, runtime: Live) -> State:
    """One binary decision, and a summary that later serves as reasoning context."""
    known = known_intent(state, runtime)
    if known is not None:
        intent, why = known
        return _sorted(intent, state["request"] if intent == "TOOL_NEEDED" else "", why)
    if "understood" in runtime.context.shortcuts and state["entities"].sure:
        return _by_reader(state)
    answer, by = await ask_model(runtime, intent_prompt(state), IntentClassification, MAX_TOKENS)
    update = _sorted(answer.intent, answer.task_summary.strip(), by=by)
    return update | {"suggested_tool": answer.suggested_tool}


def intent_prompt(state: State) -> Prompt:
    """What the model is asked."""
    return prompt_of(state, "intent_classify", history=state.get("history", ()))


def rule(variables: Variables) -> IntentClassification:
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
    update = _sorted("TOOL_NEEDED" if wanted else "DIRECT", state["request"][:400], shortcut_reason("understood"))
    return update | {"suggested_tool": wanted[0].tool if wanted else None}


def _sorted(intent: Intent, summary: str, why: str = "", by: By = "code") -> State:
    return intent_update("intent_classify", intent, why, by) | {"task_summary": summary}
