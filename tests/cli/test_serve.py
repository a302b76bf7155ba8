"""`docgemma serve` and `docgemma demo`: what they refuse before anything is opened, and where they listen."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from docgemma.cli.main import run
from docgemma.cli.serve import _free


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DOCGEMMA_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize("command", ["serve", "demo"])
def test_a_port_that_is_taken_is_said_in_one_line(command: str, taken: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([command, "--port", str(taken)]) == 4
    told = capsys.readouterr().err
    assert told == (
        f"docgemma: Cannot listen on 127.0.0.1 port {taken}: Address already in use. "
        "Give another one with --port or --host.\n"
    )


def test_other_machines_are_let_in_only_with_accounts(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", "--host", "0.0.0.0", "--name", "clinic.example"]) == 2
    assert "docgemma users add" in capsys.readouterr().err


@pytest.mark.parametrize("files", [("--certificate",), ("--key",), ("--certificate", "--key")], ids=" ".join)
def test_https_needs_a_pair_that_works(
    files: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "not.pem"
    text.write_text("no certificate")
    assert run(["serve", *(part for name in files for part in (name, str(text)))]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "key" in told.lower()


def test_the_demonstration_takes_the_next_free_port(taken: int) -> None:
    assert _free(taken) > taken
