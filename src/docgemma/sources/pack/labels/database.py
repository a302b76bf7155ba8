"""The database of a pack: labels by number, and terms that lead to them; and the pack as a source of labels.

Numbers follow the rank, so the first labels of a term are the best ones. Each row carries a seal over all of it, and
each term names the one that follows: so that a term is there can be proved, and that none is there too. A damaged
page can then hide no label and show no other one. The same names are found as by asking openFDA itself.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal

from docgemma.seal import PACKED
from docgemma.sources.contract import Label, Labels
from docgemma.sources.openfda.record import is_about
from docgemma.sources.openfda.texts import words
from docgemma.sources.pack.asking import asked
from docgemma.sources.pack.content import unpacked
from docgemma.sources.pack.labels.candidate import phrases_of, phrases_to_ask
from docgemma.sources.pack.manifest import FORMATS, Manifest, Place, read
from docgemma.sources.pack.rows import (
    ABOUT,
    body_of,
    damage,
    describe,
    described,
    record,
    seals_of,
)
from docgemma.store.snapshot import Damaged, Handle, Snapshot, making

Kind = Literal["name", "alias", "word", "lead"]
"""A whole name; that of a label which was left out; a word of a name; leading words of an unharmonised label."""

FORMAT = FORMATS["openfda"]
_SCHEMA = (
    ABOUT,
    "CREATE TABLE label (id INTEGER PRIMARY KEY, body BLOB NOT NULL, seal BLOB NOT NULL)",
    "CREATE TABLE term (term BLOB PRIMARY KEY, next BLOB NOT NULL, labels BLOB NOT NULL, seal BLOB NOT NULL)"
    " WITHOUT ROWID",
)
_CHOSEN = """
INSERT INTO chosen SELECT ROW_NUMBER() OVER (ORDER BY rank), id, drug, grp FROM (
  SELECT id, rank, drug, grp, ROW_NUMBER() OVER (PARTITION BY grp ORDER BY rank) AS place FROM candidate WHERE kept = 1
) WHERE place <= ?
"""
_ALIASES = """
SELECT DISTINCT alias.name, chosen.id FROM alias JOIN chosen USING (grp)
WHERE NOT EXISTS (SELECT 1 FROM own WHERE own.name = alias.name)
"""
_EVERYTHING = 2**62
_END = b""


def write(path: Path, staging: Handle, data_date: str, keep: int, heard: Callable[[int], None]) -> dict[str, Any]:
    """Make the file out of what was read. What it holds is told, and stands in it too."""
    _choose(staging, keep)
    row = staging.row("SELECT COUNT(*), COUNT(DISTINCT drug) FROM chosen")
    labels, drugs = row or (0, 0)
    with making(path, "pack that is being built") as target:
        for statement in _SCHEMA:
            target.execute(statement)
        target.many("INSERT INTO label VALUES (?, ?, ?)", _labels(staging, heard))
        staging.many("INSERT INTO term VALUES (?, ?)", _aliases(staging))
        terms = 0
        for term in _chained(staging.each("SELECT DISTINCT term, label FROM term ORDER BY term, label")):
            target.execute("INSERT INTO term VALUES (?, ?, ?, ?)", term)
            terms += 1
        about = {"format": FORMAT, "data_date": data_date, "labels": labels, "drugs": drugs, "terms": terms}
        describe(target, about)
    return about


def numbers(handle: Handle, kind: Kind, text: str) -> array[int]:
    """The labels that a term leads to, best first. Empty only when it is proved that there are none."""
    wanted = key(kind, text)
    row = handle.row("SELECT term, next, labels, seal FROM term WHERE term <= ? ORDER BY term DESC LIMIT 1", (wanted,))
    if row is None or not PACKED.fits(row[3], b"term", *row[:3]):
        raise damage()
    term, following, labels, _ = row
    if term == wanted:
        return _array(labels)
    if term < wanted and (following == _END or wanted < following):
        return array("I")
    raise damage()


def label(handle: Handle, number: int) -> Label:
    try:
        return unpacked(body_of(handle, "label", number), Label)
    except ValueError:
        raise damage() from None


def check(handle: Handle, heard: Callable[[int], None]) -> None:
    """Go through every row. `heard` is told how many are done."""
    said = described(handle)
    done = 0
    for done, _ in enumerate(seals_of(handle, "label"), 1):
        heard(done)
    if done != said.get("labels"):
        raise damage()
    expected, terms = _END, 0
    for row in handle.each("SELECT term, next, labels, seal FROM term ORDER BY term"):
        if row[0] != expected or (terms and expected == _END) or not PACKED.fits(row[3], b"term", *row[:3]):
            raise damage()
        expected = row[1]
        terms += 1
        heard(done + terms)
    if expected != _END or terms != said.get("terms"):
        raise damage()


def key(kind: Kind, text: str) -> bytes:
    return f"{kind}:{text}".encode("utf-8", "surrogatepass")


def _choose(staging: Handle, keep: int) -> None:
    """The best of each group, numbered by rank. Made anew each time: a build may have been killed in the middle."""
    for statement in (
        "CREATE TEMP TABLE chosen (id INTEGER PRIMARY KEY, candidate INTEGER, drug BLOB, grp BLOB)",
        "CREATE TEMP TABLE term (term BLOB, label INTEGER)",
        "CREATE TEMP TABLE own (name TEXT PRIMARY KEY) WITHOUT ROWID",
    ):
        staging.execute(statement)
    staging.execute(_CHOSEN, (keep or _EVERYTHING,))
    staging.execute("CREATE INDEX temp.chosen_group ON chosen (grp)")


def _labels(staging: Handle, heard: Callable[[int], None]) -> Iterator[tuple[int, bytes, bytes]]:
    """The rows of the labels; on the way their terms are noted, to be sorted."""
    rows = "SELECT chosen.id, names, run, body FROM chosen JOIN content ON content.id = candidate ORDER BY chosen.id"
    for number, names, run, body in staging.each(rows):
        whole = [name for name in names.split("\n") if name]
        single = {word for name in whole for word in name.split()}
        terms = [key("name", name) for name in whole]
        terms += [key("word", word) for word in single]
        terms += [key("lead", phrase) for phrase in phrases_of(run.split())]
        staging.many("INSERT INTO term VALUES (?, ?)", [(term, number) for term in terms])
        staging.many("INSERT OR IGNORE INTO own VALUES (?)", [(name,) for name in whole])
        heard(number)
        yield number, body, PACKED.of(*record("label", number, body))


def _aliases(staging: Handle) -> Iterator[tuple[bytes, int]]:
    """Names that only labels had which are not in the pack: they lead to the kept ones of the same ingredients."""
    for name, number in staging.each(_ALIASES):
        yield key("alias", name), number


def _chained(pairs: Iterable[tuple[bytes, int]]) -> Iterator[tuple[bytes, bytes, bytes, bytes]]:
    """Sorted terms, each with the one that follows it. The first is empty, and so is what follows the last."""
    term, labels = _END, b""
    for following, group in groupby(pairs, key=itemgetter(0)):
        yield term, following, labels, PACKED.of(b"term", term, following, labels)
        term, labels = following, _packed(array("I", (number for _, number in group)))
    yield term, _END, labels, PACKED.of(b"term", term, _END, labels)


def _packed(found: array[int]) -> bytes:
    if sys.byteorder == "big":
        found.byteswap()
    return found.tobytes()


def _array(labels: bytes) -> array[int]:
    found = array("I")
    if len(labels) % found.itemsize:
        raise damage()
    found.frombytes(labels)
    if sys.byteorder == "big":
        found.byteswap()
    return found


MOST = 10
"""Labels of one answer, the best ones. `total` says how many there are."""
_MOST_WORDS = 12
_WORTH_SEARCHING = 20


class LabelPack:
    """One pack. It is opened on the first question; one that cannot be read says so at every question."""

    def __init__(self, place: Place) -> None:
        self._place, self.name = place, place.source
        self._database = Snapshot(place.database, what=f"database of the pack {place.name}")
        self._manifest: Manifest | None = None

    async def labels(self, drug: str, *, ends_at: float) -> Labels | None:
        async with asked(self.name, ends_at):
            found, total = await self._database.run(lambda handle: self._look_up(handle, drug))
        if not found:
            return None
        return Labels(found, self.name, "pack", data_date=self._place.date, total=total)

    async def close(self) -> None:
        await self._database.close()

    def _look_up(self, handle: Handle, drug: str) -> tuple[tuple[Label, ...], int]:
        if self._manifest is None:
            self._manifest = proved(self._place, handle)
        return look_up(handle, drug)


def proved(place: Place, handle: Handle) -> Manifest:
    """The manifest, once it and the database have been seen to belong together."""
    manifest = read(place)
    about = described(handle)
    same = (manifest.format, manifest.data_date, manifest.counts.kept, manifest.counts.drugs)
    if (about.get("format"), about.get("data_date"), about.get("labels"), about.get("drugs")) != same:
        raise Damaged("The database and the description of the pack do not belong together.")
    return manifest


def look_up(handle: Handle, drug: str) -> tuple[tuple[Label, ...], int]:
    """The best labels for a name, and how many there are. The first way of finding any is the one that counts."""
    asked = words(drug)
    if not asked or len(asked) > _MOST_WORDS:
        return (), 0
    name = " ".join(asked)
    if own := numbers(handle, "name", name):
        return _read(handle, own, drug), len(own)
    if others := numbers(handle, "alias", name):
        return _read(handle, others), len(others)
    found = _with_all(handle, "word", asked) or _with_all(handle, "lead", phrases_to_ask(asked))
    return _read(handle, found, drug), len(found)


def _with_all(handle: Handle, kind: Kind, terms: Sequence[str]) -> Sequence[int]:
    """Labels that every one of these leads to; the rarest first, so that little is compared."""
    lists: list[array[int]] = []
    for term in dict.fromkeys(terms):
        found = numbers(handle, kind, term)
        if not found:
            return ()
        lists.append(found)
    lists.sort(key=len)
    common: Sequence[int] = lists[0]
    for found in lists[1:]:
        common = _in_both(common, found)
    return common


def _in_both(few: Sequence[int], many: array[int]) -> list[int]:
    """Both are sorted. A common word leads to tens of thousands of labels, which are not gone through one by one."""
    if len(few) * _WORTH_SEARCHING > len(many):
        return sorted(set(few).intersection(many))
    places = ((number, bisect_left(many, number)) for number in few)
    return [number for number, place in places if place < len(many) and many[place] == number]


def _read(handle: Handle, numbers: Sequence[int], drug: str = "") -> tuple[Label, ...]:
    """The first of these. A label that does not have the asked name was not led to by what was written."""
    labels = tuple(label(handle, number) for number in numbers[:MOST])
    if drug and not all(is_about(label, drug) for label in labels):
        raise damage()
    return labels
