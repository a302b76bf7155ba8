"""Intervals and paired tests: small, exact where it is cheap, and the same numbers every time."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

Z = 1.959964
"""Two-sided 95 % of the normal distribution."""
RESAMPLES = 2000
_SEED = 20261116


def wilson(passed: float, scored: int) -> tuple[float, float]:
    """The 95 % interval of a share, in percent. Holds also near 0 and 100 %, where the plain formula fails."""
    share, spread = passed / scored, Z * Z / scored
    middle = share + spread / 2
    half = Z * math.sqrt((share * (1 - share) + spread / 4) / scored)
    low, high = (middle - half) / (1 + spread), (middle + half) / (1 + spread)
    return 100 * max(low, 0.0), 100 * min(high, 1.0)


def bootstrap(values: Sequence[float], resamples: int = RESAMPLES) -> tuple[float, float]:
    """The 95 % interval of a mean, for values that are not all 0 or 1: resampled with a fixed seed.

    All values alike give an interval without width, which says that the cases did not differ, not that none would.
    They are sorted first: the order in which cases ended must not move the ends.
    """
    values = sorted(values)
    if values[0] == values[-1]:
        return values[0], values[0]
    draw = random.Random(_SEED)  # noqa: S311 - chance for statistics, not for secrets
    count = len(values)
    means = sorted(sum(draw.choices(values, k=count)) / count for _ in range(resamples))
    return means[int(0.025 * resamples)], means[min(resamples - 1, int(0.975 * resamples))]


def mcnemar(only_first: int, only_second: int) -> float:
    """How likely so uneven a split is by chance if both were equally good: exact, two-sided."""
    total, least = only_first + only_second, min(only_first, only_second)
    if total == 0:
        return 1.0
    tail: float = sum(math.comb(total, hits) for hits in range(least + 1)) / 2**total
    return min(1.0, 2 * tail)


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def quantile(values: Sequence[float], part: float) -> float:
    """By linear interpolation; 0 of nothing."""
    if not values:
        return 0.0
    ordered = sorted(values)
    place = part * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
