"""One transaction on the charts, as its writer sees it. Nothing here waits, so that a bundle stays whole."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from docgemma.ehr import fhir_json
from docgemma.ehr.contract import Resource
from docgemma.ehr.embedded.contract import FhirFault, IndexEntry, Issue, Saved, Stored
from docgemma.ehr.embedded.storage import index, versions
from docgemma.ehr.embedded.storage.compartment import patient_of, refs_of
from docgemma.ehr.embedded.storage.drafts import Draft, draft, is_name
from docgemma.ehr.embedded.storage.reading import Reading
from docgemma.ehr.embedded.storage.versions import Placed
from docgemma.store.database import Cursor

Entries = Callable[[Resource], Iterable[IndexEntry]]
_BATCH = 500


@dataclass(frozen=True, slots=True)
class Counts:
    """What a bulk write did."""

    created: int = 0
    updated: int = 0
    unchanged: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.created + other.created, self.updated + other.updated, self.unchanged + other.unchanged)


class Unit(Reading):
    """Reads and writes of one transaction, which all bear the same time. It ends with `finish`."""

    def __init__(self, cursor: Cursor, *, entries: Entries, now: str, writable: bool) -> None:
        super().__init__(cursor)
        self._entries = entries
        self._now = now
        self._writable = writable
        self.touched: set[str] = set()
        """The patients in whose charts something was written, replaced or deleted."""

    def create(self, resource: Resource) -> Saved:
        """A new resource, under the id it brings or a new one."""
        made = draft({**resource, "id": resource.get("id") or str(uuid.uuid4())})
        if versions.latest(self._cursor, made.kind, made.id) is not None:
            raise FhirFault(409, [Issue("duplicate", "There is a resource with this id already.", f"{made.kind}.id")])
        return self._save([made])[0]

    def update(self, resource: Resource, *, if_match: int | None = None) -> Saved:
        """A new version under the id it brings, or the first one. What says nothing new leaves everything as it is."""
        made = draft(resource)
        if if_match is not None:
            self._must_be(made.kind, made.id, if_match)
        return self._save([made])[0]

    def delete(self, kind: str, id_: str, *, if_match: int | None = None) -> Stored | None:
        """Ends a resource with a last version that says so; None when there never was one."""
        if if_match is not None:
            self._must_be(kind, id_, if_match)
        old = versions.latest(self._cursor, kind, id_) if is_name(kind, id_) else None
        if old is None or old.stored.deleted:
            return old.stored if old else None
        gone = replace(old.stored, version=old.stored.version + 1, updated=self._now, deleted=True, body="", refs=())
        self._write([gone], [old], [])
        return gone

    def put_many(self, resources: Iterable[Resource]) -> Counts:
        """`update` for many, each with an id: what imports use.

        A Provenance lies in the chart of what it is about, so it is written when that is there.
        """
        later: list[Draft] = []
        counts = Counts()
        for batch in _batches(draft(resource) for resource in resources):
            later += (each for each in batch if each.kind == "Provenance")
            counts += self._put([each for each in batch if each.kind != "Provenance"])
        for batch in _batches(iter(later)):
            counts += self._put(batch)
        return counts

    def reindex(self, edition: int) -> None:
        """Make the index anew, from what is live: the way entries are made has changed."""
        index.clear(self._cursor)
        for kind in self.counts():
            after = ""
            while page := self.of_kind(kind, after=after, limit=_BATCH):
                index.add(self._cursor, [entry for each in page for entry in self._indexed(each)])
                after = page[-1].id
        self._tallies.edition = edition

    def finish(self) -> None:
        """Write down what must be there from now on. Part of the transaction."""
        self._tallies.write()

    def _must_be(self, kind: str, id_: str, version: int) -> None:
        found = self.read(kind, id_)
        if found is None or found.version != version:
            raise FhirFault(412, [Issue("conflict", "The resource is not at this version any more. Read it again.")])

    def _put(self, batch: Sequence[Draft]) -> Counts:
        done = [saved.how for saved in self._save(batch)]
        return Counts(done.count("created"), done.count("updated"), done.count("unchanged"))

    def _save(self, batch: Sequence[Draft]) -> list[Saved]:
        """Each resource comes once in a batch."""
        saved: list[Saved] = []
        replaced: list[Placed | None] = []
        entries: list[tuple[index.Key, IndexEntry]] = []
        for each in batch:
            old = versions.latest(self._cursor, each.kind, each.id)
            was = old.stored if old and not old.stored.deleted else None
            if was and each.says_the_same_as(was):
                saved.append(Saved("unchanged", was))
                continue
            version = old.stored.version + 1 if old else 1
            body = each.body(version, self._now)
            patient = patient_of(each.resource, self._home_of)
            stored = Stored(each.kind, each.id, version, self._now, False, body, patient, refs_of(body))
            saved.append(Saved("updated" if was else "created", stored, was))
            replaced.append(old)
            entries += (((each.kind, each.id), entry) for entry in self._entries(each.resource))
        self._write([each.stored for each in saved if each.how != "unchanged"], replaced, entries)
        return saved

    def _write(
        self,
        new: Sequence[Stored],
        replaced: Sequence[Placed | None],
        entries: Sequence[tuple[index.Key, IndexEntry]],
    ) -> None:
        if not self._writable:
            raise RuntimeError("A transaction that was opened for reading was asked to write.")
        placed = [versions.placed(seq, each) for seq, each in enumerate(new, start=self._tallies.sequence + 1)]
        versions.write(self._cursor, placed, replaced)
        self._tallies.sequence += len(placed)
        self.touched.update(each.patient for each in new if each.patient)
        outdated = [old for old in replaced if old and not old.stored.deleted]
        for old in outdated:
            self._tallies.remove(old)
            self.touched.update([old.stored.patient] if old.stored.patient else [])
        for each in placed:
            if not each.stored.deleted:
                self._tallies.add(each)
        before = dict.fromkeys(entry for old in outdated for entry in self._indexed(old.stored))
        index.remove(self._cursor, before.keys() - set(entries))
        index.add(self._cursor, (entry for entry in entries if entry not in before))

    def _indexed(self, stored: Stored) -> Iterator[tuple[index.Key, IndexEntry]]:
        for entry in self._entries(fhir_json.loads(stored.body)):
            yield (stored.kind, stored.id), entry

    def _home_of(self, kind: str, id_: str) -> str:
        found = self.read(kind, id_)
        return found.patient if found else ""


def _batches(drafts: Iterator[Draft]) -> Iterator[list[Draft]]:
    """Some at a time, none with the same resource twice: the second one is a version of its own."""
    batch: dict[tuple[str, str], Draft] = {}
    for each in drafts:
        if len(batch) == _BATCH or (each.kind, each.id) in batch:
            yield list(batch.values())
            batch = {}
        batch[each.kind, each.id] = each
    if batch:
        yield list(batch.values())
