"""Building a pack of drug labels out of openFDA's bulk files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from operator import attrgetter
from pathlib import Path
from typing import Any, BinaryIO

from docgemma.ingest.json_values import json_values
from docgemma.sources.openfda.record import label_of
from docgemma.sources.pack.build import Built
from docgemma.sources.pack.build import build as build_pack
from docgemma.sources.pack.content import packed
from docgemma.sources.pack.intake import Heard, Reached, Recipe, Tables, Written
from docgemma.sources.pack.labels import database
from docgemma.sources.pack.labels.candidate import Candidate, candidate_of
from docgemma.sources.pack.manifest import DATABASES, Kind
from docgemma.sources.pack.parts import Feed, Unreadable, valid_json
from docgemma.store.snapshot import Handle


class Document:
    """Walk through `records()`; `meta` is complete when they have ended."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.meta: dict[str, Any] = {}

    def records(self) -> Iterator[Any]:
        """Every element of `results`. None for one with half a character or NaN or Infinity in it."""
        page = False
        with valid_json():
            for found in json_values(self._stream, ("results",)):
                if found.kind == "record":
                    yield None if found.half or found.odd else found.value
                    continue
                if found.kind != "page":
                    raise Unreadable(f"is not a file of openFDA: {_missing(found.value)}")
                page = True
                meta = found.value.get("meta")
                self.meta = meta if isinstance(meta, dict) else {}
        if not page:
            raise Unreadable("is not a file of openFDA: it is no JSON object")


def _missing(value: Any) -> str:
    if not isinstance(value, dict):
        return "it is no JSON object"
    return "its results are no list" if "results" in value else "it has no results"


SPARE = 2
"""So many more than asked for are kept while building: a label that turns out outdated may leave a gap."""

_ROW = attrgetter("set_id", "version", "effective", "drug", "group", "rank")

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
            (*_ROW(candidate), int(kept)),
        )
        handle.many("INSERT OR IGNORE INTO alias VALUES (?, ?)", [(name, candidate.group) for name in candidate.names])
        if kept:
            names, run = "\n".join(candidate.names), " ".join(candidate.run)
            handle.execute("INSERT INTO content VALUES (?, ?, ?, ?)", (number, names, run, content()))
            self._evict(candidate.group)
        return before is not None

    def _is_wanted(self, candidate: Candidate) -> bool:
        worst = self._kept_at(candidate.group, self._most - 1)
        return worst is None or candidate.rank < worst[1]

    def _evict(self, group: bytes) -> None:
        worst = self._kept_at(group, self._most)
        if worst is not None:
            self._handle.execute("UPDATE candidate SET kept = 0 WHERE id = ?", worst[:1])
            self._handle.execute("DELETE FROM content WHERE id = ?", worst[:1])

    def _kept_at(self, group: bytes, place: int) -> tuple[Any, ...] | None:
        """The number and rank of the kept label at this place of its group; None also where all are kept."""
        sql = "SELECT id, rank FROM candidate WHERE grp = ? AND kept = 1 ORDER BY rank LIMIT 1 OFFSET ?"
        return self._handle.row(sql, (group, place)) if self._most else None


KEEP = 10


def build(paths: Sequence[Path], folder: Path, *, keep: int = KEEP, heard: Heard = lambda _: None) -> Built:
    """Read the files and publish the pack in this folder. Killed at any moment, the same call carries on."""
    return build_pack(LabelRecipe(keep), paths, folder, heard)


class LabelRecipe(Recipe):
    """`keep`: labels for each set of ingredients and route, the best ones; 0 keeps all."""

    kind: Kind = "openfda"
    tables = TABLES

    def __init__(self, keep: int = KEEP) -> None:
        self.keep, self.options = keep, f"{database.FORMAT} {keep}"

    def check(self) -> None:
        """Any SQLite will do."""

    def records(self, feed: Feed, reached: Reached) -> Iterator[Any]:
        for stream in feed.files():
            document = Document(stream)
            yield from document.records()
            reached.updated = _updated(document)

    def recognise(self, record: Any) -> None:
        """What is no file of openFDA shows as a whole."""

    def take(self, handle: Handle, record: Any, reached: Reached) -> None:
        candidate = candidate_of(record)
        if isinstance(candidate, Candidate):
            reached.replaced += Staging(handle, self.keep).offer(candidate, lambda: packed(label_of(record)))
        else:
            reached.skipped[candidate] += 1

    def write(self, folder: Path, handle: Handle, data_date: str, heard: Callable[[int], None]) -> Written:
        about = database.write(folder / DATABASES[self.kind], handle, data_date, self.keep, heard)
        return Written(about["labels"], about["drugs"])


def _updated(document: Document) -> str:
    updated = document.meta.get("last_updated")
    try:
        return date.fromisoformat(updated if isinstance(updated, str) else "").isoformat()
    except ValueError:
        raise Unreadable(
            "does not say of which day it is (meta.last_updated)", "Give it as openFDA offers it."
        ) from None
