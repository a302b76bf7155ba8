"""A real server, killed in the middle of an answer and started again on the same home."""

from __future__ import annotations

import asyncio
import re
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2 as httpx

from tests.agent.test_killed_turns import DEADLINE_S, FIRST, QUESTION, Holding, Place
from tests.server.test_runs_routes import Heard, parsed
from tests.support.model_server import ModelServer
from tests.support.web_server import free_port


@asynccontextmanager
async def serving(place: Place, model: ModelServer) -> AsyncIterator[tuple[Process, httpx.AsyncClient]]:
    port = free_port()
    process = await place.start("serve", "--port", str(port), model=model)
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=DEADLINE_S) as client:
            async with asyncio.timeout(DEADLINE_S):
                while not await ready(client):
                    assert process.returncode is None
                    await asyncio.sleep(0.05)
            page = await client.get("/ask", headers={"Accept": "text/html"})
            token = re.search(r'name="csrf" content="([^"]+)"', page.text)
            assert token is not None
            client.headers["X-CSRF-Token"] = token[1]
            yield process, client
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def ready(client: httpx.AsyncClient) -> bool:
    try:
        return (await client.get("/ready")).status_code == 200
    except httpx.TransportError:
        return False


async def heard_until(client: httpx.AsyncClient, address: str, words: str) -> list[Heard]:
    """What comes up to these words; the reader then goes away."""
    text = ""
    async with client.stream("GET", address) as answer:
        async for piece in answer.aiter_text():
            text += piece
            if words in text:
                break
    return parsed(text.rpartition("\n\n")[0])


async def test_a_killed_server_comes_back_with_what_it_told_and_runs_the_question_again(tmp_path: Path) -> None:
    place, model = Place.of(tmp_path, None), Holding("text")
    async with ModelServer(model) as llm:
        async with serving(place, llm) as (process, client):
            run = (await client.post("/runs", json={"text": QUESTION, "run_id": "r1"})).json()
            told = await heard_until(client, run["events"], FIRST)
            process.kill()
            await process.wait()
        model.go.set()
        async with serving(place, llm) as (process, client):
            assert (await client.get("/runs/r1")).json()["state"] == "interrupted"
            same = parsed((await client.get(run["events"])).text)
            assert same[: len(told)] == told, "what was shown was stored"
            assert [(each.number, each.name) for each in same[-1:]] == [(None, "interrupted")]

            seen = str(same[-2].number)
            rest = parsed((await client.get(run["events"], headers={"Last-Event-ID": seen})).text)
            assert [each.name for each in rest] == ["interrupted"]

            again = (await client.post("/runs", json={"retry": True, "session_id": run["session_id"]})).json()
            assert again["run_id"] == "r1"
            new = parsed((await client.get(run["events"], headers={"Last-Event-ID": seen})).text)
            assert (new[0].number, new[0].name, new[-1].name) == (int(seen) + 1, "begun", "done")
            turn = (await client.get("/turns/r1")).json()
            assert FIRST in str(turn)
            process.terminate()
            await asyncio.wait_for(process.wait(), DEADLINE_S)
