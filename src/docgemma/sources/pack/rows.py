"""What proves itself in a pack: seals, what each file says that it is, and whether a row is as it was written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from docgemma.seal import PACKED
from docgemma.store.snapshot import Damaged, Handle

ABOUT = "CREATE TABLE about (body BLOB NOT NULL, seal BLOB NOT NULL)"


def describe(target: Handle, about: dict[str, Any]) -> None:
    """Write into a file what it is."""
    body = json.dumps(about).encode()
    target.execute("INSERT INTO about VALUES (?, ?)", (body, PACKED.of(b"about", body)))


def described(handle: Handle) -> dict[str, Any]:
    """What a file says that it is."""
    row = handle.row("SELECT body, seal FROM about")
    if row is None or not PACKED.fits(row[1], b"about", row[0]):
        raise damage()
    try:
        found = json.loads(row[0])
    except ValueError:
        raise damage() from None
    if not isinstance(found, dict):
        raise damage()
    return found


def record(table: str, number: int, body: bytes) -> tuple[bytes, bytes, bytes]:
    """What is sealed of a record in a table."""
    return table.encode(), number.to_bytes(8, "little"), body


def body_of(handle: Handle, table: str, number: int) -> bytes:
    """The content of a record. Raises Damaged."""
    row = handle.row(" ".join(("SELECT body, seal FROM", table, "WHERE id = ?")), (number,))
    if row is None or not PACKED.fits(row[1], *record(table, number, row[0])):
        raise damage()
    body: bytes = row[0]
    return body


def seals_of(handle: Handle, table: str) -> Iterator[bytes]:
    """Go through every record of a table, numbered from 1 without a gap. Raises Damaged."""
    rows = handle.each(" ".join(("SELECT id, body, seal FROM", table, "ORDER BY id")))
    for expected, (number, body, sealed) in enumerate(rows, 1):
        if number != expected or not PACKED.fits(sealed, *record(table, number, body)):
            raise damage()
        yield sealed


def damage() -> Damaged:
    return Damaged("What the pack says is not what was written into it.")
