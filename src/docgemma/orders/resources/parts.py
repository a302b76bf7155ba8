"""The parts that every entry has: who, when, our identifier, and the mark that software had a hand in it."""

from __future__ import annotations

from datetime import UTC, datetime

from docgemma.ehr.contract import Resource
from docgemma.orders.model import Card, Decision, Row

ORDER_SYSTEM = "urn:docgemma:order"
"""Of the identifier on everything we write, and of the tag on what vouches for it."""

HL7 = "http://terminology.hl7.org/CodeSystem/"
UCUM = "http://unitsofmeasure.org"
AI_ASSERTED: Resource = {"system": f"{HL7}v3-ObservationValue", "code": "AIAST"}


def approved(row: Row) -> tuple[Decision, str]:
    """Who approved and when, as FHIR writes it, also once somebody decided to undo it."""
    if row.approval is not None:
        return row.approval, instant(row.approved_at)
    return decided(row)


def decided(row: Row) -> tuple[Decision, str]:
    """The last decision. Nothing is built for a card that nobody decided about."""
    if row.decision is None or not row.decided_at:
        raise ValueError("no entry is made of a card that nobody approved")
    return row.decision, instant(row.decided_at)


def instant(text: str) -> str:
    """A moment with its zone, to the millisecond, in one spelling."""
    moment = datetime.fromisoformat(text)
    known = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return known.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def common(row: Row) -> Resource:
    """What makes the entry ours: it is found again by this identifier alone."""
    return {
        "meta": {"security": [dict(AI_ASSERTED)]},
        "identifier": [{"system": ORDER_SYSTEM, "value": row.id}],
    }


def person(who: str) -> Resource:
    """A clinician by name: which resource of the server is theirs is not ours to guess."""
    return {"type": "Practitioner", "display": who}


def patient(id_: str) -> Resource:
    return {"reference": f"Patient/{id_}"}


def coded(system: str, code: str) -> Resource:
    return {"coding": [{"system": system, "code": code}]}


def named(name: str, ingredients: tuple[str, ...]) -> str:
    """A name with its ingredients, where they are not the name itself: "lipitor (atorvastatin)"."""
    parts = " + ".join(ingredients)
    return name if not parts or parts.casefold() == name.casefold() else f"{name} ({parts})"


def remarks(card: Card, decision: Decision, when: str) -> list[Resource]:
    """What the next reader has to know of the decision: against which stops, and what nobody had checked."""
    said: list[str] = []
    if card.hard_stops and decision.override:
        stops = "; ".join(_told(check.name, check.detail) for check in card.hard_stops)
        said.append(f"Approved against a stop ({stops}). Reason given: {decision.override}")
    if card.not_checked and decision.acknowledged:
        names = "; ".join(_told(check.name, check.detail) for check in card.not_checked)
        said.append(f"Not checked, and acknowledged: {names}.")
    return [{"authorString": decision.who, "time": when, "text": text} for text in said]


def _told(name: str, detail: str) -> str:
    return f"{name}: {detail.rstrip('.')}" if detail else name
