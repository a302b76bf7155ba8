"""`docgemma eval turns` as a person or a pipeline runs it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from docgemma.cli.eval import SUITES
from docgemma.cli.main import run
from docgemma.evals import suite as catalogue
from docgemma.terminology.contract import Concept
from docgemma.terminology.index.building import compile_index
from tests.evals.written import CASES, write

# Identifiers as in the core concepts.
DRUGS = (
    Concept("acetaminophen", "Medication", "CORE", ("acetaminophen", "paracetamol"), "C0000970", "387517004"),
    Concept("aspirin", "Medication", "CORE", ("aspirin", "acetylsalicylic acid"), "C0004057", "387458008"),
    Concept("warfarin", "Medication", "CORE", ("warfarin", "Coumadin"), "C0043031"),
)


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for name in list(os.environ):
        if name.startswith("DOCGEMMA_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("DOCGEMMA_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def terms(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A terminology of three drugs."""
    compile_index(DRUGS, tmp_path / "drugs.sqlite")
    monkeypatch.setenv("DOCGEMMA_TERMS_INDEX", str(tmp_path / "drugs.sqlite"))


@pytest.fixture
def good(tmp_path: Path) -> str:
    return str(write(tmp_path / "good.jsonl", *CASES[:3]))


@pytest.fixture
def bad(tmp_path: Path) -> str:
    wrong = CASES[0] | {"id": "wrong", "expect": {"intent": "DIRECT", "tools": [], "outcome": "answer"}}
    return str(write(tmp_path / "bad.jsonl", CASES[0], wrong))


def evaluate(cases: str, *options: str) -> int:
    return run(["eval", "turns", "--model", "rules", "--cases", cases, *options])


