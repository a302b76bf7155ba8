"""Two decoders at once in the whole process, and no place lost, whoever asks and whoever gives up."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from docgemma.errors import BadInput
from docgemma.imaging import inspect, presented, process
from docgemma.imaging.places import Places
from tests.support.images import png


class Counted:
    """How many are in at the same time, over all threads."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.most = self.now = self.done = 0
        self._lock = threading.Lock()

    async def work(self) -> None:
        async with self.places.one():
            with self._lock:
                self.now += 1
                self.most = max(self.most, self.now)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            with self._lock:
                self.now -= 1
                self.done += 1


async def test_twenty_at_once_are_two_at_a_time_and_all_are_served() -> None:
    counted = Counted(Places(2))
    await asyncio.gather(*(counted.work() for _ in range(20)))
    assert (counted.most, counted.done) == (2, 20)


def test_several_event_loops_share_the_places() -> None:
    counted = Counted(Places(2))

    async def some() -> None:
        await asyncio.gather(*(counted.work() for _ in range(25)))

    threads = [threading.Thread(target=asyncio.run, args=(some(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert counted.done == 100
    assert counted.most <= 2


async def test_whoever_gives_up_leaves_no_place_behind() -> None:
    places = Places(1)
    counted = Counted(places)
    async with places.one():
        waiting = [asyncio.ensure_future(counted.work()) for _ in range(4)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        waiting[2].cancel()
        await asyncio.sleep(0)
    waiting[1].cancel()  # it was just handed the place
    await asyncio.gather(*waiting, return_exceptions=True)
    assert counted.done == 1
    await asyncio.wait_for(counted.work(), 5)


async def test_a_loop_that_is_gone_is_passed_over() -> None:
    places = Places(1)
    gone = asyncio.new_event_loop()
    async with places.one():
        places._waiting.append((gone, gone.create_future()))
        gone.close()
    await asyncio.wait_for(Counted(places).work(), 5)


async def test_every_way_to_a_decoder_takes_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Uploads, looks and refused files alike, at most two processes at a time."""
    real, now, most = asyncio.create_subprocess_exec, 0, 0

    class Watched:
        def __init__(self, worker: Any) -> None:
            self._worker = worker

        def __getattr__(self, name: str) -> Any:
            return getattr(self._worker, name)

        async def wait(self) -> Any:
            nonlocal now
            found = await self._worker.wait()
            now -= 1
            return found

    async def started(*args: Any, **options: Any) -> Watched:
        nonlocal now, most
        now += 1
        most = max(most, now)
        return Watched(await real(*args, **options))

    monkeypatch.setattr(process.asyncio, "create_subprocess_exec", started)
    image = await inspect(png(20, 10))
    jobs = [*(inspect(png(30, 10 + each)) for each in range(3)), *(presented(image) for _ in range(3))]
    jobs += [inspect(b"\x89PNG\r\n\x1a\nrotten") for _ in range(2)]
    found = await asyncio.gather(*jobs, return_exceptions=True)
    assert [type(each) for each in found[-2:]] == [BadInput, BadInput]
    assert not [each for each in found[:-2] if isinstance(each, BaseException)]
    assert (now, most) == (0, 2)
