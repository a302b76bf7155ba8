"""The tables, as a list of steps. A step that has shipped is never edited: a change is a new step."""

from __future__ import annotations

from collections.abc import Callable

from docgemma.errors import Unavailable
from docgemma.store.database import Cursor

_NUMBER = {"sqlite": "INTEGER", "postgresql": "BIGINT"}
_TABLE = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'grounding_schema'",
    "postgresql": "SELECT name FROM (SELECT to_regclass('grounding_schema') AS name) AS asked WHERE name IS NOT NULL",
}


def _first(cursor: Cursor) -> None:
    """Free text is kept as ASCII JSON; times are UTC ISO text of one width.

    `content` is the digest of a criterion's words, `key` that of everything its result is made from. Of a protocol only
    the criteria of its last run are shown. `grounding_decisions` is only ever added to.
    """
    number = _NUMBER[cursor.dialect]
    cursor.execute(
        """CREATE TABLE grounding_protocols (
            id TEXT PRIMARY KEY, source TEXT NOT NULL, run TEXT NOT NULL, at TEXT NOT NULL)"""
    )
    cursor.execute(
        f"""CREATE TABLE grounding_criteria (
            protocol_id TEXT NOT NULL, criterion_id TEXT NOT NULL, run TEXT NOT NULL, position {number} NOT NULL,
            batch_id TEXT NOT NULL, content TEXT NOT NULL, key TEXT NOT NULL, type TEXT NOT NULL, body TEXT NOT NULL,
            PRIMARY KEY (protocol_id, criterion_id))"""
    )
    cursor.execute("CREATE INDEX grounding_criteria_content ON grounding_criteria (content)")
    cursor.execute(
        f"""CREATE TABLE grounding_batches (
            id TEXT PRIMARY KEY, protocol_id TEXT NOT NULL, criteria {number} NOT NULL, at TEXT NOT NULL)"""
    )
    cursor.execute("CREATE TABLE grounding_results (key TEXT PRIMARY KEY, record TEXT NOT NULL, at TEXT NOT NULL)")
    cursor.execute(
        """CREATE TABLE grounding_items (
            item TEXT PRIMARY KEY, text TEXT NOT NULL, entity_type TEXT NOT NULL, body TEXT NOT NULL)"""
    )
    cursor.execute(
        "CREATE TABLE grounding_waiting (item TEXT NOT NULL, content TEXT NOT NULL, PRIMARY KEY (item, content))"
    )
    cursor.execute("CREATE INDEX grounding_waiting_content ON grounding_waiting (content)")
    cursor.execute(
        f"""CREATE TABLE grounding_decisions (
            position {number} PRIMARY KEY, item TEXT NOT NULL, action TEXT NOT NULL, who TEXT NOT NULL,
            at TEXT NOT NULL, body TEXT NOT NULL)"""
    )
    cursor.execute("CREATE INDEX grounding_decisions_item ON grounding_decisions (item, position)")


STEPS: tuple[Callable[[Cursor], None], ...] = (_first,)


def is_ready(cursor: Cursor) -> bool:
    """Whether there is nothing to do, so that a reader need not wait for a process that is writing."""
    return cursor.row(_TABLE[cursor.dialect]) is not None and _version(cursor) == len(STEPS)


def prepare(cursor: Cursor) -> None:
    """Bring the tables up to date. Processes that start together wait for each other here."""
    cursor.exclusive("docgemma grounding schema")
    cursor.execute("CREATE TABLE IF NOT EXISTS grounding_schema (version INTEGER NOT NULL)")
    for number, step in enumerate(STEPS[_version(cursor) :], start=_version(cursor) + 1):
        step(cursor)
        cursor.execute("INSERT INTO grounding_schema (version) VALUES (?)", (number,))


def _version(cursor: Cursor) -> int:
    found = cursor.row("SELECT MAX(version) AS version FROM grounding_schema")
    version: int = (found and found["version"]) or 0
    if version > len(STEPS):
        raise Unavailable("The grounding store was made by a newer DocGemma. Update this one to use it.")
    return version
