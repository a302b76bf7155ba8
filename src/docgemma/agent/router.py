"""Where to go next: pure functions, never a model. Each decision carries its reason for the timeline."""

from __future__ import annotations

from dataclasses import dataclass

from docgemma.agent.patients import finds_another
from docgemma.agent.progress import needs_left, needs_person
from docgemma.agent.state import MAX_STEPS, State
from docgemma.agent.vision.seen import is_specific


@dataclass(frozen=True, slots=True)
class Next:
    """A node of the graph that runs, and why it comes next."""

    node: str
    reason: str


def known_end(state: State) -> Next | None:
    """What code knows to say whatever a model would do: a question still open, an offer declined, nothing to do."""
    if state.get("clarification"):
        return Next("synthesize", "the question to the user is still open")
    if state.get("said"):
        return Next("synthesize", "the user wants none of what was offered")
    if state["runs"] and not state["needs"] and not state.get("resumed"):
        return Next("synthesize", "the pick answered the request")
    if (state["entities"].undoable or state["entities"].withheld) and not state["needs"]:
        return Next("synthesize", "no tool does what was asked")
    if state.get("image") is not None and not state["needs"] and not is_specific(state["request"]):
        return Next("synthesize", "the image was looked at when it came, and nothing else is asked")
    return None


def after_intent(state: State) -> Next:
    """A pattern that needs a look-up outweighs a model that would answer from memory."""
    known = known_end(state)
    if known is not None:
        return known
    if state["intent"] == "TOOL_NEEDED":
        return Next("tool_select", "a look-up is needed")
    if state["needs"]:
        return Next("tool_select", "the words of the request ask for a look-up")
    return Next("synthesize", "no look-up is needed")


def after_result(state: State) -> Next:
    """Questions only a person can answer first, then a card, then errors, then whether the request is covered."""
    if state.get("stuck"):
        return Next("synthesize", "the same look-up was about to be repeated")
    run = state["runs"][-1]
    if needs_person(run):
        return Next("error_handler", "ask_user: more than one patient fits, or none exactly")
    if finds_another(state, run):
        return Next("error_handler", "ask_user: the session is about somebody else")
    if run.result.status == "proposed" and not needs_left(state):
        return Next("synthesize", "an entry waits for approval")
    if run.quality in ("error_retryable", "error_fatal"):
        return Next("error_handler", "the look-up did not succeed")
    return _onward(state)


def after_error(state: State) -> Next:
    """A retry goes back to the tool; a skipped look-up does not stop the others."""
    match state.get("action"):
        case "ask_user":
            return Next("synthesize", "a question to the user comes first")
        case "retry_same" | "retry_different_args":
            return Next("tool_select", "one more try")
        case _:
            return _onward(state)


def _onward(state: State) -> Next:
    if not needs_left(state):
        skipped = any(run.skipped for run in state["runs"])
        return Next("synthesize", "nothing else can be looked up" if skipped else "everything asked for was looked up")
    if state["steps"] >= MAX_STEPS:
        return Next("synthesize", f"the limit of {MAX_STEPS} look-ups was reached")
    return Next("tool_select", "the request asks for more")
