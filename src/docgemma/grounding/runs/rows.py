"""Results, criteria and protocols in the tables. Each function is a part of one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from docgemma.grounding.contract import Criterion
from docgemma.store.database import Cursor, Row, Value
from docgemma.store.rows import pack, unpack

_CHUNK = 400  # values in one statement

_CRITERION = """INSERT INTO grounding_criteria
    (protocol_id, criterion_id, run, position, batch_id, content, key, type, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (protocol_id, criterion_id) DO UPDATE SET run = excluded.run, position = excluded.position,
    batch_id = excluded.batch_id, content = excluded.content, key = excluded.key, type = excluded.type,
    body = excluded.body"""
_PROTOCOL = """INSERT INTO grounding_protocols (id, source, run, at) VALUES (?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET source = excluded.source, run = excluded.run, at = excluded.at"""
_BATCH = """INSERT INTO grounding_batches (id, protocol_id, criteria, at) VALUES (?, ?, ?, ?)
    ON CONFLICT (id) DO NOTHING"""
_RESULT = "INSERT INTO grounding_results (key, record, at) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING"


@dataclass(frozen=True, slots=True)
class Met:
    """A criterion that a run came by: where it stands, and under which key its result is or will be."""

    protocol_id: str
    position: int
    batch_id: str
    content: str
    key: str
    criterion: Criterion


@dataclass(frozen=True, slots=True)
class Kept:
    """A criterion as `show` reads it. Without a record it is not grounded yet."""

    criterion_id: str
    protocol_id: str
    batch_id: str
    type: str
    text: str
    record: str | None


def alone(cursor: Cursor) -> None:
    """Writers one after another: they touch the same items in orders of their own."""
    cursor.exclusive("docgemma grounding")


def records(cursor: Cursor, keys: Iterable[str]) -> dict[str, str]:
    """The results that there are for these keys."""
    found: dict[str, str] = {}
    for some in _chunks(sorted(set(keys))):
        marks = ", ".join("?" * len(some))
        rows = cursor.rows(f"SELECT key, record FROM grounding_results WHERE key IN ({marks})", some)  # noqa: S608
        found.update({row["key"]: row["record"] for row in rows})
    return found


def add(cursor: Cursor, made: dict[str, str], now: str) -> dict[str, str]:
    """Keep these results. What another process was first to keep stays, and is what comes back."""
    cursor.many(_RESULT, [(key, record, now) for key, record in sorted(made.items())])
    return records(cursor, made)


def register(cursor: Cursor, met: Sequence[Met], run: str, source: str, now: str) -> None:
    """Protocols, batches and criteria as this run has them."""
    protocols = sorted({each.protocol_id for each in met})
    cursor.many(_PROTOCOL, [(pack(name), pack(source), run, now) for name in protocols])
    sizes: dict[tuple[str, str], int] = {}
    for each in met:
        sizes[each.batch_id, each.protocol_id] = sizes.get((each.batch_id, each.protocol_id), 0) + 1
    cursor.many(_BATCH, [(batch, pack(protocol), size, now) for (batch, protocol), size in sorted(sizes.items())])
    cursor.many(_CRITERION, [_criterion(each, run) for each in met])


def _criterion(met: Met, run: str) -> tuple[Value, ...]:
    given = met.criterion
    body = pack({"text": given.text, "context": given.context, "protocol_id": given.protocol_id})
    ids = pack(met.protocol_id), pack(given.criterion_id)
    return (*ids, run, met.position, met.batch_id, met.content, met.key, given.type, body)


def protocol(cursor: Cursor, name: str) -> Row | None:
    return cursor.row("SELECT id, source, run, at FROM grounding_protocols WHERE id = ?", (pack(name),))


def protocols(cursor: Cursor) -> list[tuple[str, int]]:
    """The names of all protocols with the number of their criteria, last used first."""
    sql = """SELECT p.id AS id, COUNT(*) AS criteria, MAX(p.at) AS at FROM grounding_protocols p
        JOIN grounding_criteria c ON c.protocol_id = p.id AND c.run = p.run
        GROUP BY p.id ORDER BY at DESC, id LIMIT 1000"""
    return [(unpack(row["id"]), row["criteria"]) for row in cursor.rows(sql)]


def criteria(cursor: Cursor, name: str, run: str, *, most: int) -> list[Kept]:
    """In the order of the file."""
    sql = """SELECT c.criterion_id, c.batch_id, c.type, c.body, r.record FROM grounding_criteria c
        LEFT JOIN grounding_results r ON r.key = c.key WHERE c.protocol_id = ? AND c.run = ?
        ORDER BY c.position LIMIT ?"""
    return [_kept(row) for row in cursor.rows(sql, (pack(name), run, most))]


def _kept(row: Row) -> Kept:
    body = unpack(row["body"])
    ident = unpack(row["criterion_id"])
    return Kept(ident, body["protocol_id"], row["batch_id"], row["type"], body["text"], row["record"])


def _chunks(values: Sequence[str]) -> Iterator[tuple[str, ...]]:
    remaining = iter(values)
    while some := tuple(islice(remaining, _CHUNK)):
        yield some
