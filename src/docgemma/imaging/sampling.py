"""Which frames of many are looked at: spread evenly, the first and the last among them."""

from __future__ import annotations

from collections.abc import Sequence

FRAMES = 8
MOST_FRAMES = 85
"""What MedGemma 1.5 was taught with: 85 pictures are 21,760 tokens."""


def spread(count: int, most: int) -> tuple[int, ...]:
    """The numbers of at most `most` frames out of `count`, counted from 1, in their order."""
    if count <= most:
        return tuple(range(1, count + 1))
    if most == 1:
        return (1,)
    return tuple(1 + round(index * (count - 1) / (most - 1)) for index in range(most))


def coarse_first(numbers: Sequence[int]) -> list[int]:
    """The same numbers so that wherever one stops, those before are spread over all: the ends, the middle, quarters."""
    if len(numbers) < 3:
        return list(numbers)
    found, gaps = [numbers[0], numbers[-1]], [(0, len(numbers) - 1)]
    for first, last in gaps:  # grows while it is walked
        if last - first > 1:
            middle = (first + last) // 2
            found.append(numbers[middle])
            gaps += [(first, middle), (middle, last)]
    return found
