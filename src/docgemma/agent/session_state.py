"""What a turn gets from the store, and what it leaves: what the session then waits for, and whom it is about."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from docgemma.agent.consulting import is_consult
from docgemma.agent.paging import Searched
from docgemma.agent.record import Clarification, PendingCall, TurnRecord
from docgemma.agent.state import State
from docgemma.agent.understanding.card_changes import CARD, waits_for
from docgemma.agent.vision.choosing import NO_IMAGE, Chosen
from docgemma.agent.vision.seen import earlier_findings
from docgemma.clinical import Patient
from docgemma.entities.small_talk import is_small_talk
from docgemma.llm.contract import Message
from docgemma.store.rows import Session, Turn
from docgemma.tools.registry import REGISTRY
from docgemma.tools.results import PatientChart

HISTORY_CHARACTERS = 1_200
OF_ANOTHER = "(This was answered about another patient.)"


def pending_after(record: TurnRecord, state: State, pending: Clarification | None) -> Clarification | None:
    """What the session waits for from now on: an answer, or a word on the card."""
    if record.approvals and record.clarification is None:
        card = record.approvals[-1]
        return waits_for(PendingCall(message=state["request"], tool=card.tool, args=card.args, card=card.id))
    if record.clarification is None and pending is not None and pending.reason == CARD:
        return pending  # a question in between leaves the card standing, and what is said of it understood
    return record.clarification


def first_state(
    text: str,
    session: Session,
    pending: Clarification | None,
    turns: tuple[Turn, ...],
    images: Chosen = NO_IMAGE,
) -> State:
    """Fresh for every turn: of earlier turns only their text comes along, and of decisions not as the user's words.

    What was asked of the knowledge base was another conversation, often another reader's.
    """
    turns = tuple(turn for turn in turns if not is_consult(turn))
    here = session.patient
    said = ((turn.query[:HISTORY_CHARACTERS], _answered(turn, here)[:HISTORY_CHARACTERS]) for turn in turns)
    history = (message for query, answer in said for message in (Message("user", query), Message("assistant", answer)))
    return {
        "message": text,
        "history": tuple(history),
        "seen_before": earlier_findings(turn for turn in turns if not _is_others(turn, here)),
        "earlier": tuple(turn.query for turn in turns if turn.by == "agent" and not _was_note(turn)),
        "pending": pending,
        "pinned": here if here and here.confirmed else None,
        "bound": here if here and not here.confirmed else None,
        "recent": here if here and not here.confirmed else _recent(turns),
        "searched": _searched(turns),
        "image": images.image,
        "prior": images.prior,
        "image_note": images.note,
        "today": datetime.now(UTC).date(),
        "timeline": [],
        "notices": [],
        "errors": [],
    }


def _answered(turn: Turn, here: Patient | None) -> str:
    """What was answered, unless about somebody else: no model can then tell one patient's findings as another's."""
    return OF_ANOTHER if _is_others(turn, here) else str((turn.record or {}).get("response", ""))


def _is_others(turn: Turn, here: Patient | None) -> bool:
    about_whom = ((turn.record or {}).get("patient") or {}).get("id", "")
    return here is not None and about_whom not in ("", here.id)


def _was_note(turn: Turn) -> bool:
    """Whether the message was the text of a note, given when it was asked for: whom it speaks of is nobody's wish."""
    calls = (turn.record or {}).get("tool_calls", ())
    return any(call["args"].get("note_text") == turn.query.strip() for call in calls)


def patient_after(state: State, session: Session) -> Patient | None:
    """Whom the session is about from now on: whom the user gave or picked, else the one whose chart was opened."""
    here = state.get("picked") or session.patient
    if here is not None and here.confirmed:
        return here
    charts = [run.result for run in state["runs"] if isinstance(run.result, PatientChart) and run.result.patient_id]
    if len({chart.patient_id for chart in charts}) != 1:
        return here
    return Patient(id=charts[0].patient_id, banner=charts[0].banner, confirmed=False)


def _recent(turns: tuple[Turn, ...]) -> Patient | None:
    """Whom the conversation was last about. A search that did not settle on one person ends it."""
    for turn in reversed(turns):
        record = turn.record or {}
        if record.get("patient"):
            return Patient.model_validate(record["patient"])
        if any(REGISTRY[call["tool"]].patient for call in record.get("tool_calls", ())):
            return None
    return None


def _searched(turns: tuple[Turn, ...]) -> Searched | None:
    """The search that "more" would go on with: that of the turn before, or of the one before a word of thanks."""
    asked = [turn for turn in turns if turn.by == "agent"]
    while asked and not _look_ups(asked[-1]) and is_small_talk(asked[-1].query):
        asked.pop()
    calls = _look_ups(asked[-1]) if asked else ()
    args = calls[-1]["args"] if calls else {}
    if calls and calls[-1]["tool"] == "search_medical_literature" and args.get("query"):
        return Searched(asked[-1].query, args["query"], ended=calls[-1]["status"], kind="literature")
    if not calls or calls[-1]["tool"] != "find_clinical_trials" or not args.get("condition"):
        return None
    condition, status = args["condition"], args.get("status")
    return Searched(
        question=_without_entries(args.get("question") or _in_full(asked), asked[-1], condition, status),
        condition=condition,
        status=status,
        page=args.get("page", 1),
        ended=calls[-1]["status"],
    )


def _in_full(asked: list[Turn]) -> str:
    """The last request, also where its message only answered a question."""
    *before, last = asked
    waited = ((before[-1].record or {}).get("clarification") or {}).get("pending") if before else None
    return str(waited["message"]) if waited and waited["tool"] == "find_clinical_trials" else last.query


def _without_entries(request: str, turn: Turn, condition: str, status: str | None) -> str:
    """The search alone where the same message asked for something to be done: "more" repeats none of that."""
    wrote = any(REGISTRY[call["tool"]].writes for call in _look_ups(turn)) or (turn.record or {}).get("approvals")
    return f"Find {status or ''} trials for {condition}".replace("  ", " ") if wrote else request


def _look_ups(turn: Turn) -> Sequence[dict[str, Any]]:
    found: Sequence[dict[str, Any]] = (turn.record or {}).get("tool_calls", ())
    return found
