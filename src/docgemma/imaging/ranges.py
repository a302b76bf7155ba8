"""The usual range of an image's values, for one that does not say in which window to look at it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import gcd

SAMPLE = 2_000_000
"""Pixels that are counted to find an image's usual range. A larger image is counted in even steps."""


def counted(depth: bytes, columns: int, padding: tuple[int, int] | None) -> Counter[int]:
    """How often each 16-bit value occurs, padding left out."""
    values = words(depth)
    step = 1 + (len(values) - 1) // SAMPLE
    while gcd(step, columns) != 1:  # else the sample would be some columns of the image only
        step += 1
    counts = Counter(values[::step])
    if padding is not None:
        for value in [each for each in counts if padding[0] <= each <= padding[1]]:
            del counts[value]
    return counts


def usual_range(counts: Counter[int]) -> tuple[int, int] | None:
    """The range of all but the lowest and the highest half per cent, so that one bright marker does not darken all."""
    total = counts.total()
    if not total:
        return None
    ends = []
    for order in (sorted(counts), sorted(counts, reverse=True)):
        passed = 0
        for value in order:
            passed += counts[value]
            if passed * 200 > total:
                break
        ends.append(value)
    return ends[0], ends[1]


def words(depth: bytes) -> Sequence[int]:
    return memoryview(depth).cast("H")
