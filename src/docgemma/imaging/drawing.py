"""From values to grey and colours, and what a vision model is shown. Runs in the decoder's own process only."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops
from PIL.JpegImagePlugin import JpegImageFile

from docgemma.imaging.facts import Function
from docgemma.imaging.geometry import Square, square_for
from docgemma.imaging.presets import CHANNELS, covering

LEVELS = 1 << 16
"""A depth value has 16 bits, so one table holds the grey of all values there can be."""

STEP = 1 << 20
"""Pixels that are looked up at once: an index takes four times the memory of a value."""

SAMPLE = 2_000_000
"""Pixels that are counted to find an image's usual range. A larger image is counted in even steps."""

DEEP = ("I;16", "I;16B", "I;16L", "I")
SMOOTH = Image.Resampling.HAMMING
"""Sharp, and without overshoot: a filter that rings draws a dark halo around metal that is in no patient."""

Depth = NDArray[np.uint16]
"""An image's values, rows by columns."""


@dataclass(frozen=True, slots=True)
class Tone:
    """What stands between a depth value and its grey, whatever the window."""

    slope: float
    intercept: float
    function: Function
    inverted: bool
    padding: Sequence[int] | None

    def drawn(self, depth: Depth, centre: float, width: float) -> Image.Image:
        """The image in this window."""
        greys = greys_of(self.function, self.values(), centre, width)
        return self.finished(depth, (greys + 0.5).astype(np.uint8))

    def values(self) -> NDArray[np.float64]:
        """Of every depth value what it means, in the modality's unit."""
        values: NDArray[np.float64] = self.slope * np.arange(LEVELS, dtype=np.float64) + self.intercept
        return values

    def finished(self, depth: Depth, table: NDArray[np.uint8]) -> Image.Image:
        """The image by a table of greys.

        Dark for bright where the file asks for it. Padding is black after that too: it is no part of the image.
        """
        if self.inverted:
            table = 255 - table
        if self.padding is not None:
            first, last = self.padding
            table[first : last + 1] = 0
        return Image.fromarray(mapped(depth, table))


def greys_of(function: Function, values: NDArray[np.float64], centre: float, width: float) -> NDArray[np.float64]:
    """Brightness from 0 to 255 of each value, by DICOM's window functions (PS3.3 C.11.2.1)."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        if function == "SIGMOID":
            return np.asarray(255 / (1 + np.exp(-4 * (values - centre) / width)))
        if function == "LINEAR":
            centre, width = centre - 0.5, width - 1
        sloped = ((values - centre) / width + 0.5) * 255
    below, above = values <= centre - width / 2, values > centre + width / 2
    return np.where(below, 0.0, np.where(above, 255.0, sloped))


def mapped(depth: Depth, table: NDArray[Any]) -> NDArray[Any]:
    """Each value by a table of all that there can be."""
    found = np.empty(depth.size, table.dtype)
    flat = depth.reshape(-1)
    for start in range(0, depth.size, STEP):
        found[start : start + STEP] = table[flat[start : start + STEP]]
    return found.reshape(depth.shape)


def usual_range(depth: Depth, padding: Sequence[int] | None) -> tuple[int, int] | None:
    """The range of all but the lowest and the highest half per cent, so that one bright marker does not darken all."""
    step = 1 + (depth.size - 1) // SAMPLE
    while gcd(step, depth.shape[1]) != 1:  # else the sample would be some columns of the image only
        step += 1
    counts = np.bincount(depth.reshape(-1)[::step], minlength=LEVELS)
    if padding is not None:
        counts[padding[0] : padding[1] + 1] = 0
    total = counts.sum()
    if not total:
        return None
    low, high = (int(np.argmax(each.cumsum() * 200 > total)) for each in (counts, counts[::-1]))
    return low, LEVELS - 1 - high


def png(image: Image.Image | Depth) -> bytes:
    out = io.BytesIO()
    (image if isinstance(image, Image.Image) else Image.fromarray(image)).save(out, "PNG", compress_level=1)
    return out.getvalue()


def windowed(image: Image.Image, order: Mapping[str, Any]) -> bytes:
    """The depth of a grey image as a PNG in another window."""
    return png(Tone(**order["tone"]).drawn(_depth(image), order["centre"], order["width"]))


def presented(image: Image.Image, order: Mapping[str, Any]) -> bytes:
    """An image, or the depth of a CT slice where the order tells its values, as a PNG in its square."""
    square = square_for(order["width"], order["height"], order["aspect"])
    if image.size != (order["width"], order["height"]):
        raise ValueError("not the image that was meant")
    if (values := order.get("values")) is not None:
        return png(squared(ct_bands(_depth(image), **values), square))
    if isinstance(image, JpegImageFile):  # decoded at twice the size that is needed, not at any size
        image.draft(image.mode, (2 * square.across, 2 * square.down))
    return png(squared(bands(image), square))


def _depth(image: Image.Image) -> Depth:
    if image.mode != "I;16":
        raise ValueError("not the depth of a grey image")
    return np.asarray(image)


def squared(bands: Iterator[Image.Image], square: Square) -> Image.Image:
    """One grey band, or red, green and blue, in the black square. Each is made small before the next is drawn."""
    placed = []
    for band in bands:
        small = band if band.size == (square.across, square.down) else band.resize((square.across, square.down), SMOOTH)
        whole = Image.new("L", (square.side, square.side))
        whole.paste(small, (square.left, square.top))
        placed.append(whole)
    return Image.merge("RGB", placed if len(placed) == 3 else placed[:1] * 3)


def ct_bands(depth: Depth, slope: float, intercept: float, padding: Sequence[int] | None) -> Iterator[Image.Image]:
    """Three windows of CT numbers. They are never inverted: a number means the same tissue in every file."""
    tone = Tone(slope, intercept, "LINEAR_EXACT", False, padding)
    for low, high in CHANNELS:
        yield tone.drawn(depth, (low + high) / 2, high - low)


def bands(image: Image.Image) -> Iterator[Image.Image]:
    """An image's colours as 8 bits each, black where it is transparent; one band alone where it is grey."""
    if image.mode in DEEP:
        yield _deep(image)
        return
    if image.has_transparency_data and image.mode not in ("RGBA", "LA"):
        image = image.convert("RGBA")
    elif image.mode not in ("L", "RGB", "RGBA", "LA"):
        image = image.convert("L" if image.mode == "1" else "RGB")
    clear = image.getchannel("A") if image.mode in ("RGBA", "LA") else None
    for name in image.getbands():
        if name != "A":
            band = image.getchannel(name)
            yield band if clear is None else ImageChops.multiply(band, clear)


def _deep(image: Image.Image) -> Image.Image:
    """16 bits of grey in their usual range: many such files fill 12 bits only, and would be all but black."""
    through = image.info.get("transparency")
    padding = (through, through) if isinstance(through, int) else None
    depth = np.asarray(image if image.mode == "I;16" else image.convert("I;16"))
    low, high = usual_range(depth, padding) or (0, 0)
    window = covering("auto", "", low, high, "LINEAR_EXACT")
    return Tone(1.0, 0.0, "LINEAR_EXACT", False, padding).drawn(depth, window.centre, window.width)
