"""The border: quick help, one line for every error, the right exit code."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from types import ModuleType

import click
import pytest

from docgemma.cli import main as border
from docgemma.errors import BadInput, Conflict, DocGemmaError, HardStop, Unavailable, UnknownId
from tests.cli.conftest import Terminal

HEAVY = ("pydantic", "langgraph", "langchain_core", "mcp", "rich", "httpx2", "platformdirs", "PIL")


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from docgemma.cli.main import run; code = run(['--help']);"
        f"print('heavy:', [m for m in {HEAVY!r} if m in sys.modules], code)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "heavy: [] 0" in done.stdout, done.stderr


def test_every_command_is_listed_and_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert border.run(["--help"]) == 0
    listed = capsys.readouterr().out
    for command in border.COMMANDS:
        assert f"  {command} " in listed
        assert border.run([command, "--help"]) == 0
        assert f"Usage: docgemma {command}" in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert border.run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("docgemma, version ")


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["ask", "--nonsense"], ["--log-level", "loud", "doctor"], ["batch"]]
)
def test_wrong_usage_is_told_with_exit_code_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert border.run(arguments) == 2
    told = capsys.readouterr()
    assert "Error:" in told.err
    assert told.out == ""


class Raises:
    """A command that fails in a given way, put where the border looks commands up."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch

    def __call__(self, error: BaseException) -> None:
        @click.command()
        def fails() -> None:
            raise error

        module = ModuleType("tests.cli.fails")
        module.fails = fails  # type: ignore[attr-defined]
        self._monkeypatch.setitem(sys.modules, "tests.cli.fails", module)
        self._monkeypatch.setitem(border.COMMANDS, "fails", border.Entry("tests.cli.fails:fails", ""))


@pytest.fixture
def raises(monkeypatch: pytest.MonkeyPatch) -> Iterator[Raises]:
    yield Raises(monkeypatch)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (BadInput("x"), 2),
        (UnknownId("x"), 3),
        (Unavailable("x"), 4),
        (DocGemmaError("x"), 4),
        (Conflict("x"), 5),
        (HardStop("x"), 6),
        (ExceptionGroup("tasks", [ExceptionGroup("tasks", [Conflict("x")])]), 5),
    ],
)
def test_an_expected_error_is_one_line(
    error: Exception, code: int, raises: Raises, capsys: pytest.CaptureFixture[str]
) -> None:
    raises(error)
    assert border.run(["fails"]) == code
    assert capsys.readouterr().err == "docgemma: x\n"


def test_a_bug_is_named_without_its_text_or_traceback(raises: Raises, capsys: pytest.CaptureFixture[str]) -> None:
    raises(ValueError("Ann Lee, born 1950"))
    assert border.run(["fails"]) == 1
    told = capsys.readouterr().err
    assert told.startswith("docgemma: an unexpected error (ValueError).")
    assert "Ann Lee" not in told
    assert "Traceback" not in told


def test_debugging_shows_where_a_bug_is(raises: Raises, capsys: pytest.CaptureFixture[str]) -> None:
    raises(ValueError("why"))
    assert border.run(["--log-level", "debug", "fails"]) == 1
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt(), 130), (BrokenPipeError(), 141)])
def test_leaving_early_is_quiet(
    error: BaseException, code: int, raises: Raises, capsys: pytest.CaptureFixture[str]
) -> None:
    raises(error)
    assert border.run(["fails"]) == code
    assert capsys.readouterr().err.strip() == ""


def test_a_reader_that_left_is_no_error(terminal: Terminal) -> None:
    with terminal.start("--help", stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141
