"""What code says in its own words: a question to the user, and an entry that waits for approval."""

from __future__ import annotations

from collections.abc import Sequence

from docgemma.agent.arguments.sourced import ArgumentSource
from docgemma.agent.progress import needs_left
from docgemma.agent.record import Approval, Clarification
from docgemma.agent.state import State, ToolRun
from docgemma.entities.model import Mention
from docgemma.orders.carding import check_lines, still_needed
from docgemma.tools.registry import REGISTRY
from docgemma.tools.results import Proposal

ELSEWHERE = "Please do it in your record system."
SAID: dict[ArgumentSource, str] = {
    "message": "this message",
    "earlier": "an earlier message",
    "pin": "the patient on screen",
    "pick": "a pick",
    "result": "a look-up",
    "model": "the model",
}
"""Where an argument comes from, as the record tells it. An entry's are never of the last two."""

WAITING = "Nothing is in the chart yet: this entry waits for your approval."


def asked(question: Clarification) -> str:
    """The question with its options numbered, word for word as they must reach the user."""
    lines = [f"{number}. {option.label}" for number, option in enumerate(question.options, 1)]
    return "\n".join([question.question, *lines])


def cannot(told: Sequence[Mention]) -> str:
    """An order that no tool carries out. Said plainly, so that nobody takes a chart or an answer for its receipt."""
    what = "; ".join(f"“{mention.text[:120].strip()}”" for mention in told)
    return f"Nothing was done about {what}: I can only prepare new prescriptions, allergies and notes. " + ELSEWHERE


def proposed(state: State) -> tuple[str, Approval] | None:
    """The card of this turn, under what else was looked up. One card a turn; the rest is named as still to do."""
    for run in state["runs"]:
        if isinstance(run.result, Proposal) and run.result.status == "proposed" and run.result.approval_id:
            return _text(state, run, run.result), _approval(state, run, run.result)
    return None


def _text(state: State, run: ToolRun, proposal: Proposal) -> str:
    reads = [
        f"[{other.label}]\n{other.result.text()}\n"
        for other in state["runs"]
        if other.result.status == "found" and other.tool != "search_patient"
    ]
    later = [
        f"Still to do after this: {REGISTRY[need.tool].label}{f' ({need.subject})' if need.subject else ''}."
        for need in needs_left(state)
        if REGISTRY[need.tool].writes
    ]
    needed = still_needed(proposal.checks)
    return "\n".join(
        [
            *reads,
            proposal.card or f"{run.label}: {proposal.message}",
            *check_lines(proposal.checks),
            " ".join([WAITING, *([needed] if needed else [])]),
            *later,
        ]
    )


def _approval(state: State, run: ToolRun, proposal: Proposal) -> Approval:
    return Approval(
        id=str(proposal.approval_id),
        tool=run.tool,
        args=proposal.order or dict(run.args),
        checks=tuple(item.model_dump() for item in proposal.checks),
        expires_at=proposal.expires_at,
        card=proposal.card,
        replaces=state.get("replaces", ""),
        sources={name: SAID[sourced.source] for name, sourced in state.get("args", {}).items() if name in run.args},
    )
