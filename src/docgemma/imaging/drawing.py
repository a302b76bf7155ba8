"""Draw what a vision model is shown. Runs in the decoder's own process only."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from itertools import repeat

from PIL import Image, ImageChops

from docgemma.imaging.presets import CHANNELS, covering
from docgemma.imaging.ranges import counted, usual_range
from docgemma.imaging.square import Square
from docgemma.imaging.tones import Tone

DEEP = ("I;16", "I;16B", "I;16L", "I")
SMOOTH = Image.Resampling.HAMMING
"""Sharp, and without overshoot: a filter that rings draws a dark halo around metal that is in no patient."""


def png(image: Image.Image) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=1)
    return out.getvalue()


def squared(bands: Iterator[Image.Image], square: Square) -> Image.Image:
    """One grey band, or red, green and blue, in the black square. Each is made small before the next is drawn."""
    placed = []
    for band in bands:
        small = band if band.size == (square.across, square.down) else band.resize((square.across, square.down), SMOOTH)
        whole = Image.new("L", (square.side, square.side))
        whole.paste(small, (square.left, square.top))
        placed.append(whole)
    return Image.merge("RGB", placed if len(placed) == 3 else list(repeat(placed[0], 3)))


def ct_bands(
    depth: Image.Image, slope: float, intercept: float, padding: Sequence[int] | None
) -> Iterator[Image.Image]:
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
    if image.mode != "I;16":
        image = image.convert("I;16")
    through = image.info.get("transparency")
    padding = (through, through) if isinstance(through, int) else None
    low, high = usual_range(counted(image.tobytes(), image.width, padding)) or (0, 0)
    window = covering("auto", "", low, high, "LINEAR_EXACT")
    return Tone(1.0, 0.0, "LINEAR_EXACT", False, padding).drawn(image, window.centre, window.width)
