"""The tests that take long begin first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import pytest

from tests.repository.tree import ROOT
from tests.support.order import LONG, longest_first


@dataclass(frozen=True)
class Named:
    nodeid: str


def ordered(*nodeids: str) -> list[str]:
    items = cast(list[pytest.Item], [Named(nodeid) for nodeid in nodeids])
    return [item.nodeid for item in longest_first(items)]


def test_everything_on_the_list_is_there() -> None:
    assert [path for path in LONG if not (ROOT / path).exists()] == []


def test_what_is_on_the_list_comes_first_and_a_module_stays_together() -> None:
    assert ordered("a.py::z", "a.py::y", f"{LONG[1]}::b", "a.py::K::x", f"{LONG[1]}::a", f"{LONG[0]}::c") == [
        f"{LONG[0]}::c",
        f"{LONG[1]}::b",
        f"{LONG[1]}::a",
        "a.py::z",
        "a.py::y",
        "a.py::K::x",
    ]
