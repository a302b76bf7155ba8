"""The commands a newcomer is told to run exist and speak plainly."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.repository.tree import ROOT

needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    return subprocess.run(["make", *arguments], cwd=ROOT, env=clean, capture_output=True, text=True, timeout=60)


@needs_make
def test_the_two_commands_of_the_readme_are_make_targets() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\$?\s*make ([a-z-]+)", readme, re.MULTILINE))
    assert {"demo", "test"} <= named
    for target in named:
        assert make("--dry-run", target).returncode == 0, target


@needs_make
def test_make_alone_lists_what_can_be_done() -> None:
    listed = make().stdout
    for target in ("demo", "install", "test", "check", "bench", "weights", "lock", "clean"):
        assert f"make {target} " in listed


def fake_python(folder: Path, body: str) -> str:
    path = folder / "python3"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return str(path)


@needs_make
def test_an_old_python_is_named_and_nothing_is_made(tmp_path: Path) -> None:
    old = fake_python(tmp_path, '[ "$1" = -V ] && echo "Python 3.9.2" && exit 0; exit 1')
    done = make("install", f"PYTHON={old}", f"VENV={tmp_path / 'env'}")
    assert done.returncode != 0
    assert "needs Python 3.11 or newer" in done.stderr
    assert "Python 3.9.2" in done.stderr
    assert not (tmp_path / "env").exists()


@needs_make
def test_a_python_without_venv_says_what_to_install(tmp_path: Path) -> None:
    bare = fake_python(tmp_path, 'case "$2" in *ensurepip*) exit 1;; esac; exit 0')
    done = make("install", f"PYTHON={bare}", f"VENV={tmp_path / 'env'}")
    assert done.returncode != 0
    assert "python3-venv" in done.stderr


def test_ci_runs_the_test_command_of_the_readme() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert re.search(r"^make test\b", script.read_text(encoding="utf-8"), re.MULTILINE)
