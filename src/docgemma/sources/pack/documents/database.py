"""Records while a pack is being built, and the two databases of a finished one: records, and the index of their words.

A record carries a seal over its number and content. The index is SQLite's own full-text index, whose pages nobody can
seal one by one; so it is a file of its own, whose checksum is in the description of the pack, and is compared before
the first question. Records are numbered in their order: the first are the better ones.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from docgemma.seal import PACKED, SUMMED
from docgemma.sources.pack.intake import Tables
from docgemma.sources.pack.manifest import FORMATS, Kind
from docgemma.sources.pack.rows import (
    ABOUT,
    damage,
    describe,
    described,
    record,
    seals_of,
)
from docgemma.store.snapshot import Handle, making


@dataclass(frozen=True, slots=True)
class Entry:
    """A record to be kept. Of two with the same key the one with the higher version stays; of equals, the later one.

    `order` puts the records of a pack in a row, the smaller first: of very many that fit, the first are looked at.
    One that is `retracted` is not searched; who asks for it by its number gets it, marked.
    """

    key: str
    version: str
    order: str
    body: bytes
    updated: str = ""
    retracted: bool = False


@dataclass(frozen=True, slots=True)
class TakenBack:
    """Records that another one says are retracted, or `deleted`: as if they had never been there."""

    keys: tuple[str, ...]
    updated: str = ""
    deleted: bool = False


@dataclass(frozen=True, slots=True)
class Skipped:
    why: str


@dataclass(frozen=True, slots=True)
class Indexed:
    """A record's own numbers, its texts, folded, in the order of the columns, and what it is filtered by."""

    numbers: tuple[str, ...]
    texts: tuple[str, ...]
    facts: tuple[str | int | None, ...]


class Collection(Protocol):
    """`page`: where in a page of the service its list of records is. `columns`: what is searched, and how much a hit
    there weighs. `facts`: what is filtered by, as columns of a table.
    """

    kind: Kind
    page: tuple[str, ...]
    columns: Mapping[str, float]
    facts: tuple[str, ...]

    def read(self, record: Any) -> Iterator[Entry | TakenBack | Skipped]:
        """One record of a file, which may also take others back. Raises Unreadable for one of another kind."""
        ...

    def indexed(self, body: bytes) -> Indexed:
        """What to write into the index for a record that is kept."""
        ...


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


_HASH_BYTES = 16_000_000
"""Memory for words before they are written. More makes building little faster."""

_BODIES = (
    ABOUT,
    "CREATE TABLE record (id INTEGER PRIMARY KEY, body BLOB NOT NULL, seal BLOB NOT NULL)",
)


def write(
    files: tuple[Path, Path],
    collection: Collection,
    bodies: Iterable[tuple[bytes, bool]],
    data_date: str,
    heard: Callable[[int], None],
) -> int:
    """Make both files, the records in the order they come, each with whether it was retracted.

    Gives the number of those that were not.
    """
    about: dict[str, Any] = {"kind": collection.kind, "format": FORMATS[collection.kind], "data_date": data_date}
    number = searched = 0

    def lay_down() -> Iterator[bytes]:
        nonlocal number, searched
        for number, (body, retracted) in enumerate(bodies, 1):
            sealed = PACKED.of(*record("record", number, body))
            records.execute("INSERT INTO record VALUES (?, ?, ?)", (number, body, sealed))
            _insert(index, collection, number, collection.indexed(body), retracted=retracted)
            searched += not retracted
            heard(number)
            yield sealed

    what = "pack that is being built"
    with making(files[0], what) as records, making(files[1], what) as index:
        for statement in _BODIES:
            records.execute(statement)
        for statement in _index_schema(collection):
            index.execute(statement)
        index.execute("INSERT INTO words (words, rank) VALUES ('hashsize', ?)", (_HASH_BYTES,))
        content = SUMMED.of(lay_down())
        index.execute("INSERT INTO words (words) VALUES ('optimize')")
        about |= {"records": number, "searched": searched, "content": content}
        for target in (records, index):
            describe(target, about)
    return searched


def _insert(index: Handle, collection: Collection, number: int, found: Indexed, *, retracted: bool) -> None:
    for name in found.numbers:
        index.execute("INSERT OR IGNORE INTO number VALUES (?, ?, ?)", (name, number, int(retracted)))
    if not retracted:
        columns = ("rowid", *collection.columns)
        words = " ".join(("INSERT INTO words (", ", ".join(columns), ") VALUES (", _marks(len(columns)), ")"))
        index.execute(words, (number, *found.texts))
        facts = " ".join(("INSERT INTO facts VALUES (", _marks(1 + len(collection.facts)), ")"))
        index.execute(facts, (number, *found.facts))


def _marks(many: int) -> str:
    return ", ".join("?" * many)


def _index_schema(collection: Collection) -> Iterator[str]:
    columns = ", ".join(collection.columns)
    yield f"CREATE VIRTUAL TABLE words USING fts5 ({columns}, content='', tokenize='porter ascii')"
    yield f"CREATE TABLE facts (id INTEGER PRIMARY KEY, {', '.join(collection.facts)})"
    yield "CREATE TABLE number (name TEXT PRIMARY KEY, id INTEGER NOT NULL, retracted INTEGER NOT NULL) WITHOUT ROWID"
    yield _BODIES[0]


def check(handle: Handle, heard: Callable[[int], None]) -> None:
    """Go through every record. `heard` is told how many are done."""
    said, done = described(handle), 0

    def seals() -> Iterator[bytes]:
        nonlocal done
        for done, sealed in enumerate(seals_of(handle, "record"), 1):
            heard(done)
            yield sealed

    if not SUMMED.fits(said.get("content"), seals()) or done != said.get("records"):
        raise damage()
