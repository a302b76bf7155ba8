"""Drug questions at the command line, on a machine whose network is cut."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from docgemma.agent.record import TurnRecord
from docgemma.cli.main import run
from tests.support.pharmacy import CUT_OFF

MARK = "not reviewed by a clinician"
Ask = Callable[[str], tuple[TurnRecord, str]]


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ask:
    """The record, and what a person is shown."""
    monkeypatch.setenv("DOCGEMMA_SOURCES", "auto")
    for name, address in CUT_OFF.items():
        monkeypatch.setenv(f"DOCGEMMA_{name.upper()}", address)

    def asked(question: str) -> tuple[TurnRecord, str]:
        assert run(["ask", "--json", question]) == 0
        record = TurnRecord.model_validate_json(capsys.readouterr().out)
        assert run(["ask", question]) == 0
        return record, capsys.readouterr().out

    return asked


@pytest.mark.parametrize(
    ("question", "tool", "expected"),
    [
        ("Check FDA warnings for dofetilide", "check_drug_safety", ["boxed warning", "qt"]),
        (
            "Check interactions between warfarin, aspirin, and ibuprofen",
            "check_drug_interactions",
            ["warfarin with aspirin", "warfarin with ibuprofen", "aspirin with ibuprofen", "bleed"],
        ),
        (
            "Can I give sildenafil with isosorbide mononitrate?",
            "check_drug_interactions",
            ["sildenafil with isosorbide mononitrate (contraindicated)", "nitrate", "blood pressure"],
        ),
    ],
)
def test_the_starter_pack_answers_with_its_mark(ask: Ask, question: str, tool: str, expected: list[str]) -> None:
    record, shown = ask(question)
    (call,) = record.tool_calls
    assert (call.tool, call.status, call.origin) == (tool, "found", "pack")
    assert record.confidence == "medium"
    for text in (record.response, shown):
        assert MARK in text
        assert all(words in text.lower() for words in expected)
    assert record.sources


def test_a_pair_outside_the_starter_pack_is_not_checked_and_never_none(ask: Ask) -> None:
    record, shown = ask("Check interactions between loratadine and amoxicillin")
    (call,) = record.tool_calls
    assert call.status == "unavailable"
    assert record.confidence == "low"
    assert "Not checked: loratadine with amoxicillin" in " ".join(shown.split())


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Is isotretinoin safe in pregnancy?", "On pregnancy:"),
        ("Is metformin safe in renal failure?", "On the kidneys:"),
        ("Is simvastatin safe with grapefruit juice?", "On grapefruit:"),
        ("Does amoxicillin have a boxed warning?", "On boxed warnings:"),
        (
            "warfarin and alcohol",
            "On alcohol: nothing that was found on warfarin speaks of it. That does not make it safe.",
        ),
    ],
)
def test_what_was_asked_about_stands_first(ask: Ask, question: str, first: str) -> None:
    record, shown = ask(question)
    lines = record.response.splitlines()
    assert lines[2] == first
    assert len(lines) == len(set(lines)) + lines.count("") - 1
    assert shown.count(first) == 1


def test_no_boxed_warning_is_never_said_of_a_demonstration_entry_alone(ask: Ask) -> None:
    record, _ = ask("Does amoxicillin have a boxed warning?")
    assert "No boxed warning is listed in this entry; compare the current label." in record.response
    assert record.confidence == "medium"
