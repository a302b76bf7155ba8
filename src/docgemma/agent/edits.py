"""What a message says about the card that waits: a change makes a new card; a "yes" is no approval.

Only the approve action decides. A message that says neither leaves the card standing and is a request of its own.
"""

from __future__ import annotations

import re

from docgemma.agent.arguments.sourced import Sourced
from docgemma.agent.pending import corrections, own_words
from docgemma.agent.record import Clarification, PendingCall
from docgemma.agent.state import State, step
from docgemma.entities import extract
from docgemma.entities.writes.corrected import without_denied
from docgemma.tools.registry import REGISTRY

CARD = "approval"
"""The reason of what a session waits for after a card."""

_AGREES = re.compile(
    r"\W*(?:(?:yes|yep|yeah|yup|ok(?:ay)?|sure|fine|right|correct|approved?|agreed?|confirm(?:ed)?|accept(?:ed)?|sign(?:ed)?"
    r"|submit|send|save|proceed|go\s(?:ahead|on)|do|write|order|prescribe|looks\s(?:good|right|fine)|good|great|perfect"
    r"|it|that|this|please|pls|now|all\sgood|that's\s(?:right|it|fine|correct)|thanks|thank\syou|the\s(?:card|order|entry))\W*)+",
    re.IGNORECASE,
)
_DECIDES = re.compile(
    r"\b(?:yes|yep|yeah|yup|ok(?:ay)?|sure|approve|agree|confirm|accept|sign|submit|send|save|proceed|go\s(?:ahead|on)"
    r"|do\sit|write\sit|looks|perfect|correct|right|good|fine)",
    re.IGNORECASE,
)
_DECLINES = re.compile(
    r"\W*(?:(?:no|nope|nah|please|actually|wait|sorry|oh)\W+)*"
    r"(?:no|nope|nah|cancel|reject|decline|discard|scrap|drop|forget|withdraw|delete|remove|stop|never\s?mind|nvm"
    r"|do\s?n[o']?t(?:\s(?:do|send|write|save|order|approve))?)"
    r"(?:\s(?:it|that|this|the\s(?:card|order|entry|prescription|allergy|note)|about\sit|please))*\W*",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"^\W*(?:no|sorry|oops|actually|wait|wrong|correction|not)\b"
    r"|\b(?:make|change|amend|correct|edit|set|switch|increase|decrease|reduce|raise|lower|update)\s"
    r"(?:it|that|this|the\s(?:dose|dosage|strength|frequency|reaction|severity|drug|medication|substance|route|order|entry|card|note|type))\b"
    r"|\b(?:should\s(?:be|say|read)|instead|rather\sthan|(?:i|we)\s(?:meant?|wanted))\b",
    re.IGNORECASE,
)


def is_about_card(state: State) -> bool:
    """Whether a card waits, and no question."""
    pending = state.get("pending")
    return pending is not None and pending.reason == CARD


def answer_card(state: State) -> State:
    """The message as a word on the card that waits. Empty when it is about something else."""
    pending = state.get("pending")
    if pending is None or pending.pending is None:
        return {}
    call, message = pending.pending, state["message"]
    if _AGREES.fullmatch(message) and _DECIDES.search(message):
        return _told(f"Only the approve action counts, so nothing was written. {how_to_decide(call.card)}")
    if _DECLINES.fullmatch(message):
        return _told(f"The entry still waits; nothing was written. {how_to_decide(call.card)}")
    return _changed(call, message) if _CHANGES.search(message) and "?" not in message else {}


def how_to_decide(card: str) -> str:
    return f"To approve: /approve {card} in this chat, or `docgemma approve {card}`. To reject: /reject {card}."


def waits_for(call: PendingCall) -> Clarification:
    """What the session keeps of a card, so that "make it 850 mg" is understood."""
    return Clarification(reason=CARD, question="", pending=call)


def _changed(call: PendingCall, message: str) -> State:
    heard = without_denied(message, extract(message))
    given = own_words(message, corrections(call, message, heard))
    if not given:
        return {}
    kept = {name: Sourced(value, "earlier") for name, value in call.args.items()}
    said = {name: Sourced(mention.value, "message", (mention.start, mention.end)) for name, mention in given.items()}
    detail = ", ".join(given).replace("_", " ")
    return {
        "request": call.message,
        "resumed": (REGISTRY[call.tool].name, kept | said),
        "replaces": call.card,
        "runs": (),
        "timeline": step("input_assembly", "A change to the entry that waits", detail, by="person"),
    }


def _told(text: str) -> State:
    return {
        "said": text,
        "timeline": step("input_assembly", "About the entry that waits", "no decision by words", by="person"),
    }
