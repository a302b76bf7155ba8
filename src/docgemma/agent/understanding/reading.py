"""Reading messages: with the conversation before them, and as answers to a question that waits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from docgemma.agent.record import Clarification
from docgemma.agent.understanding.context import completed
from docgemma.agent.understanding.entities import understand
from docgemma.entities.model import Entities
from docgemma.entities.words import without_quotes
from docgemma.reader.contract import OpenQuestion, Reader, Request
from docgemma.reader.labels import ASKS, WRITES, QuestionKind

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


def request_of(
    reader: Reader,
    text: str,
    *,
    before: Sequence[str] = (),
    asked: OpenQuestion | None = None,
    patient_on_screen: bool = False,
) -> Request:
    """What a message asks for; of a message with quotations, no entry that the user's own words alone do not ask for.

    A note is exempt: what is quoted is then its text.
    """
    request = reader.request(text, before=before, asked=asked, patient_on_screen=patient_on_screen)
    own = " ".join(without_quotes(text).split())
    quotable = WRITES - {"save_clinical_note"}
    if len(own) == len(" ".join(text.split())) or not any(one.ask in quotable for one in request.asks):
        return request
    alone = reader.request(own, before=before, asked=asked, patient_on_screen=patient_on_screen)
    kept = {one.ask for one in alone.asks} | (set(ASKS) - quotable)
    return replace(request, asks=tuple(one for one in request.asks if one.ask in kept))


def read(
    reader: Reader,
    text: str,
    *,
    earlier: Sequence[str] = (),
    on_screen: bool = False,
    agreed: Sequence[str] = (),
    asked: OpenQuestion | None = None,
) -> Entities:
    """One message, with what it leaves unsaid taken from the user's earlier messages."""
    before = tuple(earlier[-REMEMBERED:])
    request = request_of(reader, text, before=before, asked=asked, patient_on_screen=on_screen)
    entities = understand(text, request, agreed=agreed)
    if not (before and entities.asks):
        return entities
    return completed(entities, read_earlier(reader, before))


def read_earlier(reader: Reader, before: Sequence[str]) -> tuple[Entities, ...]:
    """Earlier messages, oldest first, each with those before it."""
    found: list[Entities] = []
    for place, text in enumerate(before):
        entities = understand(text, request_of(reader, text, before=tuple(before[:place])))
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
