"""Entries as rows. What a row says is only believed once it matches the digest it was stored with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from pydantic import ValidationError

from docgemma.knowledge.entry import Entry
from docgemma.knowledge.library.letters import read, selected
from docgemma.store.database import Cursor, Value

State = Literal["staged", "current", "replaced", "withdrawn"]

TEXTS = ("id", "question", "answer", "role", "topic", "subtopic", "language", "source", "url", "reviewed")
COLUMNS = (*TEXTS, "demonstration")
"""All that an entry is."""

_STATES: dict[str | None, State] = {state: state for state in get_args(State)}
_FLAGS: dict[object, bool] = {0: False, 1: True}


@dataclass(frozen=True, slots=True)
class VersionRow:
    """One version of an entry, and how it came and went. What is damaged is None."""

    version: int
    state: State | None
    entry: Entry | None
    digest: str
    added_at: str
    added_by: str
    origin: str
    import_id: str
    withdrawn_at: str = ""
    withdrawn_by: str = ""
    reason: str = ""


def columns(cursor: Cursor, *more: str, table: str = "knowledge_entries") -> str:
    """For a SELECT of whole entries: with what tells whether they are what was stored."""
    texts = selected(cursor.dialect, (*TEXTS, "state", "digest", *more), table)
    return f"{texts}, {table}.version AS version, {table}.demonstration AS demonstration"


def values(entry: Entry) -> tuple[Value, ...]:
    """In the order of COLUMNS."""
    return (*(getattr(entry, name) for name in TEXTS), int(entry.demonstration))


def same(row: Mapping[str, object], entry: Entry) -> bool:
    """Whether the row says word for word what the entry says. A damaged row never does, whatever its digest is."""
    return tuple(read(row[name]) for name in TEXTS) == values(entry)[:-1] and (
        row["demonstration"] == int(entry.demonstration) and read(row["digest"]) == entry.digest
    )


def opened(row: Mapping[str, object]) -> Entry | None:
    """The entry of a row; None when it is not the one that was stored."""
    fields: dict[str, object] = {name: read(row[name]) for name in TEXTS}
    fields["demonstration"] = _FLAGS.get(row["demonstration"])
    try:
        entry = Entry.model_validate(fields)
    except ValidationError:
        return None
    return entry if entry.digest == read(row["digest"]) else None


def state(row: Mapping[str, object]) -> State | None:
    return _STATES.get(read(row["state"]))


def opened_current(row: Mapping[str, object]) -> Entry | None:
    """An index that says "current" of a row that is not would bring back what was withdrawn."""
    return opened(row) if state(row) == "current" else None
