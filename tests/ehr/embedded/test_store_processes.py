"""Several processes on one file of charts, a disk that is full, and what is left when a process or a byte dies."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from docgemma.ehr.embedded.storage.store import FhirStore
from docgemma.errors import DocGemmaError
from tests.support.small_charts import allergy, chart, charts, patient

ROOT = Path(__file__).parents[3]
Process = subprocess.Popen[str]


@contextmanager
def worker(*arguments: str) -> Iterator[Process]:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.ehr.embedded.worker", *arguments],
        cwd=ROOT,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def line(process: Process) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


async def test_twelve_times_two_conditional_creates_make_one_patient(tmp_path: Path) -> None:
    path = tmp_path / "charts.sqlite"
    with ExitStack() as stack:
        both = [stack.enter_context(worker(str(path), "register")) for _ in range(2)]
        assert [line(process) for process in both] == ["ready", "ready"]
        said = [word for process in both for word in process.communicate("go\n")[0].split()]
    assert sorted(said) == ["created"] + ["existing"] * 23
    async with FhirStore(path) as store:
        assert await store.counts() == {"Patient": 1}


async def test_a_killed_writer_leaves_whole_charts(tmp_path: Path) -> None:
    path = tmp_path / "charts.sqlite"
    with worker(str(path), "write") as process:
        assert line(process) == "ready"
        saved = [line(process).split()[1] for _ in range(20)]
        process.kill()
    async with FhirStore(path) as store:
        assert await store.put_many(charts(20)) is not None
        for number, id_ in enumerate(saved):
            assert len(await store.of_patient(id_)) == len(list(chart(number)))


async def test_a_full_disk_is_said_and_nothing_is_half_written(tmp_path: Path) -> None:
    pytest.importorskip("resource", reason="this system cannot limit the size of a file")
    path = tmp_path / "charts.sqlite"
    with worker(str(path), "grow", "600000") as process:
        assert line(process) == "ready"
        *saved, refused = process.communicate()[0].strip().splitlines()
    assert refused.startswith("refused The chart store")
    assert saved, "it had room for nothing at all"
    async with FhirStore(path) as store:
        count = len(saved)
        assert (await store.counts())["Patient"] == count
        for number in range(count):
            assert len(await store.of_patient(f"p-{number:03}")) == len(list(chart(number)))
        assert await store.of_patient(f"p-{count:03}") == []
        await store.put_many(chart(count))


async def test_a_damaged_side_file_takes_nothing_that_was_saved(tmp_path: Path) -> None:
    """SQLite drops the frames of its write-ahead log from the first damaged one on, without a word."""
    (tmp_path / "live").mkdir()
    path, copy = tmp_path / "live" / "charts.sqlite", tmp_path / "copy.sqlite"
    side, side_copy = path.with_name("charts.sqlite-wal"), tmp_path / "copy.sqlite-wal"
    draw = random.Random(5)
    async with FhirStore(path) as store:
        await store.put_many(charts(10))
        for number in range(20):
            await store.create(allergy(f"late-{number}", "p-003", "latex"))
            await store.update(patient("p-004", f"Renamed{number}", "Ana"))
            truth = [await store.of_patient("p-003"), await store.history("Patient", "p-004")]
            shutil.copy(path, copy)
            damaged = bytearray(side.read_bytes())
            damaged[draw.randrange(len(damaged))] ^= 1 << draw.randrange(8)
            side_copy.write_bytes(damaged)
            try:
                async with FhirStore(copy) as found:
                    assert [await found.of_patient("p-003"), await found.history("Patient", "p-004")] == truth
            except DocGemmaError:
                pass
            for each in tmp_path.glob("copy.sqlite*"):
                each.unlink()
