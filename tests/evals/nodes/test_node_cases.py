"""The packaged cases, and what is refused in anybody's own."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from docgemma.agent.nodes.tool_select import EXAMPLE_OF
from docgemma.errors import BadInput
from docgemma.evals.casefiles import parse
from docgemma.evals.nodes import Nodes
from docgemma.evals.questions import CHOICES, Case, sorted_requests, state_of
from docgemma.tools.registry import TOOL_NAMES
from tests.evals.nodes.made import FOUND, TIMEOUT

FEWEST = {
    "intent": 30,
    "selection": 40,
    "step": 10,
    "arguments": 30,
    "result": 20,
    "retry": 10,
    "plan": 8,
    "sufficiency": 8,
    "deferral": 8,
}


def test_there_are_enough_of_each_kind_and_every_answer_is_expected_somewhere() -> None:
    cases = Nodes().load()
    found = Counter(case.kind for case in cases)
    assert {kind: found[kind] >= fewest for kind, fewest in FEWEST.items()} == dict.fromkeys(FEWEST, True)  # type: ignore[index]
    for kind in ("intent", "selection", "result", "retry", "sufficiency", "deferral"):
        assert {case.expect for case in cases if case.kind == kind} == set(CHOICES[kind])  # type: ignore[index]
    assert {case.tool for case in cases if case.kind == "arguments"} == set(TOOL_NAMES)
    assert {case.expect for case in cases if case.probe} == set(TOOL_NAMES)


def test_no_case_stands_in_a_prompt() -> None:
    shown = {EXAMPLE_OF[name] for name in TOOL_NAMES} | {"What is hypertension?", "Hello", "Explain metformin MOA"}
    shown |= {str(example["query"]) for example in sorted_requests()}
    assert not shown & {case.say for case in Nodes().load()}


def test_every_case_gives_a_state() -> None:
    for case in Nodes().load():
        state = state_of(case)
        assert len(state["runs"]) == len(case.results)
        assert (state["pinned"] is None) == (case.patient is None)


BASE = {"id": "x", "kind": "selection", "say": "Warnings for dofetilide?", "expect": "check_drug_safety"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": "summary"}, "kind"),
        ({"expect": "look_up"}, "cannot expect 'look_up'"),
        ({"expect": None}, "cannot expect 'None'"),
        ({"acceptable": ["none"]}, "cannot expect 'none'"),
        ({"arguments": {"patient_id": "x"}}, "check_drug_safety has no argument 'patient_id'"),
        ({"patient": "nobody"}, "no patient 'nobody'"),
        ({"kind": "retry", "expect": "retry_same"}, "needs 'results'"),
        ({"kind": "plan", "expect": None}, "needs a 'plan'"),
        ({"kind": "plan", "plan": ["search_patient"]}, "kind plan cannot expect"),
        ({"kind": "arguments", "expect": None, "tool": "search_patient"}, "needs a 'tool' and its 'arguments'"),
        ({"results": [{**FOUND, "result": {"status": "found", "drugs": "x"}}]}, "has no 'drugs'"),
        ({"results": [{**FOUND, "result": {"status": "perhaps"}}]}, "'status' does not fit"),
        ({"results": [{**TIMEOUT, "args": {"name": "x"}}]}, "has no argument 'name'"),
        ({"expected": "x"}, "'expected' is not a key"),
    ],
)
def test_a_mistake_in_a_case_is_told(change: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=r"mine\.jsonl, line 1: ") as told:
        parse(Case, json.dumps(BASE | change), "mine.jsonl")
    assert words in str(told.value)
