"""`docgemma batch` with a real store: every line answered, in order, whatever happens on the way."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from docgemma.agent.record import TurnRecord
from docgemma.cli.main import run
from tests.cli.conftest import Terminal


def questions(count: int) -> list[bytes]:
    return [json.dumps({"id": f"q{number}", "query": f"hello {number}"}).encode() for number in range(count)]


def written(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def source(tmp_path: Path) -> Callable[[list[bytes]], Path]:
    def write(lines: list[bytes]) -> Path:
        file = tmp_path / "in.jsonl"
        file.write_bytes(b"\n".join(lines) + b"\n")
        return file

    return write


def batch(source: Path, out: Path, *options: str) -> int:
    return run(["batch", str(source), "--out", str(out), "--quiet", *options])


def test_every_line_gives_a_record_of_a_session_of_its_own(
    source: Callable[[list[bytes]], Path], tmp_path: Path
) -> None:
    out = tmp_path / "out.jsonl"
    assert batch(source(questions(5)), out) == 0
    records = [TurnRecord.model_validate(line) for line in written(out)]
    assert [record.id for record in records] == ["q0", "q1", "q2", "q3", "q4"]
    assert len({record.session_id for record in records}) == 5


@pytest.mark.parametrize(("options", "used"), [((), True), (("--no-shortcuts",), False)])
def test_shortcuts_can_be_switched_off(
    options: tuple[str, ...], used: bool, source: Callable[[list[bytes]], Path], tmp_path: Path
) -> None:
    out = tmp_path / "out.jsonl"
    assert batch(source([b'{"query": "hello"}']), out, *options) == 0
    assert ("greeting: a plain greeting" in out.read_text()) is used


def test_broken_lines_stand_in_their_place_and_the_rest_goes_on(
    source: Callable[[list[bytes]], Path], tmp_path: Path
) -> None:
    out = tmp_path / "out.jsonl"
    good = questions(2)
    unknown = b'{"id": "e", "query": "Summarise the record", "pateint": "abc-123", "\\ud800": 1}'
    lines = [good[0], b"nonsense", b'{"id": "x"}', b'{"id": "q0", "query": "again"}', unknown, good[1]]
    assert batch(source(lines), out) == 2
    first, second, third, fourth, fifth, last = written(out)
    assert (first["id"], last["id"]) == ("q0", "q1")
    assert second == {"id": None, "line": 2, "error": "The line is not valid JSON."}
    assert third == {"id": "x", "line": 3, "error": "'query' is missing."}
    assert (fourth["id"], fourth["line"]) == ("q0", 4)
    assert fifth == {"id": "e", "line": 5, "error": "The line has an unknown key 'pateint'. Did you mean 'patient'?"}


def test_a_line_that_cannot_be_run_is_told_in_its_place(source: Callable[[list[bytes]], Path], tmp_path: Path) -> None:
    (tmp_path / "text.png").write_text("no image")
    lines = [
        b'{"id": "a", "query": "What is this?", "image": "text.png"}',
        b'{"id": "b", "query": "What is this?", "image": "missing.png"}',
        *questions(1),
    ]
    out = tmp_path / "out.jsonl"
    assert batch(source(lines), out) == 2
    first, second, last = written(out)
    assert "error" in first
    assert "missing.png" in second["error"]
    assert last["response"]


def test_the_order_is_kept_when_early_lines_are_slow(source: Callable[[list[bytes]], Path], tmp_path: Path) -> None:
    pixels = io.BytesIO()
    Image.new("RGB", (8, 8)).save(pixels, "PNG")
    (tmp_path / "x.png").write_bytes(pixels.getvalue())
    lines = [
        json.dumps({"id": str(n), "query": "hello", "image": "x.png" if n % 10 == 0 else None}).encode()
        for n in range(30)
    ]
    out = tmp_path / "out.jsonl"
    assert batch(source(lines), out, "--concurrency", "8") == 0
    assert [record["id"] for record in written(out)] == [str(n) for n in range(30)]


def test_a_line_may_bring_what_was_said_before(
    source: Callable[[list[bytes]], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.jsonl"
    pair = {"query": "and with amlodipine?", "history": ["Does simvastatin interact with clarithromycin?"], "mine": 1}
    chat = {"query": "side effects?", "history": [{"role": "user", "content": "how does denosumab work"},
                                                  {"role": "assistant", "content": "warfarin"}]}  # fmt: skip
    wrong = {"query": "Hi", "history": "what was said"}
    assert batch(source([json.dumps(line).encode() for line in (pair, chat, wrong)]), out) == 2
    first, second, third = written(out)
    assert [call["args"] for call in first["tool_calls"]] == [{"drug_names": ["simvastatin", "amlodipine"]}]
    assert [call["args"]["drug_name"] for call in second["tool_calls"]] == ["denosumab"]
    assert "'history' should be a list" in third["error"]
    assert "Not read in line 1: mine." in capsys.readouterr().err


def test_an_existing_file_is_kept_unless_told_otherwise(
    source: Callable[[list[bytes]], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.jsonl"
    file = source(questions(2))
    assert batch(file, out) == 0
    before = out.read_bytes()
    assert batch(file, out) == 2
    assert "--resume" in capsys.readouterr().err
    assert out.read_bytes() == before
    assert batch(file, out, "--resume") == 0
    assert out.read_bytes() == before
    assert batch(file, out, "--overwrite") == 0
    assert out.read_bytes() != before


def test_after_mending_a_line_only_that_line_is_asked(source: Callable[[list[bytes]], Path], tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    lines = questions(4)
    assert batch(source([lines[0], b"broken", *lines[2:]]), out) == 2
    before = written(out)
    assert batch(source(lines), out, "--resume") == 0
    after = written(out)
    assert [record["id"] for record in after] == ["q0", "q1", "q2", "q3"]
    assert [after[0], *after[2:]] == [before[0], *before[2:]]


@pytest.mark.parametrize(
    "options",
    [["--resume"], ["--out", "x", "--resume", "--overwrite"], ["--concurrency", "0"], ["--out", "in.jsonl"]],
)
def test_what_makes_no_sense_is_refused(
    options: list[str], source: Callable[[list[bytes]], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = source(questions(1))
    before = file.read_bytes()
    monkeypatch.chdir(tmp_path)
    assert run(["batch", "in.jsonl", *options]) == 2
    assert file.read_bytes() == before


def test_through_pipes_progress_stays_on_stderr(
    given: Callable[[bytes], None], capsys: pytest.CaptureFixture[str]
) -> None:
    given(b"\n".join(questions(3)))
    assert run(["batch", "-"]) == 0
    told = capsys.readouterr()
    assert [json.loads(line)["id"] for line in told.out.splitlines()] == ["q0", "q1", "q2"]
    assert told.err.startswith("3 lines")
    assert "\x1b" not in told.err


def _half_done(terminal: Terminal, out: Path, lines: list[bytes]) -> subprocess.Popen[bytes]:
    """A batch that has written these lines and waits for more."""
    process = terminal.start("batch", "-", "--out", str(out), stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(b"".join(line + b"\n" for line in lines))
    process.stdin.flush()
    while not out.exists() or len(out.read_bytes().splitlines()) < len(lines):
        assert process.poll() is None, process.stderr and process.stderr.read()
        time.sleep(0.01)
    return process


def test_a_batch_killed_half_way_is_resumed_without_asking_again(
    terminal: Terminal, tmp_path: Path, source: Callable[[list[bytes]], Path]
) -> None:
    out = tmp_path / "out.jsonl"
    lines = questions(8)
    with _half_done(terminal, out, lines[:5]) as process:
        process.kill()
    before = written(out)
    with out.open("ab") as file:
        file.write(b'{"id": "q5", "resp')
    assert batch(source(lines), out, "--resume") == 0
    assert [record["id"] for record in written(out)] == [f"q{number}" for number in range(8)]
    assert written(out)[:4] == before[:4]


def test_ctrl_c_leaves_a_file_that_can_be_resumed(
    terminal: Terminal, tmp_path: Path, source: Callable[[list[bytes]], Path]
) -> None:
    out = tmp_path / "out.jsonl"
    lines = questions(4)
    with _half_done(terminal, out, lines[:2]) as process:
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        assert process.returncode == 130
    assert b"--resume goes on" in err
    assert b"Traceback" not in err
    assert batch(source(lines), out, "--resume") == 0
    assert [record["id"] for record in written(out)] == ["q0", "q1", "q2", "q3"]
