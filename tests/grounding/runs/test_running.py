"""Order, memory and outages: what a run does with what comes back from the engine."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.errors import Unavailable
from docgemma.grounding.contract import Criterion, Grounded
from docgemma.grounding.engines.contract import Batch, Done
from docgemma.grounding.runs.batching import groups
from docgemma.grounding.runs.holding import Held, Outage
from docgemma.grounding.runs.output import StreamOutput, closed_in_the_end
from docgemma.grounding.runs.running import Run
from docgemma.grounding.runs.store import open_store
from tests.grounding.runs.jobs import Stopped, criterion, failing, job, plain, run_to


class Recorded:
    """An output that remembers."""

    fresh = ""

    def __init__(self) -> None:
        self.data = b""

    def write(self, data: bytes) -> None:
        self.data += data

    @property
    def ids(self) -> list[str]:
        return [json.loads(line)["criterion_id"] for line in self.data.splitlines()]


class Eager:
    """An engine that wants everything at once before it gives anything away, like one that fills a cluster."""

    async def run(self, batches: AsyncIterator[Batch]) -> AsyncIterator[Done]:
        taken = [batch async for batch in batches]
        for batch in taken:
            yield Done(batch.batch_id, tuple(await plain(batch.criteria, batch.batch_id)))


@settings(max_examples=10, deadline=None)
@given(
    waits=st.lists(st.sampled_from([0, 0, 1, 2]), min_size=1, max_size=25),
    size=st.integers(1, 5),
    known=st.sets(st.integers(0, 24)),
)
def test_lines_are_in_the_order_of_the_input_however_long_each_takes(
    tmp_path_factory: pytest.TempPathFactory, waits: list[int], size: int, known: set[int]
) -> None:
    folder = tmp_path_factory.mktemp("order")
    entries = [criterion(n, protocol=f"P{n // 4}") for n in range(len(waits))]

    async def ground(criteria: Sequence[Criterion], batch_id: str) -> list[Grounded]:
        await asyncio.sleep(sum(waits[int(each.criterion_id[1:])] for each in criteria) / 1000)
        return await plain(criteria, batch_id)

    async def both() -> None:
        some = [each for n, each in enumerate(entries) if n in known]
        await run_to(folder, str(folder / "db"), some, output=Recorded(), batch_size=size)
        output, once = Recorded(), Recorded()
        await run_to(folder, str(folder / "db"), entries, output=output, ground=ground, batch_size=size)
        assert output.ids == [each.criterion_id for each in entries]
        await run_to(folder, str(folder / "other"), entries, output=once, batch_size=size)
        assert output.data == once.data

    asyncio.run(both())


async def test_an_engine_that_takes_all_before_it_gives_cannot_stall_a_run(tmp_path: Path) -> None:
    entries = [criterion(n) for n in range(450)]
    address = str(tmp_path / "db")
    await run_to(tmp_path, address, entries[1:], output=Recorded(), batch_size=100)
    output = Recorded()
    tally = await run_to(tmp_path, address, entries, output=output, batch_size=1, engine=Eager())
    assert output.ids == [each.criterion_id for each in entries]
    assert (tally.now, tally.before) == (1, 449)


async def test_the_input_is_read_only_as_far_as_needed(tmp_path: Path) -> None:
    read = 0

    def entries() -> Iterator[Criterion]:
        nonlocal read
        for number in range(100_000):
            read += 1
            yield criterion(number)

    async def ground(criteria: Sequence[Criterion], batch_id: str) -> list[Grounded]:
        if read > 500:
            raise Stopped
        return await plain(criteria, batch_id)

    with pytest.raises(Stopped):
        await run_to(tmp_path, str(tmp_path / "db"), entries(), output=Recorded(), ground=ground)
    assert read < 600


class TestOutage:
    @staticmethod
    def ground_until(number: int) -> object:
        async def ground(criteria: Sequence[Criterion], batch_id: str) -> list[Grounded]:
            alive = [each for each in criteria if int(each.criterion_id[1:]) < number]
            return [*await plain(alive, batch_id), *failing(criteria[len(alive) :], batch_id)]

        return ground

    async def test_a_run_ends_early_and_writes_no_errors_for_it(self, tmp_path: Path, address: str) -> None:
        entries = [criterion(n) for n in range(300)]
        path = tmp_path / "out.jsonl"
        with pytest.raises(Outage, match=r"The terminology is gone\."):
            await run_to(path, address, entries, ground=self.ground_until(100))
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        assert [line["criterion_id"] for line in lines] == [f"c{n}" for n in range(100)]
        assert all(line["error"] is None for line in lines)
        tally = await run_to(path, address, entries)
        assert (tally.before, tally.now, tally.failed) == (100, 200, 0)

    async def test_a_small_file_of_which_nothing_was_grounded(self, tmp_path: Path) -> None:
        path = tmp_path / "out.jsonl"
        with pytest.raises(Outage):
            await run_to(path, str(tmp_path / "db"), [criterion(1), criterion(2)], ground=self.ground_until(0))
        assert not path.exists()  # an empty file would read as "nothing was found"

    async def test_the_last_ones_of_a_file_may_fail_for_reasons_of_their_own(self, tmp_path: Path) -> None:
        path = tmp_path / "out.jsonl"
        tally = await run_to(path, str(tmp_path / "db"), [criterion(1), criterion(2)], ground=self.ground_until(2))
        assert (tally.now, tally.failed) == (1, 1)
        assert len(path.read_text().splitlines()) == 2

    async def test_what_was_at_work_is_counted_too(self, tmp_path: Path) -> None:
        async with open_store(str(tmp_path / "db")) as store:
            run = Run(job(store, map(criterion, range(50)), Recorded(), ground=self.ground_until(3)))
            with pytest.raises(Outage):
                await run.run()
            assert (run.tally.done, await run.count_all()) == (3, 50)

    def test_failures_are_written_once_something_succeeds_behind_them(self) -> None:
        out = io.BytesIO()
        held = Held(StreamOutput(out), most=3)
        held.failed(b"f1 ", "gone")
        held.other(b"k1 ")
        held.failed(b"f2 ", "gone")
        assert out.getvalue() == b""
        held.grounded(b"g ")
        assert out.getvalue() == b"f1 k1 f2 g "
        held.failed(b"f3 ", "cannot be reached")
        held.failed(b"f4 ", "left alone for a while")
        with pytest.raises(Outage, match="cannot be reached"):
            held.failed(b"f5 ", "left alone for a while")
        assert out.getvalue() == b"f1 k1 f2 g "

    def test_a_million_lines_from_before_do_not_pile_up_behind_one_failure(self) -> None:
        out = io.BytesIO()
        held = Held(StreamOutput(out), most=3)
        held.failed(b"f", "gone")
        for _ in range(20_000):
            held.other(b".")
        assert len(out.getvalue()) > 15_000


def test_a_batch_is_of_one_protocol_and_named_by_its_content() -> None:
    entries = [criterion(n, protocol="P1" if n < 5 else "P2") for n in range(9)]
    found = list(groups(iter(entries), 3))
    assert [[each.criterion_id for each in group.criteria] for group in found] == [
        ["c0", "c1", "c2"],
        ["c3", "c4"],
        ["c5", "c6", "c7"],
        ["c8"],
    ]
    assert [group.position for group in found] == [0, 3, 5, 8]
    again = list(groups(iter(entries), 3))
    assert [group.batch_id for group in found] == [group.batch_id for group in again]
    assert len({group.batch_id for group in found}) == 4


def test_a_limit_counts_criteria() -> None:
    found = list(groups(iter([criterion(n) for n in range(9)]), 2, limit=3))
    assert [len(group.criteria) for group in found] == [2, 1]


async def test_a_protocol_is_shown_as_its_last_run_has_it(tmp_path: Path, address: str) -> None:
    await run_to(tmp_path, address, [criterion(1), criterion(2), criterion(3)], output=Recorded())
    amended = [criterion(3), criterion(1, "Another text")]
    await run_to(tmp_path, address, amended, output=Recorded())
    async with open_store(address) as store:
        shown = await store.protocol("P1")
        assert [(line.criterion_id, line.text) for line in shown] == [
            ("c3", "Text 3 with asthma"),
            ("c1", "Another text"),
        ]
        assert all(line.entities and line.batch_id for line in shown)
        assert await store.protocols() == [("P1", 2)]


def test_a_full_disk_is_one_sentence() -> None:
    with (
        pytest.raises(Unavailable, match="No space left"),
        closed_in_the_end(Path("/dev/full").open("wb")) as full,
    ):
        StreamOutput(full).write(b"line\n")
