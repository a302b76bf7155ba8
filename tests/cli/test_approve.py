"""`docgemma approve` and `reject` as somebody on a night shift uses them: fictional patients, the real store."""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path

import pytest

from docgemma.cli.main import run
from docgemma.cli.options import person
from docgemma.wiring.app import App
from tests.cli.cards import JOHN, chart, left_unknown, note, prescription, proposed, within
from tests.cli.conftest import Display

SULFA = ("trimethoprim-sulfamethoxazole", "160 mg", "twice daily")
STATUS = "http://terminology.hl7.org/CodeSystem/allergyintolerance-clinical"
REASON = "Took it last year without any reaction"


def test_the_card_is_shown_the_entry_written_once_and_a_repeat_says_the_same(
    capsys: pytest.CaptureFixture[str],
) -> None:
    order = proposed(note())
    assert run(["approve", order]) == 0
    told = capsys.readouterr()
    shown, receipt = told.out.split("\n\n")
    assert told.err == ""
    assert shown.startswith(f"Order {order}: waits for approval; nothing is in the chart.")
    assert "  | Clinical note for John Smith, born 1958-04-12" in shown
    assert "  | Text: Seen at night, sleeps well." in shown
    assert receipt.startswith("Written to the chart and read back: ")
    assert person() in receipt

    assert run(["approve", order]) == 0
    again, same = capsys.readouterr().out.split("\n\n")
    assert again.startswith(f"Order {order}: in the chart as approved")
    assert same == receipt
    assert len(chart("DocumentReference", capsys)) == 1


def test_a_stop_needs_a_reason_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    order = proposed(prescription(*SULFA))
    assert run(["approve", order, "--acknowledge"]) == 6
    told = capsys.readouterr()
    assert "  STOP  " in told.out
    assert told.out.index("STOP") < told.out.index("passed")
    assert told.err.count("\n") == 1
    assert "--override" in told.err
    assert "Smith" not in told.err
    for reason in ("ok", "12345678901", "  .......... "):
        assert run(["approve", order, "--acknowledge", "--override", reason]) == 2
        assert "at least 10 characters" in capsys.readouterr().err
    assert chart("MedicationRequest", capsys) == []
    assert run(["approve", order, "--acknowledge", "--override", REASON]) == 0
    assert REASON in capsys.readouterr().out.split("\n\n")[-1]
    assert len(chart("MedicationRequest", capsys)) == 1


def test_what_was_not_checked_must_be_acknowledged(capsys: pytest.CaptureFixture[str]) -> None:
    order = proposed(prescription("paracetamol", "500 mg", "twice daily"))
    row = within(lambda app: app.orders.get(order))
    assert row.card.not_checked
    assert not row.card.hard_stops
    assert run(["approve", order]) == 2
    told = capsys.readouterr()
    assert f"  NOT CHECKED  {row.card.not_checked[0].name}" in told.out
    assert row.card.not_checked[0].name in told.err
    assert told.err.count("\n") == 1
    assert run(["approve", order, "--acknowledge"]) == 0


def test_a_reason_where_nothing_is_stopped_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    order = proposed(note())
    assert run(["approve", order, "--override", REASON]) == 2
    assert "There is no stop on this card" in capsys.readouterr().err
    assert chart("DocumentReference", capsys) == []


