"""Two decoders at once in the whole process, and no place lost, whoever asks and whoever gives up."""

from __future__ import annotations

import asyncio
import subprocess
import threading
from typing import Any

import pytest

from docgemma.errors import BadInput
from docgemma.imaging import decoding, inspect, present
from tests.support.images import png


class Watched(subprocess.Popen[bytes]):
    """A process that is counted for as long as it lives."""

    now = most = begun = 0
    _lock = threading.Lock()

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        with self._lock:
            Watched.now += 1
            Watched.begun += 1
            Watched.most = max(Watched.most, Watched.now)

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        assert self.poll() is not None
        with self._lock:
            Watched.now -= 1


@pytest.fixture(autouse=True)
def watched(monkeypatch: pytest.MonkeyPatch) -> type[Watched]:
    Watched.now = Watched.most = Watched.begun = 0
    monkeypatch.setattr(decoding.subprocess, "Popen", Watched)
    return Watched


async def test_every_way_to_a_decoder_takes_a_place(watched: type[Watched]) -> None:
    """Uploads, looks and refused files alike, at most two processes at a time."""
    image = await inspect(png(20, 10))
    jobs = [*(inspect(png(30, 10 + each)) for each in range(3)), *(present(image) for _ in range(3))]
    jobs += [inspect(b"\x89PNG\r\n\x1a\nrotten") for _ in range(2)]
    found = await asyncio.gather(*jobs, return_exceptions=True)
    assert [type(each) for each in found[-2:]] == [BadInput, BadInput]
    assert not [each for each in found[:-2] if isinstance(each, BaseException)]
    assert (watched.now, watched.most) == (0, 2)


def test_several_event_loops_share_the_places(watched: type[Watched]) -> None:
    async def some() -> None:
        await asyncio.gather(*(inspect(png(20, 10)) for _ in range(2)))

    threads = [threading.Thread(target=asyncio.run, args=(some(),)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert (watched.now, watched.most, watched.begun) == (0, 2, 6)


async def test_whoever_gives_up_leaves_no_place_and_no_process_behind(watched: type[Watched]) -> None:
    jobs = [asyncio.ensure_future(inspect(png(20, 10), timeout_s=60)) for _ in range(6)]
    while watched.begun < 2:
        await asyncio.sleep(0.001)
    for job in jobs:
        job.cancel()
    ended = await asyncio.gather(*jobs, return_exceptions=True)
    assert all(isinstance(each, asyncio.CancelledError) for each in ended)
    assert (await inspect(png(20, 10), timeout_s=60)).width == 20
    assert (watched.now, watched.begun) == (0, 3)
