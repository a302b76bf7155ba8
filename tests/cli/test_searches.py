"""Literature and trial questions at the command line, on a machine whose network is cut."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from docgemma.agent.record import TurnRecord
from docgemma.cli.main import run
from tests.sources import document_files as packs
from tests.support.searching import SILENT

ARTICLE = packs.article(90000001, "Colchicine in gout", "<h4>Conclusions</h4>It worked well.", terms=["Gout"])
TRIAL = packs.trial(1, "Colchicine at home", "Gout", phases=["PHASE3"])
Ask = Callable[[str], tuple[TurnRecord, str]]


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ask:
    """The record, and what a person is shown."""
    for name, address in (SILENT | {"sources": "auto"}).items():
        monkeypatch.setenv(f"DOCGEMMA_{name.upper()}", address)

    def asked(question: str) -> tuple[TurnRecord, str]:
        assert run(["ask", "--json", question]) == 0
        record = TurnRecord.model_validate_json(capsys.readouterr().out)
        assert run(["ask", question]) == 0
        return record, capsys.readouterr().out

    return asked


def test_packs_answer_with_their_age(ask: Ask, tmp_path: Path) -> None:
    packs.articles(tmp_path / "home" / "packs", [ARTICLE])
    packs.registered(tmp_path / "home" / "packs", [TRIAL])
    record, shown = ask("Find studies on colchicine in gout and find trials for gout")
    assert [(call.status, call.origin) for call in record.tool_calls] == [("found", "pack"), ("found", "pack")]
    for text in (record.response, shown):
        plain = " ".join(text.split())
        assert "PMID 90000001" in plain and "“It worked well.”" in plain
        assert "NCT00000001: Colchicine at home (recruiting, Phase 3)" in plain
        assert f"From the pack of {packs.DAY}" in plain
    assert shown.count("It worked well.") == 1, "a conclusion that the answer quotes is not quoted again"
    assert {source.kind for source in record.sources} == {"article", "trial"}


@pytest.mark.parametrize("question", ["Find studies on colchicine in gout", "Find trials for gout"])
def test_without_a_pack_it_is_unavailable_and_never_none(ask: Ask, question: str) -> None:
    record, shown = ask(question)
    (call,) = record.tool_calls
    assert (call.status, record.confidence) == ("unavailable", "low")
    assert any(line.startswith("Not checked: ") for line in record.notices)
    assert "docgemma pack build" in record.response
    assert "127.0.0.1" not in shown and "Traceback" not in shown
