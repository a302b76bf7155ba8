"""A clone says nothing about the machine it was written on, and stays readable."""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.repository.tree import ROOT, text_files

REGISTRY = re.compile(
    r"pypi\.org/simple|pythonhosted\.org|registry\.npmjs\.org|--(?:extra-)?index-url|--find-links|_INDEX_URL"
)
MACHINE_PATH = re.compile(r"(?<![\w.~*])/(?:root|home|Users|work)/")
LONGEST_MODULE = 400


def offenders(pattern: re.Pattern[str]) -> list[str]:
    """`path:line` wherever the pattern stands; fixtures quote the outside world and this file quotes the pattern."""
    return [
        f"{path}:{number}"
        for path, text in text_files()
        if not path.startswith("tests/fixtures/") and path != "tests/repository/test_tree.py"
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]


def test_no_registry_address_is_written_down() -> None:
    assert offenders(REGISTRY) == []


def test_no_lock_file_that_carries_addresses() -> None:
    locks = {"uv.lock", "poetry.lock", "Pipfile.lock", "pdm.lock", "package-lock.json"}
    assert [path for path, _ in text_files() if path.rsplit("/", 1)[-1] in locks] == []


def test_no_path_of_one_machine() -> None:
    assert offenders(MACHINE_PATH) == []


@pytest.mark.parametrize("line", ["see /" + "home/ann/x", "'/" + "root/.cache'", "cd /" + "work/main"])
def test_a_machine_path_would_be_noticed(line: str) -> None:
    assert MACHINE_PATH.search(line)


@pytest.mark.parametrize("line", ["https://example.org/home/page", "src/work/x", "~/work/x"])
def test_an_address_or_a_relative_path_is_no_machine_path(line: str) -> None:
    assert not MACHINE_PATH.search(line)


def test_no_module_is_too_long_to_read() -> None:
    lengths = {path: len(text.splitlines()) for path, text in text_files() if path.endswith(".py")}
    assert {path: length for path, length in lengths.items() if length > LONGEST_MODULE} == {}


def test_the_changelog_knows_the_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert re.search(rf"^## {re.escape(version)}\b", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
