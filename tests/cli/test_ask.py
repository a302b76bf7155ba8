"""`docgemma ask` as its users have it, on rules and a real store."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from docgemma.agent.record import TurnRecord
from docgemma.cli.main import run
from tests.cli.conftest import Display, SilentServer, Terminal

QUESTION = "Check FDA warnings for dofetilide"


def record_of(text: str) -> TurnRecord:
    (line,) = text.splitlines()
    return TurnRecord.model_validate_json(line)


def test_a_piped_answer_is_plain_and_says_how_to_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", *QUESTION.split()]) == 0
    told = capsys.readouterr()
    assert "dofetilide" in told.out
    assert "confidence" in told.out
    assert re.search(r"docgemma ask --session \w+", told.out)
    assert "\x1b" not in told.out
    assert told.err == ""


def test_json_is_exactly_one_record(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", "--json", *QUESTION.split()]) == 0
    record = record_of(capsys.readouterr().out)
    assert record.query == QUESTION
    assert record.model == "rules"
    assert record.response


@pytest.mark.parametrize("arguments", [["ask", "--json"], ["ask", "--json", "-"]])
def test_the_question_may_come_through_a_pipe(
    arguments: list[str], given: Callable[[bytes], None], capsys: pytest.CaptureFixture[str]
) -> None:
    given(f"\n {QUESTION}\n".encode())
    assert run(arguments) == 0
    assert record_of(capsys.readouterr().out).query == QUESTION


@pytest.mark.parametrize(
    ("stdin", "told"),
    [
        (b"", "is empty"),
        (b"x" * 20_001, "at most 20,000"),
        ("🩺".encode() * 30_000, "longer than 100,000 bytes"),
        (b"PNG\x00\x01", "binary data"),
        (b"\xff\xd8\xff\xe0", "not UTF-8"),
    ],
)
def test_unusable_input_is_one_line_and_exit_code_2(
    stdin: bytes, told: str, given: Callable[[bytes], None], capsys: pytest.CaptureFixture[str]
) -> None:
    for as_json in ([], ["--json"]):
        given(stdin)
        assert run(["ask", *as_json]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("docgemma: ")
        assert told in err
        assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["ask", "--session", "unknown1", "hello"], 3),
        (["ask", "--session", "unknown1", "--retry"], 3),
        (["ask", "--retry"], 2),
        (["ask", "--retry", "--session", "x", "hello"], 2),
        (["ask", "--image", "missing.png", "hello"], 2),
        (["ask", "--model", "openai", "hello"], 2),
        (["ask", "--model-url", "nowhere", "hello"], 2),
    ],
)
def test_what_cannot_be_done_is_refused_without_output(
    arguments: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err
    assert "Traceback" not in err


def test_plain_http_to_another_machine_is_refused_with_the_setting_that_allows_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["ask", "--model-url", "http://model.example/v1", "hello"]) == 2
    assert "DOCGEMMA_ALLOW_HTTP_MODEL=true" in capsys.readouterr().err


def test_the_patient_it_is_about_stands_under_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", "--patient", "abc-123", "Summarise his record"]) == 0
    banner = "John Smith, born 1958-04-12, male, MRN …1234, FICTIONAL"
    answer, _, footer = capsys.readouterr().out.partition(f"\nPatient: {banner} (id abc-123)\n")
    assert "Sulfonamide antibiotics" in answer
    assert "docgemma ask --session" in footer


def test_a_question_asked_back_claims_no_confidence(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", "Prescribe metformin"]) == 0
    told = capsys.readouterr().out
    assert "I need more information" in told
    assert "confidence" not in told


@pytest.mark.parametrize(
    ("variable", "option", "used"),
    [("", [], True), ("", ["--no-shortcuts"], False), ("false", [], False), ("false", ["--shortcuts"], True)],
)
def test_shortcuts_are_taken_unless_option_or_setting_says_otherwise(
    variable: str,
    option: list[str],
    used: bool,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DOCGEMMA_SHORTCUTS", variable)
    assert run(["ask", "--timeline", *option, "hello"]) == 0
    assert ("greeting: a plain greeting" in capsys.readouterr().out) is used


def test_a_file_that_is_no_image_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.png").write_bytes(b"no image")
    assert run(["ask", "--image", str(tmp_path / "x.png"), "What is this?"]) == 2
    assert capsys.readouterr().out == ""


def test_a_session_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", "--json", "hello"]) == 0
    first = record_of(capsys.readouterr().out)
    assert run(["ask", "--json", "--session", first.session_id, "thanks"]) == 0
    second = record_of(capsys.readouterr().out)
    assert second.session_id == first.session_id
    assert second.turn_id != first.turn_id


def test_an_answered_session_has_nothing_to_retry(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", "--session", new_session(capsys), "--retry"]) == 2


def test_the_timeline_is_shown_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", "--timeline", *QUESTION.split()]) == 0
    assert "Timeline\n" in capsys.readouterr().out


def test_a_model_server_that_is_down_still_gives_an_answer_that_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    url = f"http://127.0.0.1:{port}/v1"
    assert run(["ask", "--json", "--model", "auto", "--model-url", url, QUESTION]) == 0
    record = record_of(capsys.readouterr().out)
    assert record.response
    assert any("model" in notice for notice in record.notices)


def test_bad_settings_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.toml").write_text('modle = "rules"')
    assert run(["ask", "hello"]) == 2
    assert "unknown key 'modle'" in capsys.readouterr().err


def test_a_terminal_gets_colour_and_the_same_words(display: Display, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", display.out)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert run(["ask", *QUESTION.split()]) == 0
    shown = display.text()
    assert "\x1b[2m" in shown
    assert "dofetilide" in shown


def test_a_reader_that_left_is_no_error(terminal: Terminal) -> None:
    with terminal.start("ask", QUESTION, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


def new_session(capsys: pytest.CaptureFixture[str]) -> str:
    assert run(["ask", "--json", "hello"]) == 0
    return record_of(capsys.readouterr().out).session_id


def test_a_turn_killed_half_way_is_run_again(
    terminal: Terminal, silent_server: SilentServer, capsys: pytest.CaptureFixture[str]
) -> None:
    session = new_session(capsys)
    model = ("--model", "auto", "--model-url", silent_server.url)
    with terminal.start("ask", "--session", session, *model, QUESTION) as process:
        silent_server.wait_until_asked()
        process.kill()
    assert run(["ask", "--json", "--session", session, "--retry"]) == 0
    assert record_of(capsys.readouterr().out).query == QUESTION


def test_ctrl_c_ends_quietly_and_leaves_the_session_free(
    terminal: Terminal, silent_server: SilentServer, capsys: pytest.CaptureFixture[str]
) -> None:
    session = new_session(capsys)
    model = ("--model", "auto", "--model-url", silent_server.url)
    with terminal.start(
        "ask", "--session", session, *model, QUESTION, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        silent_server.wait_until_asked()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        assert process.returncode == 130
    assert (out + err).strip() == b""
    assert run(["ask", "--session", session, "thanks"]) == 0
