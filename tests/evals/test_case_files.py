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
from docgemma.evals.turns import Case, Turns
from tests.evals.written import CASES, all_cases, text_of
from tests.repository.tree import ROOT


def changed(**changes: Any) -> dict[str, Any]:
    return copy.deepcopy(CASES[0]) | changes


def expecting(**expect: Any) -> dict[str, Any]:
    return changed(expect=expect)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", "this is not valid JSON"),
        ("[]", "valid dictionary"),
        (changed(expcet={}), "'expcet' is not a key of a case"),
        (changed(say=""), "'say' cannot be used"),
        (changed(id="two words"), "'id' cannot be used"),
        ({"id": "x", "kind": "chart", "say": "hello"}, "'expect' is missing"),
        (expecting(intnet="DIRECT"), "'expect.intnet' is not a key of a case"),
        (expecting(intent="MAYBE"), "'expect.intent' cannot be used"),
        (expecting(tools=["get_chart"]), "'expect.tools.0' cannot be used"),
        (expecting(tools=["search_patient", "search_patient"]), "each tool stands once"),
        (expecting(tools=[], calls=[{"tool": "search_patient"}]), "search_patient, which is not in 'tools'"),
        (expecting(calls=[{"tool": "search_patient", "patient": "x"}]), "search_patient has no argument 'patient'"),
        (expecting(outcome="answer", asks=["frequency"]), "stand only with the outcome ask_user"),
        (expecting(outcome="approval", reason="unclear_amount"), "stand only with the outcome ask_user"),
        (expecting(outcome="ask_user", asks=["freqency"]), "'freqency', which is never asked for"),
        (expecting(outcome="ask_user", reason="because"), "'expect.reason' cannot be used"),
        (expecting(says=[[]]), "'expect.says.0"),
        (expecting(attempts={"search_patient": [2, 1]}), "the least and the most, from 1 on"),
        (expecting(attempts={"search_patient": [2]}), "'expect.attempts.search_patient' cannot be used"),
        (changed(faults={"search_patient": "tired"}), "'faults.search_patient' cannot be used"),
        (changed(faults={"add_allergy": "none"}), "add_allergy writes: it cannot end with 'none'"),
        (changed(image_before=True), "'image_before' stands only with 'before'"),
    ],
)
def test_a_mistake_is_told_with_file_and_line(line: str | dict[str, Any], complaint: str) -> None:
    bad = line if isinstance(line, str) else json.dumps(line)
    with pytest.raises(BadInput) as told:
        parse(Case, f"{json.dumps(CASES[1])}\n\n{bad}\n", "mine.jsonl")
    message = str(told.value)
    assert message.startswith("mine.jsonl, line 3: ")
    assert complaint in message
    assert "\n" not in message


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
