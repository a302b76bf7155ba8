"""What grounding is opened with: the settings decide, and a worker process opens the same."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from docgemma.config import Settings
from docgemma.errors import BadInput
from docgemma.grounding.contract import Criterion
from docgemma.toolbox import Remote
from docgemma.wiring.grounding import open_ground, open_grounding, terminology_routes
from tests.cli.ground_files import TEXTS, tiny_index

ELSEWHERE = {"url": "https://terms.example.org/mcp", "pin": "abc"}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_index(tmp_path_factory.mktemp("terms") / "index.sqlite")


def settings(index: Path, home: Path, **more: Any) -> Settings:
    return Settings.model_validate({"home": home, "terms_index": index, "model": "rules", **more})


async def test_a_worker_opens_the_same_from_plain_settings(index: Path, tmp_path: Path) -> None:
    given = settings(index, tmp_path, umls_api_key="secret", terms="embedded")
    criteria = [Criterion(criterion_id=f"c{n}", text=text) for n, text in enumerate(TEXTS)]
    async with open_grounding(given) as grounding:
        here = await grounding.ground(criteria, "b1")
    async with open_ground(pickle.loads(pickle.dumps(given.model_dump()))) as ground:
        there = await ground(criteria, "b1")
    assert [line.model_dump_json() for line in here] == [line.model_dump_json() for line in there]
    assert [entity.umls_cui for entity in here[0].entities] == ["C0025598"]


async def test_what_results_rest_on(index: Path, tmp_path: Path) -> None:
    async def basis(**more: Any) -> object:
        async with open_grounding(settings(index, tmp_path, **more)) as grounding:
            return grounding.basis

    plain = await basis()
    assert plain == await basis(ground_batch=5)
    others = [
        await basis(ground_threshold=0.8),
        await basis(terminology_server={"concept_search": ELSEWHERE}),
        await basis(terminology_server={"concept_search": ELSEWHERE, "concept_linking": ELSEWHERE}),
    ]
    assert plain not in others and len({repr(each) for each in others}) == 3


def test_another_server_takes_the_place_of_a_tool(index: Path, tmp_path: Path) -> None:
    both = {"concept_search": ELSEWHERE, "concept_linking": ELSEWHERE}
    found = terminology_routes(settings(index, tmp_path, terminology_server=both), None)
    assert all(isinstance(route, Remote) and route.pin == "abc" for route in found.values()) and len(found) == 2
    with pytest.raises(BadInput, match=r"'concept_serch'.*concept_search, concept_linking"):
        terminology_routes(settings(index, tmp_path, terminology_server={"concept_serch": ELSEWHERE}), None)
