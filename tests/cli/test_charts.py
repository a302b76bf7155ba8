"""Charts at the terminal: the fictional patients of the embedded record system, asked for in words, without a model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from docgemma.agent.record import TurnRecord
from docgemma.cli.main import run
from tests.cli.conftest import Ask
from tests.support.charts import put_demo_charts


@pytest.fixture(autouse=True)
def _charts(tmp_path: Path) -> None:
    put_demo_charts(tmp_path / "home")


def called(record: TurnRecord) -> list[tuple[str, str]]:
    return [(call.tool, call.status) for call in record.tool_calls]


def offered(record: TurnRecord) -> list[str]:
    return [option.value for option in record.clarification.options] if record.clarification else []


def test_find_a_patient_and_check_the_chart(ask: Ask) -> None:
    record = ask("Find patient Kwame Mensah and check his chart")
    assert called(record) == [("search_patient", "found"), ("get_patient_chart", "found")]
    assert record.patient is not None
    assert record.patient.banner == "Kwame Mensah, born 1967-08-07, male, MRN …6541, FICTIONAL"
    assert "angioedema" in record.response.lower()
    assert any("fictional" in notice.lower() for notice in record.notices)
    assert record.confidence == "medium", "a demonstration is never of high confidence"


def test_what_meds_is_she_on(ask: Ask) -> None:
    record = ask("what meds is John Smith on")
    for drug in ("Metformin hydrochloride 500 MG", "Lisinopril 10 mg", "Atorvastatin 20 mg", "Ibuprofen 200 MG"):
        assert drug in record.response
    assert "Sulfonamide" in record.response, "allergies stand beside every list of medications"
    assert "Laboratory results:" not in record.response


def test_a_value_that_was_asked_for_comes_first(ask: Ask) -> None:
    record = ask("last INR for James Wilson Sr?")
    assert "INR: 2.5" in record.response
    assert record.response.index("INR: 2.5") < record.response.index("Penicillin")


@pytest.mark.parametrize("written", ["kovacs marta", "MÁRTA KOVÁCS", "Mrs Marta Kovacs", "Kovács, Márta"])
def test_accents_case_order_and_titles_do_not_matter(ask: Ask, written: str) -> None:
    record = ask(f"Find patient {written}")
    assert record.patient is not None
    assert record.patient.id == "yza-567"


def test_twins_in_name_are_told_apart_by_the_user(ask: Ask) -> None:
    asked = ask("Find patient Maria Garcia and check her chart")
    assert (asked.outcome, offered(asked)) == ("ask_user", ["def-456", "ghi-789"])
    assert all(mark in asked.response for mark in ("born 1961-07-03", "born 1994-11-21", "MRN …4561", "MRN …7892"))
    assert "kidney" not in asked.response.lower(), "nothing of either chart before the pick"
    picked = ask("the second one", "--session", asked.session_id)
    assert picked.patient is not None
    assert picked.patient.id == "ghi-789"
    assert called(picked) == [("get_patient_chart", "found")]
    after = ask("any allergies?", "--session", asked.session_id)
    assert [call.args["patient_id"] for call in after.tool_calls] == ["ghi-789"]


@pytest.mark.parametrize(
    ("answer", "meant"),
    [("the one born in 1961", "def-456"), ("2", "ghi-789"), ("def-456", "def-456"), ("MRN ending 7892", "ghi-789")],
)
def test_a_pick_in_any_words(ask: Ask, answer: str, meant: str) -> None:
    asked = ask("Show Maria Garcia's chart")
    picked = ask(answer, "--session", asked.session_id)
    assert picked.patient is not None
    assert picked.patient.id == meant


def test_a_birth_date_tells_namesakes_apart(ask: Ask) -> None:
    record = ask("Show the chart of Maria Garcia born 21 November 1994")
    assert record.patient is not None
    assert record.patient.id == "ghi-789"


def test_junior_and_senior_are_two_people(ask: Ask) -> None:
    assert len(offered(ask("Find patient James Wilson"))) == 3
    record = ask("Find patient James Wilson Jr")
    assert record.patient is not None
    assert record.patient.id == "mno-345"


@pytest.mark.parametrize("written", ["abc-123", "ABC-123", "MRN 7001234", "patient abc-123"])
def test_ids_and_record_numbers(ask: Ask, written: str) -> None:
    record = ask(f"Show the chart of {written}")
    assert called(record) == [("get_patient_chart", "found")]
    assert record.patient is not None
    assert (record.patient.id, "John Smith" in record.patient.banner) == ("abc-123", True)


@pytest.mark.parametrize(
    "question", ["Find patient Zebulon Quark", "Show the chart of zzz-999", "chart for MRN 9999999"]
)
def test_an_unknown_patient_is_not_found_and_not_guessed(ask: Ask, question: str) -> None:
    record = ask(question)
    assert [status for _, status in called(record)] == ["not_found"]
    assert record.outcome == "answer"
    assert record.patient is None


def test_a_misspelt_name_is_offered_not_taken(ask: Ask) -> None:
    asked = ask("Find patient Kwame Mensa and check his chart")
    assert asked.clarification is not None
    assert (asked.clarification.reason, offered(asked)) == ("confirm_patient", ["efg-654"])
    agreed = ask("yes", "--session", asked.session_id)
    assert called(agreed) == [("get_patient_chart", "found")]


def test_no_known_allergies_is_a_fact_and_an_empty_list_is_not(ask: Ask) -> None:
    known = ask("any allergies?", "--patient", "ghi-789").response.lower()
    assert "no known" in known
    empty = ask("any allergies?", "--patient", "mno-345").response.lower()
    assert "no allergy entry is recorded" in empty


def test_an_unknown_patient_option_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", "--patient", "nobody-1", "hello"]) == 3
    assert "No patient" in capsys.readouterr().err


def test_a_long_chart_is_shown_in_part_and_says_so(ask: Ask) -> None:
    record = ask("Check the chart", "--patient", "yza-567")
    assert "Left out:" in record.response
    assert len(record.response) < 12_000


def test_text_written_to_mislead_stays_text(ask: Ask) -> None:
    record = ask("Check her notes", "--patient", "cde-321")
    assert (record.outcome, record.approval) == ("answer", None)
    assert {call.tool for call in record.tool_calls} == {"get_patient_chart"}


def test_every_read_is_in_the_audit_log(ask: Ask, capsys: pytest.CaptureFixture[str]) -> None:
    record = ask("Find patient Kwame Mensah and check his chart")
    assert run(["audit", "show", "--patient", "efg-654", "--json"]) == 0
    rows = capsys.readouterr().out
    assert rows.count(record.turn_id) >= 2
    assert "Mensah" not in rows
    assert run(["audit", "verify"]) == 0


def test_a_broken_audit_log_stops_chart_access_with_a_clear_word(ask: Ask, tmp_path: Path) -> None:
    import sqlite3

    ask("Show the chart of abc-123")
    with sqlite3.connect(tmp_path / "home" / "docgemma.sqlite") as database:
        database.execute("UPDATE audit SET who = 'nobody' WHERE position = (SELECT MAX(position) FROM audit)")
    record = ask("Show the chart of abc-123")
    assert called(record) == [("get_patient_chart", "unavailable")]
    assert "audit log" in record.response
    assert "Metformin" not in record.model_dump_json()


@pytest.mark.parametrize(
    ("command", "action"),
    [(["list"], "search"), (["export", "--patient", "abc-123"], "export"), (["export"], "export")],
)
def test_what_leaves_by_command_is_in_the_audit_log_too(
    command: list[str], action: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["ehr", *command]) == 0
    capsys.readouterr()
    assert run(["audit", "show", "--patient", "abc-123", "--json"]) == 0
    (row,) = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (row["why"], row["action"]) == (f"ehr {command[0]}", action)


@pytest.mark.parametrize("id_", ["nobody-1", "not an id!", "x" * 99])
def test_an_unknown_patient_is_not_exported(id_: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ehr", "export", "--patient", id_]) == 3
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)


def test_no_patient_data_reaches_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    for question in ("Find patient Kwame Mensah and check his chart", "Show the chart of efg-654", "Find Kwame Mensa"):
        assert run(["--log-level", "debug", "ask", question]) == 0
    told = capsys.readouterr()
    assert "1967-08-07" in told.out
    assert not [word for word in ("Mensah", "Mensa", "Kwame", "1967-08-07", "6541", "gout") if word in told.err]
