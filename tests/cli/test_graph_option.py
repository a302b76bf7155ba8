"""Choosing a graph at the terminal: an option, a variable, a key of a batch line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from docgemma.cli.main import run
from docgemma.cli.options import GRAPHS
from docgemma.clinical import GRAPHS as KNOWN

QUESTION = "Check FDA warnings for dofetilide"


def test_the_option_offers_every_graph_there_is() -> None:
    assert GRAPHS == KNOWN


def test_ask_runs_on_the_graph_that_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", "--json", "--graph", "decompose", QUESTION]) == 0
    assert json.loads(capsys.readouterr().out)["graph"] == "decompose"


def test_the_option_outweighs_the_variable(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCGEMMA_GRAPH", "triage")
    for arguments, graph in (([], "triage"), (["--graph", "routed"], "routed")):
        assert run(["ask", "--json", *arguments, "Hello"]) == 0
        assert json.loads(capsys.readouterr().out)["graph"] == graph


def test_a_line_of_a_batch_may_name_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = tmp_path / "in.jsonl"
    lines.write_text('{"id": "1", "query": "Hello"}\n{"id": "2", "query": "Hello", "graph": "decompose"}\n')
    assert run(["batch", str(lines), "--quiet", "--graph", "triage"]) == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [record["graph"] for record in records] == ["triage", "decompose"]


def test_a_name_that_there_is_not_is_told_in_one_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(["ask", "--graph", "wandering", "Hello"]) == 2
    assert "'wandering' is not one of 'routed', 'triage', 'decompose'." in capsys.readouterr().err
    monkeypatch.setenv("DOCGEMMA_GRAPH", "wandering")
    assert run(["ask", "Hello"]) == 2
    told = capsys.readouterr().err
    assert "DOCGEMMA_GRAPH cannot be used: it should be 'routed', 'triage' or 'decompose'." in told
    assert "wandering" not in told


def test_doctor_names_a_graph_other_than_the_products(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(["doctor"]) == 0
    assert "older graph" not in capsys.readouterr().out
    monkeypatch.setenv("DOCGEMMA_GRAPH", "triage")
    assert run(["doctor"]) == 0
    assert "the older graph triage" in " ".join(capsys.readouterr().out.split())
