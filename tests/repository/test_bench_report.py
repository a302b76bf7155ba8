"""What `make bench` prints: a missed goal is never overlooked."""

from __future__ import annotations

from bench.report import Row, call_rows, table, turn_rows
from bench.rounds import CONTENDERS, SHAPES, Results, Round, Series


def test_with_a_peer_the_goal_is_on_the_ratio() -> None:
    assert Row("CPU", 6.0, "ms", "peer", 10.0, 0.6).verdict == "met"
    assert Row("CPU", 6.1, "ms", "peer", 10.0, 0.6).verdict == "SHORT"


def test_without_a_peer_the_goal_is_on_the_value() -> None:
    assert Row("size", 250, "MB", goal=250).verdict == "met"
    assert Row("size", 251, "MB", goal=250).verdict == "SHORT"


def test_what_is_short_is_named_under_the_table() -> None:
    rows = [Row("size", 300, "MB", goal=250), Row("help", 0.1, "s", goal=0.3), Row("imports", 9, "s")]
    assert table(rows).endswith("Short of its goal: size.")
    assert table(rows[1:]).endswith("Every goal is met.")


def test_one_slow_round_does_not_decide() -> None:
    results: Results = {
        (contender, at_once): Series([Round(0.03, 3, 6), Round(0.03, 3, 6), Round(9.0, 3, 6)])
        for contender in CONTENDERS
        for at_once in SHAPES
    }
    assert {row.value for row in turn_rows(results)} == {5.0, 10.0}
    assert {row.value for row in call_rows(results)} == {2.0}
