"""What takes long begins first, so that at the end no worker is left alone with it.

Without this the workers of `make test` take the modules with the most tests first, and those with few begin last: a
module of three tests that start servers and kill them. `python -m pytest --durations=40` shows what belongs here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

LONG = (
    "tests/engines/test_real_small_model.py",
    "tests/torture/test_torture.py",
    "tests/browser/",
    "tests/agent/test_killed_turns.py",
    "tests/sources/test_pack_resume.py",
    "tests/imaging/test_hostile.py",
    "tests/terminology/test_what_ships.py",
    "tests/terminology/building/",
    "tests/terminology/linking/test_any_text.py",
    "tests/agent/test_patient_dialogues.py",
    "tests/agent/test_order_dialogues.py",
    "tests/agent/test_injected_charts.py",
    "tests/agent/test_injected_images.py",
    "tests/knowledge/library/test_processes.py",
    "tests/knowledge/test_base_processes.py",
    "tests/knowledge/reading/test_large.py",
    "tests/knowledge/consult/test_injections.py",
    "tests/knowledge/consult/test_any_model.py",
    "tests/grounding/engines/test_on_ray.py",
    "tests/server/test_workers.py",
    "tests/server/test_runs_killed.py",
    "tests/server/test_fuzz.py",
    "tests/server/test_matrix.py",
    "tests/embed/",
    "tests/engines/",
    "tests/evals/",
    "tests/cli/",
    "tests/ehr/embedded/",
    "tests/tools/test_charts_hostile.py",
    "tests/orders/ledger/",
)
"""Files and folders, the longest first."""


def longest_first(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """By the list, then by how many tests a module or class has; within one of them as it was written."""
    many = Counter(_scope(item) for item in items)
    return sorted(items, key=lambda item: (_place(item.nodeid), -many[_scope(item)], _scope(item)))


def _place(nodeid: str) -> int:
    return next((place for place, start in enumerate(LONG) if nodeid.startswith(start)), len(LONG))


def _scope(item: pytest.Item) -> str:
    return item.nodeid.rpartition("::")[0]
