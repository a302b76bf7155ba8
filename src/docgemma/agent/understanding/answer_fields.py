"""The fields that an answer gives, from the words that were marked in it: what was missing, and what it corrects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from docgemma.agent.arguments.sourced import unquoted
from docgemma.agent.record import PendingCall
from docgemma.entities.drugs.names import drugs_in, same_drug
from docgemma.entities.fields import NOTES_LIMIT, join_details, join_frequencies, only_dose
from docgemma.entities.model import Entities, Mention
from docgemma.entities.small_talk import is_small_talk
from docgemma.orders.details import read_details
from docgemma.orders.unclear import Unclear
from docgemma.reader.labels import Relation
from docgemma.tools.registry import REGISTRY

_FREE_TEXT = {"reaction": 80, "note_text": 20_000, "condition": 120, "query": 200, "note_type": 40}
"""What may be the whole of an answer, in letters at most."""
_AROUND, _SHARE = 10, 0.2
"""So many words around a free text, and so small its share of them all, and it was said in passing."""

_SIGNS = 4
"""Words of a reaction that stands alone and was not marked."""

SURE_ANSWER, SURE_CHANGE = 0.7, 0.92
"""Below these a message answers nothing, and changes no card: what waits is asked again, stays, or is set aside."""
_AMOUNTS = ("dosage", "frequency")


@dataclass(frozen=True, slots=True)
class Heard:
    """The message as it was read with the open question beside it."""

    text: str
    entities: Entities
    relation: Relation | None
    probability: float = 1.0
    least: float = SURE_ANSWER

    @property
    def answers(self) -> bool:
        """Surely an answer. An emergency is none, nor is what asks for something and is said to answer only."""
        own = bool(self.entities.asks or self.entities.writes or self.entities.undoable)
        if self.entities.urgent or self.probability < self.least:
            return False
        return self.relation == "both" or (self.relation == "answers" and not own)


def given_fields(call: PendingCall, heard: Heard, wanted: Sequence[str]) -> dict[str, Mention]:
    """The wanted fields that the message gives, from its spans; free text from the whole of a short answer."""
    found = heard.entities
    asked = {one.start for ask in found.asks for one in (*ask.drugs, *((ask.topic,) if ask.topic else ()))}
    several = [one for one in (*found.drugs, *found.unlisted_drugs) if one.start not in asked]
    drug = only(several)
    finders: dict[str, Mention | None] = {
        "patient_id": only(unquoted(heard.text, found.patient_ids)),
        "name": only(found.person_names),
        "medication_name": drug,
        "drug_name": drug,
        "drug_names": Mention(", ".join(d.value for d in several), several[0].start, several[-1].end)
        if several
        else None,
        "dosage": only_dose(found.doses),
        "frequency": join_frequencies(found.frequencies) or only(found.frequencies),
        "substance": only(found.substances) or drug,
        "reaction": _reaction(found.reactions),
        "severity": only(found.severities),
        "note_type": only(found.note_types),
        "note_text": only(found.note_texts),
        "condition": only(found.conditions),
        "query": only(found.conditions),
    }
    given = {name: mention for name in wanted if (mention := finders.get(name)) is not None}
    given = {name: said for name, said in given.items() if name not in _FREE_TEXT or not _in_passing(said, heard.text)}
    free = [name for name in call.missing if name in wanted and name in _FREE_TEXT]
    whole = len(free) == 1 and len(call.missing) == 1 and not names_more(found) and "?" not in heard.text
    if free == ["reaction"]:  # a sign or two: a sentence tells something else
        whole = whole and len(heard.text.split()) <= _SIGNS and not is_small_talk(heard.text)
    if not given and whole and (free[0] == "note_text" or not drugs_in(heard.text)):
        text = heard.text.strip()
        if len(text) <= _FREE_TEXT[free[0]]:
            start = heard.text.index(text)
            given[free[0]] = Mention(text, start, start + len(text))
    if _AMOUNTS[0] in given or _AMOUNTS[1] in given:
        notes = join_details((*found.routes, *found.durations))
        given |= {"notes": notes} if notes and "notes" not in given else {}
    return given


def _in_passing(said: Mention, text: str) -> bool:
    """A word or two of a long message that is about something else."""
    inside, around = len(text[said.start : said.end].split()), len(text.split())
    return around - inside >= _AROUND and inside < _SHARE * around


def speaks_of_another_drug(call: PendingCall, heard: Heard) -> bool:
    """A drug of the dictionary that is not the order's: such a message answers nothing but the question for a drug."""
    wanted = {"medication_name", "drug_name", "drug_names", "substance", "note_text"}
    if call.unclear or wanted & {*call.missing} or call.tool not in ("prescribe_medication", "add_allergy"):
        return False
    own = str(call.args.get("medication_name") or call.args.get("substance") or "")
    named = [drug.value for drug in drugs_in(heard.text)]
    return bool(own and named) and not any(same_drug(drug, own) for drug in named)


def asks_for_more(found: Entities) -> bool:
    return bool(found.asks or found.writes or found.undoable or found.urgent)


def names_more(found: Entities) -> bool:
    return bool(found.person_names or found.patient_ids or found.drugs or found.asks or found.writes)


def _reaction(reactions: Sequence[Mention]) -> Mention | None:
    if not reactions:
        return None
    first, last = reactions[0], reactions[-1]
    return Mention(", ".join(dict.fromkeys(one.value for one in reactions)), first.start, last.end)


def corrections(call: PendingCall, heard: Heard) -> dict[str, Mention]:
    """What the answer says otherwise than the request did. The newer word counts: an order never keeps the old one."""
    if not REGISTRY[call.tool].writes:
        return {}
    known = tuple(name for name, value in call.args.items() if isinstance(value, str) and name not in call.missing)
    said = given_fields(call, heard, known)
    return {name: mention for name, mention in said.items() if not same(name, mention, str(call.args.get(name, "")))}


def details(call: PendingCall, heard: Heard) -> dict[str, Mention]:
    """A new way, duration or reason of an order takes the place of the old one of its kind; the others stay."""
    found = heard.entities
    parts = [*found.routes, *found.durations, *(order for each in found.orders for order in each.reasons)]
    if call.tool != "prescribe_medication" or not parts:
        return {}
    before = read_details(str(call.args.get("notes", "")))
    now = read_details("; ".join(dict.fromkeys(part.value for part in parts)))
    if isinstance(before, Unclear) or isinstance(now, Unclear):
        return {}
    reason = now.reason or before.reason
    kept = (now.route or before.route, now.duration or before.duration, f"for {reason}" if reason else "")
    text = "; ".join(part for part in (*kept, before.rest) if part)[:NOTES_LIMIT]
    return {"notes": Mention(parts[0].text, parts[0].start, parts[-1].end, text)}


def only(mentions: Sequence[Mention]) -> Mention | None:
    return mentions[0] if len({mention.value.casefold() for mention in mentions}) == 1 else None


def same(name: str, said: Mention, value: str) -> bool:
    if name in ("medication_name", "drug_name"):
        return same_drug(said.value, value)
    return said.value.casefold() == value.casefold()
