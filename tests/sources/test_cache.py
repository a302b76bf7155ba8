from __future__ import annotations

import asyncio
import logging
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from docgemma.sources.cache import Cache, asked

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
QUESTION = asked("https://api.fda.gov/drug/label.json", [("search", 'openfda.brand_name:"Secretdrug"')])
BODY = b'{"results": [{"set_id": "a"}]}' * 200


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


async def test_a_reply_comes_back_as_it_was(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache.sqlite", clock=Clock())
    await cache.keep(QUESTION, 200, BODY)
    await cache.close()
    cache = Cache(tmp_path / "cache.sqlite", clock=Clock())
    kept = await cache.find(QUESTION)
    await cache.close()
    assert kept is not None
    assert (kept.status, kept.body, kept.stored_at, kept.empty) == (200, BODY, NOW, False)


async def test_the_newer_reply_takes_the_place_of_the_older(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache.sqlite")
    await cache.keep(QUESTION, 200, b"old")
    await cache.keep(QUESTION, 404, b"new", empty=True)
    kept = await cache.find(QUESTION)
    await cache.close()
    assert kept is not None
    assert (kept.status, kept.body, kept.empty) == (404, b"new", True)


@pytest.mark.parametrize(("age", "there"), [(179, True), (181, False), (-1, False)])
async def test_what_is_too_old_or_from_the_future_is_not_given(tmp_path: Path, age: int, there: bool) -> None:
    clock = Clock()
    cache = Cache(tmp_path / "cache.sqlite", clock=clock)
    await cache.keep(QUESTION, 200, BODY)
    clock.now = NOW + timedelta(days=age)
    assert (await cache.find(QUESTION) is not None) is there
    await cache.close()


async def test_the_question_is_not_written_down(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    cache = Cache(path)
    await cache.keep(QUESTION, 200, BODY)
    await cache.close()
    content = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"api.fda.gov" in content
    assert b"Secretdrug" not in content
    assert b"brand_name" not in content
    assert path.stat().st_mode & 0o077 == 0


def test_one_hash_for_one_question() -> None:
    url = "https://api.fda.gov/drug/label.json"
    assert asked(url, [("a", "1"), ("b", "2")]) == asked(url, [("a", "1"), ("b", "2")])
    others = [[("a", "1b=2")], [("a", "1&b=2")], [("b", "2"), ("a", "1")], [("a", "1")], [], [("a", "\ud800")]]
    assert len({asked(url, params).hash for params in others}) == len(others)


async def test_a_full_cache_drops_the_oldest(tmp_path: Path) -> None:
    clock = Clock()
    cache = Cache(tmp_path / "cache.sqlite", max_bytes=100_000, clock=clock)
    questions = [asked("https://host/", [("n", str(n))]) for n in range(40)]
    for n, question in enumerate(questions):
        clock.now += timedelta(seconds=1)
        await cache.keep(question, 200, Random(n).randbytes(6_000))
    held = [await cache.find(question) is not None for question in questions]
    await cache.close()
    assert held == sorted(held), "only the oldest are gone"
    assert not held[0]
    assert held[-1]
    assert (tmp_path / "cache.sqlite").stat().st_size < 300_000


async def test_a_reply_larger_than_its_share_is_not_kept(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache.sqlite", max_bytes=1_000)
    await cache.keep(QUESTION, 200, bytes(n * 31 % 256 for n in range(4_000)))
    assert await cache.find(QUESTION) is None
    await cache.close()


@pytest.mark.parametrize(
    "content", [b"this is a text file, not a database" * 50, b"", b"SQLite format 3\x00" + b"\xff" * 4_000]
)
async def test_a_foreign_file_switches_the_cache_off_with_one_line(
    tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "cache.sqlite"
    path.write_bytes(content)
    cache = Cache(path)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            await cache.keep(QUESTION, 200, BODY)
            assert (await cache.find(QUESTION) is not None) is (content == b"")
    await cache.close()
    assert len(caplog.records) == (content != b"")


@pytest.mark.parametrize("statement", ["CREATE TABLE notes (text TEXT)", "PRAGMA user_version = 7"])
async def test_a_database_of_something_else_is_left_alone(tmp_path: Path, statement: str) -> None:
    path = tmp_path / "cache.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute(statement)
    connection.close()
    cache = Cache(path)
    await cache.keep(QUESTION, 200, BODY)
    assert await cache.find(QUESTION) is None
    await cache.close()


async def test_a_folder_that_cannot_be_written_breaks_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = Cache(tmp_path / "file" / "cache.sqlite")
    await cache.keep(QUESTION, 200, BODY)
    assert await cache.find(QUESTION) is None
    await cache.close()


@pytest.mark.parametrize(
    "change", ["stored_at = '2026-10-31T12:00:00.000+00:00'", "status = 404", "empty = 1", "body = x'00'", "seal = ''"]
)
async def test_a_changed_row_is_not_given(tmp_path: Path, change: str) -> None:
    path = tmp_path / "cache.sqlite"
    cache = Cache(path, clock=Clock())
    await cache.keep(QUESTION, 200, BODY)
    await cache.close()
    with sqlite3.connect(path) as connection:
        connection.execute(f"UPDATE replies SET {change}")
    connection.close()
    cache = Cache(path, clock=Clock())
    assert await cache.find(QUESTION) is None
    await cache.close()


@given(place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_flipped_bit_never_changes_a_reply(tmp_path: Path, place: float, bit: int) -> None:
    path = tmp_path / "cache.sqlite"
    for file in tmp_path.iterdir():
        file.unlink()

    async def story() -> None:
        cache = Cache(path, clock=Clock())
        await cache.keep(QUESTION, 200, BODY)
        await cache.close()
        content = bytearray(path.read_bytes())
        content[int(place * len(content))] ^= 1 << bit
        path.write_bytes(content)
        cache = Cache(path, clock=Clock())
        kept = await cache.find(QUESTION)
        await cache.keep(QUESTION, 200, b"after")
        await cache.close()
        assert kept is None or (kept.status, kept.body, kept.stored_at, kept.empty) == (200, BODY, NOW, False)

    asyncio.run(story())


async def test_several_processes_share_one_file(tmp_path: Path) -> None:
    script = """
import asyncio, sys
from pathlib import Path
from docgemma.sources.cache import Cache, asked
async def main():
    cache = Cache(Path(sys.argv[1]))
    for n in range(15):
        await cache.keep(asked("https://host/", [("n", f"{sys.argv[2]}-{n}")]), 200, b"x" * 1000)
    await cache.close()
asyncio.run(main())
"""
    path = tmp_path / "cache.sqlite"
    workers = [subprocess.Popen([sys.executable, "-c", script, str(path), str(n)]) for n in range(3)]
    assert [worker.wait() for worker in workers] == [0, 0, 0]
    cache = Cache(path)
    found = [await cache.find(asked("https://host/", [("n", f"{w}-{n}")])) for w in range(3) for n in range(15)]
    await cache.close()
    assert all(found)


async def test_what_cannot_be_written_to_is_still_read(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache.sqlite")
    await cache.keep(QUESTION, 200, BODY)
    other = asked("https://api.fda.gov/drug/label.json", [("search", "other")])
    with sqlite3.connect(tmp_path / "cache.sqlite", isolation_level=None) as holder:
        holder.execute("BEGIN IMMEDIATE")
        await cache.keep(other, 200, BODY)
        kept = await cache.find(QUESTION)
        holder.execute("ROLLBACK")
    await cache.close()
    assert kept is not None and kept.body == BODY
