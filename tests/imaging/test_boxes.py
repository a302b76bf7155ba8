"""Boxes of a model land on the same place of the image: found again in the picture that the model was shown."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from docgemma.imaging import worker
from docgemma.imaging.geometry import FULL, Corners, Square, square_for, to_pixels
from tests.imaging.phantoms import rgb_pixels
from tests.imaging.test_inspection import encoded
from tests.support.tables import each_of

WIDE = square_for(100, 50)  # 25 rows of padding above and below


def to_box(corners: Corners, square: Square) -> tuple[float, float, float, float]:
    """The way back: y0, x0, y1, x1 in thousandths of the square, as a model would name it."""
    x0, y0, x1, y1 = corners
    across, down = square.across / square.width, square.down / square.height
    found = (square.top + y0 * down, square.left + x0 * across, square.top + y1 * down, square.left + x1 * across)
    y0, x0, y1, x1 = (each / square.side * FULL for each in found)
    return y0, x0, y1, x1


@each_of(
    ("box", "corners"),
    [
        ([0, 0, 1000, 1000], (0, 0, 100, 50)),
        ([250, 0, 750, 1000], (0, 0, 100, 50)),
        ((300, 100, 500, 200), (10, 5, 20, 25)),
        ([500, 200, 300, 100], (10, 5, 20, 25)),
        ([100, 100, 500, 200.0], (10, 0, 20, 25)),
        ([700, 900, 1000, 1000], (90, 45, 100, 50)),
        ([0, 0, 250, 1000], None),
        ([750, 0, 1000, 1000], None),
        ([300, 100, 300, 200], None),
        ([300, 100, 500, 100], None),
        ([300, 100, 500], None),
        ([300, 100, 500, 200, 7], None),
        ([300, 100, 500, "200"], None),
        ([300, 100, 500, None], None),
        ([300, 100, 500, True], None),
        ([300, 100, 500, float("nan")], None),
        ([300, 100, float("inf"), 200], None),
        ([300, 100, 10**400, 200], None),
        ([-1, 100, 500, 200], None),
        ([300, 100, 500, 1000.5], None),
        ("300,100,500,200", None),
        ({"box_2d": [300, 100, 500, 200]}, None),
        (None, None),
        ([[300], [100], [500], [200]], None),
    ],
)
def test_a_box_is_mapped_or_left_out(box: Any, corners: tuple[float, ...] | None) -> None:
    found = to_pixels(box, WIDE)
    if corners is None:
        assert found is None
    else:
        assert found is not None
        assert np.allclose(found, corners)


sides = st.integers(1, 6000)


@settings(max_examples=150, deadline=None)
@given(width=sides, height=sides, aspect=st.sampled_from([1.0, 0.3, 0.5, 2.0, 3.3]), data=st.data())
def test_there_and_back_is_the_same_place(width: int, height: int, aspect: float, data: st.DataObject) -> None:
    square = square_for(width, height, aspect)
    x0, y0 = data.draw(st.integers(0, width - 1)), data.draw(st.integers(0, height - 1))
    x1, y1 = data.draw(st.integers(x0 + 1, width)), data.draw(st.integers(y0 + 1, height))
    box = to_box((x0, y0, x1, y1), square)
    assert all(-1e-9 <= each <= 1000 + 1e-9 for each in box)
    found = to_pixels([min(1000.0, max(0.0, each)) for each in box], square)
    assert found is not None
    assert np.abs(np.array(found) - (x0, y0, x1, y1)).max() <= 0.01
    again = to_box(found, square)
    assert np.abs(np.array(again) - np.array(box)).max() <= 0.01


@each_of(
    ("size", "aspect", "marked"),
    [
        ((640, 480), 1.0, (100, 50, 300, 200)),
        ((480, 640), 1.0, (0, 600, 40, 640)),
        ((2500, 1200), 1.0, (1000, 300, 1600, 900)),
        ((300, 700), 2.0, (120, 100, 200, 300)),
        ((700, 500), 0.5, (20, 30, 120, 330)),
        ((1024, 3001), 1.0, (10, 2500, 1000, 2990)),
    ],
)
def test_a_bright_place_is_found_in_the_picture_and_mapped_to_where_it_was(
    size: tuple[int, int], aspect: float, marked: tuple[int, int, int, int]
) -> None:
    image = Image.new("L", size, 20)
    image.paste(250, marked)
    order = {"width": size[0], "height": size[1], "aspect": aspect}
    picture = rgb_pixels(worker.done("present", order, encoded(image, "PNG"), 60))[..., 0]
    rows, columns = np.nonzero(picture > 135)  # half of the way: where the edge is, however it was smoothed
    side = picture.shape[0]
    seen = (rows.min(), columns.min(), rows.max() + 1, columns.max() + 1)
    square = square_for(*size, aspect)
    found = to_pixels([float(each) / side * 1000 for each in seen], square)
    assert found is not None
    pixel = max(size[0] / square.across, size[1] / square.down, 1.0)  # one pixel of the picture, in the image's own
    assert np.abs(np.array(found) - marked).max() <= pixel
