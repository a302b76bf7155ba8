"""Boxes between a model's coordinates and the image's own pixels.

A model names a box as [y0, x0, y1, x1] in thousandths of the padded square. A box that makes no sense is left out: one
drawn in the wrong place is worse than none.
"""

from __future__ import annotations

from docgemma.imaging.square import Square

FULL = 1000

Corners = tuple[float, float, float, float]
"""x0, y0, x1, y1 in the image's own pixels, from its top left corner, as it stands on the page."""


def to_pixels(box: object, square: Square) -> Corners | None:
    """A model's box in the image's pixels, cut to the image. None for what is no box on the image."""
    if not isinstance(box, (list, tuple)) or len(box) != 4 or not all(map(_thousandth, box)):
        return None
    y0, x0, y1, x1 = (each / FULL * square.side for each in box)
    left, right = (_back(each, square.left, square.across, square.width) for each in sorted((x0, x1)))
    top, bottom = (_back(each, square.top, square.down, square.height) for each in sorted((y0, y1)))
    return (left, top, right, bottom) if right > left and bottom > top else None


def to_box(corners: Corners, square: Square) -> tuple[float, float, float, float]:
    """The way back: y0, x0, y1, x1 in thousandths of the square, as a model would name it."""
    x0, y0, x1, y1 = corners
    across, down = square.across / square.width, square.down / square.height
    found = (square.top + y0 * down, square.left + x0 * across, square.top + y1 * down, square.left + x1 * across)
    y0, x0, y1, x1 = (each / square.side * FULL for each in found)
    return y0, x0, y1, x1


def _thousandth(value: object) -> bool:
    """Whether this is a plain number from 0 to 1000. True and False are numbers to Python, and no coordinates."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= FULL


def _back(place: float, start: int, drawn: int, own: int) -> float:
    """One coordinate: padding off, back to the image's own size, cut at its edges."""
    return min(float(own), max(0.0, (place - start) / drawn * own))
