"""What proves itself in a pack: seals, what each file says that it is, and whether a row is as it was written."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from docgemma.store.snapshot import Damaged, Handle

SEAL_BYTES = 16


def seal(*parts: bytes) -> bytes:
    """A checksum over these, in this order and with these borders between them."""
    digest = hashlib.blake2b(digest_size=SEAL_BYTES)
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.digest()


ABOUT = "CREATE TABLE about (body BLOB NOT NULL, seal BLOB NOT NULL)"


def describe(target: Handle, about: dict[str, Any]) -> None:
    """Write into a file what it is."""
    body = json.dumps(about).encode()
    target.execute("INSERT INTO about VALUES (?, ?)", (body, seal(b"about", body)))


def described(handle: Handle) -> dict[str, Any]:
    """What a file says that it is."""
    row = handle.row("SELECT body, seal FROM about")
    if row is None or not is_sealed(row, b"about"):
        raise damage()
    try:
        found = json.loads(row[0])
    except ValueError:
        raise damage() from None
    if not isinstance(found, dict):
        raise damage()
    return found


def is_sealed(row: tuple[Any, ...], *before: bytes) -> bool:
    """Whether the last of these is the seal over the others, with what is not in the row before them."""
    *parts, sealed = row
    return all(isinstance(part, bytes) for part in parts) and seal(*before, *parts) == sealed


def sealed_body(table: str, number: int, body: bytes) -> bytes:
    """The seal of a record in a table."""
    return seal(table.encode(), number.to_bytes(8, "little"), body)


def body_of(handle: Handle, table: str, number: int) -> bytes:
    """The content of a record. Raises Damaged."""
    row = handle.row(" ".join(("SELECT body, seal FROM", table, "WHERE id = ?")), (number,))
    if row is None or not isinstance(row[0], bytes) or sealed_body(table, number, row[0]) != row[1]:
        raise damage()
    return row[0]


def seals_of(handle: Handle, table: str) -> Iterator[bytes]:
    """Go through every record of a table, numbered from 1 without a gap. Raises Damaged."""
    rows = handle.each(" ".join(("SELECT id, body, seal FROM", table, "ORDER BY id")))
    for expected, (number, body, sealed) in enumerate(rows, 1):
        if number != expected or not isinstance(body, bytes) or sealed_body(table, number, body) != sealed:
            raise damage()
        yield sealed


def damage() -> Damaged:
    return Damaged("What the pack says is not what was written into it.")
