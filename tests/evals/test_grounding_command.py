"""`docgemma eval grounding` as a person or a pipeline runs it, on a terminology of three drugs."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from docgemma.cli.main import run
from docgemma.terminology.contract import Concept
from docgemma.terminology.index.building import compile_index

# Identifiers as in the core concepts.
DRUGS = (
    Concept("acetaminophen", "Medication", "CORE", ("acetaminophen", "paracetamol"), "C0000970", "387517004"),
    Concept("aspirin", "Medication", "CORE", ("aspirin", "acetylsalicylic acid"), "C0004057", "387458008"),
    Concept("warfarin", "Medication", "CORE", ("warfarin", "Coumadin"), "C0043031"),
)


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith("DOCGEMMA_"):
            monkeypatch.delenv(name)
    index = tmp_path / "drugs.sqlite"
    compile_index(DRUGS, index)
    monkeypatch.setenv("DOCGEMMA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("DOCGEMMA_TERMS_INDEX", str(index))


def gold(path: Path, *lines: tuple[str, str, str]) -> str:
    """Criteria with one medication each: text, the words that name it, its concept."""
    rows: list[dict[str, Any]] = []
    for number, (text, words, cui) in enumerate(lines):
        start = text.index(words)
        entity = {"text": words, "start": start, "end": start + len(words), "entity_type": "Medication"}
        rows.append({"id": f"c{number}", "text": text, "entities": [{**entity, "umls_cui": cui}]})
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return str(path)


def evaluate(cases: str, *options: str) -> int:
    return run(["eval", "grounding", "--model", "rules", "--cases", cases, *options])


def test_the_numbers_and_the_misses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = gold(
        tmp_path / "mine.jsonl",
        ("Treatment with Coumadin", "Coumadin", "C0043031"),
        ("Use of paracetamol", "paracetamol", "C0004057"),  # wrong on purpose: the report must say so
    )
    assert evaluate(cases) == 0
    shown = capsys.readouterr()
    assert "Medication             2         2     100.0     100.0     100.0     100.0     100.0     100.0" in shown.out
    assert "1/2 50.0 %" in shown.out
    assert "concepts: expected paracetamol: C0004057, got C0000970 (acetaminophen" in shown.out
    assert shown.err == ""
    assert evaluate(cases, "--json", "--no-misses", "--limit", "1") == 0
    report = json.loads(capsys.readouterr().out)
    figures = report["figures"]
    assert (figures["criteria"], report["misses"], figures["strict"]["all"]["f1"]) == (1, [], 100.0)
    assert evaluate(cases, "--fail-under", "90") == 2
    assert "below the mark of 90 %: concepts 50.0 %" in capsys.readouterr().err


def test_records_are_kept_and_chosen_by_type(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = gold(tmp_path / "mine.jsonl", ("Treatment with Coumadin", "Coumadin", "C0043031"))
    records = tmp_path / "records.jsonl"
    assert evaluate(cases, "--kind", "unknown", "--out", str(records)) == 0
    kept = [json.loads(line) for line in records.read_text("utf-8").splitlines()]
    assert [(one["id"], one["counts"]["Medication.strict"]) for one in kept if "counts" in one] == [("c0", 1.0)]
    capsys.readouterr()
    assert evaluate(cases, "--kind", "exclusion") == 2
    assert "There is no case of kind 'exclusion'" in capsys.readouterr().err


def test_a_broken_file_is_told_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text('{"id": "x"}\n')
    assert evaluate(str(path)) == 2
    assert capsys.readouterr().err == "docgemma: mine.jsonl, line 1: 'text' is missing.\n"
