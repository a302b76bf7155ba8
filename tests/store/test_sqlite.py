"""What a file can do to us: damage, missing rights, a full disk, a stranger's database."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import stat
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from docgemma.errors import Unavailable
from docgemma.store.database import Cursor
from docgemma.store.sessions import Store, open_store
from docgemma.store.sqlite import SqliteDatabase

NOBODY = 65534


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder whose rights count, also when the tests run as root: the test itself runs as an ordinary user."""
    made = Path(tempfile.mkdtemp(prefix="docgemma-store-"))
    root = os.geteuid() == 0
    if root:
        os.chown(made, NOBODY, NOBODY)
        os.seteuid(NOBODY)
    try:
        yield made
    finally:
        if root:
            os.seteuid(0)
        made.chmod(0o700)
        shutil.rmtree(made)


async def fill(path: Path) -> None:
    async with open_store(str(path)) as store:
        session = await store.create_session("a", session_id="s1")
        for number in range(40):
            await store.append_turn(session.id, f"t{number}", {"query": "x" * 2000, "number": number})


async def test_only_the_owner_may_read_the_files(tmp_path: Path) -> None:
    path = tmp_path / "new" / "store.db"
    async with open_store(str(path)) as store:
        await store.create_session("a")
        modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in path.parent.iterdir()}
    assert modes == {"store.db": 0o600, "store.db-wal": 0o600, "store.db-shm": 0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def garbage_header(path: Path) -> None:
    path.write_bytes(b"this is no database, it is a shopping list" * 100)


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:9000])


def overwritten_pages(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xee" * (len(data) - 4096)
    path.write_bytes(data)


def dropped_table(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE images")
        connection.execute("DROP TABLE turns")
    connection.close()


def text_that_is_no_text(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE turns SET query = CAST(x'22ff22' AS TEXT)")
    connection.close()


def json_that_is_no_json(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE turns SET record = '{\"cut'")
    connection.close()


@pytest.mark.parametrize(
    "damage",
    [garbage_header, cut_short, overwritten_pages, dropped_table, text_that_is_no_text, json_that_is_no_json],
)
async def test_a_damaged_file_is_named_and_never_read_as_if_it_were_whole(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    path = tmp_path / "store.db"
    await fill(path)
    damage(path)
    with pytest.raises(Unavailable, match="damaged") as caught:
        async with open_store(str(path)) as store:
            await store.turns("s1")
    assert "backup" in str(caught.value)


async def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE sessions (cookie TEXT)")
    connection.close()
    with pytest.raises(Unavailable, match="not made by DocGemma"):
        async with open_store(str(path)):
            pass
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("sessions",)]
    connection.close()


@pytest.mark.parametrize("column", ["data", "depth", "frames"])
async def test_a_changed_image_is_not_handed_out(tmp_path: Path, column: str) -> None:
    path = tmp_path / "store.db"
    async with open_store(str(path)) as store:
        kept = {"depth": b"grey values", "frames": b"drawn"}
        image = await store.put_image(None, "image/png", b"pixels", width=1, height=1, **kept)
        with sqlite3.connect(path) as connection:
            connection.execute(f"UPDATE images SET {column} = x'00'")
        connection.close()
        with pytest.raises(Unavailable, match="damaged"):
            await store.get_image(image)


@pytest.mark.parametrize(
    ("filled", "read_only", "asked"),
    [(True, "store.db", "store.db"), (True, "", "store.db"), (False, "", "store.db"), (False, "", "deeper/store.db")],
    ids=["file", "folder around a good file", "empty folder", "folder to be made"],
)
async def test_what_may_only_be_read_is_explained(folder: Path, filled: bool, read_only: str, asked: str) -> None:
    if filled:
        await fill(folder / "store.db")
    (folder / read_only).chmod(0o400 if read_only else 0o500)
    with pytest.raises(Unavailable, match="write access"):
        async with open_store(str(folder / asked)):
            pass


async def test_a_folder_in_the_files_place_is_explained(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="cannot be opened"):
        async with open_store(str(tmp_path)):
            pass


async def test_a_full_disk_refuses_the_write_and_keeps_what_is_there(tmp_path: Path) -> None:
    database = SqliteDatabase(tmp_path / "store.db")
    async with Store(database) as store:
        session = await store.create_session("a")
        await store.append_turn(session.id, "t1", {"query": "before"})
        await database.run(lambda cursor: cursor.execute("PRAGMA max_page_count = 20"))
        with pytest.raises(Unavailable, match="disk is full"):
            await store.put_image(session.id, "image/png", b"x" * 1_000_000, width=1, height=1)
        assert [turn.id for turn in await store.turns(session.id)] == ["t1"]
        await database.run(lambda cursor: cursor.execute("PRAGMA max_page_count = 100000"))
        await store.put_image(session.id, "image/png", b"x" * 1_000_000, width=1, height=1)


async def test_a_program_that_holds_the_file_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    async with Store(SqliteDatabase(path, busy_seconds=0.05)) as store:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Unavailable, match="busy"):
            await store.create_session("a")
        assert await store.list_sessions("a") == ()  # reading goes on
        other.execute("ROLLBACK")
        other.close()
        await store.create_session("a")


async def test_a_store_that_another_process_is_just_setting_up_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")  # not in WAL mode yet, so SQLite itself would not wait
    release = threading.Timer(0.1, lambda: other.execute("ROLLBACK"))
    release.start()
    async with open_store(str(path)) as store:
        await store.create_session("a")
    release.join()
    other.close()


async def test_a_writer_that_reads_first_is_not_overtaken(tmp_path: Path) -> None:
    """Were the write lock taken only at the first write, the second writer would slip in and the first one fail."""
    overtaken = threading.Event()
    reading = threading.Event()

    def read_then_write(cursor: Cursor) -> None:
        cursor.rows("SELECT * FROM sessions")
        reading.set()
        overtaken.wait(0.2)
        cursor.execute("UPDATE sessions SET title = ?", ('"first"',))

    database = SqliteDatabase(tmp_path / "store.db")
    async with Store(database) as first, open_store(str(tmp_path / "store.db")) as second:
        session = await first.create_session("a")
        writing = asyncio.create_task(database.run(read_then_write))
        await asyncio.to_thread(reading.wait)
        await second.rename_session(session.id, "second")
        overtaken.set()
        await writing
        assert (await first.get_session(session.id)).title == "second"


async def test_the_home_folder_is_not_spelled_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    path = tmp_path / "data" / "store.db"
    path.parent.mkdir()
    garbage_header(path)
    with pytest.raises(Unavailable) as caught:
        async with open_store(str(path)):
            pass
    assert "~/data/store.db" in str(caught.value)
    assert str(tmp_path) not in str(caught.value)


async def test_what_was_saved_outlasts_a_power_cut(tmp_path: Path) -> None:
    """The audit log lies here. FULL is what SQLite promises that of; its numbers are OFF, NORMAL, FULL, EXTRA."""
    async with open_store(str(tmp_path / "store.db")) as store:
        found = await store.database.run(lambda cursor: cursor.row("PRAGMA synchronous"), write=False)
    assert found == {"synchronous": 2}
