"""What can happen to the bytes of a file: whatever it is, it is told, and no chart is opened on top of it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from docgemma.audit.entries import Access
from docgemma.audit.log import AuditError, AuditLog
from docgemma.errors import Unavailable
from docgemma.store.sessions import open_store
from tests.store.conftest import Clock

pytestmark = pytest.mark.usefixtures("reader")

MARK = "marked-resource-7"
HEADER = 15  # the types and sizes of the columns, which SQLite puts before their values


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    made = tmp_path / "store.db"
    async with open_store(str(made)) as store:
        await AuditLog(store.database, clock=Clock()).append(
            Access("read", "found", "Condition", "first", ("p1",), 1),
            Access("read", "found", "Condition", MARK, ("p1", "p2"), 3),
            Access("read", "found", "Condition", "last", ("p1",), 1),
        )
    return made


async def told(path: Path) -> str:
    """What `verify` says, in whichever way."""
    try:
        async with open_store(str(path)) as store:
            return (await AuditLog(store.database).verify()).problem
    except Unavailable as error:
        return str(error)


async def test_a_flipped_byte_anywhere_in_a_row_is_told(path: Path) -> None:
    whole = path.read_bytes()
    mark = whole.index(MARK.encode())
    start = whole.rindex(b"2026-", 0, mark) - HEADER
    end = mark + len(MARK + '["p1","p2"]' + "found") + 2 * 64
    for place in range(start, end, 2):
        for bit in (0x01, 0x20, 0x80):
            damaged = bytearray(whole)
            damaged[place] ^= bit
            path.write_bytes(damaged)
            assert await told(path), f"byte {place - start} of the row, bit {bit:#x}"
    path.write_bytes(whole)
    assert await told(path) == ""


async def test_a_row_that_is_no_text_any_more_is_named(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE audit SET who = CAST(x'22ff22' AS TEXT) WHERE position = 2")
    connection.close()
    assert await told(path) == "Row 2 cannot be read."
    async with open_store(str(path)) as store:
        with pytest.raises(AuditError):
            await AuditLog(store.database).append(Access("read", "none"))


@pytest.mark.parametrize("value", ["x'0102'", "1.5"])
async def test_a_value_of_another_type_is_named(path: Path, value: str) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute(f"UPDATE audit SET count = {value} WHERE position = 3")
    connection.close()
    assert await told(path) == "Row 3 was changed."
