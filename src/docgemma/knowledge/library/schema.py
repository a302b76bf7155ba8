"""The tables, as a list of steps. A step that has shipped is never edited: a change is a new step."""

from __future__ import annotations

from collections.abc import Callable

from docgemma.errors import Unavailable
from docgemma.knowledge.library import role_rows
from docgemma.store.database import Cursor

_NUMBER = {"sqlite": "INTEGER", "postgresql": "BIGINT"}
_KEY = {"sqlite": "TEXT", "postgresql": 'TEXT COLLATE "C"'}  # one order of ids, whatever language a server sorts by
_TABLE = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'knowledge_schema'",
    "postgresql": "SELECT name FROM (SELECT to_regclass('knowledge_schema') AS name) AS asked WHERE name IS NOT NULL",
}
_LETTERS = {
    "sqlite": "SELECT 'UTF8' AS letters",
    "postgresql": "SELECT pg_encoding_to_char(encoding) AS letters FROM pg_database WHERE datname = current_database()",
}


def _first(cursor: Cursor) -> None:
    """Times are UTC ISO text of one width, so that they compare as text. An empty `holder`: nobody imports.

    What tells rows apart stands before the long texts, so that looking for a row does not read them.
    """
    number, key = _NUMBER[cursor.dialect], _KEY[cursor.dialect]
    cursor.execute(
        f"""CREATE TABLE knowledge_entries (
            id {key} NOT NULL, version {number} NOT NULL, state TEXT NOT NULL, digest TEXT NOT NULL,
            import_id TEXT NOT NULL, added_at TEXT NOT NULL, withdrawn_at TEXT NOT NULL, withdrawn_by TEXT NOT NULL,
            reason TEXT NOT NULL, role {key} NOT NULL, language TEXT NOT NULL, topic {key} NOT NULL,
            subtopic {key} NOT NULL, demonstration {number} NOT NULL, reviewed TEXT NOT NULL, url TEXT NOT NULL,
            source TEXT NOT NULL, question TEXT NOT NULL, answer TEXT NOT NULL,
            PRIMARY KEY (id, version))"""
    )
    for state in ("current", "staged"):  # at most one of each, whatever goes wrong
        cursor.execute(f"CREATE UNIQUE INDEX knowledge_{state} ON knowledge_entries (id) WHERE state = '{state}'")
    cursor.execute(
        """CREATE INDEX knowledge_tree ON knowledge_entries (role, language, topic, subtopic)
           WHERE state = 'current'"""
    )
    cursor.execute(
        f"""CREATE TABLE knowledge_topics (
            role {key} NOT NULL, language TEXT NOT NULL, topic {key} NOT NULL, subtopic {key} NOT NULL,
            position {number} NOT NULL, PRIMARY KEY (role, language, topic, subtopic))"""
    )
    cursor.execute(
        f"""CREATE TABLE knowledge_roles (
            id {key} PRIMARY KEY, position {number} NOT NULL, audience TEXT NOT NULL, name_en TEXT NOT NULL,
            name_vi TEXT NOT NULL, persona TEXT NOT NULL, digest TEXT NOT NULL)"""
    )
    cursor.execute(
        """CREATE TABLE knowledge_imports (
            id TEXT PRIMARY KEY, begun_at TEXT NOT NULL, begun_by TEXT NOT NULL, origin TEXT NOT NULL,
            finished_at TEXT NOT NULL, counts TEXT NOT NULL)"""
    )
    cursor.execute(
        f"""CREATE TABLE knowledge_imported (
            import_id TEXT NOT NULL, id {key} NOT NULL, version {number} NOT NULL, outcome TEXT NOT NULL,
            PRIMARY KEY (id, import_id))"""
    )
    cursor.execute(
        f"""CREATE TABLE knowledge_state (
            one INTEGER PRIMARY KEY, generation {number} NOT NULL, import_id TEXT NOT NULL, holder TEXT NOT NULL,
            held_until TEXT NOT NULL)"""
    )
    cursor.execute(
        "INSERT INTO knowledge_state (one, generation, import_id, holder, held_until) VALUES (1, 0, '', '', '')"
    )


STEPS: tuple[Callable[[Cursor], None], ...] = (_first,)


def is_ready(cursor: Cursor) -> bool:
    """Whether there is nothing to do, so that a reader need not wait for a process that is importing."""
    if cursor.row(_TABLE[cursor.dialect]) is None:
        return False
    return _version(cursor) == len(STEPS) and not role_rows.missing(cursor)


def prepare(cursor: Cursor) -> None:
    """Bring the tables up to date. Processes that start together wait for each other here."""
    cursor.exclusive("docgemma knowledge schema")
    letters = cursor.row(_LETTERS[cursor.dialect])
    if letters is None or letters["letters"] not in ("UTF8", "SQL_ASCII"):
        raise Unavailable("The database cannot store Vietnamese letters. Make one with the encoding UTF8.")
    cursor.execute("CREATE TABLE IF NOT EXISTS knowledge_schema (version INTEGER NOT NULL)")
    for number, step in enumerate(STEPS[_version(cursor) :], start=_version(cursor) + 1):
        step(cursor)
        cursor.execute("INSERT INTO knowledge_schema (version) VALUES (?)", (number,))
    for role in role_rows.missing(cursor):
        role_rows.save(cursor, role)


def _version(cursor: Cursor) -> int:
    found = cursor.row("SELECT MAX(version) AS version FROM knowledge_schema")
    version: int = (found and found["version"]) or 0
    if version > len(STEPS):
        raise Unavailable("The knowledge base was made by a newer DocGemma. Update this one to use it.")
    return version
