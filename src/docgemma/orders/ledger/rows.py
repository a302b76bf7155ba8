"""Rows of the ledger inside one transaction. Whoever changes a row takes it first, so that two do it one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from docgemma.errors import Conflict, Unavailable
from docgemma.orders.ledger.seal import (
    CHANGING,
    COLUMNS,
    LedgerDamaged,
    Stored,
    changing_texts,
    fixed_texts,
    opened,
    sealed,
    selected,
)
from docgemma.orders.model import IN_CHART, UNFINISHED, Card, Row, State, card_id, digest
from docgemma.store.database import Cursor, Value
from docgemma.store.ids import unknown
from docgemma.store.leases import holder_is_dead, holder_is_elsewhere
from docgemma.store.rows import pack, stamp

Beside = frozenset[tuple[str, State]]
"""Other orders for the same patient, by name and state."""

_SECTION = "docgemma orders"
_PAGE = 500
_LONGEST_HOLD = timedelta(days=1)
_NUMBERS = frozenset({"position", "attempts", "noted"})
_FOUND_BY_ITS_INDEX = {"sqlite": "PRAGMA integrity_check(orders)", "postgresql": "SELECT 'ok' AS ok"}
_INSERT = f"INSERT INTO orders ({', '.join(COLUMNS)}, seal) VALUES ({', '.join('?' * len(COLUMNS))}, ?)"  # noqa: S608
_UPDATE = f"UPDATE orders SET {', '.join(f'{name} = ?' for name in CHANGING)}, seal = ? WHERE id = ?"  # noqa: S608


def insert(cursor: Cursor, card: Card, now: str) -> tuple[Row, bool]:
    """The card's row, and whether it is a new one."""
    cursor.exclusive(_SECTION)
    hash_ = digest(card)
    known = find(cursor, card_id(hash_))
    if known is not None:
        if known.row.hash != hash_:
            raise Conflict("Another order already has the name of this one. Ask for it again.")
        return known.row, False
    last = cursor.row("SELECT COALESCE(MAX(position), 0) AS position FROM orders")
    texts = fixed_texts(card, (last["position"] if last else 0) + 1)
    row = _new(texts["id"], hash_, card, now)
    texts |= changing_texts(row)
    cursor.execute(_INSERT, (*(_value(name, texts[name]) for name in COLUMNS), sealed(texts)))
    return row, True


def _new(id_: str, hash_: str, card: Card, now: str) -> Row:
    return Row(
        id=id_,
        hash=hash_,
        state="proposed",
        card=card,
        decision=None,
        decided_at="",
        holder="",
        held_until="",
        attempts=0,
        resource_kind="",
        resource_id="",
        resource_version="",
        receipt=None,
        noted=False,
        updated_at=now,
    )


def find(cursor: Cursor, id_: str) -> Stored | None:
    found = cursor.row(f"SELECT {selected(cursor.dialect)} FROM orders WHERE id = ?", (id_,))  # noqa: S608
    return None if found is None else opened(found)


def read(cursor: Cursor, id_: str) -> Stored:
    found = find(cursor, id_)
    if found is None:
        raise unknown("order", id_)
    return found


def lock(cursor: Cursor, id_: str) -> Stored:
    """Take the row and read it. Touching it is the lock that both databases understand."""
    cursor.execute("UPDATE orders SET updated_at = updated_at WHERE id = ?", (id_,))
    return read(cursor, id_)


def save(cursor: Cursor, before: Stored, after: Row) -> None:
    """Write down how far a row that was locked has come, under a new seal."""
    texts = before.texts | changing_texts(after)
    values = (*(_value(name, texts[name]) for name in CHANGING), sealed(texts), after.id)
    if cursor.execute(_UPDATE, values) != 1:
        raise ValueError("a row that was locked is gone")


def select(cursor: Cursor, where: str, params: Sequence[Value], ending: str = "ORDER BY orders.position") -> list[Row]:
    """The rows that fit and are whole. Those that are not are told by `damaged`."""
    sql = f"SELECT {selected(cursor.dialect)} FROM orders WHERE {where} {ending}"  # noqa: S608
    return [stored.row for found in cursor.rows(sql, tuple(params)) if (stored := _whole(found)) is not None]


def beside(cursor: Cursor, row: Row, *, alone: bool = False) -> Beside:
    """The other orders and allergies for this patient that a person decided for, with their states.

    `alone`: nobody else decides anything until this transaction has ended.
    """
    if alone:
        cursor.exclusive(_SECTION)
    states = (*sorted(UNFINISHED | IN_CHART), "undone")
    where = f"patient_id = ? AND id <> ? AND state IN ({', '.join('?' * len(states))})"
    found = select(cursor, where, (pack(row.card.draft.patient_id), row.id, *states))
    return frozenset((one.id, one.state) for one in found if one.card.draft.kind != "note")


def damaged(cursor: Cursor) -> tuple[str, ...]:
    """The names of rows that are not what was written: all rows are looked at, a page at a time.

    Where every row is whole and yet some are not found by what they are looked for, the table itself is damaged.
    """
    names = tuple(_damaged(cursor))
    told = [each for row in cursor.rows(_FOUND_BY_ITS_INDEX[cursor.dialect]) for each in row.values()]
    if not names and told != ["ok"]:
        raise Unavailable(
            "The list of orders in the session store is damaged, so that some may be missing from it. "
            "Restore a backup of the session store."
        )
    return names


def _damaged(cursor: Cursor) -> Iterator[str]:
    sql = (
        f"SELECT orders.position AS place, {selected(cursor.dialect)} FROM orders "  # noqa: S608
        "WHERE orders.position > ? ORDER BY orders.position LIMIT ?"
    )
    place = -(2**63)
    while page := cursor.rows(sql, (place, _PAGE)):
        for found in page:
            try:
                opened(found)
            except LedgerDamaged as error:
                yield error.name
        place = page[-1]["place"]


def hold_is_free(row: Row, now: str) -> bool:
    """Whether another worker may take it: nobody has it, their time is over, or they have died.

    Nobody holds a row for a day: such a hold, by a process that is not to be seen, is of a clock that was wrong.
    """
    if not row.holder or row.held_until <= now or holder_is_dead(row.holder):
        return True
    return row.held_until > stamp(datetime.fromisoformat(now) + _LONGEST_HOLD) and holder_is_elsewhere(row.holder)


def _whole(found: dict[str, object]) -> Stored | None:
    try:
        return opened(found)
    except LedgerDamaged:
        return None


def _value(name: str, text: str) -> Value:
    return int(text) if name in _NUMBERS else text
