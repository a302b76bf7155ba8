"""What a vision model is shown, pixel by pixel: windows, negatives, padding, the square, transparency, 16 bits."""

from __future__ import annotations

import functools
import io
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from docgemma.errors import BadInput
from docgemma.imaging import DicomFacts, ImageFacts, Presented, present, worker
from docgemma.imaging import inspect as inspect_in_time
from docgemma.imaging.geometry import SIDE, Square, square_for
from tests.imaging.phantoms import dataset, grey, png_chunks, rgb_pixels, saved
from tests.imaging.test_inspection import encoded
from tests.support.tables import each_of

show = functools.partial(present, timeout_s=60)  # how busy the machine is must not decide a test
inspect = functools.partial(inspect_in_time, timeout_s=60)

CT = {
    "Modality": "CT",
    "RescaleSlope": 2,
    "RescaleIntercept": -1024,
    "PixelRepresentation": 1,
    "PixelPaddingValue": -2000,
}


async def shown_of(data: bytes) -> tuple[np.ndarray[Any, Any], Presented]:
    """A file as the model is shown it, through the store's form and two processes."""
    found = await show(await inspect(data))
    assert len(found.pictures) == 1
    assert png_chunks(found.pictures[0]) == {b"IHDR", b"IDAT", b"IEND"}
    return rgb_pixels(found.pictures[0]), found


def drawn(image: Image.Image, aspect: float = 1.0) -> np.ndarray[Any, Any]:
    """A picture as the model is shown it, without a process of its own."""
    order = {"width": image.width, "height": image.height, "aspect": aspect}
    return rgb_pixels(worker.done("present", order, encoded(image, "PNG", **image.info), 60))


def in_window(value: float, low: float, high: float) -> int:
    return math.floor((min(high, max(low, value)) - low) / (high - low) * 255 + 0.5)


async def test_a_ct_slice_is_three_windows_of_its_numbers() -> None:
    stored = [0, 256, 444, 445, 512, 532, 552, 619, 1024, 2000, -800, -2000, 500, 511, 513, 600]
    pixels, found = await shown_of(grey(stored, columns=4, **CT))
    assert (found.square.width, found.square.height, found.frames, found.ct_windows) == (4, 4, (1,), True)
    for value, colour in zip(stored, pixels.reshape(-1, 3).tolist(), strict=True):
        units = 2 * value - 1024
        expected = [in_window(units, *ends) for ends in ((-1024, 1024), (-135, 215), (0, 80))]
        assert colour == ([0, 0, 0] if value == -2000 else expected), (value, units)


async def test_ct_numbers_are_never_turned_over_but_other_values_are() -> None:
    values = [0, 100, 512, 552, 600, 1000, 1500, 2000, 3000]
    plain, _ = await shown_of(grey(values, columns=3, **CT))
    turned, _ = await shown_of(grey(values, columns=3, **CT, PhotometricInterpretation="MONOCHROME1"))
    assert np.array_equal(plain, turned)
    window = {"Modality": "DX", "WindowCenter": 1500, "WindowWidth": 3000, "PixelPaddingValue": 3000}
    plain, found = await shown_of(grey(values, columns=3, **window))
    negative, _ = await shown_of(grey(values, columns=3, **window, PhotometricInterpretation="MONOCHROME1"))
    assert not found.ct_windows
    assert plain.reshape(-1, 3).tolist()[:8] == [
        [in_window(value, 1500 - 0.5 - 1499.5, 1500 - 0.5 + 1499.5)] * 3 for value in values[:8]
    ]
    assert np.array_equal(negative.reshape(-1, 3)[:8], 255 - plain.reshape(-1, 3)[:8])
    assert plain.reshape(-1, 3)[8].tolist() == negative.reshape(-1, 3)[8].tolist() == [0, 0, 0]


async def test_a_scout_image_of_a_ct_is_shown_as_it_stands_on_the_page() -> None:
    data = grey(list(range(0, 900, 100)), columns=3, **CT, ImageType=["ORIGINAL", "PRIMARY", "LOCALIZER"])
    pixels, found = await shown_of(data)
    with Image.open(io.BytesIO((await inspect(data)).data)) as page:
        assert np.array_equal(pixels[..., 0], np.asarray(page))
    assert not found.ct_windows


