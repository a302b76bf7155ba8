"""`docgemma chat` and `demo`: over a pipe, and typed at a terminal."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from docgemma.cli.main import run
from docgemma.cli.options import person
from docgemma.store.sessions import open_store
from tests.cli.cards import left_unknown, note
from tests.cli.conftest import SilentServer, Terminal

QUESTION = "Check FDA warnings for dofetilide"

Say = Callable[..., tuple[str, str]]


@pytest.fixture
def say(given: Callable[[bytes], None], capsys: pytest.CaptureFixture[str]) -> Say:
    """A conversation through a pipe: what it printed, and what it complained about."""

    def converse(*lines: str, arguments: tuple[str, ...] = ("chat", "--model", "rules")) -> tuple[str, str]:
        given("".join(f"{line}\n" for line in lines).encode())
        assert run(arguments) == 0
        told = capsys.readouterr()
        return told.out, told.err

    return converse


def test_it_opens_with_how_it_works_and_what_it_is_for(say: Say) -> None:
    out, err = say()
    assert "rules answer; embedded charts; labels, articles and trials from packs only." in out
    assert "Decision support for professionals; not a medical device." in out
    assert QUESTION in out
    assert err == ""


def test_it_names_the_look_ups_that_another_server_makes(say: Say, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.toml").write_text('[tool_servers.check_drug_safety]\nurl = "http://127.0.0.1:9/mcp"')
    out, _ = say()
    assert "other servers for check_drug_safety." in out
    assert "no outside sources" not in out


@pytest.mark.parametrize(("option", "used"), [("--shortcuts", True), ("--no-shortcuts", False)])
def test_shortcuts_can_be_switched_off(say: Say, option: str, used: bool) -> None:
    out, _ = say("hello", "/timeline", arguments=("chat", option))
    assert ("greeting: a plain greeting" in out) is used


def test_one_blank_line_stands_between_an_answer_and_the_next(say: Say) -> None:
    out, _ = say("hello", "", "/nonsense", "thanks", "/patient", "/quit")
    *_, example, _, first, between, second, another, command = out.splitlines()
    assert example.startswith("  ")
    assert first.startswith("Hello.")
    assert second.startswith("You're welcome.")
    assert command.startswith("No patient is set.")
    assert (between, another) == ("", "")


def test_a_question_is_answered_and_can_be_looked_into(say: Say) -> None:
    out, err = say(QUESTION, "/timeline", "/sources", "/json", "/quit", "never read")
    assert err == ""
    assert "Timeline" in out
    record = json.loads(next(line for line in out.splitlines() if line.startswith("{")))
    assert record["query"] == QUESTION
    assert "never read" not in out


def test_all_questions_of_a_conversation_are_one_session(say: Say) -> None:
    out, _ = say("hello", "/json", "thanks", "/json", "/new", "hello", "/json")
    first, second, third = (json.loads(line)["session_id"] for line in out.splitlines() if line.startswith("{"))
    assert first == second != third


def test_an_earlier_conversation_is_found_and_opened(say: Say) -> None:
    say("hello")
    listed, _ = say("/sessions")
    session = re.findall(r"^  (\w+)  .* hello$", listed, re.M)[0]
    out, _ = say(f"/open {session}", "thanks", "/json")
    assert "> hello" in out
    assert json.loads(out.splitlines()[-1])["session_id"] == session
    again, _ = say("/json", arguments=("chat", "--model", "rules", "--session", session))
    assert json.loads(again.splitlines()[-1])["query"] == "thanks"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("/nonsense", "There is no command /nonsense. /help lists them."),
        ("/open", "/open ID"),
        ("/open unknown1", "unknown1"),
        ("/image", "/image FILE"),
        ("/image missing.png", "missing.png cannot be read"),
        ("/timeline", "no answer"),
        ("/sources", "no answer"),
        ("/json", "no answer"),
        ("/retry", "Nothing was asked"),
        ("/approve", "No entry of this conversation waits"),
        ("/approve 0000000000", "0000000000"),
        ("/approve yes", "/approve ID"),
        ("/reject", "No entry of this conversation waits"),
        ("/undo", "/undo ID reason"),
        ("x" * 20_001, "at most 20,000"),
        ("x" * 500_000, "longer than 100,000 bytes"),
        ("a\x00b", "binary data"),
    ],
)
def test_a_mistake_costs_one_line_and_the_conversation_goes_on(say: Say, line: str, told: str) -> None:
    out, err = say(line, "/help")
    assert told in err
    assert err.count("\n") == 1
    assert "/patient [ID]" in out


def test_an_unreadable_image_does_not_stick_to_later_questions(say: Say, tmp_path: Path) -> None:
    (tmp_path / "x.png").write_bytes(b"no image")
    out, err = say(f"/image {tmp_path / 'x.png'}", "What is this?", "hello", "/json")
    assert err.count("docgemma:") == 1
    assert json.loads(out.splitlines()[-1])["query"] == "hello"


def test_a_patient_is_set_shown_and_not_switched_under_way(say: Say) -> None:
    out, err = say("/patient", "/patient abc-123", "hello", "/patient", "/patient def-456", "/new", "/patient")
    assert out.count("No patient is set") == 2
    assert "Patient: John Smith, born 1958-04-12, male, MRN …1234, FICTIONAL (id abc-123)" in out
    assert "another patient" in err


def test_a_patient_that_was_switched_to_stays(say: Say) -> None:
    out, err = say("/patient abc-123", "hello", "find Kwame Mensah", "yes", "any allergies?", "/patient")
    assert err == ""
    assert out.rstrip().endswith("Patient: Kwame Mensah, born 1967-08-07, male, MRN …6541, FICTIONAL (id efg-654)")
    assert "angioedema" in out.lower()


def test_a_patient_may_be_named_under_way(say: Say) -> None:
    out, err = say("hello", "/patient abc-123", "any allergies?")
    assert err == ""
    assert "Sulfonamide" in out


NOTE = "Save a progress note: patient slept well and is free of pain."


def waiting(out: str) -> str:
    """The id of the card that the conversation shows last."""
    return re.findall(r"To approve: /approve (\w{10})", out)[-1]


def test_a_card_is_approved_and_taken_back_within_the_conversation(say: Say) -> None:
    out, err = say("/patient abc-123", NOTE, "/approve", "/approve", "/orders", "/json")
    order = waiting(out)
    assert "Written to the chart and read back: " in out
    assert out.count("Written to the chart") == 1
    assert f"To reject:  /reject {order}" in out
    assert re.search(rf"^{order}  written ", out, re.M)
    assert err.count("\n") == 1
    assert "No entry of this conversation waits" in err
    again, err = say(f"/approve {order}", f"/undo {order}", f"/undo {order} written for the wrong patient")
    assert f"Order {order}: in the chart as approved" in again
    assert "Written to the chart and read back: " in again
    assert "Marked as entered in error and read back: " in again
    assert "needs a reason" in err


def test_a_card_is_rejected_within_the_conversation(say: Say) -> None:
    out, err = say("/patient abc-123", NOTE, "/reject not my patient", "/approve")
    assert "Rejected, nothing was written: " in out
    assert "not my patient" in out
    assert "No entry of this conversation waits" in err


def test_a_stop_says_what_releases_it(say: Say) -> None:
    asks = "Prescribe trimethoprim-sulfamethoxazole 160 mg twice daily"
    out, err = say(
        "/patient abc-123", asks, "/approve --acknowledge", "/approve --acknowledge override: he took it in May"
    )
    assert re.search(r"To approve: /approve \w{10} (--acknowledge )?override: REASON", out)
    assert "STOP" in out
    assert "--override" in err
    assert err.count("\n") == 1
    assert out.count("Against a stop, because: he took it in May") == 1
    assert out.count("Written to the chart") == 1


def test_which_of_several_cards_is_never_guessed(say: Say) -> None:
    more = "Save a progress note: he walks without help."
    out, err = say("/patient abc-123", NOTE, more, "/approve", "/orders")
    orders = re.findall(r"To approve: /approve (\w{10})", out)
    assert len(set(orders)) == 2
    assert "2 entries of this conversation wait. Say which, by its id." in out
    assert err == ""
    assert all(out.count(f"\n{order}  proposed") == 2 for order in orders)
    assert "Written" not in out


def test_a_card_that_is_being_changed_is_not_approved_by_the_way(say: Say) -> None:
    asks = "Prescribe lisinopril 10 mg once daily"
    out, err = say("/patient mno-345", asks, "change it to losartan", "/approve --acknowledge", "/reject")
    assert "A change to this entry is open" in err
    assert "Written to the chart" not in out
    assert "Rejected, nothing was written: Prescription, lisinopril" in out


def test_who_comes_back_sees_the_card_that_waits(say: Say) -> None:
    out, _ = say("/patient abc-123", NOTE, "/json")
    session = json.loads(out.splitlines()[-1])["session_id"]
    again, err = say("/approve", arguments=("chat", "--model", "rules", "--session", session))
    assert f"Order {waiting(out)}: waits for approval; nothing is in the chart." in again
    assert waiting(again) == waiting(out)
    assert "Written to the chart and read back: " in again
    assert err == ""


def test_what_a_crash_left_is_finished_when_a_conversation_starts(say: Say) -> None:
    left_unknown(note())
    out, err = say("/orders")
    assert "Looked after what was left open: 1 in the chart as approved." in out
    assert "No order waits for anybody." in out
    assert err == ""
    assert "left open" not in say()[0]


def test_unknown_session_ends_with_3(given: Callable[[bytes], None]) -> None:
    given(b"")
    assert run(["chat", "--session", "unknown1"]) == 3


def test_demo_needs_nothing_and_is_kept_apart(say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCGEMMA_MODEL_URL", "http://model.example/v1")
    out, err = say(QUESTION, arguments=("demo", "--terminal"))
    assert out.startswith("Welcome to DocGemma.")
    assert "its patients are fictional" in out
    assert err == ""
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["demo"]


def test_ctrl_c_stops_the_answer_and_then_the_conversation(terminal: Terminal, silent_server: SilentServer) -> None:
    with terminal.typing("chat", "--model", "auto", "--model-url", silent_server.url) as keyboard:
        keyboard.wait_for("> ")
        keyboard.type(f"{QUESTION}\n")
        silent_server.wait_until_asked()
        keyboard.ctrl_c()
        keyboard.wait_for("Stopped. /retry asks it again.")
        keyboard.wait_for("> ")
        keyboard.type("/retry\n")
        silent_server.wait_until_asked()
        keyboard.ctrl_c()
        keyboard.wait_for("Stopped. /retry asks it again.")
        keyboard.wait_for("> ")
        keyboard.leave()
        assert "Traceback" not in keyboard.read_to_end()
        assert keyboard.code() == 0


def _cut_off(home: Path) -> str:
    """A conversation whose first question was never answered."""

    async def leave() -> str:
        home.mkdir()
        async with open_store(str(home / "docgemma.sqlite")) as store:
            session = await store.create_session(person())
            await store.begin_turn(session.id, "t1", QUESTION, holder="gone", lease_seconds=0)
        return session.id

    return asyncio.run(leave())


def test_an_answer_that_was_stopped_is_listed_announced_and_run_again(say: Say, tmp_path: Path) -> None:
    session = _cut_off(tmp_path / "home")
    listed, _ = say("/sessions")
    assert re.search(rf"^  {session}  .* {QUESTION}$", listed, re.M)
    out, err = say("/retry", "/json", arguments=("chat", "--model", "rules", "--session", session))
    assert "cut off before its answer" in out
    assert json.loads(out.splitlines()[-1])["query"] == QUESTION
    assert err == ""


def test_ctrl_d_leaves(terminal: Terminal) -> None:
    with terminal.typing("chat") as keyboard:
        keyboard.wait_for("> ")
        keyboard.type("hello\n")
        keyboard.wait_for("Hello. Ask about")
        keyboard.wait_for("> ")
        keyboard.type("\x04")
        keyboard.read_to_end()
        assert keyboard.code() == 0
    assert not list(terminal.home.glob("*history*"))
