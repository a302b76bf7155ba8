"""Who gets past the guard in front of everything that is served."""

from __future__ import annotations

import httpx2
import pytest
from starlette.responses import PlainTextResponse

from docgemma.fetch.serving import guarded

TOKEN = "a-token-long-enough"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"sec-fetch-site": "none"}, 200),  # typed into the address bar
        ({"sec-fetch-site": "same-origin"}, 200),
        ({"sec-fetch-site": "cross-site"}, 403),  # a picture or a link on anybody's page
        ({"sec-fetch-site": "anything"}, 403),
        ({"sec-fetch-site": "cross-site", "origin": "http://localhost:6274"}, 200),  # a page of this machine
        ({"sec-fetch-site": "same-origin", "origin": "https://evil.example"}, 403),
    ],
)
async def test_what_a_page_elsewhere_asks_for_is_refused_without_an_origin_too(
    headers: dict[str, str], status: int
) -> None:
    app = guarded(PlainTextResponse("served"), "127.0.0.1", None, what="the tools")
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://127.0.0.1") as http:
        assert (await http.get("/", headers=headers)).status_code == status


async def test_a_page_elsewhere_is_refused_with_the_token_too() -> None:
    app = guarded(PlainTextResponse("served"), "0.0.0.0", TOKEN, what="the tools")
    headers = {"authorization": f"Bearer {TOKEN}", "sec-fetch-site": "cross-site"}
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://records.example") as http:
        assert (await http.get("/", headers=headers)).status_code == 403
