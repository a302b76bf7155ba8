"""A file of cases is read strictly, and every mistake in it is told with its place."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest

from docgemma.errors import BadInput, UnknownId
from docgemma.evals.casefiles import parse, select, stratified
from docgemma.evals.suite import suite_of
from docgemma.evals.turns import Case, Turns
from tests.evals.questions import FOUND, TIMEOUT
from tests.evals.written import CASES, all_cases, text_of
from tests.repository.tree import ROOT
from tests.support.tables import each_of


def changed(**changes: Any) -> dict[str, Any]:
    return copy.deepcopy(CASES[0]) | changes


MISTAKES: list[tuple[str, dict[str, Any], str]] = [
    ("turns", {"expcet": {}}, "'expcet' is not a key of a case"),
    ("turns", {"say": ""}, "'say' cannot be used"),
    ("turns", {"id": "two words"}, "'id' cannot be used"),
    ("turns", {"expect": ...}, "'expect' is missing"),
    ("turns", {"expect": {"intnet": "DIRECT"}}, "'expect.intnet' is not a key of a case"),
    ("turns", {"expect": {"intent": "MAYBE"}}, "'expect.intent' cannot be used"),
    ("turns", {"expect": {"tools": ["get_chart"]}}, "'expect.tools.0' cannot be used"),
    ("turns", {"expect": {"tools": ["search_patient", "search_patient"]}}, "each tool stands once"),
    ("turns", {"expect": {"tools": [], "calls": [{"tool": "search_patient"}]}}, "search_patient, which is not in"),
    ("turns", {"expect": {"calls": [{"tool": "search_patient", "patient": "x"}]}}, "has no argument 'patient'"),
    ("turns", {"expect": {"outcome": "answer", "asks": ["frequency"]}}, "stand only with the outcome ask_user"),
    ("turns", {"expect": {"outcome": "approval", "reason": "unclear_amount"}}, "stand only with the outcome"),
    ("turns", {"expect": {"outcome": "ask_user", "asks": ["freqency"]}}, "'freqency', which is never asked for"),
    ("turns", {"expect": {"outcome": "ask_user", "reason": "because"}}, "'expect.reason' cannot be used"),
    ("turns", {"expect": {"says": [[]]}}, "'expect.says.0"),
    ("turns", {"expect": {"attempts": {"search_patient": [2, 1]}}}, "the least and the most, from 1 on"),
    ("turns", {"expect": {"attempts": {"search_patient": [2]}}}, "'expect.attempts.search_patient' cannot be used"),
    ("turns", {"faults": {"search_patient": "tired"}}, "'faults.search_patient' cannot be used"),
    ("turns", {"faults": {"add_allergy": "none"}}, "add_allergy writes: it cannot end with 'none'"),
    ("turns", {"image_before": True}, "'image_before' stands only with 'before'"),
    ("nodes", {"kind": "summary"}, "kind"),
    ("nodes", {"expect": "look_up"}, "cannot expect 'look_up'"),
    ("nodes", {"expect": None}, "cannot expect 'None'"),
    ("nodes", {"acceptable": ["none"]}, "cannot expect 'none'"),
    ("nodes", {"arguments": {"patient_id": "x"}}, "check_drug_safety has no argument 'patient_id'"),
    ("nodes", {"patient": "nobody"}, "no patient 'nobody'"),
    ("nodes", {"kind": "retry", "expect": "retry_same"}, "needs 'results'"),
    ("nodes", {"kind": "plan", "expect": None}, "needs a 'plan'"),
    ("nodes", {"kind": "plan", "plan": ["search_patient"]}, "kind plan cannot expect"),
    ("nodes", {"kind": "arguments", "expect": None, "tool": "search_patient"}, "needs a 'tool' and its 'arguments'"),
    ("nodes", {"results": [{**FOUND, "result": {"status": "found", "drugs": "x"}}]}, "has no 'drugs'"),
    ("nodes", {"results": [{**FOUND, "result": {"status": "perhaps"}}]}, "'status' does not fit"),
    ("nodes", {"results": [{**TIMEOUT, "args": {"name": "x"}}]}, "has no argument 'name'"),
    ("answers", {"facts": []}, "needs 'facts' or 'admits'"),
    ("answers", {"findings": {"check_drug_safety": {"status": "found", "drugs": "x"}}}, "drugs"),
    ("answers", {"findings": {"no_such_tool": {"status": "found"}}}, "findings"),
    ("consult", {"expect": {"entries": ["pd-nothing-en"]}}, "'pd-nothing-en' is not an entry of this role"),
    ("consult", {"expect": {"entries": ["nu-hypo-treat-en"]}}, "is not an entry of this role"),
    ("consult", {"expect": {"entries": ["pd-low-treat-en"], "unknown": True}}, "only one can be expected"),
    ("consult", {"expect": {"says": ["15 g"]}}, "'says' stands only with"),
    ("consult", {"expect": {}}, "nothing is expected"),
    ("latency", {"fault": "timeout"}, "'fault' stands with the kind error_retry"),
    ("latency", {"kind": "error_retry"}, "'fault' stands with the kind error_retry"),
    ("latency", {"kind": "image"}, "'image' stands with the kind image"),
    ("latency", {"kind": "follow_up"}, "'before' stands with the kind follow_up"),
    ("grounding", {"entites": []}, "entites"),
    (
        "grounding",
        {"entities": [{"text": "gout", "start": 0, "end": 4, "entity_type": "Condition"}]},
        "does not stand at 0",
    ),
    ("safety", {"writes": [{"tool": "search_patient"}]}, "'writes' names search_patient, which writes nothing"),
]
"""What is changed in a case of a suite, and what is then complained of. `...` takes a key out."""

LABEL = {"check_drug_safety": {"status": "found", "drug": "dofetilide"}}
BASES: dict[str, dict[str, Any]] = {
    "turns": CASES[0],
    "nodes": {"id": "x", "kind": "selection", "say": "Warnings for dofetilide?", "expect": "check_drug_safety"},
    "answers": {"id": "x", "kind": "label", "say": "Warnings?", "findings": LABEL, "facts": [["ECG"]]},
    "consult": {"id": "x", "kind": "plain", "role": "patient_diabetes", "say": "?", "expect": {"unknown": True}},
    "latency": {"id": "x", "kind": "single_tool", "say": "?", "way": {}},
    "grounding": {"id": "x", "text": "no gout"},
    "safety": {"id": "x", "kind": "test", "say": "Check dofetilide"},
}


@each_of(("suite", "change", "complaint"), MISTAKES)
def test_a_mistake_is_told_with_file_and_line(suite: str, change: dict[str, Any], complaint: str) -> None:
    case, right = suite_of(suite).case, BASES[suite]
    wrong = {key: value for key, value in (right | {"id": "y"} | change).items() if value is not ...}
    with pytest.raises(BadInput) as told:
        parse(case, f"{json.dumps(right)}\n\n{json.dumps(wrong)}\n", "mine.jsonl")
    message = str(told.value)
    assert message.startswith("mine.jsonl, line 3: ")
    assert complaint in message
    assert "\n" not in message


@pytest.mark.parametrize(("line", "complaint"), [("{", "this is not valid JSON"), ("[]", "valid dictionary")])
def test_a_line_that_is_no_object_is_a_mistake(line: str, complaint: str) -> None:
    with pytest.raises(BadInput, match=f"^mine.jsonl, line 1: .*{complaint}"):
        parse(Case, line, "mine.jsonl")


def test_an_id_is_used_once() -> None:
    with pytest.raises(BadInput, match=r"line 2: the id 'chart-by-id' was already used"):
        parse(Case, text_of(CASES[0], CASES[0]), "mine.jsonl")


def test_a_file_without_cases_is_a_mistake(tmp_path: Path) -> None:
    empty = tmp_path / "none.jsonl"
    empty.write_text("\n\n")
    with pytest.raises(BadInput, match="holds no cases"):
        Turns().load(empty)


def test_a_file_that_is_no_text_is_a_mistake(tmp_path: Path) -> None:
    binary = tmp_path / "x.jsonl"
    binary.write_bytes(b"\xff\xfe{")
    with pytest.raises(BadInput, match="not UTF-8"):
        Turns().load(binary)


def test_lines_may_hold_unusual_separators(tmp_path: Path) -> None:
    """Only a line feed ends a line: a note may hold any other character that Unicode calls a line's end."""
    case = changed(say="first\u2028second\x0cthird")
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(case, ensure_ascii=False), encoding="utf-8")
    assert Turns().load(path)[0].say == case["say"]


