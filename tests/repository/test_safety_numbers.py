"""Every hazard and fault that orders answer has a test of its number, and the hazard log names one of them."""

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
def test_the_hazard_log_names_a_test_of_its_number(number: str) -> None:
    page = (ROOT / "docs" / "hazards.md").read_text(encoding="utf-8")
    [entry] = re.findall(rf"^### {number.upper()} .*?(?=^##|\Z)", page, re.MULTILINE | re.DOTALL)
    named = re.findall(r"`tests/safety/\w+\.py::(test\w+)`", entry)
    assert any(number in name.split("_") for name in named)
