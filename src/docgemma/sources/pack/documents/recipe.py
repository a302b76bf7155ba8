"""Building a pack of articles or trials."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, date, datetime
from io import BufferedReader
from pathlib import Path
from typing import Any

from docgemma.sources.pack.build import Built
from docgemma.sources.pack.build import build as build_pack
from docgemma.sources.pack.documents import database
from docgemma.sources.pack.documents.database import TABLES, Collection, Entry, Skipped, Staging
from docgemma.sources.pack.documents.inputs import citations, json_records
from docgemma.sources.pack.intake import Heard, Reached, Recipe, Written
from docgemma.sources.pack.manifest import CALLED, DATABASES, INDEX
from docgemma.sources.pack.parts import Feed, Unreadable
from docgemma.store.snapshot import Handle, needs_full_text

_PEEK = 4096


def build(collection: Collection, paths: Sequence[Path], folder: Path, heard: Heard = lambda _: None) -> Built:
    """Read the files and publish the pack in this folder. Killed at any moment, the same call carries on."""
    return build_pack(DocumentRecipe(collection), paths, folder, heard)


class DocumentRecipe(Recipe):
    tables = TABLES

    def __init__(self, collection: Collection) -> None:
        self.kind, self.collection = collection.kind, collection

    def check(self) -> None:
        needs_full_text()

    def records(self, feed: Feed, reached: Reached) -> Iterator[Any]:
        for stream in feed.files():
            yield from self._inside(stream)
        reached.updated = reached.updated or _day(feed.made_on)

    def recognise(self, record: Any) -> None:
        list(self.collection.read(record))

    def take(self, handle: Handle, record: Any, reached: Reached) -> None:
        staging = Staging(handle)
        for found in self.collection.read(record):
            if isinstance(found, Skipped):
                reached.skipped[found.why] += 1
                continue
            if isinstance(found, Entry):
                reached.replaced += staging.keep(found)
            else:
                staging.take_back(found)
            reached.updated = max(reached.updated, _no_later_than_now(found.updated))

    def write(self, folder: Path, handle: Handle, data_date: str, heard: Callable[[int], None]) -> Written:
        files = (folder / DATABASES[self.kind], folder / INDEX)
        with closing(Staging(handle).in_order()) as bodies:
            return Written(database.write(files, self.collection, bodies, data_date, heard))

    def _inside(self, stream: BufferedReader[Any]) -> Iterator[Any]:
        """JSON or XML, by how it begins."""
        begins = stream.peek(_PEEK).lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
        if begins == b"<" and self.kind == "europepmc":
            yield from citations(stream.read)
        elif begins in (b"{", b"[", b""):
            yield from json_records(stream, self.collection.page)
        else:
            called = CALLED[self.kind]
            raise Unreadable(f"is no file with {called.many}", f"Give {called.files}.")


def _day(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).date().isoformat()


def _no_later_than_now(day: str) -> str:
    """The date of a pack tells how old its data are. One that lies ahead, or is none, would tell the contrary."""
    try:
        return day if date.fromisoformat(day) <= datetime.now(UTC).date() else ""
    except ValueError:
        return ""
