"""Window functions: the numbers of the DICOM standard, and pydicom's own as a second opinion."""

from __future__ import annotations

import numpy as np
import pytest
from pydicom.dataset import Dataset
from pydicom.pixels import apply_windowing

from docgemma.imaging.drawing import Tone, greys_of
from docgemma.imaging.facts import Function
from docgemma.imaging.presets import covering


def shown(tone: Tone, count: int, centre: float, width: float) -> list[int]:
    """The greys of the depth values from 0 on."""
    return list(tone.drawn(np.arange(count, dtype=np.uint16).reshape(1, -1), centre, width).tobytes())


@pytest.mark.parametrize(
    ("centre", "width", "value", "expected"),
    [
        # PS3.3 C.11.2.1.2.1 works these four windows out
        (2048, 4096, 0, 0.0),
        (2048, 4096, 4096, 255.0),
        (2048, 4096, 1000, ((1000 - 2047.5) / 4095 + 0.5) * 255),
        (2048, 1, 2047, 0.0),
        (2048, 1, 2048, 255.0),
        (0, 100, -50, 0.0),
        (0, 100, 50, 255.0),
        (0, 100, 10, ((10 + 0.5) / 99 + 0.5) * 255),
        (0, 1, -1, 0.0),
        (0, 1, 0, 255.0),
    ],
)
def test_the_linear_window_is_the_standards(centre: float, width: float, value: float, expected: float) -> None:
    assert greys_of("LINEAR", np.array([value]), centre, width) == pytest.approx([expected])


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
@pytest.mark.parametrize("function", ["LINEAR", "LINEAR_EXACT", "SIGMOID"])
@pytest.mark.parametrize(("centre", "width"), [(40, 80), (-600, 1500), (35.5, 2), (100, 1)])
def test_every_value_has_the_grey_that_pydicom_gives(function: Function, centre: float, width: float) -> None:
    header = Dataset()
    header.PhotometricInterpretation, header.BitsStored, header.PixelRepresentation = "MONOCHROME2", 8, 0
    header.WindowCenter, header.WindowWidth, header.VOILUTFunction = centre, width, function
    values = np.arange(-3000, 3000)
    expected = apply_windowing(values.astype("float64"), header)
    drawn = shown(Tone(1, -3000, function, False, None), 6000, centre, width)
    assert np.abs(np.array(drawn) - expected).max() <= 0.5


def test_inverted_is_the_negative_and_padding_stays_black() -> None:
    plain = shown(Tone(1, 0, "LINEAR", False, None), 300, 100, 200)
    inverted = shown(Tone(1, 0, "LINEAR", True, (0, 3)), 300, 100, 200)
    assert inverted[:5] == [0, 0, 0, 0, 255 - plain[4]]
    assert [255 - each for each in inverted[4:]] == plain[4:]


@pytest.mark.parametrize("function", ["LINEAR", "LINEAR_EXACT"])
def test_the_full_range_runs_from_black_to_white(function: Function) -> None:
    window = covering("full", "Full range", -5, 20, function)
    ends = greys_of(function, np.array([-5, 20]), window.centre, window.width)
    assert ends == pytest.approx([0, 255])


@pytest.mark.parametrize("function", ["LINEAR", "LINEAR_EXACT", "SIGMOID"])
def test_extreme_windows_stay_numbers(function: Function) -> None:
    for centre, width in ((0, 1), (1e300, 1e300), (-1e300, 1), (0, 1e-300 if function != "LINEAR" else 1)):
        assert set(shown(Tone(1e-9, -5, function, False, None), 100, centre, width)) <= set(range(256))
