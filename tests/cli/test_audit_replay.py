"""`docgemma audit replay` as an auditor uses it."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from docgemma.cli.main import run
from docgemma.store.sessions import open_store

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "home" / "docgemma.sqlite"


@pytest.fixture
def turn(capsys: Captured) -> dict[str, Any]:
    """The record of a question that was answered in this home."""
    assert run(["ask", "--json", "--model", "rules", "Boxed warning of warfarin?"]) == 0
    record: dict[str, Any] = json.loads(capsys.readouterr().out)
    return record


def change(database: Path, statement: str, *values: object) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute(statement, values)
    connection.close()


def audited(capsys: Captured) -> list[dict[str, Any]]:
    capsys.readouterr()
    run(["audit", "show", "--json"])
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_turn_is_shown_and_comes_out_the_same(turn: dict[str, Any], capsys: Captured) -> None:
    assert run(["audit", "replay", turn["turn_id"]]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    assert "Boxed warning of warfarin?" in shown.out
    assert f"Answered by DocGemma {turn['versions']['docgemma']}, graph routed, model rules, prompts " in shown.out
    assert "1. Drug Safety Report (drug name: warfarin): found" in shown.out
    assert turn["response"].splitlines()[0] in shown.out
    assert shown.out.endswith("Replayed: the same answer.\n")
    assert run(["audit", "replay", turn["turn_id"], "--full"]) == 0
    assert '"boxed_warnings": [' in capsys.readouterr().out


def test_programs_read_one_object(turn: dict[str, Any], capsys: Captured) -> None:
    assert run(["audit", "replay", turn["turn_id"], "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["turn_id"], found["same"], found["differences"]) == (turn["turn_id"], True, [])
    assert found["versions"]["then"] == found["versions"]["now"] == turn["versions"]
    assert found["record"] == turn
    assert [exchange["name"] for exchange in found["exchanges"]][:1] == ["check_drug_safety"]


def test_a_look_at_a_chart_of_then_is_written_to_the_audit_log(capsys: Captured) -> None:
    assert run(["ask", "--json", "--model", "rules", "Find patient Kwame Mensah and check his chart"]) == 0
    record = json.loads(capsys.readouterr().out)
    before = len(audited(capsys))
    assert run(["audit", "replay", record["turn_id"]]) == 0
    rows = audited(capsys)
    assert len(rows) == before + 1
    last = rows[-1]
    assert (last["why"], last["action"], last["outcome"]) == ("replay", "chart", "found")
    assert (last["turn_id"], last["session_id"]) == (record["turn_id"], record["session_id"])
    assert last["patients"] == [record["patient"]["id"]]


def test_without_the_audit_log_nothing_is_shown(turn: dict[str, Any], database: Path, capsys: Captured) -> None:
    change(database, "UPDATE audit_head SET hash = 'other'")
    assert run(["audit", "replay", turn["turn_id"]]) == 4
    told = capsys.readouterr()
    assert told.out == ""
    assert "audit log" in told.err


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE turns SET record = replace(record, 'warfarin', 'heparin')",
        "UPDATE turns SET record = 'no JSON'",
        "UPDATE traces SET body = CAST(replace(CAST(body AS TEXT), 'warfarin', 'heparin') AS BLOB)",
        "UPDATE traces SET body = 'text'",
        "DELETE FROM traces",
    ],
)
def test_a_changed_record_or_trace_is_one_sentence(
    statement: str, turn: dict[str, Any], database: Path, capsys: Captured
) -> None:
    change(database, statement)
    assert run(["audit", "replay", turn["turn_id"]]) == 5
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == (
        "docgemma: The stored record of this turn, or its trace, is not what was written. "
        "Restore a backup of the store.\n"
    )


def again(database: Path, record: dict[str, Any], *, without_trace: bool = False) -> str:
    """The same turn once more, with another record: as a program would have made it that answers otherwise."""

    async def store_it() -> None:
        async with open_store(str(database)) as store:
            trace = None if without_trace else await store.get_trace(record["turn_id"])
            session = await store.create_session("a")
            await store.begin_turn(session.id, "t2", record["query"], holder="h", lease_seconds=30)
            await store.finish_turn(
                session.id, "t2", holder="h", record=record, pending=None, patient=None, trace=trace
            )

    asyncio.run(store_it())
    return "t2"


def test_what_differs_is_told_and_the_exit_code_is_5(turn: dict[str, Any], database: Path, capsys: Captured) -> None:
    other = turn | {"response": "Warfarin is harmless.", "versions": turn["versions"] | {"prompts": "0" * 16}}
    assert run(["audit", "replay", again(database, other)]) == 5
    shown = capsys.readouterr().out
    assert "Run again by DocGemma" in shown
    assert "Replayed: not the same.\n  - The answer: was “Warfarin is harmless.”, is now “" in shown
    assert run(["audit", "replay", "t2", "--json"]) == 5
    found = json.loads(capsys.readouterr().out)
    assert found["same"] is False
    assert len(found["differences"]) == 1


def test_turns_from_before_are_shown_as_they_are(turn: dict[str, Any], database: Path, capsys: Captured) -> None:
    older = {name: value for name, value in turn.items() if name != "versions"}
    again(database, older, without_trace=True)
    change(database, "DELETE FROM traces WHERE turn_id = 't2'")
    assert run(["audit", "replay", "t2"]) == 0
    shown = capsys.readouterr().out
    assert "Reading the question" in shown
    assert "The versions of then were not noted." in shown
    assert "No trace was kept" in shown
    assert run(["audit", "replay", "t2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["same"] is None


def test_what_a_person_did_is_shown_as_it_is(turn: dict[str, Any], database: Path, capsys: Captured) -> None:
    async def append() -> None:
        async with open_store(str(database)) as store:
            await store.append_turn(turn["session_id"], "r1", {"receipt": {"text": "Written \x1b[2Jto the chart."}})

    asyncio.run(append())
    assert run(["audit", "replay", "r1"]) == 0
    shown = capsys.readouterr().out
    assert "to the chart." in shown
    assert "\x1b" not in shown
    assert "A person did this" in shown


def test_unknown_and_unfinished_turns(turn: dict[str, Any], database: Path, capsys: Captured) -> None:
    assert run(["audit", "replay", "nosuchturn"]) == 3
    assert run(["audit", "replay", "no such turn"]) == 3
    change(database, "INSERT INTO turns SELECT 't3', session_id, 9, 'interrupted', made_by, query, NULL, NULL, '', "
                     "created_at, NULL, role, NULL FROM turns")  # fmt: skip
    capsys.readouterr()
    assert run(["audit", "replay", "t3"]) == 5
    assert "never finished" in capsys.readouterr().err
