"""A source that fails in a case really fails there, and nowhere else; what is told of it is scored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from docgemma.agent.record import TurnRecord
from docgemma.config import Settings
from docgemma.evals.clinic import FAULTS, Fault, failed
from docgemma.evals.running import run_suite
from docgemma.evals.suite import CaseRecord, Variant
from docgemma.evals.turns import Case, Turns, honest
from docgemma.tools.registry import REGISTRY
from tests.evals.written import call, record
from tests.repository.tree import ROOT
from tests.support.tables import each_of

SAFETY, RX, IMAGE = "check_drug_safety", "prescribe_medication", "analyze_medical_image"
TRIED = {"timeout": 3, "garbage": 3, "unavailable": 2, "not_found": 1, "none": 1, "slow_then_ok": 2}


def asked(name: str, say: str = "Boxed warning of dofetilide?", **more: Any) -> Case:
    return Case.model_validate({"id": name, "kind": "x", "say": say, "expect": {}} | more)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path, model="rules")


async def run(settings: Settings, *cases: Case) -> dict[str, TurnRecord]:
    """All at once, so that a fault could reach a neighbour."""
    done = await run_suite(Turns(), settings, cases, (Variant(),), concurrency=len(cases))
    return {one.id: _turn(one) for one in done.records}


def _turn(one: CaseRecord) -> TurnRecord:
    assert one.record is not None, one.error
    return one.record


async def test_each_fault_befalls_its_own_case_and_no_other(settings: Settings) -> None:
    cases = [asked(fault, faults={SAFETY: fault}) for fault in TRIED]
    made = await run(settings, *cases, asked("well"), asked("other", faults={RX: "timeout"}))
    ends = {name: (one.tool_calls[-1].status, one.tool_calls[-1].error_type) for name, one in made.items()}
    assert ends == {
        "timeout": ("unavailable", "timeout"),
        "garbage": ("unavailable", "invalid_response"),
        "unavailable": ("unavailable", "service_unavailable"),
        "not_found": ("not_found", "drug_not_in_database"),
        "none": ("none", None),
        "slow_then_ok": ("found", None),
        "well": ("found", None),
        "other": ("found", None),
    }
    assert {name: sum(each.attempts for each in made[name].tool_calls) for name in TRIED} == TRIED


async def test_what_came_before_went_well(settings: Settings) -> None:
    again = asked("x", "and dofetilide again: boxed warning?", before=["Boxed warning of sotalol?"])
    failing = again.model_copy(update={"id": "y", "faults": {SAFETY: "slow_then_ok"}})
    made = await run(settings, again, failing)
    assert made["x"].tool_calls[-1].attempts == 1
    assert made["y"].tool_calls[-1].attempts == 2  # the fault was still there for the message that is scored


async def test_an_entry_that_failed_is_not_tried_again(settings: Settings) -> None:
    say = "Prescribe metformin 500 mg twice daily for abc-123"
    made = (await run(settings, asked("x", say, faults={RX: "slow_then_ok"})))["x"]
    assert [(each.tool, each.status, each.attempts) for each in made.tool_calls] == [(RX, "unavailable", 1)]
    assert made.approval is None
    assert "nothing was prepared" in made.response


async def test_an_earlier_picture_is_there_to_be_asked_about(settings: Settings) -> None:
    after = {"before": ["Is there an effusion on this film?"], "say": "what about the heart?"}
    made = await run(settings, asked("shown", **after, image_before=True), asked("none", **after))
    assert [each.tool for each in made["shown"].tool_calls] == [IMAGE]
    assert made["none"].tool_calls == ()


@each_of("fault", [fault for fault in FAULTS if fault != "none"])
def test_what_was_not_heard_is_never_told_as_none(fault: Fault) -> None:
    for name, tool in REGISTRY.items():
        result = failed(tool.name, fault)
        assert isinstance(result, tool.result), name
        assert result.status != "none"
        assert result.error_type


SEEN = Turns().load(ROOT / "training" / "turns" / "seen.jsonl")
"""Cases of earlier versions: their messages are in training, their faults are not."""

HONEST = [case for case in SEEN if case.faults or case.expect.says or case.expect.never]


def test_every_fault_is_scored_by_what_is_said_of_it() -> None:
    assert {fault for case in HONEST for fault in case.faults.values()} == set(FAULTS)
    assert {tool for case in HONEST for tool in case.faults} == {*REGISTRY}
    assert [case.id for case in HONEST if case.faults and not case.expect.says] == []


@each_of("case", HONEST, ids=lambda case: case.id)
def test_the_column_can_fail(case: Case) -> None:
    """A turn that says nothing, or one that claims what it must not."""
    called = [call(tool) for tool in case.expect.attempts for _ in range(case.expect.attempts[tool][0])]
    for claim in case.expect.never or ("",):
        verdict = honest(case, record(*called, response=claim))
        assert verdict is not None
        assert not verdict.passed
        assert verdict.got
