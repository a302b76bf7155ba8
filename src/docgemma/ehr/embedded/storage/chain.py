"""A sorted table in which every row names the next one, so that what is *not* there can be proved.

A damaged page makes SQLite overlook rows without a word. Here a place is missing only where a sealed row says that
nothing lies between it and its successor; a gap in the chain is damage, however many bytes made it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from docgemma.ehr.embedded.contract import FhirFault, Issue
from docgemma.seal import CHART
from docgemma.store.database import Cursor, Row

_WRAP = 1 << 64
_HALF = 1 << 63


class Damaged(FhirFault):
    """The file does not say what was once written into it. `what` names the part, without any patient data."""

    def __init__(self, what: str) -> None:
        sentence = (
            f"The chart store is damaged: {what}. "
            "Restore a backup of it, or move it away and import the charts again; nothing was shown from it."
        )
        super().__init__(500, [Issue("exception", sentence)])


def total(digest: int, step: int) -> int:
    """The sum of seals, whatever their order, kept within SQLite's 64 bits."""
    return (digest + step + _HALF) % _WRAP - _HALF


END = "\U0010ffff"
"""Behind every place."""

_TABLE = """CREATE TABLE {} (
        place TEXT NOT NULL PRIMARY KEY, next TEXT NOT NULL, data TEXT NOT NULL, seal INTEGER NOT NULL) WITHOUT ROWID"""
_AT = "SELECT place, next, data, seal FROM {} WHERE place <= ? ORDER BY place DESC LIMIT 1"
_BEFORE = "SELECT place, next, data, seal FROM {} WHERE place < ? ORDER BY place DESC LIMIT 1"
_SPAN = "SELECT place, next, data, seal FROM {} WHERE place >= ? AND place < ? ORDER BY place LIMIT ?"
_PUT = "INSERT OR REPLACE INTO {} (place, next, data, seal) VALUES (?, ?, ?, ?)"
_DROP = "DELETE FROM {} WHERE place = ?"
_CLEAR = "DELETE FROM {}"


@dataclass(frozen=True, slots=True)
class _Link:
    place: str
    next: str
    data: str


def table(name: str) -> str:
    """The statement that makes such a table."""
    return _TABLE.format(name)


class Chain:
    """One such table in an open transaction. Places are texts in the order of their characters, none of them empty."""

    def __init__(self, cursor: Cursor, name: str) -> None:
        self._cursor = cursor
        self._name = name
        self._at_sql, self._before_sql, self._span_sql = (sql.format(name) for sql in (_AT, _BEFORE, _SPAN))

    def start(self) -> None:
        """Empty, with the one row that everything follows."""
        self._cursor.execute(_CLEAR.format(self._name))
        self._write([_Link("", END, "")])

    def get(self, place: str) -> str | None:
        """What lies at a place; None when it is certain that nothing does."""
        link = self._at(place)
        return link.data if link.place == place else None

    def span(self, low: str, high: str, most: int = -1) -> list[tuple[str, str]]:
        """All places from `low` to below `high` with what lies there, or the first `most` of them."""
        expected = self._link(self._cursor.row(self._before_sql, (low,))).next
        found: list[tuple[str, str]] = []
        for row in self._cursor.rows(self._span_sql, (low, high, most)):
            link = self._link(row)
            if link.place != expected:
                raise self._gap()
            found.append((link.place, link.data))
            expected = link.next
        if len(found) != most and expected < high:
            raise self._gap()
        return found

    def put(self, data: Mapping[str, str]) -> None:
        """Lay these down, in place of what is there."""
        touched: dict[str, _Link] = {}
        at: _Link | None = None
        for place in sorted(data):
            if at is None or place >= at.next:
                at = self._at(place)
            if at.place != place:
                touched[at.place] = replace(at, next=place)
            at = touched[place] = _Link(place, at.next, data[place])
        self._write(touched.values())

    def drop(self, places: Iterable[str]) -> None:
        """Take these out; each must be there."""
        for place in places:
            link = self._at(place)
            before = self._link(self._cursor.row(self._before_sql, (place,)))
            if link.place != place or before.next != place:
                raise self._gap()
            self._cursor.execute(_DROP.format(self._name), (place,))
            self._write([replace(before, next=link.next)])

    def _at(self, place: str) -> _Link:
        """The row of a place, or the row that says that there is none."""
        link = self._link(self._cursor.row(self._at_sql, (place,)))
        if not link.place <= place < link.next:
            raise self._gap()
        return link

    def _link(self, row: Row | None) -> _Link:
        if row is None or not CHART.fits(row["seal"], self._name, row["place"], row["next"], row["data"]):
            raise self._gap()
        return _Link(row["place"], row["next"], row["data"])

    def _write(self, links: Iterable[_Link]) -> None:
        rows = [
            (each.place, each.next, each.data, CHART.of(self._name, each.place, each.next, each.data)) for each in links
        ]
        if self._cursor.many(_PUT.format(self._name), rows) != len(rows):
            raise self._gap()

    def _gap(self) -> Damaged:
        return Damaged(f"a row of its table {self._name} is missing or not as it was written")
