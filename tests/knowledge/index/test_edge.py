"""The embedded index on its folder: other processes, killed builds, damaged files, full and forbidden disks."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from docgemma.errors import Conflict, Unavailable
from docgemma.knowledge.index.contract import Document, Version
from docgemma.knowledge.index.edge import EdgeIndex
from docgemma.knowledge.index.versions import Versions, _told, enough_room
from tests.knowledge.index.entries import NURSE, build, document, handed, ids, version_of
from tests.knowledge.index.worker import ENTRIES, base
from tests.store.test_processes import Process, line
from tests.store.test_processes import worker as process_of

ROOT = Path(__file__).parents[3]


def worker(*arguments: object) -> AbstractContextManager[Process]:
    return process_of(*map(str, arguments), module="tests.knowledge.index.worker")


def ended(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err[-2000:]
    return out


async def found(index: EdgeIndex) -> list[str]:
    return ids((await index.search({1: 1.0}, None, NURSE, limit=200)).words)


@pytest.fixture
async def index(tmp_path: Path) -> AsyncIterator[EdgeIndex]:
    made = EdgeIndex(tmp_path / "index")
    yield made
    await made.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


async def test_readers_see_whole_versions_only_while_others_are_built(index: EdgeIndex, folder: Path) -> None:
    await build(index, base(1), 1)
    stop = folder.parent / "stop"
    with worker("reads", folder, stop) as one, worker("reads", folder, stop) as two:
        assert (line(one), line(two)) == ("ready", "ready")
        with worker("builds", folder, 2, 7) as builder:
            await asyncio.to_thread(ended, builder)
        stop.touch()
        reports = [json.loads(await asyncio.to_thread(ended, each)) for each in (one, two)]
    for report in reports:
        order = [int(each[1:]) for each in report["seen"]]
        assert order == sorted(set(order))
        assert order[-1] <= 7
        assert report["searches"] > 0
    assert await index.version() == Version(7, "embedder-1", 2, ENTRIES)


async def test_old_versions_are_removed_but_for_the_one_before(index: EdgeIndex, folder: Path) -> None:
    for generation in range(1, 5):
        await build(index, [document("a")], generation)
    kept = sorted(path.name[:4] for path in folder.iterdir() if path.is_dir())
    assert kept == ["v-3-", "v-4-"]


class Late(Versions):
    """What a reader has that looked just before the switches: the name of a version that is gone by now."""

    def __init__(self, folder: Path, gone: list[str]) -> None:
        super().__init__(folder)
        self._gone = gone

    def current(self) -> str | None:
        return self._gone.pop() if self._gone else super().current()


async def test_a_version_that_vanished_before_it_was_opened_is_looked_up_again(index: EdgeIndex, folder: Path) -> None:
    await build(index, [document("a")], 1)
    first = Versions(folder).current()
    assert first is not None
    for generation in (2, 3):
        await build(index, [document("b")], generation)
    assert not (folder / first).exists()
    index._versions = Late(folder, [first])
    assert await found(index) == ["b"]
    index._versions = Late(folder, [first])
    assert await index.version() == Version(3, "", 0, 1)


async def test_a_build_that_was_killed_is_cleared_away_by_the_next(index: EdgeIndex, folder: Path) -> None:
    await build(index, base(1), 1)
    with worker("hangs", folder) as process:
        assert line(process) == "building"
        with pytest.raises(Conflict, match="being built by another process"):
            await build(index, base(2), 2)
        assert len(await found(index)) == ENTRIES
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert list(folder.glob("build-*"))
    await build(index, base(2), 2)
    assert not list(folder.glob("build-*"))
    assert set(await found(index)) == {each.id for each in base(2)}


async def test_a_cancelled_build_leaves_nothing_and_blocks_nobody(index: EdgeIndex, folder: Path) -> None:
    started = asyncio.Event()

    async def endless() -> AsyncIterator[Sequence[Document]]:
        yield base(1)
        started.set()
        await asyncio.sleep(3600)

    task = asyncio.create_task(index.build(Version(1, "", 0, 99), endless()))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not [path for path in folder.iterdir() if path.is_dir()]
    await build(index, base(2), 2)


async def test_answers_from_the_old_version_while_it_builds_the_new_one(index: EdgeIndex) -> None:
    await build(index, [document("old")], 1)
    seen: list[list[str]] = []

    async def looking() -> AsyncIterator[Sequence[Document]]:
        yield [document("new")]
        seen.append(await found(index))

    await index.build(version_of([document("new")], 2), looking())
    seen.append(await found(index))
    assert seen == [["old"], ["new"]]


async def test_a_larger_base_finds_the_same_with_links_and_without(tmp_path: Path) -> None:
    documents = [document(f"e{n}", [n % 7, 10 + n], meaning=[1.0, n / 50, (n % 9) / 9]) for n in range(1500)]
    answers = []
    for exact_up_to in (0, 100_000):
        index = EdgeIndex(tmp_path / str(exact_up_to), exact_up_to=exact_up_to)
        await index.build(version_of(documents), handed(documents, 400))
        answers.append(await index.search({3: 1.0, 700: 1.0}, [1.0, 3.0, 0.5], NURSE, limit=20))
        await index.close()
    assert len(answers[0].meaning) == 20
    assert len(set(ids(answers[0].meaning)) & set(ids(answers[1].meaning))) >= 18
    assert ids(answers[0].words)[0] == ids(answers[1].words)[0] == "e690"


async def test_opening_changes_no_byte_so_that_any_number_of_processes_can(index: EdgeIndex, folder: Path) -> None:
    documents = [document(f"e{n}", [n % 7, 10 + n], meaning=[1.0, n / 50]) for n in range(1200)]
    await build(index, documents)
    before = contents(folder)
    for _ in range(2):
        again = EdgeIndex(folder)
        assert len(await found(again)) == 172
        await again.close()
    assert contents(folder) == before


def contents(folder: Path) -> dict[str, int]:
    return {str(path): hash(path.read_bytes()) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("seed", [1, 2, 3], ids=["first", "second", "third"])
async def test_a_changed_byte_is_noticed_and_never_answered_from(index: EdgeIndex, folder: Path, seed: int) -> None:
    await build(index, base(1), 1)
    await index.close()
    with worker("flips", folder, seed, 50) as process:
        counts = json.loads(await asyncio.to_thread(ended, process))
    assert counts["refused"] > 30


def shard_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("v-*/shard/**/*") if path.is_file())


@pytest.mark.parametrize("harm", ["cut", "longer", "gone", "all gone", "manifest", "current"])
async def test_what_is_missing_or_cut_is_told_and_built_anew(index: EdgeIndex, folder: Path, harm: str) -> None:
    await build(index, base(1), 1)
    await index.close()
    largest = max(shard_files(folder), key=lambda path: path.stat().st_size)
    if harm in ("cut", "longer"):
        os.truncate(largest, largest.stat().st_size + (10 if harm == "longer" else -4096))
    elif harm == "gone":
        largest.unlink()
    elif harm == "all gone":
        shutil.rmtree(next(folder.glob("v-*")))
    elif harm == "manifest":
        next(folder.glob("v-*/manifest.json")).write_text("{}")
    else:
        (folder / "CURRENT").write_text("../../elsewhere")
    with pytest.raises(Unavailable, match=r"^The knowledge index is damaged: run `docgemma kb index`\.$"):
        await found(index)
    await build(index, base(1), 1)
    assert len(await found(index)) == ENTRIES


async def test_a_file_where_the_folder_should_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "index").write_text("no folder")
    index = EdgeIndex(tmp_path / "index")
    with pytest.raises(Unavailable, match="Check that it is a folder"):
        await build(index, base(1), 1)
    with pytest.raises(Unavailable, match="Check that it is a folder"):
        await found(index)
    await index.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
async def test_a_folder_that_may_not_be_written_is_told(index: EdgeIndex, folder: Path) -> None:
    await build(index, base(1), 1)
    folder.chmod(0o500)
    try:
        with pytest.raises(Unavailable, match="rights"):
            await build(index, base(2), 2)
        assert len(await found(index)) == ENTRIES
    finally:
        folder.chmod(0o700)


def test_a_disk_without_room_is_noticed_before_anything_is_written() -> None:
    enough_room(10**9, Version(1, "e", 384, 15_000))
    with pytest.raises(Unavailable, match=r"needs about \d+ MB of disk space, there are 100\."):
        enough_room(100_000_000, Version(1, "e", 384, 15_000))


@pytest.mark.parametrize(
    ("number", "expected"),
    [(errno.ENOSPC, "is full"), (errno.EROFS, "rights"), (errno.EACCES, "rights"), (errno.EIO, "cannot be read")],
    ids=["full", "read-only", "forbidden", "broken"],
)
def test_errors_of_the_disk_read_as_one_sentence(number: int, expected: str) -> None:
    assert expected in str(_told(OSError(number, os.strerror(number), "/mnt/someone")))
    assert "someone" not in str(_told(OSError(number, os.strerror(number), "/mnt/someone")))
