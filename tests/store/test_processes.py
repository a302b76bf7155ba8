"""Several processes on one store, and what is left when one of them is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from docgemma.errors import Conflict
from docgemma.store.leases import make_holder
from docgemma.store.sessions import open_store

ROOT = Path(__file__).parents[2]

Process = subprocess.Popen[str]


@contextmanager
def worker(*arguments: str, module: str = "tests.store.worker") -> Iterator[Process]:
    command = [sys.executable, "-m", module, *arguments]
    with subprocess.Popen(
        command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def line(process: Process) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def kill_dead(process: Process) -> None:
    """SIGKILL, and wait for the death without collecting it: the process stays a zombie, as under a busy parent."""
    process.send_signal(signal.SIGKILL)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)


def start_together(processes: list[Process]) -> None:
    """Let them go once all have done their imports."""
    assert {line(process) for process in processes} == {"ready"}
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()


def assert_succeeded(processes: list[Process]) -> None:
    codes = [process.wait(120) for process in processes]
    assert not any(codes), [process.stderr.read() for process in processes if process.stderr is not None]


async def test_two_processes_take_turns_on_one_session(address: str, tmp_path: Path) -> None:
    async with open_store(address) as store:
        session = await store.create_session("a")
        with ExitStack() as stack:
            both = [
                stack.enter_context(worker(address, "race", session.id, name, str(tmp_path / "running")))
                for name in ("a", "b")
            ]
            start_together(both)
            assert_succeeded(both)
        turns = await store.turns(session.id)
        assert {turn.id for turn in turns} == {f"{name}-{number}" for name in "ab" for number in range(15)}
        assert {turn.status for turn in turns} == {"done"}
        assert all(turn.record == {"by": turn.id[0]} for turn in turns)


async def test_a_turn_killed_half_way_is_reported_and_can_be_run_again_at_once(address: str) -> None:
    async with open_store(address) as store:
        session = await store.create_session("a")
        with worker(address, "hang", session.id, "w") as process:
            assert [line(process) for _ in range(5)] == ["ready", "done w-0", "done w-1", "done w-2", "begun"]
            assert await store.interrupted_turn(session.id) is None
            kill_dead(process)

            lost = await store.interrupted_turn(session.id)
            assert lost is not None
            assert (lost.id, lost.query) == ("w-half", "half-way")
            again = make_holder()
            begun = await store.begin_turn(session.id, lost.id, lost.query, holder=again, lease_seconds=600)
        assert [turn.record for turn in begun.history] == [{"answer": f"w-{number}"} for number in range(3)]
        await store.finish_turn(session.id, lost.id, holder=again, record={}, pending=None, patient=None)
        assert [turn.status for turn in await store.turns(session.id)] == ["done"] * 4


async def test_killing_at_any_moment_loses_no_saved_turn(address: str) -> None:
    async with open_store(address) as store:
        session = await store.create_session("a")
    said: set[str] = set()
    for name, lines in (("k", 1), ("l", 4), ("m", 11)):
        with worker(address, "answer", session.id, name) as process:
            seen = [line(process) for _ in range(1 + lines)]
            kill_dead(process)
            assert process.stdout is not None
            seen += process.stdout.read().split("\n")
        said |= {each.removeprefix("done ") for each in seen if each.startswith("done ")}
        assert f"{name}-0" in said  # the lease of the one killed before did not stand in the way
    async with open_store(address) as store:
        turns = await store.turns(session.id)
    done = {turn.id for turn in turns if turn.status == "done"}
    assert said <= done
    assert all(turn.record == {"answer": turn.id} for turn in turns if turn.status == "done")
    assert all(turn.status == "interrupted" and turn.record is None for turn in turns if turn.id not in done)


async def test_processes_that_start_together_on_an_empty_store_all_succeed(address: str) -> None:
    with ExitStack() as stack:
        starters = [stack.enter_context(worker(address, "open")) for _ in range(4)]
        start_together(starters)
        assert_succeeded(starters)
    async with open_store(address) as store:
        assert await store.list_sessions("a") == ()


async def test_a_process_that_only_sleeps_keeps_its_session(address: str) -> None:
    async with open_store(address) as store:
        session = await store.create_session("a")
        with worker(address, "hang", session.id, "w") as process:
            while line(process) != "begun":
                assert process.poll() is None
            with pytest.raises(Conflict):
                await store.begin_turn(session.id, "mine", "q", holder=make_holder(), lease_seconds=5)
