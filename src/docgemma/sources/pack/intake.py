"""Reading the files of a build into its staging file, and carrying on where an interrupted build had come to.

How far each file was read is committed together with what was read, in one file. So a build that was killed goes on
where the last commit was, and ends with the same pack."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, Literal, Protocol

from docgemma.errors import BadInput
from docgemma.seal import CONTENT
from docgemma.sources.pack.manifest import CALLED, Kind
from docgemma.sources.pack.parts import Feed, Part, Unreadable, opened, same
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

    def commit(self, number: int, mark: str, reached: Reached) -> None:
        """What was taken since `begin`, and how far that is, in one go."""
        facts = {**asdict(reached), "skipped": dict(sorted(reached.skipped.items()))}
        self._handle.execute("INSERT OR REPLACE INTO part VALUES (?, ?, ?)", (number, mark, json.dumps(facts)))
        self._handle.commit()


@dataclass(frozen=True, slots=True)
class Written:
    """How many records the databases hold, and of how many drugs where that is counted."""

    kept: int
    drugs: int = 0


class Recipe(Protocol):
    """`options` is whatever else than the files changes the pack; `tables` are those of its staging file."""

    kind: Kind
    tables: Tables
    keep: int = 0
    options: str = ""

    def check(self) -> None:
        """Whether such a pack can be made on this machine. Raises Unavailable."""
        ...

    def records(self, feed: Feed, reached: Reached) -> Iterator[Any]:
        """What is in a file. At the end, `reached` has the day it is of. Raises Unreadable."""
        ...

    def recognise(self, record: Any) -> None:
        """Look at the first record of a file. Raises Unreadable for one of another kind."""
        ...

    def take(self, handle: Handle, record: Any, reached: Reached) -> None:
        """Keep a record, or count why not. Raises Unreadable for one that shows that the file is of another kind."""
        ...

    def write(self, folder: Path, handle: Handle, data_date: str, heard: Callable[[int], None]) -> Written:
        """Make the databases out of what was kept. `heard` is told how many records are written."""
        ...


_COMMIT_EVERY = 500


@dataclass(frozen=True, slots=True)
class Step:
    """How far a build has come: bytes of the files as they lie on the disk, and records.

    `before`: of the bytes, those that an interrupted build had done.
    """

    done: int
    total: int
    records: int
    before: int = 0
    writing: bool = False


Heard = Callable[[Step], None]


def look_into(given: Sequence[Part], recipe: Recipe) -> None:
    """The beginning of every file, before the first is read: a download that went wrong shows here in most cases."""
    for part in given:
        with opened(part, recipe.kind) as feed, _named(part):
            for record in islice(recipe.records(feed, Reached()), 1):
                recipe.recognise(record)


def read_all(given: Sequence[Part], recipe: Recipe, handle: Handle, progress: Progress, heard: Heard) -> list[Reached]:
    """Every file to its end, in the order given."""
    at = Step(0, sum(part.size for part in given), 0)
    reached: list[Reached] = []
    for number, part in enumerate(given):
        one = progress.reached(number)
        if one.sha256:
            at = replace(at, before=at.before + part.size)
        else:
            _read_part(number, part, recipe, handle, progress, one, at, heard)
        reached.append(one)
        at = replace(at, done=at.done + part.size, records=at.records + one.records)
    return reached


def _read_part(
    number: int,
    part: Part,
    recipe: Recipe,
    handle: Handle,
    progress: Progress,
    reached: Reached,
    at: Step,
    heard: Heard,
) -> None:
    """One file to its end, `at` is where it begins. Records that an interrupted build had committed are passed over."""
    done = reached.records
    with opened(part, recipe.kind) as feed, _named(part):
        handle.begin()
        for place, record in enumerate(recipe.records(feed, reached)):
            if place < done:
                continue
            reached.records += 1
            recipe.take(handle, record, reached)
            if reached.records % _COMMIT_EVERY == 0:
                progress.commit(number, part.mark, reached)
                heard(replace(at, done=at.done + feed.position, records=at.records + reached.records))
                handle.begin()
    reached.sha256 = CONTENT.of(part.path)
    if not same(part):
        raise BadInput(f"{part.name} was changed while it was read. Run the same command again.")
    called = CALLED[recipe.kind]
    if reached.records == reached.skipped.total() and not (called.may_be_empty and not reached.records):
        raise BadInput(f"{part.name} holds no {called.many}. Give {called.files}.")
    progress.commit(number, part.mark, reached)
    heard(replace(at, done=at.done + part.size, records=at.records + reached.records))


@contextmanager
def _named(part: Part) -> Iterator[None]:
    try:
        yield
    except Unreadable as reason:
        raise BadInput(f"{part.name} {reason}. {reason.mend}") from None
