"""The hazard log is whole: every hazard with cause, harm, control, tests that exist, and what remains."""

from __future__ import annotations

import ast
import re
from functools import cache

from tests.repository.pages import names, read
from tests.repository.tree import ROOT
from tests.support.tables import each_of

PARTS = ["Cause", "Harm", "Control", "Tests", "Remains"]
SEVERITIES = {"catastrophic", "serious", "moderate", "minor"}
ENTRIES = re.findall(r"^### ([HFK]\d+) [^\n]+\n\n(.*?)(?=^##|\Z)", read("docs/hazards.md"), re.MULTILINE | re.DOTALL)


def part(entry: str, title: str) -> str:
    return re.findall(rf"^- \*\*{title}:\*\* (.+)$", entry, re.MULTILINE)[0]


@cache
def named_in(path: str) -> set[str]:
    """The names of its tests as pytest says them: alone, or behind their class."""
    found: set[str] = set()
    for node in ast.parse((ROOT / path).read_text(encoding="utf-8")).body:
        inside = node.body if isinstance(node, ast.ClassDef) else [node]
        prefix = f"{node.name}::" if isinstance(node, ast.ClassDef) else ""
        found |= {f"{prefix}{one.name}" for one in inside if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)}
    return found


def test_every_number_is_there_in_order() -> None:
    own = sum(number.startswith("K") for number, _ in ENTRIES)
    assert own
    last = {"H": 9, "F": 30, "K": own}
    assert [number for number, _ in ENTRIES] == [
        f"{kind}{n}" for kind, most in last.items() for n in range(1, most + 1)
    ]


every_entry = each_of(("number", "entry"), ENTRIES, ids=lambda row: row[0])


@every_entry
def test_every_entry_is_whole(number: str, entry: str) -> None:
    assert re.findall(r"^- \*\*(\w+):\*\*", entry, re.MULTILINE) == PARTS
    graded = re.search(r"\(\*\*(\w+)\*\*\)\.$", part(entry, "Harm"))
    assert graded
    assert graded[1] in SEVERITIES
    assert [path for path in names(part(entry, "Control")) if path.startswith("src/")]


@every_entry
def test_every_test_that_is_named_exists(number: str, entry: str) -> None:
    named = names(part(entry, "Tests"))
    assert named
    for name in named:
        path, _, test = name.partition("::")
        assert (ROOT / path).is_file(), name
        assert test in named_in(path), name