def test_a_score_is_no_failure(bad: str, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate(bad) == 0
    shown = capsys.readouterr()
    assert "tools: expected none, got get_patient_chart" in shown.out
    assert "1/2  50.0 %" in shown.out
    assert shown.err == ""
    assert not home.exists()


def test_misses_can_be_left_out(bad: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate(bad, "--no-misses") == 0
    assert "expected none" not in capsys.readouterr().out
    assert evaluate(bad, "--no-misses", "--json") == 0
    assert json.loads(capsys.readouterr().out)["misses"] == []


def test_json_is_one_object(bad: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate(bad, "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["totals"]["scores"]["tools"] | {"low": 0, "high": 0} == {
        "passed": 1,
        "scored": 2,
        "percent": 50.0,
        "low": 0,
        "high": 0,
    }
    assert report["kinds"]["chart"]["cases"] == 2
    assert [miss["id"] for miss in report["misses"]] == ["wrong"]
    assert report["totals"]["alarms"] == 0


def test_a_mark_can_be_set(good: str, bad: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate(good, "--fail-under", "95") == 0
    assert evaluate(bad, "--fail-under", "40") == 0
    capsys.readouterr()
    assert evaluate(bad, "--fail-under", "95") == 2
    assert "below the mark of 95 %: intent 50.0 %, tools 50.0 %" in capsys.readouterr().err


def test_a_record_a_case(good: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "records.jsonl"
    assert evaluate(good, "--out", str(out)) == 0
    head, *records = [json.loads(line) for line in out.read_text().splitlines()]
    assert head["eval"]["suite"] == "turns"
    assert [record["id"] for record in records] == [case["id"] for case in CASES[:3]]
    assert records[0]["record"]["tool_calls"][0]["args"] == {"patient_id": "abc-123"}
    assert records[0]["scores"] == {"intent": 1.0, "tools": 1.0, "arguments": 1.0, "outcome": 1.0}
    assert out.stat().st_mode & 0o077 == 0

    assert evaluate(good, "--out", str(out)) == 2
    assert "records.jsonl exists" in capsys.readouterr().err
    assert evaluate(good, "--out", str(out), "--overwrite", "--limit", "1") == 0
    assert len(out.read_text().splitlines()) == 2


def test_cases_are_chosen(good: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate(good, "--id", "brand", "--json") == 0
    assert list(json.loads(capsys.readouterr().out)["kinds"]) == ["drug_safety"]
    assert evaluate(good, "--id", "brnad") == 3
    assert evaluate(good, "--kind", "charts") == 2


def test_the_splits_make_up_the_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = str(write(tmp_path / "all.jsonl", *CASES[3:7]))
    counts = {}
    for split in ("dev", "held", "all"):
        assert evaluate(cases, "--split", split, "--json") == 0
        counts[split] = json.loads(capsys.readouterr().out)["totals"]["cases"]
    assert counts == {"dev": 2, "held": 2, "all": 4}
    assert evaluate(cases) == 0
    shown = capsys.readouterr().out
    assert "dev                  2 " in shown
    assert "held out             2 " in shown
    assert "all                  4 " in shown


def test_a_broken_file_is_told_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text('{"id": "x"\n')
    assert evaluate(str(path)) == 2
    assert capsys.readouterr().err == "docgemma: mine.jsonl, line 1: this is not valid JSON.\n"


def test_an_unknown_suite_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["eval", "turn"]) == 2
    assert "turns" in capsys.readouterr().err


def test_a_run_is_gone_on_with(good: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two of three cases are there and half of the third: one is run, and the numbers are those of all three."""
    out = tmp_path / "records.jsonl"
    assert evaluate(good, "--out", str(out)) == 0
    whole = out.read_bytes()
    out.write_bytes(whole[:-40])
    capsys.readouterr()
    assert evaluate(good, "--out", str(out), "--resume", "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["totals"]["cases"] == 3
    assert len(out.read_bytes().splitlines()) == len(whole.splitlines()) == 4
    assert (
        run(["eval", "turns", "--model", "rules", "--cases", good, "--out", str(out), "--resume", "--no-shortcuts"])
        == 5
    )
    assert "another setting of shortcuts" in capsys.readouterr().err
    assert evaluate(good, "--resume") == 2


def test_graphs_are_compared(good: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate(good, "--graph", "routed", "--graph", "triage", "--graph", "decompose") == 0
    shown = capsys.readouterr().out
    assert "triage beside routed" in shown
    assert "decompose beside routed" in shown
    assert evaluate(good, "--compare", "routed", "no_shortcuts", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert [report["variant"] for report in told["reports"]] == ["routed", "no_shortcuts"]
    assert told["comparisons"][0]["metrics"][0]["pairs"] > 0


def test_files_are_compared_and_reported(
    good: str, bad: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a, b, page = tmp_path / "a.jsonl", tmp_path / "b.jsonl", tmp_path / "report.html"
    assert evaluate(good, "--out", str(a)) == 0
    assert evaluate(bad, "--out", str(b)) == 0
    capsys.readouterr()
    assert run(["eval", "turns", "--compare", str(a), str(b)]) == 0
    assert "b.jsonl (rules, routed) beside a.jsonl (rules, routed)" in capsys.readouterr().out
    assert run(["eval", "safety", "--compare", str(a), str(b)]) == 2
    assert "holds records of the suite 'turns'" in capsys.readouterr().err
    assert run(["eval", "report", str(b), "--html", str(page)]) == 0
    assert "wrong" in page.read_text()
    assert run(["eval", "report", str(b), "--html", str(page)]) == 2
    assert "report.html exists" in capsys.readouterr().err
    assert run(["eval", "report"]) == 2


def test_nothing_that_is_read_is_written_over(good: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = Path(good).read_bytes()
    out = tmp_path / "records.jsonl"
    assert evaluate(good, "--out", good, "--overwrite") == 2
    assert evaluate(good, "--html", good, "--overwrite") == 2
    assert evaluate(good, "--out", str(out), "--html", str(out)) == 2
    assert evaluate(good, "--out", str(out)) == 0
    capsys.readouterr()
    assert run(["eval", "report", str(out), "--html", str(out), "--overwrite"]) == 2
    assert "records.jsonl is named twice" in capsys.readouterr().err
    assert Path(good).read_bytes() == before


def test_what_else_differs_between_two_files_is_told(
    good: str, bad: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a, b = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    assert evaluate(good, "--out", str(a)) == 0
    assert evaluate(bad, "--out", str(b), "--no-shortcuts") == 0
    capsys.readouterr()
    assert run(["eval", "turns", "--compare", str(a), str(b)]) == 0
    shown = capsys.readouterr().out
    assert "The two runs also differ in: cases (others, or changed ones), shortcuts." in shown
    assert shown.index("a.jsonl (rules, routed)") < shown.index("b.jsonl (rules, routed)")
    assert run(["eval", "turns", "--compare", str(a), str(a)]) == 2
    assert "beside itself" in capsys.readouterr().err
    assert run(["eval", "turns", "--compare", str(a), str(tmp_path / "c.jsonl")]) == 2
    assert "There is no file c.jsonl" in capsys.readouterr().err
    assert run(["eval", "all", "--compare", str(a), str(b)]) == 2
    assert "are for one suite, not for all" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["turns", "--configuration", "no_such"], "has no configuration 'no_such'. It has: standard, no_shortcuts"),
        (["turns", "--compare", "routed", "elsewhere"], "'elsewhere' is no file and nothing that can be compared"),
        (["nodes", "--graph", "triage"], "no graph runs in it"),
        (["all", "--kind", "chart"], "are for one suite, not for all"),
        (["turns", "--html", "no/such/folder/page.html"], "There is no folder for page.html"),
    ],
)
def test_what_cannot_be_run_is_said_before_anything_runs(
    options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["eval", *options, "--model", "rules"]) == 2
    shown = capsys.readouterr()
    assert words in shown.err
    assert shown.out == ""


@pytest.mark.usefixtures("terms")
def test_every_suite_and_the_card(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, page = tmp_path / "runs", tmp_path / "report.html"
    assert (
        run(["eval", "all", "--model", "rules", "--limit", "1", "--out", str(out), "--html", str(page), "--json"]) == 0
    )
    told = json.loads(capsys.readouterr().out)
    assert [report["suite"] for report in told["reports"]] == list(SUITES)
    assert sorted(path.stem for path in out.iterdir()) == sorted(SUITES)
    assert told["cards"][0]["model"] == "rules"
    assert page.stat().st_size > 10_000


def test_the_suites_are_those_of_the_catalogue() -> None:
    """Named twice, because the command line must not import the suites to show its help."""
    assert set(SUITES) == set(catalogue.SUITES)
    assert [catalogue.suite_of(name).name for name in SUITES] == list(SUITES)


def gold(path: Path, *lines: tuple[str, str, str]) -> str:
    """Criteria with one medication each: text, the words that name it, its concept."""
    rows: list[dict[str, Any]] = []
    for number, (text, words, cui) in enumerate(lines):
        start = text.index(words)
        entity = {"text": words, "start": start, "end": start + len(words), "entity_type": "Medication"}
        rows.append({"id": f"c{number}", "text": text, "entities": [{**entity, "umls_cui": cui}]})
    return str(write(path, *rows))


@pytest.mark.usefixtures("terms")
def test_criteria_are_grounded_and_the_misses_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = gold(
        tmp_path / "mine.jsonl",
        ("Treatment with Coumadin", "Coumadin", "C0043031"),
        ("Use of paracetamol", "paracetamol", "C0004057"),  # wrong on purpose: the report must say so
    )
    command = ["eval", "grounding", "--model", "rules", "--cases", cases]
    records = tmp_path / "records.jsonl"
    assert run([*command, "--kind", "unknown", "--out", str(records)]) == 0
    shown = capsys.readouterr()
    assert "Medication             2         2     100.0     100.0     100.0     100.0     100.0     100.0" in shown.out
    assert "1/2 50.0 %" in shown.out
    assert "concepts: expected paracetamol: C0004057, got C0000970 (acetaminophen" in shown.out
    assert shown.err == ""
    kept = [json.loads(line) for line in records.read_text("utf-8").splitlines()[1:]]
    assert [(one["id"], one["counts"]["Medication.strict"]) for one in kept] == [("c0", 1.0), ("c1", 1.0)]
    assert run([*command, "--json", "--no-misses", "--limit", "1"]) == 0
    report = json.loads(capsys.readouterr().out)
    figures = report["figures"]
    assert (figures["criteria"], report["misses"], figures["strict"]["all"]["f1"]) == (1, [], 100.0)
    assert run([*command, "--fail-under", "90"]) == 2
    assert "below the mark of 90 %: concepts 50.0 %" in capsys.readouterr().err
    assert run([*command, "--kind", "exclusion"]) == 2
    assert "There is no case of kind 'exclusion'" in capsys.readouterr().err
