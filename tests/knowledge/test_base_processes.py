"""The knowledge base between processes: many that start, ask and ingest at once, and some that are killed."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from tests.knowledge.worker import NURSE, WOUNDS, base_of, ids, ingests, versions
from tests.store.test_processes import Process
from tests.store.test_processes import worker as process_of

ROOT = Path(__file__).parents[2]


def worker(*arguments: object) -> AbstractContextManager[Process]:
    return process_of(*map(str, arguments), module="tests.knowledge.worker")


async def ended(process: subprocess.Popen[str]) -> Any:
    """What it says at its end; that it has one without an error."""
    out, err = await asyncio.to_thread(process.communicate, timeout=300)
    assert process.returncode == 0, err[-3000:]
    return json.loads(out.splitlines()[-1])


def begun(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "ready"


async def test_programs_that_start_together_on_a_new_machine_all_answer(tmp_path: Path) -> None:
    with worker("starts", tmp_path) as one, worker("starts", tmp_path) as two, worker("starts", tmp_path) as three:
        reports = [await ended(each) for each in (one, two, three)]
    assert reports == [{"found": 10, "entries": 490}] * 3


async def test_who_asks_sees_whole_versions_while_others_come_in(tmp_path: Path) -> None:
    """All entries of one answer are of one version: the one that was current when they were read. It never goes back.

    The order in which they are found may for a moment be that of the version before.
    """
    count, last, stop = 2_500, 4, tmp_path / "stop"
    await ingests(tmp_path, 1, 1, count)
    with worker("asks", tmp_path, stop) as one, worker("asks", tmp_path, stop) as two:
        begun(one)
        begun(two)
        with worker("ingests", tmp_path, 2, last, count) as writer:
            counts = await ended(writer)
        stop.touch()
        reports = [await ended(each) for each in (one, two)]
    for done in counts:
        assert (done["changed"], done["new"], done["withdrawn"]) == (count, 1, 1)
    for report in reports:
        assert report["asked"] > 0
        assert report["seen"] == sorted(set(report["seen"]))
        assert set(report["seen"]) <= set(range(1, last + 1))
    async with base_of(tmp_path) as base:
        assert set(versions(await base.search(WOUNDS, NURSE))) == {last}
        assert (await base.info()).entries == count + 1


async def test_one_that_stays_open_follows_what_another_process_takes_in(tmp_path: Path) -> None:
    async with base_of(tmp_path) as base:
        assert await base.search(WOUNDS, NURSE)
        with worker("ingests", tmp_path, 1, 1, 20) as writer:
            await ended(writer)
        found = await base.search("only-1 wound", NURSE, limit=30)
        assert (set(versions(found)), found.notices) == ({1}, ())
        assert "e-only-1" in ids(found)
        with worker("ingests", tmp_path, 2, 2, 20) as writer:
            await ended(writer)
        found = await base.search("only-2 wound", NURSE, limit=30)
        assert (set(versions(found)), found.notices) == ({2}, ())
        assert "e-only-2" in ids(found)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that can fork")
@pytest.mark.parametrize("seed", [1, 2], ids=["first", "second"])
async def test_a_killed_ingest_leaves_the_old_or_the_new_and_runs_again(tmp_path: Path, seed: int) -> None:
    rounds = 13
    with worker("kills", tmp_path, seed, rounds, 60) as process:
        outcome = await ended(process)
    assert sum(outcome.values()) == rounds
    assert outcome["before"] and outcome["after"]
