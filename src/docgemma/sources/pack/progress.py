"""How far the files of a build have been read. It is committed together with what was read, in one file.

So a build that was killed goes on where the last commit was, and ends with the same pack.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from docgemma.store.snapshot import Handle

Start = Literal["new", "resumed", "restarted"]

Tables = Mapping[str, tuple[str, ...]]
"""By name, each with the statements that make it and what belongs to it."""

_TABLES: Tables = {
    "options": ("CREATE TABLE options (digest TEXT NOT NULL)",),
    "part": ("CREATE TABLE part (number INTEGER PRIMARY KEY, mark TEXT NOT NULL, facts TEXT NOT NULL)",),
}


@dataclass(slots=True)
class Reached:
    """How far one part has been read. `sha256` is there when it was read to its end, `updated` the day it is of."""

    records: int = 0
    replaced: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    sha256: str = ""
    updated: str = ""


class Progress:
    """`tables` are those that the kind of pack needs besides."""

    def __init__(self, handle: Handle, tables: Tables) -> None:
        self._handle = handle
        self._tables = {**_TABLES, **tables}

    def begin(self, options: str, marks: Sequence[str]) -> Start:
        """Get ready for these files. What an interrupted build has of them stays, if it began with the same ones."""
        handle = self._handle
        there = self.holds(options, marks)
        if there:
            return "resumed"
        handle.begin()
        for name, statements in self._tables.items():
            handle.execute(f"DROP TABLE IF EXISTS {name}")
            for statement in statements:
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
        row = self._handle.row("SELECT facts FROM part WHERE number = ?", (number,))
        if row is None:
            return Reached()
        facts = json.loads(row[0])
        return Reached(**{**facts, "skipped": Counter(facts["skipped"])})

    def open(self) -> None:
        self._handle.begin()

    def commit(self, number: int, mark: str, reached: Reached) -> None:
        """What was taken since `open`, and how far that is, in one go."""
        facts = {
            "records": reached.records,
            "replaced": reached.replaced,
            "skipped": dict(sorted(reached.skipped.items())),
            "sha256": reached.sha256,
            "updated": reached.updated,
        }
        self._handle.execute("INSERT OR REPLACE INTO part VALUES (?, ?, ?)", (number, mark, json.dumps(facts)))
        self._handle.commit()
