"""The black square that a vision model is shown, and where in it the image lies.

One piece of arithmetic for the drawing and for the way back: a box that a model names in the square is only right in
the image if both use the same numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

SIDE = 896
"""MedGemma looks at 896 × 896. A larger picture costs time and memory and shows it nothing more."""


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
