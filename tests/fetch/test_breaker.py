"""A service that keeps failing is left alone, and is asked again by one request at a time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from docgemma.fetch.pacing import Breaker, Ending

ENDINGS: st.SearchStrategy[Ending] = st.sampled_from(["answered", "failed", "unknown"])


def _failed(times: int) -> Breaker:
    breaker = Breaker()
    for _ in range(times):
        breaker.ended("normal", "failed", 0)
    return breaker


def test_opens_after_three_failures_in_a_row() -> None:
    assert not _failed(2).resting(0)
    assert _failed(3).resting(0)


def test_an_answer_between_starts_the_count_anew() -> None:
    breaker = _failed(2)
    breaker.ended("normal", "answered", 0)
    breaker.ended("normal", "failed", 0)
    breaker.ended("normal", "failed", 0)
    assert not breaker.resting(0)


def test_what_tells_nothing_neither_counts_nor_clears() -> None:
    breaker = _failed(2)
    breaker.ended("normal", "unknown", 0)
    assert not breaker.resting(0)
    assert breaker.ended("normal", "failed", 0)


def test_one_probe_after_the_rest_and_nobody_beside_it() -> None:
    breaker = _failed(3)
    assert breaker.admit(29.9) is None
    assert breaker.admit(30) == "probe"
    assert breaker.admit(31) is None


def test_a_probe_that_is_answered_opens_the_way_for_all() -> None:
    breaker = _failed(3)
    assert breaker.admit(30) == "probe"
    breaker.ended("probe", "answered", 31)
    assert (breaker.admit(31), breaker.admit(31)) == ("normal", "normal")


def test_a_probe_that_fails_starts_the_next_rest() -> None:
    breaker = _failed(3)
    assert breaker.admit(30) == "probe"
    assert breaker.ended("probe", "failed", 40)
    assert breaker.admit(69) is None
    assert breaker.admit(70) == "probe"


def test_a_probe_that_was_given_up_leaves_room_for_another() -> None:
    breaker = _failed(3)
    assert breaker.admit(30) == "probe"
    breaker.ended("probe", "unknown", 31)
    assert breaker.admit(31) == "probe"


def test_what_was_sent_before_the_rest_makes_it_no_longer() -> None:
    breaker = _failed(3)
    assert not breaker.ended("normal", "failed", 25)
    assert breaker.admit(30) == "probe"


@given(st.lists(st.tuples(st.floats(0, 60), ENDINGS), max_size=40))
def test_whatever_happens_it_lets_somebody_through_in_the_end(history: list[tuple[float, Ending]]) -> None:
    breaker, now = Breaker(), 0.0
    for later, ending in history:
        now += later
        held = breaker.admit(now)
        if held is not None:
            breaker.ended(held, ending, now)
    assert breaker.admit(now + 30) is not None
