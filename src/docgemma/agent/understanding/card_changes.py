"""A message about the entry that waits: a change makes a new card, a "yes" approves nothing, others leave it alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from docgemma.agent.arguments.sourced import Sourced
from docgemma.agent.questions import ask_for_fields
from docgemma.agent.record import Clarification, PendingCall
from docgemma.agent.state import State, step
from docgemma.agent.understanding.answer_fields import (
    SURE_CHANGE,
    Heard,
    details,
    given_fields,
    names_more,
    only,
    same,
)
from docgemma.entities.model import Entities, Mention
from docgemma.tools.registry import REGISTRY

CARD = "approval"
"""The reason of what a session waits for after a card."""

NOT_CHANGED = (
    "What to change was not understood, so the entry still waits as it is. "
    "Name the field and its new value, for example: change the dose to 20 mg."
)
NOT_DECIDED = "Only the approve action counts, so nothing was written and the entry still waits as it is."
_AMOUNTS = ("dosage", "frequency")
_WHOLE = {"add_allergy": {"substance", "reaction"}, "save_clinical_note": {"note_type", "note_text"}}


def about_card(call: PendingCall, heard: Heard) -> State:
    """A change makes a new card; a "yes" is no approval; anything else leaves the card standing."""
    if heard.relation == "cancels":
        return _told(f"The entry still waits; nothing was written. {how_to_decide(call.card)}")
    given = given_fields(call, heard, tuple(call.args)) | details(call, heard)
    if not heard.answers or _is_another_entry(call, heard, given):
        return {}
    if (other := _another_patient(call, heard.entities)) is not None:
        given["patient_id"] = other
    changed = {name: said for name, said in given.items() if not same(name, said, str(call.args.get(name, "")))}
    if "medication_name" in changed:
        return _another_drug(call, given)
    if not changed:
        unread = given or names_more(heard.entities)
        told = NOT_CHANGED if unread else NOT_DECIDED
        return _told(f"{told} {how_to_decide(call.card)}")
    kept = {name: Sourced(value, "earlier") for name, value in call.args.items()}
    said = {name: sourced(mention.value, mention) for name, mention in changed.items()}
    return {
        "request": call.message,
        "resumed": (REGISTRY[call.tool].name, kept | said),
        "replaces": call.card,
        "runs": (),
        "heard": heard.entities,
        "timeline": step("input_assembly", "A change to the entry that waits", words_of(changed), by="person"),
    }


def as_change(heard: Heard) -> Heard:
    """A change of medicine that answers a card is a change of that card. It has to be surer than an answer."""
    heard = replace(heard, least=SURE_CHANGE)
    others = [one for one in heard.entities.undoable if one.value != "change_medication"]
    if heard.relation != "answers" or others:
        return heard
    return replace(heard, entities=replace(heard.entities, undoable=()))


def _is_another_entry(call: PendingCall, heard: Heard, given: Mapping[str, Mention]) -> bool:
    """An allergy or a note that is told whole leaves nothing of the one that waits, and never takes its place."""
    whole = _WHOLE.get(call.tool)
    return heard.relation == "answers" and (
        bool(heard.entities.writes) or (whole is not None and whole <= given.keys())
    )


def _another_patient(call: PendingCall, found: Entities) -> Mention | None:
    """The id in the message that is not the card's: "for rst-222, not rst-111"."""
    known = (str(call.args.get("patient_id")).casefold(), call.card.casefold())  # "approve 7xkn…" names the card
    return only([one for one in found.patient_ids if one.value.casefold() not in known])


def _another_drug(call: PendingCall, given: Mapping[str, Mention]) -> State:
    """The amounts before were said of the other drug: none of them is carried over."""
    said = {name: mention.value for name, mention in given.items()}
    kept = {name: value for name, value in call.args.items() if name not in _AMOUNTS}
    missing = tuple(name for name in _AMOUNTS if name not in said)
    asked = PendingCall(message=call.message, tool=call.tool, args=kept | said, missing=missing, card=call.card)
    timeline = step("input_assembly", "A change to the entry that waits", "another drug", by="person")
    if missing:
        return {"clarification": ask_for_fields(asked), "timeline": timeline}
    args = {
        name: sourced(value, given[name]) if name in given else Sourced(value, "earlier")
        for name, value in asked.args.items()
    }
    resumed = (REGISTRY[call.tool].name, args)
    return {"request": call.message, "resumed": resumed, "replaces": call.card, "runs": (), "timeline": timeline}


def _told(text: str) -> State:
    return {
        "said": text,
        "timeline": step("input_assembly", "About the entry that waits", "no decision by words", by="person"),
    }


def how_to_decide(card: str) -> str:
    """For every door: the words of a message decide nothing in any of them."""
    return (
        "Decide on the card itself: with its buttons on the page, or in the terminal with "
        f"/approve {card} or /reject {card}, or `docgemma approve {card}`."
    )


def waits_for(call: PendingCall) -> Clarification:
    """What the session keeps of a card, so that "make it 850 mg" is understood."""
    return Clarification(reason=CARD, question="", pending=call)


def sourced(value: str | list[str], mention: Mention) -> Sourced:
    return Sourced(value, "message", (mention.start, mention.end))


def words_of(names: Sequence[str] | Mapping[str, Any]) -> str:
    return ", ".join(names).replace("_", " ")
