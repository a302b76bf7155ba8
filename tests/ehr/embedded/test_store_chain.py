"""A chain behaves like a sorted dictionary, and one with rows lost behind its back never like another one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.ehr.embedded.storage.chain import END, Chain, Damaged, table
from docgemma.store.database import Cursor

# Few letters, some with accents, some that sort last: neighbours and prefixes are what goes wrong.
PLACES = st.text(alphabet="ab/é\uffff🫀", min_size=1, max_size=3)
Step = dict[str, str] | set[str]
STEPS: st.SearchStrategy[list[Step]] = st.lists(
    st.one_of(
        st.dictionaries(PLACES, st.sampled_from(["", "x", "y"]), max_size=5),  # put these
        st.sets(PLACES, max_size=3),  # drop those
    ),
    max_size=8,
)


@contextmanager
def opened() -> Iterator[tuple[sqlite3.Connection, Chain]]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.row_factory = sqlite3.Row
    connection.execute(table("things"))
    chain = Chain(Cursor(connection.cursor(), "sqlite"), "things")
    chain.start()
    yield connection, chain
    connection.close()


def replay(chain: Chain, steps: list[Step]) -> dict[str, str]:
    held: dict[str, str] = {}
    for things in steps:
        if isinstance(things, dict):
            chain.put(things)
            held |= things
        else:
            chain.drop(things & held.keys())
            held = {place: data for place, data in held.items() if place not in things}
    return held


def between(held: dict[str, str], low: str, high: str) -> list[tuple[str, str]]:
    return [(place, held[place]) for place in sorted(held) if low <= place < high]


@given(STEPS, PLACES, PLACES, st.integers(1, 4))
def test_it_holds_what_was_put_and_not_dropped(steps: list[Step], low: str, high: str, most: int) -> None:
    with opened() as (_, chain):
        held = replay(chain, steps)
        assert chain.get(low) == held.get(low)
        if low <= high:
            assert chain.span(low, high) == between(held, low, high)
            assert chain.span(low, high, most) == between(held, low, high)[:most]
        assert chain.span("\0", END) == sorted(held.items())


@given(STEPS, st.data(), PLACES, PLACES)
def test_lost_rows_are_noticed_or_do_not_matter(steps: list[Step], data: st.DataObject, low: str, high: str) -> None:
    with opened() as (connection, chain):
        held = replay(chain, steps)
        for lost in data.draw(st.sets(st.sampled_from(["", *held]), max_size=3)):
            connection.execute("DELETE FROM things WHERE place = ?", (lost,))
        with suppress(Damaged):
            assert chain.get(low) == held.get(low)
        if low <= high:
            with suppress(Damaged):
                assert chain.span(low, high) == between(held, low, high)


def test_what_is_not_there_cannot_be_dropped() -> None:
    with opened() as (_, chain):
        chain.put({"a": ""})
        with pytest.raises(Damaged):
            chain.drop(["b"])
