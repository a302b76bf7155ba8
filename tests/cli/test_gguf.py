"""A model file that cannot be used is told at the terminal in one sentence that says what to do."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from docgemma.cli.main import run
from docgemma.llm.rules import INSTEAD
from tests.llm.test_gguf import ENTRIES, model_file

HUGE = {**ENTRIES, "gemma3.block_count": 4_000_000}


def told(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().err


def test_what_can_be_known_at_once_ends_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "model.gguf"
    assert run(["ask", "--model", "llamacpp", "hello"]) == 2
    assert "set DOCGEMMA_GGUF" in told(capsys)
    assert run(["ask", "--model", "auto", "--gguf", str(file), "hello"]) == 4
    assert f"There is no file {file}" in told(capsys)
    file.write_bytes(model_file())
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    assert run(["ask", "--model", "auto", "--gguf", str(file), "hello"]) == 4
    assert "pip install 'docgemma[local]'" in told(capsys)


def test_a_model_too_large_for_this_machine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A question is still answered, by rules that say why; `doctor` calls it broken."""
    pytest.importorskip("xllamacpp", reason="xllamacpp is not installed here: install the `dev` extra")
    file = tmp_path / "model.gguf"
    file.write_bytes(model_file(HUGE))
    chosen = ["--json", "--model", "llamacpp", "--gguf", str(file)]
    assert run(["ask", *chosen, "hello"]) == 0
    record = json.loads(capsys.readouterr().out)
    (notice,) = [notice for notice in record["notices"] if notice.endswith(INSTEAD)]
    assert "of memory with a context of 4096 tokens" in notice
    assert "lower DOCGEMMA_GGUF_CONTEXT" in notice
    assert run(["doctor", *chosen]) == 4
    (broken,) = [finding for finding in json.loads(capsys.readouterr().out)["findings"] if finding["state"] == "broken"]
    assert (broken["area"], "of memory" in broken["text"]) == ("model", True)
