"""The vote inside a turn and in `doctor`: visible, switched off by name, never for a write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import Runtime

from docgemma.agent.nodes.input_assembly import input_assembly
from docgemma.agent.requests.patterns import Need
from docgemma.agent.requests.vote import Asked, Vote, Voter
from docgemma.agent.rules import RULES
from docgemma.agent.state import Services, State
from docgemma.cli.main import run
from docgemma.llm.rules import RulesModel
from tests.agent.nodes.states import NoTools

UNHEARD_OF = "amiodarone hmm"


class Always(Voter):
    """Votes for a safety check whatever is said, and counts how often it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def vote(self, asked: Asked) -> Vote | None:
        self.asked.append(asked.message)
        return Vote((Need("check_drug_safety", "amiodarone"),), 0.71, "meaning")


async def assembled(message: str, voter: Voter, **more: Any) -> State:
    services = Services(RulesModel(RULES), NoTools(), voter=voter, **more)
    return await input_assembly({"message": message}, Runtime(context=services))


async def test_a_vote_adds_its_look_up_and_is_in_the_timeline() -> None:
    state = await assembled(UNHEARD_OF, Always())
    assert state["needs"] == (Need("check_drug_safety", "amiodarone"),)
    step = state["timeline"][-1]
    assert (step.label, step.by) == ("Understanding the request", "code")
    assert "reads like: drug safety report (similarity 0.71, by meaning)" in step.detail


async def test_nobody_is_asked_where_a_pattern_decided() -> None:
    voter = Always()
    await assembled("Check the safety of metformin", voter)
    assert voter.asked == []


async def test_switched_off_by_name_there_is_no_vote() -> None:
    voter = Always()
    state = await assembled(UNHEARD_OF, voter, shortcuts=frozenset({"greeting"}))
    assert (state["needs"], voter.asked) == ((), [])


def finding(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    report = json.loads(capsys.readouterr().out)
    return next(one for one in report["findings"] if one["area"] == "paraphrases")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCGEMMA_HOME", str(tmp_path / "home"))


def test_doctor_without_an_embedder_says_how_paraphrases_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", "--json"]) == 0
    assert finding(capsys)["state"] == "off"


def test_doctor_names_a_damaged_embedder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "manifest.json").write_text("{}")
    monkeypatch.setenv("DOCGEMMA_EMBEDDER", str(tmp_path))
    assert run(["doctor", "--json"]) == 4
    assert finding(capsys)["state"] == "broken"


@pytest.mark.weights
def test_doctor_finds_the_built_embedder(
    built: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DOCGEMMA_EMBEDDER", str(built))
    assert run(["doctor", "--json"]) == 0
    assert finding(capsys)["state"] == "ok"
