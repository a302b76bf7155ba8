"""From the bytes of a frame to what they mean: depth values, colours, lookup tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from PIL import Image

from docgemma.imaging.dicom.frames import Layout
from docgemma.imaging.dicom.header import Header
from docgemma.imaging.ranges import words
from docgemma.imaging.refusals import Refused
from docgemma.imaging.tones import LEVELS, draw

CHUNK = 1 << 20


def depth_of(raw: bytes, layout: Layout) -> bytes:
    """Every stored value as 16 bits, little-endian, moved up so that the smallest there can be is 0.

    Done on long numbers, not pixel by pixel: bits outside of the stored ones are cleared, and turning the sign bit over
    adds half of the range, which is the same as moving a signed number up.
    """
    if layout.allocated == 8:
        wide = bytearray(2 * len(raw))
        wide[0::2] = raw
        raw = bytes(wide)
    shift, sign = layout.high + 1 - layout.stored, 1 << (layout.stored - 1) if layout.signed else 0
    if layout.stored == 16 and not sign:
        return raw
    keep = int.from_bytes(((1 << layout.stored) - 1).to_bytes(2, "little") * (CHUNK // 2), "little")
    turn = int.from_bytes(sign.to_bytes(2, "little") * (CHUNK // 2), "little")
    out = bytearray()
    for start in range(0, len(raw), CHUNK):
        part = raw[start : start + CHUNK]
        value = ((int.from_bytes(part, "little") >> shift) & keep) ^ turn
        out += value.to_bytes(CHUNK, "little")[: len(part)]
    return bytes(out)


def image_of(depth: bytes, layout: Layout) -> Image.Image:
    return Image.frombytes("I;16", layout.size, depth)


def padding_of(header: Header, layout: Layout) -> tuple[int, int] | None:
    """The depth values that mean "outside of the image", as the file says."""
    found = []
    for keyword in ("PixelPaddingValue", "PixelPaddingRangeLimit"):
        value = header.get(keyword)
        if value is None or value == "" or value == b"":
            break
        number = header.words(value)[0]
        if layout.signed and number >= LEVELS // 2:
            number -= LEVELS
        depth = number + ((1 << (layout.stored - 1)) if layout.signed else 0)
        if not 0 <= depth < 1 << layout.stored:  # no pixel can have it; a masked one would only look alike
            return None
        found.append(depth)
    return (min(found), max(found)) if found else None


@dataclass(frozen=True, slots=True)
class Lookup:
    """A table of a DICOM file: what is before its first entry takes the first, what is behind takes the last."""

    first: int
    bits: int
    entries: Sequence[int]

    def __getitem__(self, value: float) -> int:
        return self.entries[max(0, min(len(self.entries) - 1, round(value) - self.first))]

    def spread(self, start: int) -> list[int]:
        """What the table gives for `start` and the values after it, as many as there are depth values."""
        before = max(0, self.first - start)
        found = [self.entries[0]] * before + list(self.entries[max(0, start - self.first) :])
        return (found + [self.entries[-1]] * LEVELS)[:LEVELS]


def lookup_of(header: Header, descriptor: Any, data: Any, *, signed: bool) -> Lookup:
    """A lookup table from its descriptor (how many, from which value on, how many bits) and its data."""
    count, first, bits = header.words(descriptor)[:3]
    count = count or LEVELS
    if signed and first >= LEVELS // 2:
        first -= LEVELS
    entries = header.words(data)
    if isinstance(data, bytes) and len(data) < 2 * count:  # 8-bit entries, two to a word
        entries = list(data)
    entries = entries[:count]
    if len(entries) < count or not 1 <= bits <= 16:
        raise ValueError("the lookup table is incomplete")
    top = (1 << bits) - 1
    return Lookup(first, bits, [min(top, each) for each in entries])


def colours_of(raw: bytes, layout: Layout, header: Header) -> Image.Image:
    """An RGB image from a frame in colour."""
    if layout.photometric == "PALETTE COLOR":
        return _from_palette(image_of(depth_of(raw, layout), layout), header)
    if layout.photometric == "YBR_FULL_422" and len(raw) == 2 * layout.pixels:
        planes = [bytearray(layout.pixels) for _ in range(3)]
        for plane, sources in zip(planes, ((0, 1), (2, 2), (3, 3)), strict=True):
            plane[0::2], plane[1::2] = raw[sources[0] :: 4], raw[sources[1] :: 4]
        return _merged("YCbCr", [bytes(plane) for plane in planes], layout)
    bytes_each = layout.allocated // 8
    step = layout.pixels * bytes_each
    if layout.planar:
        parts = [raw[start : start + step] for start in range(0, 3 * step, step)]
    else:
        parts = [_strided(raw, sample, bytes_each) for sample in range(3)]
    return _merged("RGB" if layout.photometric == "RGB" else "YCbCr", parts, layout)


def _strided(raw: bytes, sample: int, bytes_each: int) -> bytes:
    if bytes_each == 1:
        return raw[sample::3]
    out = bytearray(len(raw) // 3)
    out[0::2], out[1::2] = raw[2 * sample :: 6], raw[2 * sample + 1 :: 6]
    return bytes(out)


def _merged(mode: str, parts: list[bytes], layout: Layout) -> Image.Image:
    if layout.allocated == 8 and layout.stored == 8:
        planes = [Image.frombytes("L", layout.size, part) for part in parts]
    else:
        top = (1 << layout.stored) - 1
        table = [min(255, round(255 * value / top)) for value in range(LEVELS)]
        planes = [draw(image_of(depth_of(part, layout), layout), table) for part in parts]
    return Image.merge(mode, planes).convert("RGB")


def _from_palette(index: Image.Image, header: Header) -> Image.Image:
    if "SegmentedRedPaletteColorLookupTableData" in header.tags:
        raise Refused("form", "palette")
    planes = []
    for name in ("Red", "Green", "Blue"):
        keyword = f"{name}PaletteColorLookupTable"
        table = lookup_of(header, header.get(f"{keyword}Descriptor"), header.get(f"{keyword}Data"), signed=False)
        planes.append(draw(index, [value >> max(0, table.bits - 8) for value in table.spread(0)]))
    return Image.merge("RGB", planes)


def extremes(depth: bytes, layout: Layout, padding: tuple[int, int] | None) -> tuple[int, int]:
    """The smallest and the largest depth value, padding left out if anything else is there."""
    if padding is None:
        low, high = image_of(depth, layout).getextrema()
        return cast(int, low), cast(int, high)
    values = set(words(depth))
    inside = {each for each in values if not padding[0] <= each <= padding[1]} or values
    return min(inside), max(inside)
