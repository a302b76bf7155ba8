"""`docgemma kb export`: entries out as files that a person edits, and in again as they were."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given as any_of
from hypothesis import strategies as st

from docgemma.cli.kb_transfer import COLUMNS, harmless
from docgemma.cli.main import run
from docgemma.knowledge.entry import Entry
from tests.cli.kb_files import lines, row, two

Told = pytest.CaptureFixture[str]

LIST = "- Stay calm.\n- Give sugar, then “bread”; measure again.\n+ call for help"


@pytest.fixture
def filled(tmp_path: Path, capsys: Told) -> Path:
    rows = [
        *two(),
        row("v-1", "Hạ đường huyết là gì?", LIST, language="vi", reviewed="2026-01-31", url="https://x.vn/a"),
    ]
    assert run(["kb", "ingest", str(lines(tmp_path / "in.jsonl", *rows))]) == 0
    capsys.readouterr()
    return tmp_path


def export(*arguments: str | Path) -> int:
    return run(["kb", "export", *map(str, arguments)])


def test_lines_say_what_was_taken_in(filled: Path, capsys: Told) -> None:
    assert export() == 0
    told = capsys.readouterr()
    assert told.err == "3 entries written.\n"
    written = [json.loads(line) for line in told.out.splitlines()]
    assert [each["id"] for each in written] == ["n-1", "n-2", "v-1"]
    assert written[2]["answer"] == LIST and written[2]["reviewed"] == "2026-01-31"
    assert "reviewed" not in written[0]


@pytest.mark.parametrize("name", ["out.csv", "out.jsonl"])
def test_what_goes_out_comes_back_unchanged(name: str, filled: Path, capsys: Told) -> None:
    assert export("--out", filled / name) == 0
    assert run(["kb", "ingest", str(filled / name)]) == 0
    assert "0 new, 0 changed, 3 there before; 0 withdrawn, 0 skipped." in capsys.readouterr().out


def test_a_spreadsheet_runs_nothing_of_a_table(filled: Path, capsys: Told) -> None:
    assert export("--format", "csv", "--language", "vi") == 0
    (only,) = csv.DictReader(io.StringIO(capsys.readouterr().out, newline=""))
    assert only["answer"] == f"'{LIST}"
    assert only["question"] == "Hạ đường huyết là gì?"


def test_a_table_in_a_file_is_marked_as_utf_8_for_spreadsheets(filled: Path) -> None:
    assert export("--out", filled / "out.CSV") == 0
    assert (filled / "out.CSV").read_bytes().startswith(b"\xef\xbb\xbfid,question,answer,")


@any_of(st.text())
def test_no_cell_begins_like_a_formula(text: str) -> None:
    cell = harmless(text)
    assert cell[:1] not in tuple("=+-@\t\r＝＋－＠")
    assert cell.removeprefix("'") == text or cell == text


def test_all_of_an_entry_but_the_mark_of_the_demonstration() -> None:
    assert set(COLUMNS) == set(Entry.model_fields) - {"demonstration"}


def test_only_some(filled: Path, capsys: Told) -> None:
    assert export("--role", "nurse", "--language", "vi") == 0
    assert [json.loads(line)["id"] for line in capsys.readouterr().out.splitlines()] == ["v-1"]
    assert export("--role", "patient_dental") == 0
    assert capsys.readouterr().out == ""


def test_a_role_that_is_not_there_writes_no_file(filled: Path, capsys: Told) -> None:
    (filled / "out.jsonl").write_text("before")
    assert export("--role", "plumber", "--out", filled / "out.jsonl", "--overwrite") == 3
    assert "The roles are: " in capsys.readouterr().err
    assert (filled / "out.jsonl").read_text() == "before"
    assert export("--role", "plumber", "--format", "csv") == 3
    assert capsys.readouterr().out == ""
    assert not list(filled.glob(".*"))


def test_a_file_of_the_same_name_is_replaced_also_through_a_link(filled: Path) -> None:
    (filled / "real.jsonl").write_text("before")
    (filled / "link.jsonl").symlink_to("real.jsonl")
    assert export("--out", filled / "link.jsonl") == 2
    assert (filled / "real.jsonl").read_text() == "before"
    assert export("--out", filled / "link.jsonl", "--overwrite") == 0
    assert (filled / "link.jsonl").is_symlink()
    assert len((filled / "real.jsonl").read_text(encoding="utf-8").splitlines()) == 3


@pytest.mark.parametrize(("out", "code"), [("folder", 2), ("nowhere/out.jsonl", 4)])
def test_places_that_cannot_be_written(out: str, code: int, filled: Path, capsys: Told) -> None:
    (filled / "folder").mkdir()
    assert export("--out", filled / out) == code
    told = capsys.readouterr().err
    assert told.startswith("docgemma: ") and "unexpected" not in told
