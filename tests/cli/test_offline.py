"""Questions on drugs, literature and trials at the command line, on a machine whose network is cut."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from docgemma.agent.record import TurnRecord
from docgemma.cli.main import run
from tests.cli.conftest import Ask
from tests.sources import document_files as packs
from tests.support.searching import SILENT

MARK = "not reviewed by a clinician"
ARTICLE = packs.article(90000001, "Colchicine in gout", "<h4>Conclusions</h4>It worked well.", terms=["Gout"])
TRIAL = packs.trial(1, "Colchicine at home", "Gout", phases=["PHASE3"])
LookUp = Callable[[str], tuple[TurnRecord, str]]


@pytest.fixture
def look_up(ask: Ask, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> LookUp:
    """The record, and what a person is shown."""
    for name, address in (SILENT | {"sources": "auto"}).items():
        monkeypatch.setenv(f"DOCGEMMA_{name.upper()}", address)

    def asked(question: str) -> tuple[TurnRecord, str]:
        record = ask(question)
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
def test_the_starter_pack_answers_with_its_mark(look_up: LookUp, question: str, tool: str, expected: list[str]) -> None:
    record, shown = look_up(question)
    (call,) = record.tool_calls
    assert (call.tool, call.status, call.origin) == (tool, "found", "pack")
    assert record.confidence == "medium"
    for text in (record.response, shown):
        assert MARK in text
        assert all(words in text.lower() for words in expected)
    assert record.sources


def test_a_pair_outside_the_starter_pack_is_not_checked_and_never_none(look_up: LookUp) -> None:
    record, shown = look_up("Check interactions between loratadine and amoxicillin")
    (call,) = record.tool_calls
    assert call.status == "unavailable"
    assert record.confidence == "low"
    assert "Not checked: loratadine with amoxicillin" in " ".join(shown.split())


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Is isotretinoin safe in pregnancy?", "On pregnancy:"),
        ("Is simvastatin safe with grapefruit juice?", "On grapefruit:"),
        (
            "warfarin and alcohol",
            "On alcohol: nothing that was found on warfarin speaks of it. That does not make it safe.",
        ),
    ],
)
def test_what_was_asked_about_stands_first(look_up: LookUp, question: str, first: str) -> None:
    record, shown = look_up(question)
    lines = record.response.splitlines()
    assert lines[2] == first
    assert len(lines) == len(set(lines)) + lines.count("") - 1
    assert shown.count(first) == 1


def test_no_boxed_warning_is_never_said_of_a_demonstration_entry_alone(look_up: LookUp) -> None:
    record, _ = look_up("Does amoxicillin have a boxed warning?")
    assert "No boxed warning is listed in this entry; compare the current label." in record.response
    assert record.confidence == "medium"


def test_packs_answer_with_their_age(look_up: LookUp, tmp_path: Path) -> None:
    packs.articles(tmp_path / "home" / "packs", [ARTICLE])
    packs.registered(tmp_path / "home" / "packs", [TRIAL])
    record, shown = look_up("Find studies on colchicine in gout and find trials for gout")
    assert [(call.status, call.origin) for call in record.tool_calls] == [("found", "pack"), ("found", "pack")]
    for text in (record.response, shown):
        plain = " ".join(text.split())
        assert "PMID 90000001" in plain and "“It worked well.”" in plain
        assert "NCT00000001: Colchicine at home (recruiting, Phase 3)" in plain
        assert f"From the pack of {packs.DAY}" in plain
    assert shown.count("It worked well.") == 1, "a conclusion that the answer quotes is not quoted again"
    assert {source.kind for source in record.sources} == {"article", "trial"}


@pytest.mark.parametrize("question", ["Find studies on colchicine in gout", "Find trials for gout"])
def test_without_a_pack_it_is_unavailable_and_never_none(look_up: LookUp, question: str) -> None:
    record, shown = look_up(question)
    (call,) = record.tool_calls
    assert (call.status, record.confidence) == ("unavailable", "low")
    assert any(line.startswith("Not checked: ") for line in record.notices)
    assert "docgemma pack build" in record.response
    assert "127.0.0.1" not in shown and "Traceback" not in shown
