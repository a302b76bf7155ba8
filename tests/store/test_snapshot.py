"""Files that are written once and then only read."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from docgemma.errors import Conflict, Unavailable
from docgemma.store.snapshot import Damaged, Handle, Snapshot, making, reading, resumable


def write(path: Path, rows: int = 50) -> None:
    with making(path, "file") as handle:
        handle.execute("CREATE TABLE fact (id INTEGER PRIMARY KEY, text BLOB)")
        handle.many("INSERT INTO fact VALUES (?, ?)", ((number, b"x" * 500) for number in range(rows)))


def count(handle: Handle) -> int:
    row = handle.row("SELECT COUNT(*) FROM fact")
    assert row is not None
    return int(row[0])


async def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a #1?.sqlite"  # an address must not take these for its own signs
    write(path)
    with reading(path, "file") as handle:
        assert len(list(handle.each("SELECT id FROM fact WHERE id > ?", (9,)))) == 40
    snapshot = Snapshot(path, what="file")
    assert await asyncio.gather(*(snapshot.run(count) for _ in range(20))) == [50] * 20
    await snapshot.close()
    await snapshot.close()
    assert list(tmp_path.iterdir()) == [path]


async def test_reading_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    write(path)
    path.chmod(0o444)
    with reading(path, "file") as handle, pytest.raises(Unavailable, match="cannot be opened"):
        handle.execute("DELETE FROM fact")
    with pytest.raises(Unavailable, match="The file cannot be opened"), reading(tmp_path / "b.sqlite", "file"):
        pass
    assert list(tmp_path.iterdir()) == [path]


async def test_damage_and_strangers_are_told_apart_from_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    for data in (b"", b"not a database" * 100):
        path.write_bytes(data)
        snapshot = Snapshot(path, what="file")
        with pytest.raises(Damaged, match="damaged, or was not made by DocGemma"):
            await snapshot.run(count)
        await snapshot.close()


async def test_a_mistake_in_our_own_code_is_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    write(path)
    with reading(path, "file") as handle, pytest.raises(sqlite3.ProgrammingError):
        handle.row("SELECT ?", ())


def test_one_that_was_not_finished_is_begun_again(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with pytest.raises(KeyboardInterrupt), making(path, "file") as handle:
        handle.execute("CREATE TABLE other (x)")
        raise KeyboardInterrupt
    write(path)
    with reading(path, "file") as handle:
        assert count(handle) == 50


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="is full"), making(tmp_path / "a.sqlite", "file") as handle:
        handle.execute("PRAGMA max_page_count = 5")
        handle.execute("CREATE TABLE fact (text BLOB)")
        handle.many("INSERT INTO fact VALUES (?)", ((b"x" * 5000,) for _ in range(100)))


WORKER = """
import os, signal, sys
from pathlib import Path
from docgemma.store.snapshot import resumable
with resumable(Path(sys.argv[1]), "file") as handle:
    handle.begin()
    handle.execute("CREATE TABLE fact (id INTEGER)")
    handle.execute("INSERT INTO fact VALUES (1)")
    handle.commit()
    handle.begin()
    handle.execute("INSERT INTO fact VALUES (2)")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_was_committed_survives_being_killed(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    done = subprocess.run([sys.executable, "-c", WORKER, str(path)])
    assert done.returncode == -signal.SIGKILL
    with resumable(path, "file") as handle:
        assert list(handle.each("SELECT id FROM fact")) == [(1,)]


def test_one_process_at_a_time(tmp_path: Path) -> None:
    with (
        resumable(tmp_path / "a.sqlite", "file"),
        pytest.raises(Conflict, match="another process"),
        resumable(tmp_path / "a.sqlite", "file"),
    ):
        pass
