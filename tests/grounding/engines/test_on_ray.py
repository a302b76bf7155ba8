"""On Ray: the bytes of one process, from a small cluster on this machine."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from docgemma.errors import BadInput, Unavailable
from docgemma.grounding.engines import on_ray
from docgemma.grounding.engines.choosing import choose_engine
from docgemma.grounding.engines.contract import LOOK_AHEAD, Batch
from tests.grounding.engines.work import batches, opening, plainly

HERE = importlib.util.find_spec("ray") is not None
needs_ray = pytest.mark.skipif(not HERE, reason="Ray is not installed here: install the extra `ray`")


@pytest.mark.skipif(HERE, reason="Ray is installed here")
async def test_without_ray_it_says_what_to_install() -> None:
    async with opening({}) as ground:
        with pytest.raises(Unavailable, match=r"docgemma\[ray\]"):
            choose_engine("ray", ground, opening, {})


@needs_ray
async def test_a_cluster_gives_the_bytes_of_one_process(tmp_path: Path) -> None:
    texts = [[f"text-{number}", "gout"] for number in range(20)]
    made = batches(*texts, ["die-once now"], ["die"], ["last"])
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
    (tmp_path / "died").touch()
    expected = await plainly([batch for batch in made if batch.criteria[0].text != "die"], {"folder": tmp_path})
    errors = [json.loads(line)["error"] for line in found]
    assert [line for line, error in zip(found, errors, strict=True) if not error] == expected
    assert "worker ended" in errors[-2]
    assert most <= 2 * (1 + LOOK_AHEAD) + 1


@pytest.mark.parametrize(("key", "kind"), [("missing", Unavailable), ("wrong", BadInput)])
def test_services_that_do_not_open_end_the_run(key: str, kind: type[Exception]) -> None:
    row = on_ray._Actor(opening, {key: "No index here."})({"place": [0], "batch_id": ["b0"], "criteria": [b"[]"]})
    with pytest.raises(kind, match=r"^No index here\.$"):
        on_ray._lines(row)
