"""How a node asks the model: its prompt, with what any prompt may show of the turn, and who answered in the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from langgraph.runtime import Runtime

from docgemma.agent.prompts import render
from docgemma.agent.shortcuts import shortcut_reason
from docgemma.agent.state import Services, State, patient_context, step
from docgemma.clinical import By, TimelineStep
from docgemma.llm.contract import Prompt, T, current_usage
from docgemma.llm.prompting import Trusted
from docgemma.tools.registry import TOOLS

Live = Runtime[Services]
"""What a node gets beside the state: model, tools, record system, under `context`."""

Variables = Mapping[str, Any]
"""What a prompt shows, as the node's rule gets it: without a model it answers in its place."""

Intent = Literal["DIRECT", "TOOL_NEEDED"]

THOUGHT_TOKENS = 1024
THOUGHT_TEMPERATURE = 0.5
LONGEST_THOUGHT = 4_000
"""Characters of it that are kept: about a thousand tokens, whatever a server makes of the limit."""

TOOL_LIST = Trusted("\n".join(tool.line() for tool in TOOLS))
"""All ten, as a prompt shows them: the list never varies, so that a server can keep it in its cache."""


def prompt_of(state: State, name: str, **own: Any) -> Prompt:
    """The prompt of this name. `own`: what it shows besides, or in another form."""
    findings = state.get("image_findings")
    shared: dict[str, Any] = {
        "message": state["request"],
        "patient": patient_context(state),
        "image_findings": findings.text() if findings else "",
        "tool_list": TOOL_LIST,
        "reasoning": state.get("reasoning", ""),
        "entities": state.get("entities"),
        "needs": state.get("needs", ()),
    }
    return render(name, **(shared | own))


async def ask_model(runtime: Live, prompt: Prompt, schema: type[T], max_tokens: int) -> tuple[T, By]:
    """What the model, or the node's rule in its place, answers, and which of the two it was."""
    answer = await runtime.context.llm.decide(prompt, schema, max_tokens=max_tokens)
    return answer, current_usage().answered_by


async def decide(state: State, runtime: Live, name: str, schema: type[T], max_tokens: int, **own: Any) -> tuple[T, By]:
    """The same for the prompt of this name. `own`: what it shows besides."""
    return await ask_model(runtime, prompt_of(state, name, **own), schema, max_tokens)


async def write_thoughts(
    state: State, runtime: Live, name: str, label: str, **own: Any
) -> tuple[str, list[TimelineStep]]:
    """What the model writes to itself: context for later nodes, shown to nobody, for nothing in it was checked."""
    prompt = prompt_of(state, name, **own)
    written = runtime.context.llm.write(prompt, temperature=THOUGHT_TEMPERATURE, max_tokens=THOUGHT_TOKENS)
    text = "".join([piece async for piece in written]).strip()[:LONGEST_THOUGHT]
    return text, thoughts_step(name, label, text)


def thoughts_step(node: str, label: str, text: str) -> list[TimelineStep]:
    """How much was thought, by number only: the timeline repeats nothing that no source supports."""
    told = f"{len(text.split())} words" if text else "nothing was written"
    return step(node, label, told, by=current_usage().answered_by)


def results_so_far(state: State) -> list[dict[str, str]]:
    """What later nodes are told of earlier look-ups; one that failed says nothing."""
    return [{"label": run.label, "text": run.result.text()} for run in state["runs"] if not run.failed]


# ----------
# The first question of every graph: what kind of message it is.


def is_continued(state: State) -> bool:
    """The message answered a question, and the request behind it goes on."""
    return bool(state.get("resumed") or state.get("picked"))


def known_intent(state: State, runtime: Live) -> tuple[Intent, str] | None:
    """What kind of message it is where code knows, and why. Then no model is asked."""
    if is_continued(state):
        return "TOOL_NEEDED", "answered question: the request goes on"
    if state.get("clarification"):
        return "TOOL_NEEDED", "the question to the user is still open"
    if state.get("said"):
        return "DIRECT", "the offer was declined"
    if "greeting" in runtime.context.shortcuts and state["entities"].small_talk:
        return "DIRECT", shortcut_reason("greeting")
    return None


def intent_update(node: str, intent: Intent, why: str = "", by: By = "code", words: str = "") -> State:
    """How the message was taken, for the record and the timeline."""
    words = words or ("can be answered directly" if intent == "DIRECT" else "needs a look-up")
    told = step(node, "Understanding the request", f"{words} ({why})" if why else words, by=by)
    return {"intent": intent, "suggested_tool": None, "timeline": told}


def fixed_prompts() -> tuple[Prompt, ...]:
    """The first question of a turn comes last: what was read last is the nearest at hand."""
    nothing: dict[str, Any] = {"message": "", "patient": "", "image_findings": "", "results": ()}
    answer = nothing | {"task_summary": "", "errors": ()}
    return (
        render("synthesize", brief=False, **answer),
        render("synthesize", brief=True, **answer),
        render("tool_select", tool_list=TOOL_LIST, example_query=Trusted(""), example_tool=Trusted(""), **nothing),
        render("intent_classify", **nothing),
    )
