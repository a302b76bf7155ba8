"""What can be asked of the charts inside one transaction. Every answer is as it was written, or a `Damaged` fault."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from docgemma.ehr.embedded.contract import Narrow, Stored
from docgemma.ehr.embedded.storage import index, versions
from docgemma.ehr.embedded.storage.drafts import is_name
from docgemma.ehr.embedded.storage.tallies import Tallies
from docgemma.store.database import Cursor

_BATCH = 500


class Reading:
    """The reading half of a unit. An id that cannot be is an id that is not there."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._tallies = Tallies(cursor)

    def read(self, kind: str, id_: str) -> Stored | None:
        """The newest version; None when there never was one, `deleted` when there is none any more."""
        found = versions.latest(self._cursor, kind, id_) if is_name(kind, id_) else None
        return found.stored if found else None

    def exists(self, kind: str, id_: str) -> bool:
        found = self.read(kind, id_)
        return found is not None and not found.deleted

    def version(self, kind: str, id_: str, number: int) -> Stored | None:
        """One version, the one that says `deleted` too; None when it never was."""
        return next((each for each in self.history(kind, id_) if each.version == number), None)

    def history(self, kind: str, id_: str) -> list[Stored]:
        """Every version, newest first; empty when there never was one."""
        newest = self.read(kind, id_)
        if newest is None:
            return []
        return [each.stored for each in versions.history(self._cursor, kind, id_, newest.version)]

    def changes(self, kind: str | None = None, *, before: int | None = None, limit: int) -> list[tuple[int, Stored]]:
        """Versions of one kind or of all, newest first, each with its place: the `before` of the next page."""
        place = self._tallies.sequence + 1 if before is None else min(before, self._tallies.sequence + 1)
        found: list[tuple[int, Stored]] = []
        while place > 1 and len(found) < limit:
            batch = versions.before(self._cursor, place, _BATCH)
            found += [(each.seq, each.stored) for each in batch if kind is None or each.stored.kind == kind]
            place = batch[-1].seq
        return found[:limit]

    def find(self, kind: str, narrow: Sequence[Narrow]) -> list[str]:
        """Ids of the live resources whose index entries meet every condition, in order."""
        return index.find(self._cursor, kind, narrow) if is_name(kind) else []

    def of_patient(self, patient: str, kinds: Sequence[str] | None = None) -> list[Stored]:
        """Everything live in a patient's chart, the patient too, in the order of writing: complete, or refused."""
        if not is_name("Patient", patient):
            return []
        self._tallies.write()
        kinds = None if kinds is None else [kind for kind in dict.fromkeys(kinds) if is_name(kind)]
        if kinds == []:
            return []
        found = versions.of_patient(self._cursor, patient, kinds)
        self._tallies.expect(patient, kinds, found)
        return [each.stored for each in found]

    def referred(self, patient: str, found: Iterable[Stored]) -> list[Stored]:
        """What these refer to outside the chart, live, each once, and nothing that is another patient's."""
        names = dict.fromkeys(name for each in found for name in each.refs)
        read = (self.read(*name.split("/", 1)) for name in names)
        return [each for each in read if each and not each.deleted and each.patient in ("", patient)]

    def of_kind(self, kind: str, *, after: str = "", limit: int) -> list[Stored]:
        """Live resources of a kind with ids behind `after`, in the order of ids; fewer than `limit` at the end."""
        found: list[Stored] = []
        while is_name(kind, after or "x") and len(found) < limit:
            batch = versions.page(self._cursor, kind, after, limit)
            found += [each.stored for each in batch if not each.stored.deleted]
            if len(batch) < limit:
                break
            after = batch[-1].stored.id
        return found[:limit]

    def counts(self) -> dict[str, int]:
        """How many live resources there are of each kind."""
        return {kind: live for kind, live in sorted(self._tallies.live.items()) if live}

    def count(self, kind: str) -> int:
        return self._tallies.live.get(kind, 0)

    def chart_size(self, patient: str) -> int:
        """How many live resources a patient's chart has, the patient included."""
        return self._tallies.size(patient) if is_name("Patient", patient) else 0

    @property
    def written(self) -> int:
        """How many versions were ever written: 0 for a store that nothing was put into yet."""
        return self._tallies.sequence

    @property
    def edition(self) -> int:
        """Of the index."""
        return self._tallies.edition