@pytest.mark.parametrize(
    ("command", "order"), [("approve", "0000000000"), ("approve", ""), ("approve", "\udcff"), ("reject", "../../x; --")]
)
def test_an_order_that_does_not_exist(command: str, order: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([command, "--", order]) == 3
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1


def test_a_chart_that_changed_makes_the_card_void(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    order = proposed(prescription("paracetamol", "500 mg", "twice daily"))
    allergy = {
        "resourceType": "AllergyIntolerance",
        "id": "new-1",
        "patient": {"reference": f"Patient/{JOHN}"},
        "code": {"text": "Paracetamol"},
        "clinicalStatus": {"coding": [{"system": STATUS, "code": "active"}]},
    }
    (tmp_path / "new.json").write_text(json.dumps(allergy))
    assert run(["ehr", "import", str(tmp_path / "new.json")]) == 0
    capsys.readouterr()
    assert run(["approve", order, "--acknowledge"]) == 5
    told = capsys.readouterr()
    assert "  | Prescription for John Smith" in told.out
    assert "changed" in told.err
    assert chart("MedicationRequest", capsys) == []
    assert run(["approve", order, "--acknowledge"]) == 5


def test_a_card_whose_time_is_over_cannot_be_approved(capsys: pytest.CaptureFixture[str]) -> None:
    async def late(app: App) -> str:
        row = await app.orders.propose(note())
        over = {"expires_at": row.card.created_at}
        return (await app.orders.ledger.propose(row.card.model_copy(update=over))).id

    order = within(late)
    assert run(["approve", order]) == 5
    told = capsys.readouterr()
    assert told.out.startswith(f"Order {order}: expired; nothing was written")
    assert "expired" in told.err
    assert run(["orders", "list", "--json"]) == 0
    assert order not in capsys.readouterr().out
    assert chart("DocumentReference", capsys) == []


def test_who_may_not_prescribe_leaves_a_draft(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    order = proposed(prescription("paracetamol", "500 mg", "twice daily"))
    monkeypatch.setenv("DOCGEMMA_PRESCRIBER", "false")
    assert run(["approve", order, "--acknowledge"]) == 0
    (written,) = chart("MedicationRequest", capsys)
    assert written["status"] == "draft"


def test_programs_read_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    order = proposed(note())
    assert run(["approve", order, "--json"]) == 0
    told = capsys.readouterr()
    (line,) = told.out.splitlines()
    read = json.loads(line)
    assert (read["id"], read["state"], read["receipt"]["status"]) == (order, "written", "written")
    assert read["decision"]["who"] == person()
    assert read["resource"] == read["receipt"]["resource"]
    assert told.err == ""
    assert run(["reject", order, "--json"]) == 5
    assert capsys.readouterr().out == ""


def test_a_rejection_is_kept_with_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    order = proposed(note())
    assert run(["reject", order, "--reason", "wrong patient on screen"]) == 0
    first = capsys.readouterr()
    assert first.out.startswith("Rejected, nothing was written: ")
    assert "wrong patient on screen" in first.out
    assert first.err == ""
    assert run(["reject", order]) == 0
    assert capsys.readouterr().out == first.out
    assert run(["approve", order]) == 5
    assert "rejected" in capsys.readouterr().err
    assert chart("DocumentReference", capsys) == []


def _nowhere() -> str:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"http://127.0.0.1:{server.getsockname()[1]}/fhir"


def test_an_outcome_that_nobody_knows_is_said_and_found_out_later(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    order = left_unknown(note())
    monkeypatch.setenv("DOCGEMMA_FHIR_URL", _nowhere())
    assert run(["approve", order]) == 4
    told = capsys.readouterr()
    assert told.out.startswith(f"Order {order}: outcome unknown, checking")
    assert "docgemma orders reconcile" in told.err
    assert "never written twice" in told.err
    monkeypatch.delenv("DOCGEMMA_FHIR_URL")
    assert run(["approve", order]) == 0
    told = capsys.readouterr()
    assert "Looked after what was left open: 1 in the chart as approved." in told.err
    assert "Written to the chart and read back" in told.out
    assert len(chart("DocumentReference", capsys)) == 1


def test_a_terminal_shows_the_stop_in_red(display: Display, monkeypatch: pytest.MonkeyPatch) -> None:
    order = proposed(prescription(*SULFA))
    monkeypatch.setattr(sys, "stdout", display.out)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert run(["approve", order]) == 6
    assert "\x1b[1;31m  STOP" in display.text()
