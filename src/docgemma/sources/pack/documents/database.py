"""The two databases of a pack: the records, and the index of their words.

A record carries a seal over its number and content. The index is SQLite's own full-text index, whose pages nobody can
seal one by one; so it is a file of its own, whose checksum is in the description of the pack, and is compared before
the first question. Records are numbered in their order: the first are the better ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

from docgemma.sources.pack.documents.collection import Collection, Indexed
from docgemma.sources.pack.manifest import FORMATS
from docgemma.sources.pack.rows import ABOUT, damage, describe, described, is_sealed, number_bytes
from docgemma.sources.pack.seal import SEAL_BYTES, seal
from docgemma.store.snapshot import Handle, making

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
    digest = blake2b(digest_size=SEAL_BYTES)
    what = "pack that is being built"
    with making(files[0], what) as records, making(files[1], what) as index:
        for statement in _BODIES:
            records.execute(statement)
        for statement in _index_schema(collection):
            index.execute(statement)
        index.execute("INSERT INTO words (words, rank) VALUES ('hashsize', ?)", (_HASH_BYTES,))
        insert = _Inserting(index, collection)
        for number, (body, retracted) in enumerate(bodies, 1):
            sealed = seal(b"record", number_bytes(number), body)
            digest.update(sealed)
            records.execute("INSERT INTO record VALUES (?, ?, ?)", (number, body, sealed))
            insert(number, collection.indexed(body), retracted=retracted)
            searched += not retracted
            heard(number)
        index.execute("INSERT INTO words (words) VALUES ('optimize')")
        about |= {"records": number, "searched": searched, "content": digest.hexdigest()}
        for target in (records, index):
            describe(target, about)
    return searched


class _Inserting:
    def __init__(self, index: Handle, collection: Collection) -> None:
        self._index = index
        columns = ("rowid", *collection.columns)
        self._words = " ".join(("INSERT INTO words (", ", ".join(columns), ") VALUES (", _marks(len(columns)), ")"))
        self._facts = " ".join(("INSERT INTO facts VALUES (", _marks(1 + len(collection.facts)), ")"))

    def __call__(self, number: int, found: Indexed, *, retracted: bool) -> None:
        for name in found.numbers:
            self._index.execute("INSERT OR IGNORE INTO number VALUES (?, ?, ?)", (name, number, int(retracted)))
        if retracted:
            return
        self._index.execute(self._words, (number, *found.texts))
        self._index.execute(self._facts, (number, *found.facts))


def _marks(many: int) -> str:
    return ", ".join("?" * many)


def _index_schema(collection: Collection) -> Iterator[str]:
    columns = ", ".join(collection.columns)
    yield f"CREATE VIRTUAL TABLE words USING fts5 ({columns}, content='', tokenize='porter ascii')"
    yield f"CREATE TABLE facts (id INTEGER PRIMARY KEY, {', '.join(collection.facts)})"
    yield "CREATE TABLE number (name TEXT PRIMARY KEY, id INTEGER NOT NULL, retracted INTEGER NOT NULL) WITHOUT ROWID"
    yield _BODIES[0]


def body(handle: Handle, number: int) -> bytes:
    row = handle.row("SELECT body, seal FROM record WHERE id = ?", (number,))
    if row is None or not is_sealed(row, b"record", number_bytes(number)):
        raise damage()
    found: bytes = row[0]
    return found


def check(handle: Handle, heard: Callable[[int], None]) -> None:
    """Go through every record. `heard` is told how many are done."""
    said, done = described(handle), 0
    digest = blake2b(digest_size=SEAL_BYTES)
    for number, content, sealed in handle.each("SELECT id, body, seal FROM record ORDER BY id"):
        done += 1
        if number != done or not is_sealed((content, sealed), b"record", number_bytes(number)):
            raise damage()
        digest.update(sealed)
        heard(done)
    if done != said.get("records") or digest.hexdigest() != said.get("content"):
        raise damage()
