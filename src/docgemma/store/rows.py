"""What the store gives back, and how it is written down.

Free text and JSON are kept as ASCII JSON: lossless for every Python string, also where the database would refuse
a NUL byte or a lone surrogate, and whatever the database's encoding is.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any, Literal, TypeVar

from docgemma.clinical import Patient
from docgemma.errors import Unavailable
from docgemma.store.database import Row

Clock = Callable[[], datetime]
TurnStatus = Literal["running", "done", "failed", "interrupted"]


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation: whose it is, whom it is about, and what it waits for."""

    id: str
    owner: str
    title: str
    patient: Patient | None
    pending: dict[str, Any] | None
    created_at: str
    updated_at: str
    turn_count: int


@dataclass(frozen=True, slots=True)
class Turn:
    """One question and what came of it. `record` is there once the turn has finished."""

    id: str
    session_id: str
    status: TurnStatus
    by: str
    query: str
    image_id: str | None
    record: dict[str, Any] | None
    created_at: str
    finished_at: str | None
    role: str = ""
    """Whose question to the knowledge base it was; empty: the clinic's."""
    prior_image_id: str | None = None
    """An earlier image that came along, to compare with."""


@dataclass(frozen=True, slots=True)
class Begun:
    """What a turn starts from: the session as it was, and its last finished turns, oldest first."""

    session: Session
    history: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class StoredImage:
    id: str
    session_id: str | None
    media_type: str
    data: bytes
    width: int
    height: int
    created_at: str
    facts: str = ""
    """JSON of the one who put it here; empty where there is nothing to tell."""
    depth: bytes | None = None
    """The same image with all its grey values, where it has more than a screen shows."""
    frames: bytes | None = None
    """Some of its frames, where it has several, packed by the one who put it here."""


Made = TypeVar("Made", Session, Turn)


def utc_now() -> datetime:
    return datetime.now(UTC)


def pack(value: Any) -> str:
    """As ASCII JSON. Equal strings pack equally, so that packed text can be searched for."""
    return json.dumps(value, separators=(",", ":"))


def pack_patient(patient: Patient | None) -> str | None:
    return None if patient is None else pack({**patient.model_dump(mode="json"), "confirmed": patient.confirmed})


def unpack(text: str | None) -> Any:
    """What was packed; None where nothing was. Unavailable for what is no JSON any more."""
    try:
        return None if text is None else json.loads(text)
    except ValueError:
        raise Unavailable("An entry of the session store is damaged. Restore a backup of the store.") from None


def stamp(moment: datetime) -> str:
    """UTC and always of the same width: later times are greater text."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def to_session(row: Row) -> Session:
    patient = unpack(row["patient"])
    return _made(
        Session,
        row,
        owner=unpack(row["owner"]),
        title=unpack(row["title"]),
        patient=None if patient is None else Patient.model_validate(patient),
        pending=unpack(row["pending"]),
    )


def to_turn(row: Row, status: TurnStatus) -> Turn:
    record, query = unpack(row["record"]), unpack(row["query"])
    return _made(Turn, row, status=status, by=row["made_by"], query=query, record=record)


def _made(kind: type[Made], row: Row, **read: Any) -> Made:
    """From the columns of the same names, and from what had to be read out of others."""
    values = row | read
    return kind(**{field.name: values[field.name] for field in fields(kind)})