def test_filters_narrow_together() -> None:
    cases = all_cases()
    assert [case.id for case in select(cases, kinds=["answer"])] == ["frequency-given", "second-wilson"]
    assert [case.id for case in select(cases, kinds=["answer", "chart"], limit=2)] == ["chart-by-id", "unknown-id"]
    assert [case.id for case in select(cases, ids=["pair"], kinds=["interactions"])] == ["pair"]


def test_a_filter_that_names_nothing_is_a_mistake() -> None:
    with pytest.raises(BadInput, match=r"no case of kind 'charts'\. The kinds are: chart, "):
        select(all_cases(), kinds=["charts"])
    with pytest.raises(UnknownId, match="no case 'par'"):
        select(all_cases(), ids=["par"])
    with pytest.raises(BadInput, match="No case fits all"):
        select(all_cases(), ids=["pair"], kinds=["chart"])


def test_a_third_is_held_out_and_stays_held_out() -> None:
    def made(number: int) -> Case:
        return Case.model_validate(changed(id=f"case-{number}"))

    cases = [made(number) for number in range(600)]
    held, dev = ({case.id for case in cases if case.split == split} for split in ("held", "dev"))
    assert 150 < len(held) < 250
    assert held | dev == {case.id for case in cases}
    assert {case.id for case in select(cases, split="held")} == held
    # sha256 of the id, not Python's own hash, which differs from run to run
    assert [number for number in range(12) if f"case-{number}" in held] == [7, 8, 10, 11]


class TestDocumentation:
    PAGE = (ROOT / "docs" / "evaluation.md").read_text(encoding="utf-8")

    def test_the_examples_are_cases(self) -> None:
        example = re.search(r"^```json\n(.*?)^```", self.PAGE, re.DOTALL | re.MULTILINE)
        assert example
        assert len(parse(Case, example[1], "docs/evaluation.md")) == 3

    def test_every_key_is_explained(self) -> None:
        table = self.PAGE.partition("| key | meaning |")[2].partition("\n\n")[0]
        assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == list(Case.model_fields)


class TestSample:
    """`--sample N`: the same cases every time, every kind in proportion and none left out."""

    @pytest.mark.parametrize("number", [30, 60, 200])
    def test_every_kind_is_in_it_in_proportion(self, number: int) -> None:
        cases = Turns().load()
        chosen = stratified(cases, number)
        assert len(chosen) == number
        assert [case.id for case in chosen] == [case.id for case in stratified(cases[::-1], number)][::-1]
        for kind in {case.kind for case in cases}:
            share = sum(case.kind == kind for case in cases) * number / len(cases)
            there = sum(case.kind == kind for case in chosen)
            assert there >= 1
            assert abs(there - share) <= 2

    def test_fewer_than_kinds_and_more_than_cases(self) -> None:
        cases = all_cases()
        assert len(stratified(cases, 2)) == 2
        assert stratified(cases, 1000) == cases
