"""`docgemma orders`: what waits, what became of it, taken back, finished after a crash."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from docgemma.cli.main import run
from tests.cli.cards import JOHN, chart, left_unknown, note, proposed

REASON = "Written for the wrong patient"


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


def objects(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines(capsys)]


@pytest.mark.parametrize(("options", "told"), [([], "No order waits"), (["--all"], "There are no such orders")])
def test_an_empty_list_says_so(options: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["orders", "list", *options]) == 0
    assert told in capsys.readouterr().out
    assert run(["orders", "list", "--json"]) == 0
    assert capsys.readouterr().out == ""


def test_the_list_is_narrowed_and_begins_with_what_waits(capsys: pytest.CaptureFixture[str]) -> None:
    waiting = proposed(note("first"))
    rejected = proposed(note("second", "def-456"))
    assert run(["reject", rejected]) == 0
    capsys.readouterr()

    def ids(*options: str) -> list[str]:
        assert run(["orders", "list", "--json", *options]) == 0
        return [one["id"] for one in objects(capsys)]

    assert ids() == [waiting]
    assert ids("--all") == [waiting, rejected]
    assert ids("--all", "--limit", "1") == [waiting]
    assert ids("--state", "rejected") == [rejected]
    assert ids("--state", "rejected", "--state", "proposed") == [rejected, waiting]
    assert ids("--all", "--patient", "def-456") == [rejected]
    assert ids("--patient", "def-456") == []
    assert run(["orders", "list", "--state", "nonsense"]) == 2

    capsys.readouterr()
    assert run(["orders", "list", "--all"]) == 0
    heading, first, second = lines(capsys)
    assert heading.split()[:2] == ["order", "state"]
    assert first.split()[:2] == [waiting, "proposed"]
    assert second.split()[:2] == [rejected, "rejected"]
    assert "John Smith, born 1958-04-12" in first
    assert "min" in first
    assert "Clinical note, " in first


def test_an_order_is_shown_whole(capsys: pytest.CaptureFixture[str]) -> None:
    order = proposed(note())
    assert run(["approve", order]) == 0
    capsys.readouterr()
    assert run(["orders", "show", order]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"Order {order}: in the chart as approved")
    assert "\nProposed   " in shown
    assert "\nDecided    " in shown
    assert "\nIn chart   DocumentReference/" in shown
    assert "\nWritten to the chart and read back: " in shown
    assert run(["orders", "show", order, "--json"]) == 0
    (read,) = objects(capsys)
    assert (read["id"], read["state"], read["card"]["proposed_by"]) == (order, "written", "nina")
    assert run(["orders", "show", "0000000000"]) == 3


def test_an_entry_is_taken_back_and_stays_marked_in_the_chart(capsys: pytest.CaptureFixture[str]) -> None:
    order = proposed(note())
    assert run(["orders", "undo", order, "--reason", REASON]) == 5
    assert run(["approve", order]) == 0
    assert run(["orders", "undo", order]) == 2
    assert run(["orders", "undo", order, "--reason", "no"]) == 2
    capsys.readouterr()
    assert run(["orders", "undo", order, "--reason", REASON]) == 0
    receipt = capsys.readouterr().out
    assert receipt.startswith("Marked as entered in error and read back: ")
    (left,) = chart("DocumentReference", capsys)
    assert left["status"] == "entered-in-error"
    assert run(["orders", "undo", order, "--reason", REASON]) == 0
    assert capsys.readouterr().out == receipt
    assert run(["approve", order]) == 5
    capsys.readouterr()
    assert run(["orders", "show", order]) == 0
    assert REASON in capsys.readouterr().out


def test_what_a_crash_left_is_finished(capsys: pytest.CaptureFixture[str]) -> None:
    order = left_unknown(note())
    assert run(["orders", "reconcile"]) == 0
    told = capsys.readouterr()
    assert told.out == "1 in the chart as approved.\n"
    assert told.err == ""
    assert len(chart("DocumentReference", capsys)) == 1
    assert run(["orders", "reconcile"]) == 0
    assert capsys.readouterr().out == "Nothing was left open.\n"
    assert run(["orders", "list", "--all", "--json"]) == 0
    assert [(one["id"], one["state"]) for one in objects(capsys)] == [(order, "written")]


def test_what_cannot_be_finished_is_said(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    left_unknown(note())
    monkeypatch.setenv("DOCGEMMA_FHIR_URL", "http://127.0.0.1:9/fhir")
    assert run(["orders", "reconcile", "--json"]) == 4
    told = capsys.readouterr()
    assert [json.loads(line)["status"] for line in told.out.splitlines()] == ["unknown"]
    assert "1 order is not finished yet" in told.err
    assert told.err.count("\n") == 1
    assert run(["orders", "list"]) == 0
    assert "outcome unknown" in capsys.readouterr().err


def test_an_order_that_was_changed_is_not_shown_and_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = proposed(note("first")), proposed(note("second"))
    with sqlite3.connect(tmp_path / "home" / "docgemma.sqlite") as connection:
        connection.execute("UPDATE orders SET patient_id = '\"def-456\"' WHERE id = ?", (first,))
    connection.close()
    assert run(["orders", "list"]) == 5
    told = capsys.readouterr()
    assert second in told.out
    assert first not in told.out
    assert told.err.startswith("docgemma: 1 order was changed outside DocGemma")
    assert run(["approve", first]) == 4
    assert JOHN not in capsys.readouterr().err