@each_of(
    ("size", "aspect", "square"),
    [
        ((6, 2), 1.0, Square(6, 2, 6, 0, 2, 6, 2)),
        ((2, 7), 1.0, Square(2, 7, 7, 2, 0, 2, 7)),
        ((8, 8), 1.0, Square(8, 8, 8, 0, 0, 8, 8)),
        ((10, 10), 2.0, Square(10, 10, 20, 5, 0, 10, 20)),
        ((10, 10), 0.5, Square(10, 10, 20, 0, 5, 20, 10)),
        ((2000, 1000), 1.0, Square(2000, 1000, 896, 0, 224, 896, 448)),
        ((1000, 4000), 1.0, Square(1000, 4000, 896, 336, 0, 224, 896)),
        ((1000, 1000), 2.0, Square(1000, 1000, 896, 224, 0, 448, 896)),
        ((50_000_000, 1), 1.0, Square(50_000_000, 1, 896, 0, 447, 896, 1)),
    ],
)
def test_the_image_lies_in_the_middle_of_the_smallest_square(
    size: tuple[int, int], aspect: float, square: Square
) -> None:
    assert square_for(*size, aspect) == square


@each_of(
    ("size", "aspect"),
    [((6, 2), 1.0), ((2, 7), 1.0), ((3, 4), 2.0), ((30, 11), 0.4), ((2000, 900), 1.0), ((900, 1800), 0.7)],
)
def test_padding_is_black_and_the_image_fills_the_rest(size: tuple[int, int], aspect: float) -> None:
    pixels = drawn(Image.new("L", size, 200), aspect)
    square = square_for(*size, aspect)
    expected = np.zeros((square.side, square.side, 3), "u1")
    expected[square.top : square.top + square.down, square.left : square.left + square.across] = 200
    assert np.array_equal(pixels, expected)
    assert square.side <= SIDE


