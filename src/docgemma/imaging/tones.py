"""From values to grey: DICOM's window functions (PS3.3 C.11.2.1), as one table for all 65,536 values there can be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from PIL import Image

from docgemma.imaging.facts import Function

LEVELS = 1 << 16


@dataclass(frozen=True, slots=True)
class Tone:
    """What stands between a depth value and its grey, whatever the window."""

    slope: float
    intercept: float
    function: Function
    inverted: bool
    padding: Sequence[int] | None

    def drawn(self, depth: Image.Image, centre: float, width: float) -> Image.Image:
        """The image in this window. Only greys of values that it holds are worked out."""
        first, last = (int(cast(float, end)) for end in depth.getextrema())
        return draw(depth, self.table(centre, width, first, last))

    def table(self, centre: float, width: float, first: int = 0, last: int = LEVELS - 1) -> list[int]:
        """The grey of every depth value from the first to the last, in this window."""
        values = (self.slope * depth + self.intercept for depth in range(first, last + 1))
        greys = [int(grey(self.function, value, centre, width) + 0.5) for value in values]
        return self.finished([0] * first + greys + [0] * (LEVELS - 1 - last))

    def finished(self, table: list[int]) -> list[int]:
        """Dark for bright where the file asks for it. Padding is black after that too: it is no part of the image."""
        if self.inverted:
            table = [255 - each for each in table]
        if self.padding is not None:
            first, last = self.padding
            table[first : last + 1] = [0] * (last + 1 - first)
        return table


def grey(function: Function, value: float, centre: float, width: float) -> float:
    """Brightness from 0 to 255 of one value."""
    if function == "SIGMOID":
        power = -4 * (value - centre) / width
        return 0.0 if power > 700 else 255 / (1 + math.exp(power))  # exp overflows a little above 709
    if function == "LINEAR":
        centre, width = centre - 0.5, width - 1
    if value <= centre - width / 2:
        return 0.0
    if value > centre + width / 2:
        return 255.0
    return ((value - centre) / width + 0.5) * 255


def draw(depth: Image.Image, table: list[int]) -> Image.Image:
    """An 8-bit image of 16-bit values, by a table of greys."""
    return depth.convert("I").point(table, "L")
