"""The command line as its users have it: a real process, with a home of its own and no model."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest


@dataclass(frozen=True)
class Terminal:
    """Runs `docgemma` in a process. Only the given variables reach it, besides what a process needs."""

    home: Path
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def env(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("DOCGEMMA_")}
        return kept | {"DOCGEMMA_HOME": str(self.home), "DOCGEMMA_MODEL": "rules", "NO_COLOR": ""} | self.variables

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "docgemma", *arguments]

    def __call__(
        self, *arguments: str, stdin: bytes = b"", cwd: Path | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            self.command(*arguments), input=stdin, capture_output=True, env=self.env, cwd=cwd, timeout=60
        )

    def start(self, *arguments: str, **pipes: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen(self.command(*arguments), env=self.env, **pipes)


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    return Terminal(tmp_path / "home")


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith("DOCGEMMA_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("DOCGEMMA_HOME", str(tmp_path / "home"))


def lines_of(path: Path) -> Sequence[bytes]:
    return path.read_bytes().splitlines() if path.exists() else []
