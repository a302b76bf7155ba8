"""Every hazard and fault that orders answer has a test of its number, and the safety page names files that exist."""

from __future__ import annotations

import ast
import re

import pytest

from tests.repository.tree import ROOT

NUMBERS = [
    *(f"h{number}" for number in range(1, 10)),
    *(f"f{number}" for number in (*range(3, 14), 15, 24, 26, 28)),
]
_NUMBERS = re.compile(r"test((?:_[hf]\d+)+)_")


def _numbered() -> set[str]:
    """The numbers at the beginning of the names of test functions; a function says what it requires after them."""
    found: set[str] = set()
    for path in (ROOT / "tests" / "safety").glob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (name := _NUMBERS.match(node.name)):
                found |= set(name[1].strip("_").split("_"))
    return found


@pytest.mark.parametrize("number", NUMBERS)
def test_each_number_has_a_test(number: str) -> None:
    assert number in _numbered()


def test_every_test_of_the_safety_package_begins_with_its_number() -> None:
    for path in (ROOT / "tests" / "safety").glob("test_*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                assert _NUMBERS.match(node.name), f"{path.name}: {node.name}"


@pytest.mark.parametrize("number", NUMBERS)
def test_the_safety_page_names_files_that_exist_for_it(number: str) -> None:
    page = (ROOT / "docs" / "safety.md").read_text(encoding="utf-8")
    [line] = re.findall(rf"^\| {number.upper()} \|.*$", page, re.MULTILINE)
    for name in re.findall(r"`(tests/[\w/]+\.py)`", line):
        assert (ROOT / name).is_file(), name
