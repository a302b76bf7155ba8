"""Where an image lies in the square that a vision model is shown, and which of many frames it is shown.

One piece of arithmetic for the drawing and for the way back: a box that a model names in the square is only right in
the image if both use the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SIDE = 896
"""MedGemma looks at 896 × 896. A larger picture costs time and memory and shows it nothing more."""

FRAMES = 8
MOST_FRAMES = 85
"""What MedGemma 1.5 was taught with: 85 pictures are 21,760 tokens."""

FULL = 1000
"""A model names a box as [y0, x0, y1, x1] in thousandths of the padded square."""

Corners = tuple[float, float, float, float]
"""x0, y0, x1, y1 in the image's own pixels, from its top left corner, as it stands on the page."""


@dataclass(frozen=True, slots=True)
class Square:
    """`width` and `height` are the image's own pixels; `across` and `down` are those it takes in the square."""

    width: int
    height: int
    side: int
    left: int
    top: int
    across: int
    down: int


def square_for(width: int, height: int, aspect: float = 1.0) -> Square:
    """The smallest square for an image whose pixels are `aspect` times as high as wide.

    Shapes come out true: pixels that are not square are stretched one way, never shrunk. Beyond that nothing is
    enlarged, since a model's own processor does that anyway. The image lies in the middle.
    """
    true_width, true_height = width * max(1.0, 1 / aspect), height * max(1.0, aspect)
    scale = min(1.0, SIDE / max(true_width, true_height))
    across, down = max(1, round(true_width * scale)), max(1, round(true_height * scale))
    side = max(across, down)
    return Square(width, height, side, (side - across) // 2, (side - down) // 2, across, down)


def to_pixels(box: object, square: Square) -> Corners | None:
    """A model's box in the image's pixels, cut to the image. None for what is no box on the image.

    One that makes no sense is left out: a box drawn in the wrong place is worse than none.
    """
    if not isinstance(box, (list, tuple)) or len(box) != 4 or not all(map(_is_thousandth, box)):
        return None
    y0, x0, y1, x1 = (each / FULL * square.side for each in box)
    left, right = (_back(each, square.left, square.across, square.width) for each in sorted((x0, x1)))
    top, bottom = (_back(each, square.top, square.down, square.height) for each in sorted((y0, y1)))
    return (left, top, right, bottom) if right > left and bottom > top else None


def _is_thousandth(value: object) -> bool:
    """Whether this is a plain number from 0 to 1000. True and False are numbers to Python, and no coordinates."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= FULL


def _back(place: float, start: int, drawn: int, own: int) -> float:
    """One coordinate: padding off, back to the image's own size, cut at its edges."""
    return min(float(own), max(0.0, (place - start) / drawn * own))


def spread(count: int, most: int) -> tuple[int, ...]:
    """The numbers of at most `most` frames out of `count`, counted from 1: even steps, the first and the last."""
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
