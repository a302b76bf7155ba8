"""What must be there: how many live resources each patient has of each kind, with the sum of their seals.

Changes are gathered in memory and written once, before anything relies on them and at the end of a transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from docgemma.ehr import fhir_json
from docgemma.ehr.embedded.storage.chain import Chain
from docgemma.ehr.embedded.storage.integrity import Damaged, seal, total
from docgemma.ehr.embedded.storage.schema import COMPARTMENTS
from docgemma.ehr.embedded.storage.versions import Placed
from docgemma.store.database import Cursor

Tally = tuple[int, int]
_NONE: Tally = (0, 0)


class Tallies:
    """The counts of one transaction. `sequence` is the number of versions ever written, `edition` the index's."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._compartments = Chain(cursor, COMPARTMENTS)
        row = cursor.row("SELECT one, sequence, edition, live, seal FROM totals")
        if row is None or seal("totals", row["one"], row["sequence"], row["edition"], row["live"]) != row["seal"]:
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
            (*row, seal("totals", 1, *row)),
        )
        if touched != 1:
            raise Damaged("its totals are not as they were written")
        self._written = (self.sequence, self.edition)
