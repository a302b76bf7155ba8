"""Building a pack of drug labels out of openFDA's bulk files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from docgemma.sources.openfda.record import label_of
from docgemma.sources.pack.build import Built
from docgemma.sources.pack.build import build as build_pack
from docgemma.sources.pack.document import Unreadable
from docgemma.sources.pack.intake import Heard
from docgemma.sources.pack.kinds import Kind
from docgemma.sources.pack.labels import database
from docgemma.sources.pack.labels.candidate import Candidate, candidate_of
from docgemma.sources.pack.labels.content import packed
from docgemma.sources.pack.labels.document import Document
from docgemma.sources.pack.labels.staging import TABLES, Staging
from docgemma.sources.pack.manifest import DATABASES
from docgemma.sources.pack.parts import Feed
from docgemma.sources.pack.progress import Reached, Tables
from docgemma.sources.pack.recipe import Written
from docgemma.store.snapshot import Handle

KEEP = 10


def build(paths: Sequence[Path], folder: Path, *, keep: int = KEEP, heard: Heard = lambda _: None) -> Built:
    """Read the files and publish the pack in this folder. Killed at any moment, the same call carries on."""
    return build_pack(LabelRecipe(keep), paths, folder, heard)


@dataclass(frozen=True, slots=True)
class LabelRecipe:
    """`keep`: labels for each set of ingredients and route, the best ones; 0 keeps all."""

    keep: int = KEEP

    @property
    def kind(self) -> Kind:
        return "openfda"

    @property
    def options(self) -> str:
        return f"{database.FORMAT} {self.keep}"

    @property
    def tables(self) -> Tables:
        return TABLES

    def check(self) -> None:
        """Any SQLite will do."""

    def records(self, feed: Feed, reached: Reached) -> Iterator[Any]:
        for read in feed.files():
            document = Document(read)
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
