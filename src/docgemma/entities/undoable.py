"""Requests that no tool fulfils: stopping, changing or removing an entry, sending it, calling someone.

They are recognised so that the answer can say plainly that nothing was done. Without that, "stop metformin for
abc-123" would be answered with the chart and read as if it had been done.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from docgemma.entities.words import word_set

_ENDING = word_set("stop hold discontinue dc pause suspend withdraw taper wean resume continue")
_REMOVING = word_set("cancel remove delete undo revoke erase approve reject")
CHANGING = word_set("double increase decrease reduce halve raise titrate change adjust switch replace modify update")
_REACHING = word_set("call phone email e-mail fax notify")
_ARRANGING = word_set("schedule refer admit")
_BEGINNING = word_set("start initiate administer restart")

_ENTRIES = word_set(
    "order orders prescription prescriptions script scripts rx allergy allergies intolerance note notes entry entries "
    "appointment appointments referral referrals med meds medication medications medicine it that this them all"
)
_PERSON = word_set("her him his them their patient patient's pt")
_PHARMACIES = word_set("pharmacy pharmacies pharmacist drugstore chemist")
_NEW = frozenset({"prescription", "script", "rx", "order"})
_NOT_AN_ORDER = word_set("of set sets by in entry to as")
_NOUN_PHRASE = word_set("in of on parameters schedule schedules criteria time times rules guidance guidelines protocol")
"""Right after the word these make it a noun: "hold parameters", "change in creatinine"."""

_NOT_REACHED = word_set("it this that for")
_TALK = word_set("me us")


@dataclass(frozen=True, slots=True)
class Told:
    """An imperative: its verb, the words after it, and what was found among them."""

    verb: str
    rest: Sequence[str]
    medicine: bool
    amount: bool
    substance: bool
    someone: bool

    def about_patient(self) -> bool:
        return self.medicine or self.substance or self.someone or bool(_PERSON & {*self.rest})


def new_prescription(rest: Sequence[str]) -> bool:
    """Only when the user says so is a change a new order."""
    return any(word == "new" and rest[index + 1] in _NEW for index, word in enumerate(rest[:-1]))


def certainly(told: Told) -> str | None:
    """The verb of a request that is never a chart entry of ours, whatever else it names."""
    verb, rest = _plain(told)
    if rest[:1] and rest[0] in _NOUN_PHRASE:
        return None
    entries = bool(_ENTRIES & {*rest})
    if verb in _ENDING:
        return verb if told.about_patient() or entries else None
    if verb in _REMOVING:
        alone = verb == "undo" and not rest
        return verb if alone or (rest and (told.about_patient() or entries)) else None
    if verb in CHANGING and not new_prescription(rest):
        return verb if told.medicine and (verb != "update" or told.amount) else None
    if verb == "send" or verb == "fax":
        return verb if _PHARMACIES & {*rest} else None
    return None


def otherwise(told: Told) -> str | None:
    """The verb of a request that turned out to be no chart entry and that no look-up answers either."""
    verb, rest = _plain(told)
    if not rest:
        return None
    if verb in _REACHING:
        return verb if rest[0] not in _NOT_REACHED and not rest[0][0].isdigit() else None
    if verb == "send":
        return verb if not _TALK & {rest[0]} and (told.about_patient() or "to" in rest) else None
    if verb == "order":
        return verb if rest[0] not in _NOT_AN_ORDER and rest[0].isalnum() else None
    if verb in _ARRANGING or verb in _BEGINNING:
        return (
            verb if told.someone or bool(_PERSON & {*rest}) or (verb == "schedule" and rest[0] in {"a", "an"}) else None
        )
    return None


def _plain(told: Told) -> tuple[str, list[str]]:
    """Verb and rest with "d/c", "take … off" and "put … on hold" said in one word."""
    verb, rest = told.verb, [*told.rest]
    if verb == "d" and rest[:2] == ["/", "c"]:
        return "discontinue", rest[2:]
    if verb == "take" and "off" in rest[:3]:
        return "stop", rest
    if verb == "put" and ("on", "hold") in pairwise(rest):
        return "hold", rest
    return "discontinue" if verb == "dc" else verb, rest
