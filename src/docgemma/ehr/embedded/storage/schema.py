"""The tables of the chart store, and the proof that a file has exactly these."""

from __future__ import annotations

from docgemma.ehr.embedded.storage import chain
from docgemma.ehr.embedded.storage.chain import Chain, Damaged
from docgemma.errors import Unavailable
from docgemma.seal import CHART
from docgemma.store.database import Cursor

EDITION = 1
"""Of the tables. A file of a newer edition is refused, not guessed at."""

LATEST, COMPARTMENTS, ENTRIES = "latest", "compartments", "entries"
_CHAINS = (LATEST, COMPARTMENTS, ENTRIES)
_TABLES = (
    # In the order of writing, so that the resources of one import, mostly one patient's, lie side by side.
    """CREATE TABLE versions (
        seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, updated TEXT NOT NULL,
        deleted INTEGER NOT NULL, patient TEXT NOT NULL, refs TEXT NOT NULL, body TEXT NOT NULL,
        seal INTEGER NOT NULL)""",
    "CREATE UNIQUE INDEX versions_of_resource ON versions (kind, id, version)",
    # Which versions are live in a chart. Not sealed: `compartments` says how many there must be, and their sum.
    """CREATE TABLE members (
        patient TEXT NOT NULL, kind TEXT NOT NULL, seq INTEGER NOT NULL,
        PRIMARY KEY (patient, kind, seq)) WITHOUT ROWID""",
    """CREATE TABLE totals (
        one INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, edition INTEGER NOT NULL, live TEXT NOT NULL,
        seal INTEGER NOT NULL)""",
    *map(chain.table, _CHAINS),
)


def is_ready(cursor: Cursor) -> bool:
    """False for a new, empty file. A file with anything else than our tables, letter for letter, is refused."""
    found = {row["sql"] for row in cursor.rows("SELECT sql FROM sqlite_master")}
    edition = _edition(cursor)
    if not found and edition == 0:
        return False
    if edition == 0:
        raise Unavailable("The chart store was not made by DocGemma. Move the file away, or choose another folder.")
    if edition > EDITION:
        raise Unavailable("The chart store was made by a newer DocGemma. Update this one to use it.")
    if found != set(_TABLES):
        raise Damaged("its tables are not as they were made")
    return True


def create(cursor: Cursor, index_edition: int) -> None:
    """All tables, with the rows that each of them starts from."""
    for statement in _TABLES:
        cursor.execute(statement)
    for name in _CHAINS:
        Chain(cursor, name).start()
    row = (1, 0, index_edition, "{}")
    cursor.execute(
        "INSERT INTO totals (one, sequence, edition, live, seal) VALUES (?, ?, ?, ?, ?)",
        (*row, CHART.of("totals", *row)),
    )
    cursor.execute(f"PRAGMA user_version = {EDITION}")


def _edition(cursor: Cursor) -> int:
    row = cursor.row("PRAGMA user_version")
    return row["user_version"] if row else 0
