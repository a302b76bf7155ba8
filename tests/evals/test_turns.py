"""Cases run through the whole agent, in a world of their own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from pydantic import SecretStr

from docgemma.config import Settings, ToolServer
from docgemma.evals.running import OnRecord, Run, run_suite
from docgemma.evals.suite import CaseRecord, Variant
from docgemma.evals.summary import Report, summarize
from docgemma.evals.turns import Case, Turns
from tests.evals.written import all_cases


async def run_turns(
    settings: Settings, cases: Sequence[Case], *, concurrency: int = 1, on_record: OnRecord | None = None
) -> Run:
    return await run_suite(Turns(), settings, cases, (Variant(),), concurrency=concurrency, on_record=on_record)


def report_on(run: Run) -> Report:
    return summarize(Turns(), run)[0]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "mine", model="rules")


async def test_plain_cases_come_out_as_expected(settings: Settings) -> None:
    run = await run_turns(settings, all_cases())
    report = report_on(run)
    assert report.misses == ()
    assert [record.id for record in run.records] == [case.id for case in all_cases()]
    assert report.turns == len(all_cases()) + 2  # two cases have one earlier message each
    assert report.model_calls_per_turn == 0


async def test_nothing_of_the_users_is_touched(settings: Settings, tmp_path: Path) -> None:
    """Neither the data folder nor a database nor a tool server that the settings name."""
    theirs = settings.model_copy(
        update={
            "database_url": SecretStr("postgresql://nobody@127.0.0.1:1/none"),
            "tool_servers": {"get_patient_chart": ToolServer(url="https://hospital.invalid/mcp")},
        }
    )
    chart = [case for case in all_cases() if case.id == "chart-by-id"]
    assert report_on(await run_turns(theirs, chart)).misses == ()
    assert list(tmp_path.iterdir()) == []


async def test_each_case_has_a_session_of_its_own(settings: Settings) -> None:
    """ "Her chart" after a case about somebody: nobody is on screen, so the patient is asked for."""
    first = all_cases()[0]
    after = Case.model_validate(
        {"id": "z", "kind": "chart", "say": "show me her chart", "expect": {"outcome": "ask_user"}}
    )
    run = await run_turns(settings, [first, after])
    assert report_on(run).misses == ()
    sessions = {one.record.session_id for one in run.records if one.record}
    assert len(sessions) == 2


async def test_a_case_that_cannot_be_asked_is_a_miss_and_the_rest_goes_on(settings: Settings) -> None:
    blank = Case.model_validate({"id": "blank", "kind": "x", "say": " ", "expect": {"tools": []}})
    run = await run_turns(settings, [blank, all_cases()[0]])
    assert [record.missed for record in run.records] == [True, False]
    assert "The question is empty" in (run.records[0].error or "")
    assert run.records[0].scores == {"tools": 0.0}


async def test_a_model_that_is_not_there_gets_no_credit(settings: Settings) -> None:
    """Rules answer in its place, and the report says for how many turns."""
    away = settings.model_copy(update={"model": "openai", "model_url": "http://127.0.0.1:1/v1", "shortcuts": False})
    assert report_on(await run_turns(away, all_cases()[:2])).rule_instead == 2
    assert report_on(await run_turns(settings, all_cases()[:2])).rule_instead == 0


async def test_several_at_once_give_the_same(settings: Settings) -> None:
    heard: list[CaseRecord] = []
    run = await run_turns(settings, all_cases(), concurrency=4, on_record=heard.append)
    assert report_on(run).misses == ()
    assert [record.id for record in run.records] == [case.id for case in all_cases()]
    assert {record.id for record in heard} == {case.id for case in all_cases()}