def test_a_large_image_is_made_small_without_halos() -> None:
    image = Image.new("L", (3000, 2000), 50)
    image.paste(200, (1500, 0, 3000, 2000))
    pixels = drawn(image)[..., 0]
    top = (SIDE - round(2000 * SIDE / 3000)) // 2
    inside = pixels[top + 1 : SIDE - top - 1]
    assert (inside.min(), inside.max()) == (50, 200)
    assert set(inside[:, : SIDE // 2 - 2].flat) == {50}
    assert set(inside[:, SIDE // 2 + 2 :].flat) == {200}


def test_a_small_image_is_not_enlarged_and_keeps_every_pixel() -> None:
    image = Image.effect_noise((64, 64), 50)
    assert np.array_equal(drawn(image)[..., 1], np.asarray(image))


def _clear(mode: str) -> Image.Image:
    """Three pixels: solid, half transparent, transparent, all bright."""
    image = Image.new(mode, (3, 1), (240,) * (len(mode) - 1) + (255,))
    for at, alpha in enumerate((255, 128, 0)):
        image.putpixel((at, 0), (240,) * (len(mode) - 1) + (alpha,))
    return image


def _keyed(mode: str, key: Any) -> Image.Image:
    """The second of three pixels is of the colour that means transparent."""
    image = Image.new("RGB" if mode == "P" else mode, (3, 1), 200 if mode in ("L", "I;16") else (200, 200, 200))
    image.putpixel((1, 0), 255 if mode in ("L", "I;16") else (255, 255, 255))
    if mode == "P":
        image = image.quantize(2)
        key = image.getpixel((1, 0))
    image.info["transparency"] = key
    return image


@each_of(
    ("image", "expected"),
    [
        (_clear("RGBA"), [240, 120, 0]),
        (_clear("LA"), [240, 120, 0]),
        (_keyed("L", 255), [200, 0, 200]),
        (_keyed("RGB", (255, 255, 255)), [200, 0, 200]),
        (_keyed("P", None), [200, 0, 200]),
        (Image.new("1", (3, 1), 1), [255, 255, 255]),
    ],
)
def test_what_is_transparent_is_black(image: Image.Image, expected: list[int]) -> None:
    pixels = drawn(image)
    assert np.abs(pixels[1, :, 0].astype(int) - expected).max() <= 1
    assert pixels[0].max() == pixels[2].max() == 0


def test_sixteen_bits_are_shown_in_their_usual_range() -> None:
    values = np.linspace(0, 4095, 4096).astype("u2").reshape(64, 64)
    pixels = drawn(Image.frombytes("I;16", (64, 64), values.tobytes()))[..., 0].reshape(-1)
    assert (pixels[0], pixels[-1]) == (0, 255)
    assert abs(int(pixels[2048]) - 128) <= 1
    assert (np.diff(pixels.astype(int)) >= 0).all()
    marked = values.copy()
    marked[0, :8] = 65535
    image = Image.frombytes("I;16", (64, 64), marked.tobytes())
    assert abs(int(drawn(image)[..., 0].reshape(-1)[2048]) - 128) <= 2
    image.info["transparency"] = 65535
    assert drawn(image)[0, :8].max() == 0


@pytest.mark.parametrize("mode", ["RGB", "CMYK", "L"])
async def test_a_photograph_is_upright_and_in_its_colours(mode: str) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by 90 degrees
    image = Image.new("RGB", (2400, 1200), (200, 40, 40))
    image.paste((40, 40, 200), (0, 0, 1200, 1200))
    pixels, found = await shown_of(encoded(image.convert(mode), "JPEG", exif=exif, quality=95))
    expected = np.asarray(image.convert(mode).convert("RGB")).astype(int)
    assert (found.square.width, found.square.height) == (1200, 2400)
    assert np.abs(pixels[200, SIDE // 2].astype(int) - expected[600, 300]).max() <= 3
    assert np.abs(pixels[700, SIDE // 2].astype(int) - expected[600, 2100]).max() <= 3
    assert pixels[:, :200].max() == 0


async def test_pixels_that_are_not_square_get_their_true_shape() -> None:
    tags = {"PixelSpacing": [2.0, 1.0], "WindowCenter": 500, "WindowWidth": 1000}
    _, found = await shown_of(grey([900] * 100, columns=10, **tags))
    assert found.square == Square(10, 10, 20, 5, 0, 10, 20)
    _, found = await shown_of(grey([900] * 100, columns=10, PixelAspectRatio=[1, 2]))
    assert found.square == Square(10, 10, 20, 0, 5, 20, 10)


@each_of(
    ("spacing", "ratio", "aspect"),
    [
        (None, None, 1.0),
        ((0.5, 0.5), None, 1.0),
        ((0.5, 0.5004), None, 1.0),
        ((1.0, 0.5), None, 2.0),
        ((0.5, 0.5), (3, 1), 1.0),
        (None, (3, 4), 0.75),
        ((1e-9, 1e9), None, 1.0),
        ((5e-324, 1e308), None, 1.0),
        ((30.0, 2.0), None, 1.0),
    ],
)
def test_absurd_shapes_of_pixels_are_not_believed(spacing: Any, ratio: Any, aspect: float) -> None:
    facts = DicomFacts("OT", "MONOCHROME2", 8, 1, 1, 1, 1, spacing=spacing, ratio=ratio)
    assert facts.aspect == aspect


async def test_what_does_not_fit_together_is_refused() -> None:
    facts = await inspect(grey(list(range(16)), columns=4, **CT))
    assert facts.dicom is not None
    for wrong in (
        replace(facts, depth=b"nothing"),
        replace(facts, width=5),
        replace(facts, depth=facts.data),
        ImageFacts("image/png", 4, 4, b"\x89PNG\r\n\x1a\n"),
        ImageFacts("image/jpeg", 4, 4, b""),
    ):
        with pytest.raises(BadInput, match="not a readable"):
            await show(wrong)
    with pytest.raises(BadInput, match="at least one"):
        await show(facts, most=0)


def test_a_depth_of_other_kind_than_the_facts_is_not_drawn() -> None:
    data = encoded(Image.new("L", (2, 2)), "PNG")
    order = {"width": 2, "height": 2, "aspect": 1.0, "values": {"slope": 1, "intercept": 0, "padding": None}}
    with pytest.raises(ValueError):
        worker.done("present", order, data, 60)


async def test_eight_bit_colour_of_a_dicom_file_stays_as_it_is() -> None:
    colour = {"SamplesPerPixel": 3, "BitsAllocated": 8, "BitsStored": 8, "HighBit": 7, "PlanarConfiguration": 0}
    raw = bytes(range(0, 240, 20))
    pixels, _ = await shown_of(saved(dataset(raw, 2, 2, PhotometricInterpretation="RGB", **colour)))
    assert pixels.tobytes() == raw
