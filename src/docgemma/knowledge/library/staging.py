"""Bringing entries in beside the current ones. Nothing that is staged is seen by anybody before the import is finished.

What an import has brought is written down in `knowledge_imported` under its own name. Rows that a dead import left
behind are only taken over by an import that brings the very same text; the next finished import removes the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from docgemma.errors import BadInput
from docgemma.knowledge.entry import Entry
from docgemma.knowledge.library import role_rows
from docgemma.knowledge.library.letters import read, selected, storable
from docgemma.knowledge.library.rows import COLUMNS, columns, opened, same, values
from docgemma.knowledge.roles import unknown_role
from docgemma.store.database import Cursor, Row, Value

Outcome = Literal["new", "changed", "unchanged", "brought_back"]

_CHUNK = 400  # ids in one statement
_INSERT = f"""INSERT INTO knowledge_entries (version, state, digest, import_id, added_at, withdrawn_at, withdrawn_by,
    reason, {", ".join(COLUMNS)}) VALUES (?, 'staged', ?, ?, ?, '', '', '', {", ".join("?" * len(COLUMNS))})"""  # noqa: S608
_REMEMBER = "INSERT INTO knowledge_imported (import_id, id, version, outcome) VALUES (?, ?, ?, ?)"
_TOPIC = "INSERT INTO knowledge_topics (role, language, topic, subtopic, position) VALUES (?, ?, ?, ?, ?)"
_PLACE = ("role", "language", "topic", "subtopic")


@dataclass(frozen=True, slots=True)
class Known:
    """What there is of the entries of a chunk, by id. `last` is the newest version that is not staged."""

    current: dict[str, Row]
    staged: dict[str, Row]
    last: dict[str, int]
    brought: dict[str, str]


def stage(cursor: Cursor, import_id: str, entries: Sequence[Entry], now: str) -> Counter[Outcome]:
    """Bring these in. The same entry twice is one; two texts under one id are refused. What came of each, counted."""
    _check(cursor, entries)
    _remember_topics(cursor, entries)
    counts: Counter[Outcome] = Counter()
    remaining = iter(_distinct(entries).values())
    while chunk := list(islice(remaining, _CHUNK)):
        counts.update(_stage_chunk(cursor, import_id, chunk, now))
    return counts


def _remember_topics(cursor: Cursor, entries: Sequence[Entry]) -> None:
    """In the order in which they come, once for all: branches that change places are hard to find again."""
    places: dict[tuple[str, ...], None] = dict.fromkeys(
        (entry.role, entry.language, entry.topic, entry.subtopic) for entry in entries
    )
    names = iter(dict.fromkeys(entry.topic for entry in entries))
    while some := tuple(islice(names, _CHUNK)):
        place, marks = selected(cursor.dialect, _PLACE), ", ".join("?" * len(some))
        known = cursor.rows(f"SELECT {place} FROM knowledge_topics WHERE topic IN ({marks})", some)  # noqa: S608
        for row in known:
            places.pop(tuple(read(row[name]) or "" for name in _PLACE), None)
    last = cursor.row("SELECT COALESCE(MAX(position), 0) AS position FROM knowledge_topics")
    first: int = last["position"] + 1 if last else 1
    cursor.many(_TOPIC, [(*each, number) for number, each in enumerate(places, start=first)])


def _stage_chunk(cursor: Cursor, import_id: str, chunk: Sequence[Entry], now: str) -> list[Outcome]:
    known = _known(cursor, import_id, [entry.id for entry in chunk])
    outcomes: list[Outcome] = []
    fresh: list[tuple[Value, ...]] = []
    stale: list[tuple[Value, ...]] = []
    remembered: list[tuple[Value, ...]] = []
    for entry in chunk:
        outcome = _outcome(entry, known)
        if outcome is None:
            continue
        staged, version = known.staged.get(entry.id), known.last.get(entry.id, 0) + (outcome != "unchanged")
        kept = outcome != "unchanged" and staged is not None and same(staged, entry)
        if staged is not None and not kept:
            stale.append((entry.id,))
        if outcome != "unchanged" and not kept:
            fresh.append((version, entry.digest, import_id, now, *values(entry)))
        remembered.append((import_id, entry.id, version, outcome))
        outcomes.append(outcome)
    cursor.many("DELETE FROM knowledge_entries WHERE id = ? AND state = 'staged'", stale)
    cursor.many(_INSERT, fresh)
    cursor.many(_REMEMBER, remembered)
    return outcomes


def _outcome(entry: Entry, known: Known) -> Outcome | None:
    """None for what this very import has brought already, and for what a person withdrew since it began."""
    current = known.current.get(entry.id)
    if current is not None and read(current["role"]) != entry.role:
        _refuse_another_role(entry, opened(current))
    if known.brought.get(entry.id) == "withdrawn":
        return None
    if entry.id in known.brought:
        before = known.staged.get(entry.id, current)
        if before is None or not same(before, entry):
            raise _twice(entry.id)
        return None
    if current is not None:
        return "unchanged" if same(current, entry) else "changed"
    return "brought_back" if entry.id in known.last else "new"


def _known(cursor: Cursor, import_id: str, ids: Sequence[str]) -> Known:
    marks, params = ", ".join("?" * len(ids)), tuple(ids)
    texts: dict[str, dict[str, Row]] = {"current": {}, "staged": {}}
    for state, found in texts.items():
        sql = f"SELECT {columns(cursor)} FROM knowledge_entries WHERE state = '{state}' AND id IN ({marks})"  # noqa: S608
        found.update({name: row for row in cursor.rows(sql, params) if (name := read(row["id"])) is not None})
    sql = f"""SELECT id, MAX(version) AS version FROM knowledge_entries
        WHERE id IN ({marks}) AND state <> 'staged' GROUP BY id"""  # noqa: S608
    last = {row["id"]: row["version"] for row in cursor.rows(sql, params)}
    sql = f"SELECT id, outcome FROM knowledge_imported WHERE import_id = ? AND id IN ({marks})"  # noqa: S608
    brought = {row["id"]: row["outcome"] for row in cursor.rows(sql, (import_id, *params))}
    return Known(texts["current"], texts["staged"], last, brought)


def _refuse_another_role(entry: Entry, current: Entry | None) -> None:
    """A file for one role must not take an entry from another. What is damaged or a demonstration gives way."""
    if current is None or (current.demonstration and not entry.demonstration):
        return
    raise BadInput(
        f"The entry {entry.id} is for {entry.role} here, but for {current.role} in the knowledge base. "
        "Give it another id, or withdraw the other one first."
    )


def _check(cursor: Cursor, entries: Sequence[Entry]) -> None:
    known = role_rows.names(cursor)
    for entry in entries:
        if entry.role not in known:
            raise BadInput(f"The entry {entry.id} is for nobody. {unknown_role(entry.role, tuple(sorted(known)))}")
        storable(f"The entry {entry.id}", (entry.question, entry.answer, entry.topic, entry.subtopic, entry.source))


def _distinct(entries: Sequence[Entry]) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for entry in entries:
        if found.setdefault(entry.id, entry) != entry:
            raise _twice(entry.id)
    return found


def _twice(id_: str) -> BadInput:
    return BadInput(f"The import has two entries with the id {id_} and different text. Give each an id of its own.")
