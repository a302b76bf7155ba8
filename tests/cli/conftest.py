"""The command line with a home of its own and no model: in this process where that shows the same, else in its own.

A process of its own costs more than a second of CPU time, so it is for what only a process has: signals, being
killed, a keyboard, a reader that leaves. Both look into the same home.
"""

from __future__ import annotations

import io
import os
import pty
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import pytest

from docgemma.agent.record import TurnRecord
from docgemma.cli.main import run

Ask = Callable[..., TurnRecord]


@dataclass(frozen=True)
class Terminal:
    """Runs `docgemma` in a process. Only the given variables reach it, besides what a process needs."""

    home: Path
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def env(self) -> dict[str, str]:
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith("DOCGEMMA_") and name != "NO_COLOR"
        }
        return (
            kept
            | {
                "DOCGEMMA_HOME": str(self.home),
                "DOCGEMMA_MODEL": "rules",
                "DOCGEMMA_SOURCES": "pack",
            }
            | self.variables
        )

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "docgemma", *arguments]

    def typing(self, *arguments: str) -> Keyboard:
        return Keyboard(self.command(*arguments), self.env | {"TERM": "xterm-256color"})

    def start(self, *arguments: str, **pipes: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen(self.command(*arguments), env=self.env, **pipes)


class Keyboard:
    """A process on a pseudo terminal: what it shows is read, what is typed reaches it."""

    def __init__(self, command: list[str], env: dict[str, str]) -> None:
        self._master, slave = pty.openpty()
        self._process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=env)
        os.close(slave)
        self.shown = ""
        self._seen = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._master)

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def ctrl_c(self) -> None:
        self._process.send_signal(signal.SIGINT)

    def wait_for(self, text: str) -> None:
        """Until it stands on the screen after what was waited for before; the test fails when it never does."""
        while (place := self.shown.find(text, self._seen)) < 0:
            piece = self._read()
            assert piece, f"{text!r} was never shown; shown was: {self.shown!r}"
            self.shown += piece
        self._seen = place + len(text)

    def leave(self) -> None:
        """Ctrl-C until it is noticed: one that comes between the prompt and the waiting for keys is lost."""
        for _ in range(5):
            self.ctrl_c()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=6)
                return

    def read_to_end(self) -> str:
        while piece := self._read():
            self.shown += piece
        return self.shown

    def code(self) -> int:
        return self._process.wait(timeout=30)

    def _read(self) -> str:
        ready, _, _ = select.select([self._master], [], [], 30)
        try:
            return os.read(self._master, 65536).decode(errors="replace") if ready else ""
        except OSError:  # how a pseudo terminal says that the other end has gone
            return ""


class Display:
    """A pseudo terminal for code that runs in this process: `out` to write to, and `text()`, what it was sent."""

    def __init__(self) -> None:
        self._master, slave = pty.openpty()
        self.out = os.fdopen(slave, "w", encoding="utf-8")

    def text(self) -> str:
        """Everything sent so far: read up to a mark, because a terminal passes on what it gets in its own time."""
        self.out.write("\0")
        self.out.flush()
        sent = b""
        while not sent.endswith(b"\0"):
            sent += os.read(self._master, 65536)
        return sent.decode().rstrip("\0").replace("\r\n", "\n")

    def close(self) -> None:
        self.out.close()
        os.close(self._master)


class SilentServer:
    """A model server that takes connections and never answers: whoever asked it is in the middle of a turn."""

    def __init__(self, server: socket.socket) -> None:
        self._server = server
        self.url = f"http://127.0.0.1:{server.getsockname()[1]}/v1"

    def wait_until_asked(self) -> None:
        self._server.accept()


@pytest.fixture
def silent_server() -> Iterator[SilentServer]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        yield SilentServer(server)


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    """Standard input of a command that runs in this process."""

    def give(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return give


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Ask:
    """Asks at the command line; gives the turn record."""

    def asked(question: str, *options: str) -> TurnRecord:
        assert run(["ask", "--json", *options, question]) == 0
        return TurnRecord.model_validate_json(capsys.readouterr().out)

    return asked


@pytest.fixture
def display(monkeypatch: pytest.MonkeyPatch) -> Iterator[Display]:
    """A terminal of 60 columns."""
    monkeypatch.setenv("COLUMNS", "60")
    made = Display()
    yield made
    made.close()


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    return Terminal(tmp_path / "home")


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith("DOCGEMMA_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("DOCGEMMA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("DOCGEMMA_SOURCES", "pack")  # no test asks a public service
