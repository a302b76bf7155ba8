"""What the datasheet tells of the turns is what stands in their file."""

from __future__ import annotations

import re
from collections import Counter

from docgemma.evals.turns import Case, Turns
from tests.repository.tree import ROOT

SHEET = (ROOT / "src" / "docgemma" / "evals" / "cases" / "DATASHEET.md").read_text(encoding="utf-8")
SECTION = SHEET.partition("## agent.jsonl\n")[2].partition("\n## ")[0]
CASES = Turns().load()


def table(head: str) -> dict[str, int]:
    rows = SECTION.partition(f"| {head} | cases |")[2].partition("\n\n")[0]
    return {name: int(count) for name, count in re.findall(r"^\| `?([\w, ]+?)`? \| (\d+) \|", rows, re.MULTILINE)}


def number(words: str) -> int:
    found = re.search(rf"(\d+) {words}", SECTION)
    assert found, words
    return int(found[1])


def tools(case: Case) -> set[str]:
    return {*(case.expect.tools or ()), *(call.tool for call in case.expect.calls)}


def test_kinds() -> None:
    assert table("kind") == Counter(case.kind for case in CASES)


def test_tools() -> None:
    counted = Counter(tool for case in CASES for tool in tools(case) or {"none, or not said"})
    assert table("expected tool") == counted


def test_outcomes() -> None:
    assert table("expected outcome") == Counter(case.expect.outcome or "not scored" for case in CASES)


def test_faults() -> None:
    assert table("fault of a tool") == Counter(fault for case in CASES for fault in case.faults.values())


def test_the_numbers_in_the_text() -> None:
    assert number("messages") == len(CASES)
    assert number("of them after earlier ones") == sum(bool(case.before) for case in CASES)
    assert number("with a patient on screen") == sum(case.patient is not None for case in CASES)
    assert number("come with a picture") == sum(case.image for case in CASES)
    assert number("follow one") == sum(case.image_before for case in CASES)
    assert number("cases, is held out") == sum(case.split == "held" for case in CASES)
    scored = re.search(r"`honest` is scored in (\d+) cases", SECTION)
    assert scored
    assert int(scored[1]) == sum("honest" in Turns().expects(case) for case in CASES)
