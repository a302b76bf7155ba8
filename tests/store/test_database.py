"""What both databases do alike below the stores."""

from __future__ import annotations

from pathlib import Path

import pytest

from docgemma.errors import Unavailable
from docgemma.store.database import Cursor, Database
from docgemma.store.postgres import PostgresDatabase
from docgemma.store.sqlite import SqliteDatabase


async def test_a_statement_for_many_says_how_many_rows_it_touched(address: str) -> None:
    def work(cursor: Cursor) -> list[int]:
        cursor.execute("CREATE TABLE things (name TEXT PRIMARY KEY)")
        return [
            cursor.many("INSERT INTO things (name) VALUES (?)", [("a",), ("b",), ("c",)]),
            cursor.many("DELETE FROM things WHERE name = ?", [("a",), ("z",), ("c",)]),
            cursor.many("DELETE FROM things WHERE name = ?", []),
            len(cursor.rows("SELECT name FROM things")),
        ]

    database: Database = PostgresDatabase(address) if "://" in address else SqliteDatabase(Path(address))
    try:
        assert await database.run(work) == [3, 2, 0, 1]
    finally:
        await database.close()


async def test_a_file_is_called_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "charts.sqlite"
    path.write_bytes(b"no database at all" * 100)
    database = SqliteDatabase(path, what="chart store")
    with pytest.raises(Unavailable, match=r"^The chart store .* is damaged"):
        await database.run(lambda cursor: cursor.rows("SELECT 1"))
    await database.close()
