"""Reading messages: with the conversation before them, and as answers to a question that waits."""

from __future__ import annotations

from collections.abc import Sequence

from docgemma.agent.record import Clarification
from docgemma.agent.understanding.context import completed
from docgemma.agent.understanding.entities import understand
from docgemma.entities.model import Entities
from docgemma.reader.contract import OpenQuestion, Reader
from docgemma.reader.labels import QuestionKind

REMEMBERED = 3
"""How many earlier messages of the user are read along."""

_KINDS: dict[str, QuestionKind] = {
    "multiple_patient_matches": "which_patient",
    "missing_patient_id": "which_patient",
    "confirm_patient": "confirm_patient",
    "contradicting_identity": "confirm_patient",
    "confirm_request": "confirm_patient",
    "switch_patient": "switch_patient",
    "ambiguous_drug_name": "which_drug",
    "unclear_amount": "missing",
    "approval": "approve",
}


def read(
    reader: Reader,
    text: str,
    *,
    earlier: Sequence[str] = (),
    on_screen: bool = False,
    agreed: Sequence[str] = (),
) -> Entities:
    """One message, with what it leaves unsaid taken from the user's earlier messages."""
    before = tuple(earlier[-REMEMBERED:])
    entities = understand(text, reader.request(text, before=before, patient_on_screen=on_screen), agreed=agreed)
    if not (before and entities.asks):
        return entities
    return completed(entities, read_earlier(reader, before))


def read_earlier(reader: Reader, before: Sequence[str]) -> tuple[Entities, ...]:
    """Earlier messages, oldest first, each with those before it."""
    found: list[Entities] = []
    for place, text in enumerate(before):
        entities = understand(text, reader.request(text, before=tuple(before[:place])))
        found.append(completed(entities, found))
    return tuple(found)


def open_question(pending: Clarification) -> OpenQuestion:
    """What waits, as the reader knows questions."""
    call = pending.pending
    missing = call.missing if call else ()
    kind = _KINDS.get(pending.reason, "missing")
    if kind == "missing" and missing == ("note_type",):
        kind = "note_type"
    if pending.reason == "approval" and call is not None:
        told = " ".join(str(value) for name, value in call.args.items() if name not in ("patient_id", "note_text"))
        return OpenQuestion(kind, f"Approve {told}?")
    return OpenQuestion(kind, pending.question.splitlines()[0] if pending.question else "")
