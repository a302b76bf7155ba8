"""The records that will be in the pack, while it is being built.

Files come in any order: what was retracted or deleted once stays so, also when its record is read later.
"""

from __future__ import annotations

from collections.abc import Generator

from docgemma.sources.pack.documents.collection import Entry, TakenBack
from docgemma.sources.pack.progress import Tables
from docgemma.store.snapshot import Handle

TABLES: Tables = {
    "entry": (
        "CREATE TABLE entry (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, version TEXT NOT NULL,"
        " place TEXT NOT NULL, body BLOB NOT NULL, retracted INTEGER NOT NULL)",
    ),
    "taken_back": ("CREATE TABLE taken_back (key TEXT PRIMARY KEY, deleted INTEGER NOT NULL) WITHOUT ROWID",),
}
_IN_ORDER = """
SELECT body, out FROM (
  SELECT body, place, key, MAX(retracted, EXISTS (SELECT 1 FROM taken_back WHERE taken_back.key = entry.key)) AS out
  FROM entry
) ORDER BY out, place, key
"""


class Staging:
    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    def keep(self, entry: Entry) -> bool:
        """Take a record unless it was deleted. True when there was another version; the newer one stays."""
        handle = self._handle
        if handle.row("SELECT 1 FROM taken_back WHERE key = ? AND deleted = 1", (entry.key,)):
            return False
        before = handle.row("SELECT id, version, retracted FROM entry WHERE key = ?", (entry.key,))
        values = (entry.version, entry.order, entry.body)
        if before is None:
            handle.execute(
                "INSERT INTO entry (key, version, place, body, retracted) VALUES (?, ?, ?, ?, ?)",
                (entry.key, *values, int(entry.retracted)),
            )
            return False
        if entry.retracted and not before[2]:
            handle.execute("UPDATE entry SET retracted = 1 WHERE id = ?", (before[0],))
        if before[1] <= entry.version:
            handle.execute("UPDATE entry SET version = ?, place = ?, body = ? WHERE id = ?", (*values, before[0]))
        return True

    def take_back(self, found: TakenBack) -> None:
        for key in found.keys:
            self._handle.execute("INSERT OR IGNORE INTO taken_back VALUES (?, ?)", (key, int(found.deleted)))
            if found.deleted:
                self._handle.execute("UPDATE taken_back SET deleted = 1 WHERE key = ?", (key,))
                self._handle.execute("DELETE FROM entry WHERE key = ?", (key,))

    def in_order(self) -> Generator[tuple[bytes, bool], None, None]:
        """The content of every record, and whether it was retracted; those come last."""
        for body, retracted in self._handle.each(_IN_ORDER):
            yield body, bool(retracted)
