"""Versions and what points to the latest ones: read with their seals checked, written all or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from docgemma.ehr.embedded.contract import Stored
from docgemma.ehr.embedded.storage.chain import Chain, Damaged
from docgemma.ehr.embedded.storage.schema import LATEST
from docgemma.seal import CHART
from docgemma.store.database import Cursor, Row

_OF_PATIENT = "SELECT v.* FROM members m CROSS JOIN versions v ON v.seq = m.seq WHERE m.patient = ?"
_NEWEST = "SELECT MAX(version) AS newest FROM versions WHERE kind = ? AND id = ?"
_APPEND = (
    "INSERT OR IGNORE INTO versions (seq, kind, id, version, updated, deleted, patient, refs, body, seal) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_JOIN = "INSERT OR IGNORE INTO members (patient, kind, seq) VALUES (?, ?, ?)"
_LEAVE = "DELETE FROM members WHERE patient = ? AND kind = ? AND seq = ?"


@dataclass(frozen=True, slots=True)
class Placed:
    """A version and its place in the order of writing."""

    seq: int
    seal: int
    stored: Stored

    @property
    def in_chart(self) -> bool:
        """Whether a patient's chart counts it."""
        return bool(self.stored.patient) and not self.stored.deleted


def latest(cursor: Cursor, kind: str, id_: str) -> Placed | None:
    """The newest version, deleted or not; None when there never was one."""
    pointer = Chain(cursor, LATEST).get(f"{kind}/{id_}")
    found = None if pointer is None else _pointed(cursor, f"{kind}/{id_}", pointer)
    newest = cursor.row(_NEWEST, (kind, id_))
    if (found.stored.version if found else None) != (newest and newest["newest"]):
        raise Damaged("it disagrees with itself about the newest version of a resource")
    return found


def page(cursor: Cursor, kind: str, after: str, most: int) -> list[Placed]:
    """The newest versions of a kind with ids behind `after`, deleted ones too, in the order of ids."""
    # "0" is the character behind "/", and a space comes before all that an id may hold.
    low = f"{kind}/{after} " if after else f"{kind}/"
    return [_pointed(cursor, *each) for each in Chain(cursor, LATEST).span(low, f"{kind}0", most)]


def of_patient(cursor: Cursor, patient: str, kinds: Sequence[str] | None) -> list[Placed]:
    """What is live in one patient's chart, in the order of writing. Completeness is the caller's to prove."""
    some = "" if kinds is None else f" AND m.kind IN ({', '.join('?' * len(kinds))})"
    rows = cursor.rows(f"{_OF_PATIENT}{some} ORDER BY v.seq", (patient, *(kinds or ())))
    return [_placed(row) for row in rows]


def history(cursor: Cursor, kind: str, id_: str, newest: int) -> list[Placed]:
    """Every version, newest first: numbered without gaps."""
    rows = cursor.rows("SELECT * FROM versions WHERE kind = ? AND id = ? ORDER BY version DESC", (kind, id_))
    found = [_placed(row) for row in rows]
    # The index that led here may be damaged, and lead to sound rows of something else.
    names = [(each.stored.kind, each.stored.id, each.stored.version) for each in found]
    if names != [(kind, id_, number) for number in range(newest, 0, -1)]:
        raise Damaged("versions are missing")
    return found


def before(cursor: Cursor, seq: int, most: int) -> list[Placed]:
    """What was written just before this place, newest first. No number is ever left out or taken back."""
    rows = cursor.rows("SELECT * FROM versions WHERE seq < ? ORDER BY seq DESC LIMIT ?", (seq, most))
    if [row["seq"] for row in rows] != list(range(seq - 1, max(seq - 1 - most, 0), -1)):
        raise Damaged("versions are missing")
    return [_placed(row) for row in rows]


def placed(seq: int, stored: Stored) -> Placed:
    """A new version, sealed."""
    return Placed(seq, _seal(seq, stored), stored)


def write(cursor: Cursor, new: Sequence[Placed], replaced: Sequence[Placed | None]) -> None:
    """Append versions and point to them; `replaced` are those whose place they take."""
    joining = [_member(each) for each in new if each.in_chart]
    leaving = [_member(each) for each in replaced if each and each.in_chart]
    written = cursor.many(_APPEND, [(each.seq, *_columns(each.stored), each.seal) for each in new])
    written += cursor.many(_JOIN, joining) + cursor.many(_LEAVE, leaving)
    if written != len(new) + len(joining) + len(leaving):
        raise Damaged("a new version does not fit what is there")
    Chain(cursor, LATEST).put({f"{each.stored.kind}/{each.stored.id}": _pointer(each) for each in new})


def _pointed(cursor: Cursor, place: str, pointer: str) -> Placed:
    """The version that a row of `latest` means."""
    seq, _, version = pointer.partition(" ")
    row = cursor.row("SELECT * FROM versions WHERE seq = ?", (int(seq),))
    found = None if row is None else _placed(row)
    if found is None or (f"{found.stored.kind}/{found.stored.id}", str(found.stored.version)) != (place, version):
        raise Damaged("versions are missing")
    return found


def _placed(row: Row) -> Placed:
    # The columns as they lie there, not as we would write them: a number that became a text must not pass.
    columns = (row["kind"], row["id"], row["version"], row["updated"], row["deleted"], row["patient"], row["refs"])
    if not CHART.fits(row["seal"], "version", row["seq"], *columns, row["body"]):
        raise Damaged("an entry is not as it was written")
    kind, id_, version, updated, deleted, patient, refs = columns
    stored = Stored(kind, id_, version, updated, bool(deleted), row["body"], patient, tuple(refs.split()))
    return Placed(row["seq"], row["seal"], stored)


def _columns(stored: Stored) -> tuple[str, str, int, str, int, str, str, str]:
    return (
        stored.kind,
        stored.id,
        stored.version,
        stored.updated,
        int(stored.deleted),
        stored.patient,
        " ".join(stored.refs),
        stored.body,
    )


def _seal(seq: int, stored: Stored) -> int:
    return CHART.of("version", seq, *_columns(stored))


def _pointer(each: Placed) -> str:
    return f"{each.seq} {each.stored.version}"


def _member(each: Placed) -> tuple[str, str, int]:
    return each.stored.patient, each.stored.kind, each.seq
