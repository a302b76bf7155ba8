"""What `make bench` prints: a missed goal is never overlooked."""

from __future__ import annotations

import json

import pytest

from bench.growth import Curve, curve_from, no_curve
from bench.report import Row, failed, row_from, skipped, table
from bench.rounds import CONTENDERS, SHAPES, Results, Round, Series
from bench.turns import call_rows, turn_rows


def test_with_a_peer_the_goal_is_on_the_ratio() -> None:
    assert Row("CPU", 6.0, "ms", "peer", 10.0, 0.6).verdict == "met"
    assert Row("CPU", 6.1, "ms", "peer", 10.0, 0.6).verdict == "SHORT"


def test_without_a_peer_the_goal_is_on_the_value() -> None:
    assert Row("size", 250, "MB", goal=250).verdict == "met"
    assert Row("size", 251, "MB", goal=250).verdict == "SHORT"


def test_where_more_is_better_the_goal_is_a_least() -> None:
    assert Row("right", 82.0, "%", "peer", 80.0, 1.0, "higher").verdict == "met"
    assert Row("right", 79.0, "%", "peer", 80.0, 1.0, "higher").verdict == "SHORT"
    assert Row("right", 79.0, "%", goal=80, better="higher").cells()[4:] == ("≥ 80 %", "SHORT")


def test_nothing_found_at_all_is_short_too() -> None:
    """A share of 0 beside a peer has a ratio, and 0 is a value."""
    assert Row("right", 0.0, "%", "peer", 80.0, 1.0, "higher").verdict == "SHORT"
    assert Row("errors", 0.0, "turns", goal=0).verdict == "met"


def test_what_was_not_measured_is_never_a_goal_that_is_met() -> None:
    rows = [Row("help", 0.1, "s", goal=0.3), skipped("linking", "no gold"), failed("web", "it fell over")]
    assert [row.verdict for row in rows] == ["met", "skipped: no gold", "FAILED: it fell over"]
    assert table(rows).splitlines()[-2:] == [
        "Every goal that was measured is met.",
        "Not measured: linking (skipped: no gold); web (FAILED: it fell over).",
    ]


def test_rows_and_curves_survive_their_journey_from_another_process() -> None:
    row = Row("right", 82.0, "%", "peer", 80.0, 1.0, "higher")
    assert row_from(json.loads(json.dumps(row.as_json()))) == row
    curve = Curve("look-up", "labels", "ms", ((1_000, 0.5), (10_000, 0.75)), 0.3)
    assert curve_from(json.loads(json.dumps(curve.as_json()))) == curve


@pytest.mark.parametrize(("power", "verdict"), [(0.0, "met"), (0.29, "met"), (0.5, "SHORT"), (1.0, "SHORT")])
def test_the_exponent_of_a_curve_is_the_power_it_was_made_with(power: float, verdict: str) -> None:
    curve = Curve("look-up", "labels", "ms", tuple((size, 0.7 * size**power) for size in (10, 1_000, 100_000)), 0.3)
    assert curve.exponent == pytest.approx(power)
    assert curve.verdict == verdict


def test_a_curve_that_was_not_measured_says_why() -> None:
    assert no_curve("terms", "skipped: no vocabularies").cells()[-1] == "skipped: no vocabularies"
    assert Curve("look-up", "labels", "ms", ((10, 1.0),), 0.3).exponent is None


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
