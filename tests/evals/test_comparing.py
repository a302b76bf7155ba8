"""Two variants, case by case."""

from __future__ import annotations

import pytest

from docgemma.cli.eval_lines import comparison_lines
from docgemma.errors import BadInput
from docgemma.evals.summary import compare
from tests.evals.toy import Toys, records

METRICS = Toys.about.metrics


def test_b_that_passes_more_is_better() -> None:
    a, b = records([False] * 8 + [True] * 2), records([True] * 10, calls=3)
    found = compare("a", a, "b", b, METRICS)
    (pair,) = found.metrics
    assert (pair.a, pair.b, pair.difference, pair.only_a, pair.only_b) == (20.0, 100.0, 80.0, 0, 8)
    assert pair.p == pytest.approx(0.0078, abs=0.0001)
    assert pair.low > 0
    assert pair.clear
    assert (found.calls_a, found.calls_b) == (2.0, 3.0)
    assert len(found.changed) == 8
    back = compare("b", b, "a", a, METRICS).metrics[0]
    assert back.difference == -80.0


def test_no_difference_is_no_difference() -> None:
    same = records([True, False, True])
    (pair,) = compare("a", same, "b", same, METRICS).metrics
    assert (pair.difference, pair.low, pair.high, pair.p) == (0.0, 0.0, 0.0, 1.0)


def test_only_cases_of_both_count() -> None:
    found = compare("a", records([True, True, False]), "b", records([True]), METRICS)
    assert found.metrics[0].pairs == 1
    assert found.unpaired == 2
    with pytest.raises(BadInput, match="no case in common"):
        compare("a", records([True]), "b", (), METRICS)


def test_repeats_are_averaged_before_they_are_compared() -> None:
    a = (*records([True, False]), *records([False, False], repeat=1))
    (pair,) = compare("a", a, "b", records([True, False]), METRICS).metrics
    assert (pair.a, pair.b, pair.pairs) == (25.0, 50.0, 2)
    assert pair.p is None


@pytest.mark.parametrize(("changed", "clear"), [(3, False), (5, False), (6, True)])
def test_a_few_cases_that_all_changed_may_be_chance(changed: int, clear: bool) -> None:
    """Resampling cases that are all alike gives an interval without width, however few they are."""
    found = compare("a", records([True] * changed), "b", records([False] * changed), METRICS)
    (pair,) = found.metrics
    assert (pair.low, pair.high) == (-100.0, -100.0)
    assert pair.clear is clear
    assert ("may be chance" in "\n".join(line.text for line in comparison_lines(found))) is not clear
    partly = pair.model_copy(update={"p": None})
    assert partly.clear is clear


def test_what_may_be_chance_is_said() -> None:
    shown = "\n".join(
        line.text
        for line in comparison_lines(compare("a", records([True, False]), "b", records([False, True]), METRICS))
    )
    assert "50.0 → 50.0 %: +0.0 points" in shown
    assert "may be chance" in shown
