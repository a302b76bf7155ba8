"""The whole agent on a model server that fails in every way it can: an answer, a plain notice, and no second wait."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from docgemma.agent.record import TurnRecord
from docgemma.agent.session import Question
from docgemma.config import Settings
from docgemma.llm.contract import STOPPED_EARLY
from docgemma.llm.rules import DID_NOT_FIT, INSTEAD, WROTE_NOTHING
from docgemma.store.rows import Turn
from docgemma.wiring.app import App, open_app
from tests.support.model_server import Answer, Json, ModelServer, failing, html, obedient, raw

AMPLE_S, SHORT_S = 20.0, 0.3
LOOK_UP = "Check FDA warnings for netarsudil"
GENERAL = "What is hypertension?"
SERVER_WORDS = ("Traceback", "doctype", "proxy error", "HTTP", "http://", "127.0.0.1", "JSON", "httpx", "Error")
NEVER_DONE = Answer(endless="and so on and on, ")


@dataclass(frozen=True)
class Fault:
    """What the server does instead of answering, what the user is told, and how often it is asked."""

    name: str
    answer: Answer
    notices: frozenset[str]
    requests: int
    timeout_s: float = AMPLE_S


def told(why: str) -> frozenset[str]:
    return frozenset({f"{why} {INSTEAD}"})


LATE = told("The model server took too long.")
GONE = told("The model server gave no usable reply.")
PAGE = told("The model URL answers with a web page. It should end in /v1.")
USELESS = frozenset({DID_NOT_FIT, WROTE_NOTHING})
FAULTS = (
    Fault("an error 500", failing(500), told("The model server answered with status 500."), 2),
    Fault("an error 404", failing(404), told("The model server answered with status 404."), 1),
    Fault("busy, shortly", failing(429, "retry-after: 0"), told("The model server answered with status 429."), 2),
    Fault("busy, for long", failing(429, "retry-after: 100"), told("The model server answered with status 429."), 1),
    Fault("slow beyond the time allowed", Answer("late", delay_s=60), LATE, 1, SHORT_S),
    Fault("headers without end", Answer(endless_headers=True), LATE, 1, SHORT_S),
    Fault("text without end", NEVER_DONE, LATE, 1, SHORT_S),
    Fault("a page of HTML", html(), PAGE, 1),
    Fault("hangs up at once", Answer("", hangs_up_after=0), GONE, 2),
    Fault("JSON cut in half", raw(b'{"choices": [{"mess'), USELESS, 4),
    Fault("JSON of another kind", raw(b'{"detail": "Traceback"}'), USELESS, 4),
    Fault("nothing", Answer(""), USELESS, 4),
    Fault("null", Answer(None), USELESS, 4),
    Fault("another schema", Answer('{"mood": "fine"}'), frozenset({DID_NOT_FIT}), 3),
)
WRITING_FAULTS = (
    Fault("an error 500", failing(500), told("The model server answered with status 500."), 3),
    Fault("slow beyond the time allowed", Answer("late", delay_s=60), LATE, 2, SHORT_S),
    Fault("nothing", Answer(""), frozenset({WROTE_NOTHING}), 3),
    Fault("a page of HTML", html(), PAGE, 2),
    Fault("no end of it", NEVER_DONE, frozenset({"The model began to repeat itself and was stopped."}), 2),
    Fault(
        "hangs up in the middle",
        Answer("It is a disease. It lasts for", pieces=["It is a disease. ", "It lasts for"], hangs_up_after=330),
        frozenset({STOPPED_EARLY}),
        2,
    ),
)


@pytest.fixture(scope="module")
def with_an_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose knowledge base has its index: to make it takes longer than all that is tested here."""
    home = tmp_path_factory.mktemp("prepared") / "home"

    async def prepare() -> None:
        async with open_app(Settings(home=home, model="rules", sources="pack")) as app:
            await app.sessions.ask(Question(GENERAL))

    asyncio.run(prepare())
    return home


