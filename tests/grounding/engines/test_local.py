"""On this machine, in one process or in several: the same lines in the same order, whatever happens to a worker."""

from __future__ import annotations

import asyncio
import json
import logging
import multiprocessing
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.errors import BadInput, Unavailable
from docgemma.grounding.engines.choosing import choose_engine
from docgemma.grounding.engines.contract import LOOK_AHEAD, Batch
from docgemma.grounding.engines.local import InProcess, Processes
from tests.grounding.engines.work import batches, flow, lines, opening, plainly


@settings(max_examples=40, deadline=None)
@given(
    waits=st.lists(st.lists(st.sampled_from(["wait 0", "wait 0.002", "asthma"]), max_size=3), max_size=12),
    concurrency=st.integers(1, 5),
)
def test_order_is_kept_and_little_is_read_ahead(waits: list[list[str]], concurrency: int) -> None:
    made = batches(*waits)
    read = handed = most = 0

    async def counted() -> AsyncIterator[Batch]:
        nonlocal read, most
        for batch in made:
            read += 1
            most = max(most, read - handed)
            yield batch

    async def main() -> list[str]:
        nonlocal handed
        found = []
        async with opening({}) as ground:
            async for done in InProcess(ground, concurrency=concurrency).run(counted()):
                handed += 1
                found += [line.model_dump_json() for line in done.lines]
        return found

    assert asyncio.run(main()) == asyncio.run(plainly(made))
    assert most <= concurrency * (1 + LOOK_AHEAD)


async def test_a_finished_batch_does_not_wait_for_a_slow_source() -> None:
    go_on = asyncio.Event()

    async def slow() -> AsyncIterator[Batch]:
        first, second = batches(["gout"], ["asthma"])
        yield first
        await go_on.wait()
        yield second

    async with opening({}) as ground:
        stream = InProcess(ground, concurrency=2).run(slow())
        assert (await asyncio.wait_for(anext(stream), 10)).batch_id == "b0"
        go_on.set()
        assert [done.batch_id async for done in stream] == ["b1"]


async def test_a_source_that_fails_ends_the_run() -> None:
    async def broken() -> AsyncIterator[Batch]:
        yield batches(["gout"])[0]
        raise BadInput("The file ends in the middle.")

    async with opening({}) as ground:
        with pytest.raises(BadInput, match="in the middle"):
            async for _ in InProcess(ground).run(broken()):
                pass


async def test_a_bug_costs_one_criterion_and_its_words_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    async with opening({}) as ground:
        with caplog.at_level(logging.DEBUG):
            found = [
                json.loads(line) for line in await lines(InProcess(ground), batches(["asthma", "bug Ann", "gout"]))
            ]
    assert [line["error"] for line in found] == [None, "An unexpected error (KeyError). This is a bug.", None]
    assert [line["criterion_id"] for line in found] == ["0.0", "0.1", "0.2"]
    assert "KeyError" in caplog.text
    assert "Ann" not in caplog.text


async def test_what_is_missing_is_said_on_every_line_of_the_batch() -> None:
    async with opening({}) as ground:
        found = [json.loads(line) for line in await lines(InProcess(ground), batches(["gone", "gout"], ["gout"]))]
    assert [line["error"] for line in found] == ["The model gave up after 9 s."] * 2 + [None]


async def test_several_processes_give_the_bytes_of_one(tmp_path: Path) -> None:
    made = batches(*[[f"text-{number}", "gout"] for number in range(12)], ["die-once now"], ["gone"], [])
    (tmp_path / "apart").mkdir()
    found = await lines(Processes(opening, {"folder": tmp_path, "closed": tmp_path / "apart"}, workers=2), made)
    (tmp_path / "died").touch()
    async with opening({"folder": tmp_path}) as ground:
        assert found == await lines(InProcess(ground), made)
    assert len(list((tmp_path / "apart").iterdir())) == 2, "each worker closes what it opened"
    assert multiprocessing.active_children() == []


async def test_a_batch_that_ends_its_workers_is_given_up_and_the_rest_goes_on() -> None:
    found = [json.loads(line) for line in await lines(Processes(opening, {}, workers=1), batches(["die"], ["gout"]))]
    assert [bool(line["error"]) for line in found] == [True, False]
    assert "worker process ended" in found[0]["error"]


@pytest.mark.parametrize(("key", "kind"), [("missing", Unavailable), ("wrong", BadInput)])
async def test_services_that_do_not_open_end_the_run(key: str, kind: type[Exception]) -> None:
    with pytest.raises(kind, match=r"^No index here\.$"):
        await lines(Processes(opening, {key: "No index here."}, workers=1), batches(["gout"]))
    assert multiprocessing.active_children() == []


async def test_who_stops_early_leaves_no_process_behind() -> None:
    engine = Processes(opening, {}, workers=2)
    stream = engine.run(flow(batches(["gout"], ["wait 60"], ["wait 60"])))
    assert (await anext(stream)).batch_id == "b0"
    await stream.aclose()  # type: ignore[attr-defined]
    assert multiprocessing.active_children() == []


async def test_one_worker_is_this_process() -> None:
    async with opening({}) as ground:
        assert isinstance(choose_engine("local", ground, opening, {}), InProcess)
        assert isinstance(choose_engine("local", ground, opening, {}, workers=2), Processes)
        with pytest.raises(BadInput, match="--engine ray"):
            choose_engine("local", ground, opening, {}, address="auto")
        with pytest.raises(BadInput, match="at least one"):
            choose_engine("local", ground, opening, {}, workers=0)
