"""Intervals and tests of chance, against numbers known from elsewhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.evals.statistics import bootstrap, mcnemar, mean, quantile, wilson


@pytest.mark.parametrize(
    ("passed", "scored", "low", "high"),
    [(0, 10, 0.0, 27.75), (10, 10, 72.25, 100.0), (95, 100, 88.82, 97.85), (1, 2, 9.45, 90.55)],
)
def test_the_interval_is_wilsons(passed: int, scored: int, low: float, high: float) -> None:
    assert list(wilson(passed, scored)) == pytest.approx([low, high], abs=0.01)


@given(st.integers(1, 2000).flatmap(lambda scored: st.tuples(st.integers(0, scored), st.just(scored))))
def test_the_interval_holds_the_share(counts: tuple[int, int]) -> None:
    low, high = wilson(*counts)
    assert -1e-9 <= low <= 100 * counts[0] / counts[1] + 1e-9
    assert 100 * counts[0] / counts[1] - 1e-9 <= high <= 100 + 1e-9


@pytest.mark.parametrize(
    ("first", "second", "p"), [(0, 0, 1.0), (5, 5, 1.0), (0, 5, 0.0625), (1, 9, 0.0215), (0, 10, 0.002)]
)
def test_mcnemar_is_exact_and_two_sided(first: int, second: int, p: float) -> None:
    assert mcnemar(first, second) == pytest.approx(p, abs=0.0005)
    assert mcnemar(first, second) == mcnemar(second, first)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_a_resampled_interval_lies_within_the_values_and_is_the_same_again(values: list[float]) -> None:
    low, high = bootstrap(values, resamples=50)
    assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9
    assert bootstrap(values, resamples=50) == bootstrap(values[::-1], resamples=50) == (low, high)


def test_more_cases_give_a_narrower_interval() -> None:
    few, many = bootstrap([0.0, 0.5, 1.0] * 5), bootstrap([0.0, 0.5, 1.0] * 100)
    assert many[1] - many[0] < few[1] - few[0]
    assert many[0] < 0.5 < many[1]


def test_middles() -> None:
    assert quantile([4.0, 1.0, 2.0, 3.0], 0.5) == 2.5
    assert quantile([], 0.5) == mean([]) == 0.0
    assert quantile([7.0], 0.95) == 7.0