@pytest.fixture
def home(with_an_index: Path) -> Path:
    """The same index and charts for all, without what an earlier test's sessions and servers left in the store."""
    for file in with_an_index.glob("docgemma.sqlite*"):
        file.unlink()
    return with_an_index


@asynccontextmanager
async def app_on(url: str, home: Path, timeout_s: float = AMPLE_S) -> AsyncIterator[App]:
    settings = Settings(
        home=home,
        model="openai",
        model_url=url,
        model_name="medgemma",
        model_timeout_s=timeout_s,
        sources="pack",
        shortcuts=False,
    )
    async with open_app(settings) as app:
        yield app


async def ask(app: App, text: str) -> TurnRecord:
    """One turn, and its record as the store has it."""
    record = await app.sessions.ask(Question(text))
    [turn] = await app.store.turns(record.session_id)
    recorded(record, turn)
    return record


def recorded(record: TurnRecord, turn: Turn) -> None:
    assert (turn.status, turn.query) == ("done", record.query)
    assert turn.record is not None
    assert TurnRecord.model_validate(turn.record) == record


def in_plain_words(record: TurnRecord, notices: frozenset[str]) -> None:
    assert record.outcome == "answer"
    assert record.response.strip()
    assert notices <= set(record.notices)
    shown = record.model_dump_json(exclude={"query"})
    assert not [word for word in SERVER_WORDS if word in shown]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
async def test_a_server_with_a_fault(fault: Fault, home: Path) -> None:
    async with ModelServer(lambda _: fault.answer) as server, app_on(server.url, home, fault.timeout_s) as app:
        record = await ask(app, GENERAL)
        in_plain_words(record, fault.notices)
        assert record.llm_calls == len(server.asked) == fault.requests


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
async def test_a_look_up_goes_on_by_rules(fault: Fault, home: Path) -> None:
    """The starter pack does not have this drug: nothing is found, and then the model is not asked to write."""
    async with ModelServer(lambda _: fault.answer) as server, app_on(server.url, home, fault.timeout_s) as app:
        record = await ask(app, LOOK_UP)
        in_plain_words(record, fault.notices - {WROTE_NOTHING})
        assert [call.tool for call in record.tool_calls] == ["check_drug_safety"]
        assert 0 < record.llm_calls == len(server.asked)


@pytest.mark.parametrize("fault", WRITING_FAULTS, ids=lambda fault: fault.name)
async def test_a_server_that_fails_only_when_it_writes(fault: Fault, home: Path) -> None:
    async with ModelServer(only_texts(fault.answer)) as server, app_on(server.url, home, fault.timeout_s) as app:
        record = await ask(app, GENERAL)
        in_plain_words(record, fault.notices)
        assert len(server.asked) == fault.requests


def only_texts(fault: Answer) -> Callable[[Json], Answer]:
    return lambda body: obedient(body) if "response_format" in body else fault


async def test_no_server_at_all(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    async with app_on(f"http://127.0.0.1:{port}/v1", home) as app:
        for question in (LOOK_UP, GENERAL):
            in_plain_words(await ask(app, question), told("The model server could not be reached."))


async def test_the_next_turn_asks_again(home: Path) -> None:
    """A server that was down for one turn is not given up for the session."""
    down = True
    async with (
        ModelServer(lambda body: failing(503) if down else obedient(body)) as server,
        app_on(server.url, home) as app,
    ):
        first = await ask(app, GENERAL)
        down = False
        second = await app.sessions.ask(Question(GENERAL, session_id=first.session_id))
    assert any(INSTEAD in notice for notice in first.notices)
    assert not any(INSTEAD in notice for notice in second.notices)
    assert "Metformin is usually taken with meals." in second.response


async def test_a_server_that_does_not_constrain_is_told_of_and_held_to_the_schema(home: Path) -> None:
    async with (
        ModelServer(lambda _: Answer("I would look it up."), constrains=False) as server,
        app_on(server.url, home) as app,
    ):
        record = await ask(app, LOOK_UP)
    assert any("constrain" in notice or "schema" in notice for notice in record.notices), record.notices
    in_plain_words(record, frozenset({DID_NOT_FIT}))
