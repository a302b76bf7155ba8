"""The database of a pack: labels by number, and terms that lead to them.

Numbers follow the rank, so the first labels of a term are the best ones. Each row carries a seal over all of it, and
each term names the one that follows: so that a term is there can be proved, and that none is there too. A damaged
page can then hide no label and show no other one.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal

from docgemma.sources.contract import Label
from docgemma.sources.pack.labels.candidate import phrases_of
from docgemma.sources.pack.labels.content import unpacked
from docgemma.sources.pack.manifest import FORMATS
from docgemma.sources.pack.rows import ABOUT, damage, describe, described, is_sealed, number_bytes, seal
from docgemma.store.snapshot import Handle, making

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
    if row is None or not is_sealed(row, b"term"):
        raise damage()
    term, following, labels, _ = row
    if term == wanted:
        return _array(labels)
    if term < wanted and (following == _END or wanted < following):
        return array("I")
    raise damage()


def label(handle: Handle, number: int) -> Label:
    row = handle.row("SELECT body, seal FROM label WHERE id = ?", (number,))
    if row is None or not is_sealed(row, b"label", number_bytes(number)):
        raise damage()
    try:
        return unpacked(row[0])
    except ValueError:
        raise damage() from None


def check(handle: Handle, heard: Callable[[int], None]) -> None:
    """Go through every row. `heard` is told how many are done."""
    said = described(handle)
    done = 0
    for number, body, sealed in handle.each("SELECT id, body, seal FROM label ORDER BY id"):
        done += 1
        if number != done or not is_sealed((body, sealed), b"label", number_bytes(number)):
            raise damage()
        heard(done)
    if done != said.get("labels"):
        raise damage()
    expected, terms = _END, 0
    for row in handle.each("SELECT term, next, labels, seal FROM term ORDER BY term"):
        if row[0] != expected or (terms and expected == _END) or not is_sealed(row, b"term"):
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
        yield number, body, seal(b"label", number_bytes(number), body)


def _aliases(staging: Handle) -> Iterator[tuple[bytes, int]]:
    """Names that only labels had which are not in the pack: they lead to the kept ones of the same ingredients."""
    for name, number in staging.each(_ALIASES):
        yield key("alias", name), number


def _chained(pairs: Iterable[tuple[bytes, int]]) -> Iterator[tuple[bytes, bytes, bytes, bytes]]:
    """Sorted terms, each with the one that follows it. The first is empty, and so is what follows the last."""
    term, labels = _END, b""
    for following, group in groupby(pairs, key=itemgetter(0)):
        yield term, following, labels, seal(b"term", term, following, labels)
        term, labels = following, _packed(array("I", (number for _, number in group)))
    yield term, _END, labels, seal(b"term", term, _END, labels)


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
