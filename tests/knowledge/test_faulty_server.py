"""A consultation on a real model server that fails at each step in turn, in each way: always an answer from entries."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from docgemma.agent.session import Question
from docgemma.config import Settings
from docgemma.wiring.app import open_app
from tests.support.model_server import Answer, Json, ModelServer, failing, html, obedient, raw, schema_name

ASK = "What should I do when my blood sugar is low?"
STEPS = ("Decided", "RagDecision", "TopicChoice", "Selection", "Composed")
GONE = {
    "error 500": failing(500),
    "busy": failing(429, "retry-after: 100"),
    "overloaded": failing(503, "retry-after: 100"),
    "slow": Answer("late", delay_s=60),
    "hangs up": Answer("", hangs_up_after=0),
    "a web page": html(),
}
USELESS = {
    "nothing": Answer(""),
    "half an object": raw(b'{"choices": [{"mess'),
    "another schema": Answer('{"mood": "fine"}'),
}


@pytest.fixture(scope="module")
def consulted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose knowledge base is filled: filling it takes ten times as long as a consultation, which only reads."""
    home = tmp_path_factory.mktemp("consulted")

    async def fill() -> None:
        async with open_app(Settings(home=home, model="rules", sources="pack")) as app:
            await app.sessions.ask(Question(ASK, role="patient_diabetes", owner="lan"))

    asyncio.run(fill())
    return home


def settings(home: Path, url: str, *, patient: bool) -> Settings:
    return Settings(
        home=home,
        model="openai",
        model_url=url,
        model_name="medgemma",
        model_timeout_s=3 if patient else 1.5,
        consult_deadline_s=4 if patient else 2.5,
        shortcuts=False,
        sources="pack",
    )


@pytest.mark.parametrize("fault", [*GONE, *USELESS], ids=str)
@pytest.mark.parametrize("at", STEPS)
async def test_whatever_fails_wherever_the_entry_answers(at: str, fault: str, consulted: Path, tmp_path: Path) -> None:
    shutil.copy(consulted / "knowledge.sqlite", tmp_path)
    (tmp_path / "knowledge").symlink_to(consulted / "knowledge")
    wrong = (GONE | USELESS)[fault]

    def answers(body: Json) -> Answer:
        return wrong if schema_name(body) == at else obedient(body)

    async with ModelServer(answers) as server, open_app(settings(tmp_path, server.url, patient=fault != "slow")) as app:
        record = await app.sessions.ask(Question(ASK, role="patient_diabetes", owner="lan"))
        reached = at in {schema_name(body) for body in server.asked}
    assert "15 g" in record.response, "the entry's own words"
    assert record.sources
    visited = [step.step for step in record.timeline]
    assert visited[:2] == ["ingest_query", "decide"]
    assert reached, "the step was never asked"
    assert (visited[-1] == "fallback") == (fault in GONE)
    assert record.notices
