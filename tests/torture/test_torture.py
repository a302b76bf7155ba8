"""Approved orders happen exactly once, whoever dies and whatever the network says: the short form.

`python -m tests.torture` does the same a hundred times over, and holds recovery to its time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.fhir_peer import FhirPeers
from tests.torture.places import Places
from tests.torture.scenarios import every_step, naive_client, parallel, random_kills
from tests.torture.stage import Result


@pytest.fixture
def near(tmp_path: Path) -> Iterator[Places]:
    """The embedded record system with a ledger in a file."""
    with ExitStack() as stack:
        yield Places(tmp_path, stack)


@pytest.fixture
def far(tmp_path: Path, fhir_peers: FhirPeers, postgres_server: str) -> Iterator[Places]:
    """The server of another maker behind a network that lies, with a ledger in PostgreSQL."""
    with ExitStack() as stack:
        yield Places(tmp_path, stack, peers=fhir_peers, postgres=postgres_server)


def sound(result: Result) -> bool:
    """Nothing lost, doubled or written unasked; how long it took is not a test's business."""
    assert result.tally.faults == []
    return (result.tally.duplicates, result.tally.lost, result.tally.unapproved) == (0, 0, 0)


async def test_a_death_at_a_step_of_an_order_leaves_exactly_one_entry_or_none(near: Places) -> None:
    async with near.world("embedded+sqlite", 1) as world:
        result = await every_step(world, 1, stride=7, cold=False)
    assert sound(result)
    assert result.kills > 5


async def test_deaths_at_any_moment_lose_nothing_and_double_nothing(near: Places) -> None:
    async with near.world("embedded+sqlite", 2) as world:
        result = await random_kills(world, 2, kills=8, ahead=12)
    assert sound(result)
    assert result.kills >= 8


async def test_a_hundred_approvals_at_one_moment_are_one_entry_and_one_receipt(near: Places) -> None:
    async with near.world("embedded+sqlite", 3) as world:
        result = await parallel(world, 3, kinds=("prescription",))
    assert sound(result)
    assert result.tally.in_chart == 1


@pytest.mark.postgres
async def test_deaths_and_a_lying_network_lose_nothing_and_double_nothing(far: Places) -> None:
    async with far.world("peer+postgres", 4) as world:
        result = await random_kills(world, 4, kills=3, orders=12, faults=True, ahead=12)
    assert sound(result)
    assert min(result.dropped, result.slow, result.failed) > 0


async def test_a_client_that_simply_tries_again_does_double_entries(tmp_path: Path, fhir_peers: FhirPeers) -> None:
    with ExitStack() as stack:
        async with Places(tmp_path, stack, peers=fhir_peers).world("peer+sqlite", 5) as world:
            counted = await naive_client(world, 5, count=30)
    assert counted.duplicates > 0
