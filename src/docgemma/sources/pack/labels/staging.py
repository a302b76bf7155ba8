"""The labels that may be kept, while a pack is being built."""

from __future__ import annotations

from collections.abc import Callable

from docgemma.sources.pack.labels.candidate import Candidate
from docgemma.sources.pack.progress import Tables
from docgemma.store.snapshot import Handle

SPARE = 2
"""So many more than asked for are kept while building: a label that turns out outdated may leave a gap."""

TABLES: Tables = {
    "candidate": (
        "CREATE TABLE candidate (id INTEGER PRIMARY KEY, set_id TEXT NOT NULL UNIQUE, version INTEGER NOT NULL,"
        " effective TEXT NOT NULL, drug BLOB NOT NULL, grp BLOB NOT NULL, rank TEXT NOT NULL, kept INTEGER NOT NULL)",
        "CREATE INDEX best ON candidate (grp, rank) WHERE kept = 1",
    ),
    "content": (
        "CREATE TABLE content (id INTEGER PRIMARY KEY, names TEXT NOT NULL, run TEXT NOT NULL, body BLOB NOT NULL)",
    ),
    "alias": ("CREATE TABLE alias (name TEXT NOT NULL, grp BLOB NOT NULL, PRIMARY KEY (name, grp)) WITHOUT ROWID",),
}


class Staging:
    def __init__(self, handle: Handle, keep: int) -> None:
        self._handle = handle
        self._most = keep + SPARE if keep else 0

    def offer(self, candidate: Candidate, content: Callable[[], bytes]) -> bool:
        """Take a label if it is among the best of its group. `content` is made only then.

        True when it is another version of a label that was there; the newer one stays.
        """
        handle = self._handle
        before = handle.row("SELECT id, version, effective FROM candidate WHERE set_id = ?", (candidate.set_id,))
        if before is not None:
            if before[1:] >= (candidate.version, candidate.effective):
                return True
            handle.execute("DELETE FROM candidate WHERE id = ?", (before[0],))
            handle.execute("DELETE FROM content WHERE id = ?", (before[0],))
        kept = self._is_wanted(candidate)
        number = handle.execute(
            "INSERT INTO candidate (set_id, version, effective, drug, grp, rank, kept) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                candidate.set_id,
                candidate.version,
                candidate.effective,
                candidate.drug,
                candidate.group,
                candidate.rank,
                int(kept),
            ),
        )
        handle.many("INSERT OR IGNORE INTO alias VALUES (?, ?)", [(name, candidate.group) for name in candidate.names])
        if kept:
            names, run = "\n".join(candidate.names), " ".join(candidate.run)
            handle.execute("INSERT INTO content VALUES (?, ?, ?, ?)", (number, names, run, content()))
            self._evict(candidate.group)
        return before is not None

    def _is_wanted(self, candidate: Candidate) -> bool:
        if not self._most:
            return True
        worst = self._handle.row(
            "SELECT rank FROM candidate WHERE grp = ? AND kept = 1 ORDER BY rank LIMIT 1 OFFSET ?",
            (candidate.group, self._most - 1),
        )
        return worst is None or candidate.rank < worst[0]

    def _evict(self, group: bytes) -> None:
        if not self._most:
            return
        worst = self._handle.row(
            "SELECT id FROM candidate WHERE grp = ? AND kept = 1 ORDER BY rank LIMIT 1 OFFSET ?", (group, self._most)
        )
        if worst is not None:
            self._handle.execute("UPDATE candidate SET kept = 0 WHERE id = ?", worst)
            self._handle.execute("DELETE FROM content WHERE id = ?", worst)
