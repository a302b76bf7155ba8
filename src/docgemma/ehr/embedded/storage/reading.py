"""What can be asked of the charts inside one transaction. Every answer is as it was written, or a `Damaged` fault."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from docgemma.ehr import fhir_json
from docgemma.ehr.embedded.contract import Narrow, Stored
from docgemma.ehr.embedded.storage import index, versions
from docgemma.ehr.embedded.storage.chain import Chain, Damaged, total
from docgemma.ehr.embedded.storage.drafts import is_name
from docgemma.ehr.embedded.storage.schema import COMPARTMENTS
from docgemma.ehr.embedded.storage.versions import Placed
from docgemma.seal import CHART
from docgemma.store.database import Cursor

Tally = tuple[int, int]
_NONE: Tally = (0, 0)


class Tallies:
    """The counts of one transaction. `sequence` is the number of versions ever written, `edition` the index's."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._compartments = Chain(cursor, COMPARTMENTS)
        row = cursor.row("SELECT one, sequence, edition, live, seal FROM totals")
        if row is None or not CHART.fits(row.pop("seal"), "totals", *row.values()):
            raise Damaged("its totals are not as they were written")
        self.sequence: int = row["sequence"]
        self.edition: int = row["edition"]
        self.live: dict[str, int] = fhir_json.loads(row["live"])
        self._written = (self.sequence, self.edition)
        self._changes: dict[tuple[str, str], Tally] = {}

    def add(self, each: Placed) -> None:
        self._move(each, 1)

    def remove(self, each: Placed) -> None:
        self._move(each, -1)

    def expect(self, patient: str, kinds: Sequence[str] | None, found: Iterable[Placed]) -> None:
        """Refuse what is not exactly this patient's chart as it was written, no more and no less."""
        counted: dict[str, Tally] = {}
        for each in found:
            if each.stored.patient != patient:
                raise Damaged("an entry lies in another patient's chart")
            live, digest = counted.get(each.stored.kind, _NONE)
            counted[each.stored.kind] = (live + 1, total(digest, each.seal))
        known = self._of_patient(patient)
        wanted = known if kinds is None else {kind: known[kind] for kind in kinds if kind in known}
        if counted != wanted:
            raise Damaged("a chart is not complete")

    def size(self, patient: str) -> int:
        """How many resources a patient's chart has."""
        self.write()
        return sum(live for live, _ in self._of_patient(patient).values())

    def write(self) -> None:
        """Bring the tables up to what was added and removed."""
        known = {patient: self._of_patient(patient) for patient in {patient for patient, _ in self._changes}}
        after: dict[str, str] = {}
        for (patient, kind), (more, step) in self._changes.items():
            live, digest = known[patient].get(kind, _NONE)
            if live + more < 0:
                raise Damaged("a chart is not complete")
            after[f"{patient}/{kind}"] = f"{live + more} {total(digest, step)}"
        self._compartments.put(after)
        self._changes.clear()
        self._write_totals()

    def _move(self, each: Placed, step: int) -> None:
        kind, patient = each.stored.kind, each.stored.patient
        self.live[kind] = self.live.get(kind, 0) + step
        if patient:
            count, digest = self._changes.get((patient, kind), _NONE)
            self._changes[patient, kind] = (count + step, total(digest, step * each.seal))

    def _of_patient(self, patient: str) -> dict[str, Tally]:
        found: dict[str, Tally] = {}
        for place, data in self._compartments.span(f"{patient}/", f"{patient}0"):  # "0" is the character behind "/"
            live, digest = map(int, data.split())
            if live:
                found[place.partition("/")[2]] = (live, digest)
        return found

    def _write_totals(self) -> None:
        if (self.sequence, self.edition) == self._written:
            return
        row = (self.sequence, self.edition, fhir_json.dumps(self.live))
        touched = self._cursor.execute(
            "UPDATE totals SET sequence = ?, edition = ?, live = ?, seal = ? WHERE one = 1",
            (*row, CHART.of("totals", 1, *row)),
        )
        if touched != 1:
            raise Damaged("its totals are not as they were written")
        self._written = (self.sequence, self.edition)


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
