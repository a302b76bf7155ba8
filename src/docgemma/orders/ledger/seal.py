"""How a row is written down and sealed, and how it is read again. What does not match its seal is never acted on.

Every column is read as the text it was stored as: a byte that is no longer a letter is then one damaged row, and not a
table that nobody can read. The card's column is the very text that its hash was taken over.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar, get_args

from docgemma.clinical import Frozen
from docgemma.errors import Unavailable
from docgemma.orders.model import Card, Decision, Receipt, Row, State, card_id, digest
from docgemma.seal import CONTENT, RECORD, canonical
from docgemma.store.rows import pack

FIXED = ("position", "id", "hash", "patient_id", "session_id", "proposed_by", "card")
CHANGING = (
    "state", "decision", "decided_at", "approval", "approved_at", "holder", "held_until", "attempts", "resource_kind",
    "resource_id", "resource_version", "receipt", "noted", "updated_at",
)  # fmt: skip
COLUMNS = (*FIXED, *CHANGING)
"""What the seal covers: every column but itself."""

Texts = dict[str, str]

_STATES: tuple[State, ...] = get_args(State)

T = TypeVar("T", bound=Frozen)


class LedgerDamaged(Unavailable):
    """A row is not what was written. Nothing is done with it."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"The stored order {name} is damaged, so nothing was done with it. Restore a backup of the session store, "
            "and look in the chart whether the entry is there before it is asked for again."
        )
        self.name = name


@dataclass(frozen=True, slots=True)
class Stored:
    """A row with the texts that it was read from."""

    texts: Texts
    row: Row


def selected(dialect: Literal["sqlite", "postgresql"]) -> str:
    """The columns for a SELECT. SQLite would give up on the whole answer over one byte that is no letter."""
    names = (*COLUMNS, "seal")
    return ", ".join(f"CAST({name} AS BLOB) AS {name}" for name in names) if dialect == "sqlite" else ", ".join(names)


def sealed(texts: Mapping[str, str]) -> str:
    return RECORD.of(_columns(texts))


def _columns(texts: Mapping[str, str]) -> Texts:
    return {name: texts[name] for name in COLUMNS}


def fixed_texts(card: Card, position: int) -> Texts:
    """The columns that stay as they are from the first day."""
    body, hash_ = canonical(card.model_dump(mode="json")), digest(card)
    if not CONTENT.fits(hash_, body):
        raise ValueError("a card's column has to be the text that its hash is taken over")
    return {"position": str(position), "id": card_id(hash_), "hash": hash_, "card": body, **_copies(card)}


def changing_texts(row: Row) -> Texts:
    """The columns that tell how far it has come. Free text is packed, so that a server's words cannot break a row."""
    return {
        "state": row.state,
        "decision": _packed(row.decision),
        "decided_at": row.decided_at,
        "approval": _packed(row.approval),
        "approved_at": row.approved_at,
        "holder": pack(row.holder),
        "held_until": row.held_until,
        "attempts": str(row.attempts),
        "resource_kind": pack(row.resource_kind),
        "resource_id": pack(row.resource_id),
        "resource_version": pack(row.resource_version),
        "receipt": _packed(row.receipt),
        "noted": str(int(row.noted)),
        "updated_at": row.updated_at,
    }


def opened(found: Mapping[str, object]) -> Stored:
    """The row, once its seal, its hash and its name were found to be right. LedgerDamaged otherwise."""
    try:
        texts = {name: _text(found[name]) for name in (*COLUMNS, "seal")}
        if not RECORD.fits(texts["seal"], _columns(texts)):
            raise ValueError("the seal is of other columns")
        return Stored(texts, _row(texts))
    except (ValueError, TypeError, RecursionError):
        raise LedgerDamaged(_name(found)) from None  # what went wrong may quote the card


def _row(texts: Texts) -> Row:
    card = Card.model_validate(json.loads(texts["card"]))
    if not CONTENT.fits(texts["hash"], texts["card"]) or card_id(texts["hash"]) != texts["id"]:
        raise ValueError("the card is not the one that was approved")
    if any(texts[name] != text for name, text in _copies(card).items()):
        raise ValueError("the row is found by what its card does not say")
    return Row(
        id=texts["id"],
        hash=texts["hash"],
        state=_STATES[_STATES.index(texts["state"])],
        card=card,
        decision=_unpacked(Decision, texts["decision"]),
        decided_at=texts["decided_at"],
        holder=json.loads(texts["holder"]),
        held_until=texts["held_until"],
        attempts=int(texts["attempts"]),
        resource_kind=json.loads(texts["resource_kind"]),
        resource_id=json.loads(texts["resource_id"]),
        resource_version=json.loads(texts["resource_version"]),
        receipt=_unpacked(Receipt, texts["receipt"]),
        noted=texts["noted"] == "1",
        updated_at=texts["updated_at"],
        approval=_unpacked(Decision, texts["approval"]),
        approved_at=texts["approved_at"],
    )


def _copies(card: Card) -> Texts:
    """What a row is looked for by, copied out of its card."""
    return {
        "patient_id": pack(card.draft.patient_id),
        "session_id": pack(card.session_id),
        "proposed_by": pack(card.proposed_by),
    }


def _packed(value: Frozen | None) -> str:
    return pack(None if value is None else value.model_dump(mode="json"))


def _unpacked(kind: type[T], text: str) -> T | None:
    value = json.loads(text)
    return None if value is None else kind.model_validate(value)


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("ascii")
    if isinstance(value, str | int):
        return str(value)
    raise TypeError("no column is empty")


def _name(found: Mapping[str, object]) -> str:
    """The order's name as far as it can be told; else where its row is."""
    id_, position = found["id"], found["position"]
    shown = id_.decode("ascii", "replace") if isinstance(id_, bytes) else str(id_)
    if shown.isalnum() and shown.isascii() and len(shown) == len(card_id("0" * 16)):
        return shown
    return f"in row {position.decode('ascii', 'replace') if isinstance(position, bytes) else position}"
