"""On Ray: the bytes of one process, from a small cluster on this machine."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import socket
from collections import deque
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from docgemma.errors import BadInput, Unavailable
from docgemma.grounding.contract import Grounded
from docgemma.grounding.engines import on_ray
from docgemma.grounding.engines.choosing import choose_engine
from docgemma.grounding.engines.contract import LOOK_AHEAD, Batch
from tests.grounding.engines.work import batches, opening, plainly

HERE = importlib.util.find_spec("ray") is not None
needs_ray = pytest.mark.skipif(
    not HERE and os.environ.get("CI") != "true", reason="Ray is not installed here: `make ray` brings it"
)


@pytest.mark.skipif(HERE, reason="Ray is installed here")
async def test_without_ray_it_says_what_to_install() -> None:
    async with opening({}) as ground:
        with pytest.raises(Unavailable, match=r"docgemma\[ray\]"):
            choose_engine("ray", ground, opening, {})


@needs_ray
async def test_a_cluster_gives_the_bytes_of_one_process(tmp_path: Path) -> None:
    texts = [[f"text-{number}", "gout"] for number in range(20)]
    made = batches(*texts, ["die-once now"], ["last"])
    read = handed = most = 0

    async def counted() -> AsyncIterator[Batch]:
        nonlocal read, most
        for batch in made:
            read += 1
            most = max(most, read - handed)
            yield batch

    found = []
    async for done in on_ray.OnRay(opening, {"folder": tmp_path}, workers=2).run(counted()):
        handed += 1
        found += [line.model_dump_json() for line in done.lines]
    assert found == await plainly(made, {"folder": tmp_path})
    assert most <= 2 * (1 + LOOK_AHEAD) + 1


@needs_ray
async def test_an_address_where_nobody_listens_is_named_at_once() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{held.getsockname()[1]}"
        engine = on_ray.OnRay(opening, {}, workers=1, address=address)
        with pytest.raises(Unavailable, match="No Ray cluster answers at that address"):
            [done async for done in engine.run(aiter_of(batches(["gout"])))]


async def aiter_of(made: Sequence[Batch]) -> AsyncIterator[Batch]:
    for batch in made:
        yield batch


def answered(place: int) -> dict[str, list[Any]]:
    line = Grounded(criterion_id=f"{place}.0", text="gout")
    return {
        "place": [place],
        "lines": [f"[{line.model_dump_json()}]".encode()],
        "hindrance": [""],
        "bad_input": [False],
    }


async def told(given: Sequence[int], *, fed: bool) -> list[bool]:
    """For each of four batches whether it came back with an error, when the cluster answers only these places."""
    rows = iter([answered(place) for place in given])

    async def next_row() -> dict[str, list[Any]] | None:
        return next(rows, None)

    feeding: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    if fed:
        feeding.set_result(None)
    pending = deque(enumerate(batches(["gout"], ["gout"], ["gout"], ["gout"])))
    return [bool(line.error) async for done in on_ray._answers(next_row, pending, feeding) for line in done.lines]


@pytest.mark.parametrize(
    ("given", "errors"),
    [
        ((0, 1, 2, 3), [False, False, False, False]),
        ((0, 3), [False, True, True, False]),
        ((0, 1), [False, False, True, True]),
    ],
    ids=str,
)
async def test_what_the_cluster_gave_up_comes_back_as_error_lines_in_its_place(
    given: tuple[int, ...], errors: list[bool]
) -> None:
    assert await told(given, fed=True) == errors


async def test_a_cluster_that_ends_before_everything_was_sent_has_lost_it() -> None:
    with pytest.raises(Unavailable, match="same command again"):
        await told((0, 1), fed=False)


@pytest.mark.parametrize(("key", "kind"), [("missing", Unavailable), ("wrong", BadInput)])
def test_services_that_do_not_open_end_the_run(key: str, kind: type[Exception]) -> None:
    row = on_ray._Actor(opening, {key: "No index here."})({"place": [0], "batch_id": ["b0"], "criteria": [b"[]"]})
    with pytest.raises(kind, match=r"^No index here\.$"):
        on_ray._lines(row)
