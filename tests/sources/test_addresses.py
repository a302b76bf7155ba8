"""The operator's own addresses of public services: a wrong one is told at the start, and a secret is not shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from docgemma.config import Settings
from docgemma.errors import BadInput
from docgemma.fetch.door import Door
from docgemma.wiring.sources import open_sources

NAMES = ("openfda_url", "dailymed_url", "rxnav_url")
SECRET = "hunter2secret"


async def opened(home: Path, mode: str, **given: object) -> None:
    settings = Settings.model_validate({"home": home, "sources": mode, **given})
    async with Door() as door, open_sources(settings, door):
        pass


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "url",
    [
        f"https://user:{SECRET}@mirror.example",
        f"https://{SECRET}@mirror.example",
        f"https://mirror.example/fda?api_key={SECRET}",
        f"https://mirror.example/fda#{SECRET}",
        "https://mirror.example:99999",
        "https://mirror.example/a b",
    ],
)
async def test_an_address_is_nothing_but_an_address(name: str, url: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput) as failure:
        await opened(tmp_path, "auto", **{name: url})
    assert f"DOCGEMMA_{name.upper()}" in str(failure.value)
    assert SECRET not in str(failure.value)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("host", ["10.0.0.5", "mirror.example", "localhost.mirror.example", "0.0.0.0"])
async def test_plain_http_stays_on_this_machine(name: str, host: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="DOCGEMMA_ALLOW_HTTP_SOURCES"):
        await opened(tmp_path, "live", **{name: f"http://{host}:8080"})
    await opened(tmp_path, "live", **{name: f"http://{host}:8080"}, allow_http_sources=True)


@pytest.mark.parametrize("url", ["https://mirror.example/fda/", "http://127.0.0.1:8080", "http://[::1]:8080/base"])
async def test_a_mirror_is_an_address_with_a_path_at_most(url: str, tmp_path: Path) -> None:
    await opened(tmp_path, "auto", openfda_url=url)


async def test_packs_need_no_address(tmp_path: Path) -> None:
    await opened(tmp_path, "pack", openfda_url=f"https://user:{SECRET}@mirror.example")
