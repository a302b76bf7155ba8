"""`docgemma kb ask`: answers in the words of the entries, from the terminal and without a model."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from docgemma.cli.main import run
from tests.cli.kb_files import SUGAR, lines, row, two

Told = pytest.CaptureFixture[str]

QUESTION = "What is a low blood sugar?"


@pytest.fixture(autouse=True)
def _filled(tmp_path: Path, capsys: Told) -> None:
    patient = row("p-1", QUESTION, "It is a sugar that is too low.", role="patient_diabetes", reviewed="2026-01-31")
    assert run(["kb", "ingest", str(lines(tmp_path / "in.jsonl", *two(), patient))]) == 0
    capsys.readouterr()


def ask(*arguments: str) -> int:
    return run(["kb", "ask", *arguments])


def test_the_entry_word_for_word_with_its_source(capsys: Told) -> None:
    assert ask(QUESTION, "--role", "nurse") == 0
    told = capsys.readouterr().out
    assert SUGAR in told and "Ward handbook" in told and "\nSources\n" in told
    assert "Continue: docgemma kb ask --role nurse --session " in told
    assert "Timeline" not in told


def test_only_what_was_written_for_this_reader(capsys: Told) -> None:
    assert ask(QUESTION, "--role", "patient_diabetes", "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["graph"], record["consult"]["role"]) == ("consult", "patient_diabetes")
    assert record["consult"]["selected_ids"] == ["p-1"]
    assert SUGAR not in record["response"] and "too low" in record["response"]


def test_signs_of_an_emergency_stand_first(capsys: Told) -> None:
    words = "I have crushing chest pain and I am sweating. What is a low blood sugar?"
    assert ask(words, "--role", "patient_diabetes") == 0
    assert "emergency" in capsys.readouterr().out.split("\n\n")[0]
    assert ask(words, "--role", "patient_diabetes", "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert record["consult"]["urgent"] and record["response"].startswith(record["consult"]["urgent"])


def test_the_conversation_goes_on(capsys: Told) -> None:
    assert ask(QUESTION, "--role", "nurse", "--json") == 0
    first = json.loads(capsys.readouterr().out)
    assert ask("How is a wound looked after?", "--role", "nurse", "--session", first["session_id"], "--json") == 0
    second = json.loads(capsys.readouterr().out)
    assert second["session_id"] == first["session_id"]
    assert second["consult"]["selected_ids"][0] == "n-2"


def test_what_was_done(capsys: Told) -> None:
    assert ask(QUESTION, "--role", "nurse", "--timeline") == 0
    assert "\nTimeline\n" in capsys.readouterr().out


def test_a_question_from_standard_input(given: Callable[[bytes], None], capsys: Told) -> None:
    given(QUESTION.encode())
    assert ask("--role", "nurse", "-") == 0
    assert SUGAR in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([QUESTION], 2),
        ([QUESTION, "--role", "plumber"], 3),
        ([QUESTION, "--role", "nurse", "--session", "nowhere"], 3),
        ([QUESTION, "--role", "nurse", "--language", "fr"], 2),
        ([" ", "--role", "nurse"], 2),
    ],
    ids=["no role", "role", "session", "language", "blank"],
)
def test_what_cannot_be_asked(arguments: list[str], code: int, capsys: Told) -> None:
    assert ask(*arguments) == code
    told = capsys.readouterr()
    assert told.out == "" and "unexpected" not in told.err
