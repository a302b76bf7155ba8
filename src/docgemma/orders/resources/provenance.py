"""Who stands behind an entry: the software that prepared it, who decided, and the conversation it is from."""

from __future__ import annotations

from docgemma.ehr.contract import Resource
from docgemma.orders.model import Card, Decision, Note, Row
from docgemma.orders.resources.parts import HL7, ORDER_SYSTEM, approved, coded, decided, person

SESSION_SYSTEM = "urn:docgemma:session"
TURN_SYSTEM = "urn:docgemma:turn"
_OPERATIONS = f"{HL7}v3-DataOperation"
_PARTS = f"{HL7}provenance-participant-type"


def created(row: Row, target: str) -> Resource:
    """For the entry that this transaction creates."""
    return _provenance(row, target, "CREATE", row.id, *approved(row))


def undone(row: Row, target: str) -> Resource:
    """For marking it as entered in error."""
    decision, when = decided(row)
    entry = _provenance(row, target, "NULLIFY", undo_tag(row), decision, when)
    return entry | ({"reason": [{"text": decision.reason}]} if decision.reason else {})


def undo_tag(row: Row) -> str:
    return f"{row.id}-undo"


def _provenance(row: Row, target: str, operation: str, tag: str, decision: Decision, when: str) -> Resource:
    entry: Resource = {
        "resourceType": "Provenance",
        "meta": {"tag": [{"system": ORDER_SYSTEM, "code": tag}]},
        "target": [{"reference": target}],
        "recorded": when,
        "activity": coded(_OPERATIONS, operation),
        "agent": _agents(row.card, decision),
    }
    sources = [(SESSION_SYSTEM, row.card.session_id), (TURN_SYSTEM, row.card.turn_id)]
    if known := [{"role": "source", "what": _what(*source)} for source in sources if source[1]]:
        entry["entity"] = known
    return entry


def _agents(card: Card, decision: Decision) -> list[Resource]:
    """Whoever approves what somebody else asked for, or a model wrote, vouches for it; else they are its author."""
    drafted = isinstance(card.draft, Note) and card.draft.by_model
    others = bool(card.proposed_by) and card.proposed_by != decision.who
    software = {
        "type": coded(_PARTS, "author" if drafted else "assembler"),
        "who": {"type": "Device", "display": card.software or "DocGemma"},
        "onBehalfOf": person(decision.who),
    }
    asked = [{"type": coded(_PARTS, "enterer" if drafted else "author"), "who": person(card.proposed_by)}]
    decided_by = {"type": coded(_PARTS, "verifier" if drafted or others else "author"), "who": person(decision.who)}
    return [software, *(asked if others else []), decided_by]


def _what(system: str, value: str) -> Resource:
    return {"identifier": {"system": system, "value": value}}
