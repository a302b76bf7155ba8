"""Real processes that are killed, stopped or in each other's way in the middle of a turn: nothing said is lost."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from docgemma.agent.session import Question
from docgemma.cli.options import person
from docgemma.config import Settings
from docgemma.store.rows import Turn
from docgemma.store.sessions import open_store
from docgemma.wiring.app import App, open_app
from tests.support.model_server import Answer, Json, ModelServer, obedient, schema_name

QUESTION = "What is hypertension?"
FIRST = "It is raised blood pressure."
TEXT = Answer(f"{FIRST} It is often silent.", pieces=[f"{FIRST} ", "It is often ", "silent."])
SENT = 450  # bytes of that answer: the head, the first sentence, the beginning of the second
DEADLINE_S = 30


@dataclass(frozen=True)
class Place:
    """A home folder and perhaps a database: what every process of one test shares."""

    settings: Settings
    env: dict[str, str]
    started: list[Process] = field(default_factory=list)

    @classmethod
    def of(cls, home: Path, database_url: str | None) -> Place:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("DOCGEMMA_")}
        env = kept | {"DOCGEMMA_HOME": str(home), "DOCGEMMA_MODEL": "rules", "DOCGEMMA_SHORTCUTS": "false"}
        if database_url:
            env["DOCGEMMA_DATABASE_URL"] = database_url
        return cls(Settings(home=home, model="rules", sources="pack", database_url=database_url, shortcuts=False), env)

    async def start(self, *arguments: str, model: ModelServer | None = None) -> Process:
        chosen = {"DOCGEMMA_MODEL": "openai", "DOCGEMMA_MODEL_URL": model.url} if model else {}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "docgemma", *arguments), env=self.env | chosen, stdin=PIPE, stdout=PIPE, stderr=PIPE
        )
        self.started.append(process)
        return process

    async def session(self) -> str:
        """A conversation of two answered questions."""
        async with self.app() as app:
            first = await app.sessions.ask(Question("hello", owner=person()))
            await app.sessions.ask(Question("Check FDA warnings for dofetilide", session_id=first.session_id))
        return first.session_id

    async def turns(self, session_id: str) -> tuple[Turn, ...]:
        async with open_store(self.settings.store_address) as store:
            return await store.turns(session_id)

    @asynccontextmanager
    async def app(self) -> AsyncIterator[App]:
        async with open_app(self.settings) as app:
            yield app


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    shared = Place.of(tmp_path, request.getfixturevalue("postgres_url") if request.param == "postgres" else None)
    yield shared
    for process in shared.started:
        if process.returncode is None:  # the test failed half-way
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)


@dataclass
class Holding:
    """A model that stops at one point of the turn until it is let go: before its decision, or in mid-answer."""

    point: str
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    go: asyncio.Event = field(default_factory=asyncio.Event)

    def __call__(self, body: Json) -> Answer:
        answer = obedient(body) if "response_format" in body else TEXT
        if schema_name(body) != self.point or self.go.is_set():
            return answer
        self.reached.set()
        return replace(answer, waits_for=self.go, waits_after=SENT if answer is TEXT else 0)


POINTS = pytest.mark.parametrize("point", ["IntentClassification", "text"], ids=["deciding", "in mid-answer"])


async def until_there(process: Process, model: Holding) -> None:
    """The turn hangs at its point; in mid-answer the first sentence has been shown by then."""
    await asyncio.wait_for(model.reached.wait(), DEADLINE_S)
    if model.point == "text":
        assert process.stdout is not None
        await asyncio.wait_for(process.stdout.readuntil(FIRST.encode()), DEADLINE_S)


async def ended(process: Process) -> tuple[int | None, str, str]:
    out, err = await asyncio.wait_for(process.communicate(), DEADLINE_S)
    return process.returncode, out.decode(), err.decode()


def kept(turns: tuple[Turn, ...]) -> list[tuple[str, dict[str, Any] | None]]:
    return [(turn.query, turn.record) for turn in turns]


@POINTS
async def test_a_killed_turn_is_run_again_at_once_and_nothing_else_is_lost(place: Place, point: str) -> None:
    session, model = await place.session(), Holding(point)
    before = await place.turns(session)
    async with ModelServer(model) as server:
        process = await place.start("ask", "--session", session, QUESTION, model=server)
        await until_there(process, model)
        process.kill()
        await process.wait()

        *earlier, half = await place.turns(session)
        assert kept(tuple(earlier)) == kept(before)
        assert (half.status, half.query, half.record) == ("interrupted", QUESTION, None)

        model.go.set()
        code, out, err = await ended(await place.start("ask", "--json", "--session", session, "--retry", model=server))
    assert (code, err) == (0, "")
    record = json.loads(out)
    assert (record["query"], record["turn_id"], record["outcome"]) == (QUESTION, half.id, "answer")
    assert FIRST in record["response"]
    *earlier, again = await place.turns(session)
    assert kept(tuple(earlier)) == kept(before)
    assert (again.id, again.status, again.record) == (half.id, "done", record)


async def test_ctrl_c_ends_quietly_and_frees_the_session_at_once(place: Place) -> None:
    session, model = await place.session(), Holding("text")
    before = await place.turns(session)
    async with ModelServer(model) as server:
        process = await place.start("ask", "--session", session, QUESTION, model=server)
        await until_there(process, model)
        process.send_signal(signal.SIGINT)
        code, _, err = await ended(process)
    assert (code, err.strip()) == (130, "")
    *earlier, half = await place.turns(session)
    assert kept(tuple(earlier)) == kept(before)
    assert half.status == "interrupted"
    async with place.app() as app:  # another question may come first
        await app.sessions.ask(Question("thanks", session_id=session))
    assert [turn.status for turn in await place.turns(session)] == ["done", "done", "interrupted", "done"]


async def test_of_two_processes_on_one_session_one_answers(place: Place) -> None:
    session, model = await place.session(), Holding("IntentClassification")
    async with ModelServer(model) as server:
        first = await place.start("ask", "--json", "--session", session, QUESTION, model=server)
        await until_there(first, model)
        second = await place.start("ask", "--json", "--session", session, "thanks", model=server)
        code, out, err = await ended(second)
        assert (code, out) == (5, "")
        assert err == "docgemma: This session is still answering. Wait for the answer, or start a new session.\n"
        model.go.set()
        code, out, err = await ended(first)
    assert (code, err) == (0, "")
    *_, answered = await place.turns(session)
    assert answered.record == json.loads(out)
    assert [turn.query for turn in await place.turns(session)][2:] == [QUESTION]


async def test_many_processes_on_one_store_lose_nothing(place: Place) -> None:
    """They start together on a store that is not there yet, each with sessions of its own."""
    lines = "".join(json.dumps({"id": f"q{n}", "query": "Check FDA warnings for dofetilide"}) + "\n" for n in range(20))
    processes = [await place.start("batch", "-") for _ in range(3)]
    ends = await asyncio.gather(*(process.communicate(lines.encode()) for process in processes))
    assert [process.returncode for process in processes] == [0] * 3, [err for _, err in ends]
    assert not any(b"locked" in err or b"Traceback" in err for _, err in ends)
    records = [json.loads(line) for out, _ in ends for line in out.decode().splitlines()]
    assert len({record["session_id"] for record in records}) == 60
    async with open_store(place.settings.store_address) as store:
        stored = [await store.get_turn(record["turn_id"]) for record in records]
    assert [turn.record for turn in stored] == records
