"""Reading the files of a build into its staging file, and carrying on where an interrupted build had come to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from typing import Any

from docgemma.errors import BadInput
from docgemma.sources.openfda.record import label_of
from docgemma.sources.pack.candidate import Candidate, candidate_of
from docgemma.sources.pack.content import packed
from docgemma.sources.pack.document import Document, Unreadable
from docgemma.sources.pack.parts import Part, opened, same, sha256_of
from docgemma.sources.pack.staging import Reached, Staging

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


@dataclass(frozen=True, slots=True)
class _Offset:
    """Tells how far all files together are, when one of them has come so far."""

    heard: Heard
    at: int
    total: int
    records: int
    before: int

    def __call__(self, position: int, records: int) -> None:
        self.heard(Step(self.at + position, self.total, self.records + records, self.before))


def look_into(given: Sequence[Part]) -> None:
    """The beginning of every file, before the first is read: a download that went wrong shows here in most cases."""
    for part in given:
        with opened(part) as feed, _named(part):
            next(Document(feed.read).records(), None)


def read_all(given: Sequence[Part], staging: Staging, heard: Heard) -> list[Reached]:
    """Every file to its end, in the order given."""
    total, done, records, before = sum(part.size for part in given), 0, 0, 0
    reached: list[Reached] = []
    for number, part in enumerate(given):
        one = staging.reached(number)
        if one.sha256:
            before += part.size
        else:
            _read_part(number, part, staging, one, _Offset(heard, done, total, records, before))
        reached.append(one)
        done += part.size
        records += one.records
    return reached


def _read_part(number: int, part: Part, staging: Staging, reached: Reached, heard: _Offset) -> None:
    """One file to its end. Records that an interrupted build had committed are passed over."""
    done = reached.records
    with opened(part) as feed, _named(part):
        document = Document(feed.read)
        staging.open()
        for place, record in enumerate(document.records()):
            if place < done:
                continue
            _take(record, staging, reached)
            if reached.records % _COMMIT_EVERY == 0:
                staging.commit(number, part.mark, reached)
                heard(feed.position, reached.records)
                staging.open()
        reached.updated = _updated(part, document)
    reached.sha256 = sha256_of(part.path)
    if not same(part):
        raise BadInput(f"{part.name} was changed while it was read. Run the same command again.")
    if reached.records == reached.skipped.total():
        raise BadInput(f"{part.name} holds no drug labels. Give the parts of drug/label.")
    staging.commit(number, part.mark, reached)
    heard(part.size, reached.records)


def _take(record: Any, staging: Staging, reached: Reached) -> None:
    reached.records += 1
    candidate = candidate_of(record)
    if isinstance(candidate, Candidate):
        reached.replaced += staging.offer(candidate, lambda: packed(label_of(record)))
    else:
        reached.skipped[candidate] += 1


def _updated(part: Part, document: Document) -> str:
    updated = document.meta.get("last_updated")
    try:
        return date.fromisoformat(updated if isinstance(updated, str) else "").isoformat()
    except ValueError:
        raise BadInput(
            f"{part.name} does not say of which day it is (meta.last_updated). Give it as openFDA offers it."
        ) from None


@contextmanager
def _named(part: Part) -> Iterator[None]:
    try:
        yield
    except Unreadable as reason:
        raise BadInput(f"{part.name} {reason}. Download it again; nothing was published.") from None
