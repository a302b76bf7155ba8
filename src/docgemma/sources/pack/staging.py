"""A pack that is being built: what was read so far, and the labels that may be kept.

Everything is in one file, also how far each part has been read, and both are committed together. So a build that was
killed goes on where the last commit was, and ends with the same pack.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from docgemma.sources.pack.candidate import Candidate
from docgemma.store.snapshot import Handle

Start = Literal["new", "resumed", "restarted"]

SPARE = 2
"""So many more than asked for are kept while building: a label that turns out outdated may leave a gap."""

_TABLES = ("options", "part", "candidate", "content", "alias")
_SCHEMA = (
    "CREATE TABLE options (digest TEXT NOT NULL)",
    "CREATE TABLE part (number INTEGER PRIMARY KEY, mark TEXT NOT NULL, records INTEGER NOT NULL,"
    " replaced INTEGER NOT NULL, skipped TEXT NOT NULL, sha256 TEXT NOT NULL, updated TEXT NOT NULL)",
    "CREATE TABLE candidate (id INTEGER PRIMARY KEY, set_id TEXT NOT NULL UNIQUE, version INTEGER NOT NULL,"
    " effective TEXT NOT NULL, drug BLOB NOT NULL, grp BLOB NOT NULL, rank TEXT NOT NULL, kept INTEGER NOT NULL)",
    "CREATE INDEX best ON candidate (grp, rank) WHERE kept = 1",
    "CREATE TABLE content (id INTEGER PRIMARY KEY, names TEXT NOT NULL, run TEXT NOT NULL, body BLOB NOT NULL)",
    "CREATE TABLE alias (name TEXT NOT NULL, grp BLOB NOT NULL, PRIMARY KEY (name, grp)) WITHOUT ROWID",
)


@dataclass(slots=True)
class Reached:
    """How far one part has been read. `sha256` is there when it was read to its end."""

    records: int = 0
    replaced: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    sha256: str = ""
    updated: str = ""


class Staging:
    def __init__(self, handle: Handle, keep: int) -> None:
        self._handle = handle
        self._most = keep + SPARE if keep else 0

    def begin(self, options: str, marks: Sequence[str]) -> Start:
        """Get ready for these files. What an interrupted build has of them stays, if it began with the same ones."""
        handle = self._handle
        there = self.holds(options, marks)
        if there:
            return "resumed"
        handle.begin()
        for name in _TABLES:
            handle.execute(f"DROP TABLE IF EXISTS {name}")
        for statement in _SCHEMA:
            handle.execute(statement)
        handle.execute("INSERT INTO options VALUES (?)", (options,))
        handle.commit()
        return "new" if there is None else "restarted"

    def holds(self, options: str, marks: Sequence[str]) -> bool | None:
        """Whether what an interrupted build left belongs to these files; None when there is nothing."""
        handle = self._handle
        if handle.row("SELECT 1 FROM sqlite_master WHERE name = 'options'") is None:
            return None
        if handle.row("SELECT digest FROM options") != (options,):
            return False
        begun = [mark for (mark,) in handle.each("SELECT mark FROM part ORDER BY number")]
        return begun == list(marks[: len(begun)])

    def reached(self, number: int) -> Reached:
        row = self._handle.row(
            "SELECT records, replaced, skipped, sha256, updated FROM part WHERE number = ?", (number,)
        )
        if row is None:
            return Reached()
        records, replaced, skipped, sha256, updated = row
        return Reached(records, replaced, Counter(json.loads(skipped)), sha256, updated)

    def open(self) -> None:
        self._handle.begin()

    def commit(self, number: int, mark: str, reached: Reached) -> None:
        """What was offered since `open`, and how far that is, in one go."""
        self._handle.execute(
            "INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                number,
                mark,
                reached.records,
                reached.replaced,
                json.dumps(dict(sorted(reached.skipped.items()))),
                reached.sha256,
                reached.updated,
            ),
        )
        self._handle.commit()

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
