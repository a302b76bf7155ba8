"""One frame of a DICOM file as numbers in one form: uncompressed, run-length, JPEG and JPEG 2000.

The decoders are Pillow's, written in C and given the exact size they may fill. Whatever they return becomes rows by
columns by samples of unsigned numbers, with the layout that says how to read them.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from PIL.Jpeg2KImagePlugin import Jpeg2KImageFile
from PIL.JpegImagePlugin import JpegImageFile
from pydicom.encaps import get_frame

from docgemma.imaging.dicom.header import BIG_ENDIAN, DEFLATED, IMPLICIT, Header
from docgemma.imaging.drawing import LEVELS, Depth, mapped
from docgemma.imaging.refusals import MAX_DEEP_PIXELS, SYNTAXES, Refused

NATIVE = (IMPLICIT, "1.2.840.10008.1.2.1", BIG_ENDIAN, DEFLATED)
RLE = "1.2.840.10008.1.2.5"
JPEG = ("1.2.840.10008.1.2.4.50", "1.2.840.10008.1.2.4.51")
JPEG_2000 = ("1.2.840.10008.1.2.4.90", "1.2.840.10008.1.2.4.91")
VIDEO = ("1.2.840.10008.1.2.4.100", "1.2.840.10008.1.2.4.101", "1.2.840.10008.1.2.4.102", "1.2.840.10008.1.2.4.103")
GREY = ("MONOCHROME1", "MONOCHROME2")
COLOUR = ("RGB", "YBR_FULL", "YBR_FULL_422", "YBR_ICT", "YBR_RCT")
RGB_NAMES = ([82, 71, 66], [114, 103, 98])

Values = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Layout:
    """How the values of a frame lie in its bytes."""

    rows: int
    columns: int
    frames: int
    photometric: str
    samples: int
    allocated: int
    stored: int
    high: int
    signed: bool
    planar: bool

    @property
    def size(self) -> tuple[int, int]:
        return self.columns, self.rows

    @property
    def pixels(self) -> int:
        return self.rows * self.columns

    @property
    def moved_up(self) -> int:
        """What is added to a stored value so that the smallest there can be is 0."""
        return 1 << (self.stored - 1) if self.signed else 0

    def shaped(self, values: Values) -> Values:
        return values.reshape(self.rows, self.columns, self.samples)


def layout_of(header: Header) -> Layout:
    """The layout that the file promises. Raises Refused for what is a DICOM file but no picture we can show."""
    if "PixelData" not in header.tags:
        deep = "FloatPixelData" in header.tags or "DoubleFloatPixelData" in header.tags
        raise Refused("form", "float") if deep else Refused("no_image")
    photometric = str(header.get("PhotometricInterpretation") or "")
    if photometric not in (*GREY, *COLOUR, "PALETTE COLOR"):
        raise Refused("form", "colour") if photometric else Refused("no_image")
    found = Layout(
        rows=header.whole("Rows"),
        columns=header.whole("Columns"),
        frames=max(1, header.whole("NumberOfFrames", 1)),
        photometric=photometric,
        samples=header.whole("SamplesPerPixel", 3 if photometric in COLOUR else 1),
        allocated=(allocated := header.whole("BitsAllocated")),
        stored=(stored := header.whole("BitsStored", allocated)),
        high=header.whole("HighBit", stored - 1),
        signed=header.whole("PixelRepresentation", 0) == 1,
        planar=header.whole("PlanarConfiguration", 0) == 1,
    )
    if found.allocated not in (8, 16):
        raise Refused("form", "depth")
    if found.samples != (3 if photometric in COLOUR else 1) or not 1 <= stored <= found.high + 1 <= allocated:
        raise ValueError("the header contradicts itself")
    if found.pixels > MAX_DEEP_PIXELS:
        raise Refused("deep_pixels")
    if not found.pixels:
        raise ValueError("no pixels")
    return found


def frame_of(header: Header, layout: Layout) -> tuple[Values, Layout]:
    """The values of the header's frame, and the layout that they really have."""
    if header.frame > layout.frames:
        raise Refused("frame", layout.frames)
    if header.syntax in NATIVE:
        return _native(header, layout), layout
    if header.syntax not in (RLE, *JPEG, *JPEG_2000):
        known = "video" if header.syntax.startswith(VIDEO) else header.syntax if header.syntax in SYNTAXES else ""
        raise Refused("syntax", known)
    packed = get_frame(header.tags.PixelData, header.frame - 1, number_of_frames=layout.frames)
    if header.syntax == RLE:
        return _run_length(packed, layout), layout
    values, real = (_jpeg if header.syntax in JPEG else _jpeg_2000)(packed, layout)
    return real.shaped(values), real


def _native(header: Header, layout: Layout) -> Values:
    halved = layout.photometric == "YBR_FULL_422"  # two pixels share their colour
    width = layout.allocated // 8
    count = layout.pixels * (2 if halved else layout.samples)
    data: bytes = header.tags.PixelData
    if len(data) < layout.frames * count * width:  # whichever frame is missing: nobody is to think that this is all
        raise Refused("cut")
    if header.syntax == BIG_ENDIAN and (width == 2 or header.tags["PixelData"].VR == "OW"):
        data = np.frombuffer(data, np.uint16, len(data) // 2).byteswap().tobytes()
    values = np.frombuffer(data, f"<u{width}", count, (header.frame - 1) * count * width)
    if halved:
        pairs = values.reshape(-1, 4)
        colours = (np.repeat(pairs[:, sample], 2) for sample in (2, 3))
        values = np.stack((pairs[:, :2].reshape(-1), *colours), axis=-1)
    elif layout.planar:
        values = values.reshape(layout.samples, -1).T
    return layout.shaped(values)


def _run_length(packed: bytes, layout: Layout) -> Values:
    """PS3.5 annex G: a segment for each byte of each sample, the high byte first."""
    width = layout.allocated // 8
    count, *offsets = struct.unpack("<16L", packed[:64])
    if count != layout.samples * width:
        raise ValueError("the wrong number of segments")
    found = np.empty((layout.pixels, count), np.uint8)
    for place, (start, end) in enumerate(zip(offsets, [*offsets[1:count], len(packed)], strict=False)):
        segment = Image.frombytes("L", (layout.pixels, 1), packed[start:end], "packbits", "L").tobytes()
        found[:, place] = np.frombuffer(segment, np.uint8)
    return layout.shaped(found.view(f">u{width}"))


def _jpeg(packed: bytes, layout: Layout) -> tuple[Values, Layout]:
    if _precision(packed) > 8:
        raise Refused("syntax", JPEG[1])
    real = replace(layout, allocated=8, stored=8, high=7)
    with JpegImageFile(io.BytesIO(packed)) as image:
        _check(image, layout, "L")
        if layout.samples == 1:
            return np.asarray(image), real
        # Without a marker libjpeg takes three components for YCbCr. If the file says RGB they must stay as they are.
        marked = "adobe_transform" in image.info or "jfif" in image.info
        if layout.photometric == "RGB" and not marked and [each[0] for each in image.layer] not in RGB_NAMES:
            image.draft("YCbCr", image.size)
        return np.asarray(image), replace(real, photometric="RGB")


def _precision(packed: bytes) -> int:
    """Bits of each value, from the frame header, the first segment that begins with FFC0 to FFC3."""
    at = 2
    while at + 5 <= len(packed):
        if packed[at] == 0xFF and 0xC0 <= packed[at + 1] <= 0xC3:
            return packed[at + 4]
        at += 2 + max(2, int.from_bytes(packed[at + 2 : at + 4], "big"))
    return 8


def _jpeg_2000(packed: bytes, layout: Layout) -> tuple[Values, Layout]:
    start = packed.find(b"\xff\x4f\xff\x51")
    if start < 0:
        raise ValueError("no codestream")
    precision, signed = (packed[start + 42] & 0x7F) + 1, bool(packed[start + 42] & 0x80)
    if precision > 16 or (precision > 8 and layout.samples == 3):
        raise Refused("form", "depth")
    wide = 16 if precision > 8 else 8
    real = replace(layout, allocated=wide, stored=precision, high=wide - 1)
    with Jpeg2KImageFile(io.BytesIO(packed)) as image:
        _check(image, layout, "L" if wide == 8 else "I;16")
        values = np.asarray(image)
    if layout.photometric in ("YBR_ICT", "YBR_RCT"):  # undone by the decoder
        return values, replace(real, photometric="RGB")
    # Pillow moves values up to the highest bit, and signed values so that the smallest is 0: make them signed again.
    return (values ^ (1 << (wide - 1)) if signed else values), real


def _check(image: Image.Image, layout: Layout, grey: str) -> None:
    if image.size != layout.size or image.mode != ("RGB" if layout.samples == 3 else grey):
        raise ValueError("the image inside is not the one promised")


def depth_of(values: Values, layout: Layout) -> Depth:
    """Every stored value as 16 bits, moved up so that the smallest there can be is 0.

    Bits outside of the stored ones are cleared. Turning the sign bit over adds half of the range, which is the same as
    moving a signed number up.
    """
    depth = values.astype(np.uint16)
    depth >>= layout.high + 1 - layout.stored
    depth &= (1 << layout.stored) - 1
    depth ^= layout.moved_up
    return depth


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
        depth = number + layout.moved_up
        if not 0 <= depth < 1 << layout.stored:  # no pixel can have it; a masked one would only look alike
            return None
        found.append(depth)
    return (min(found), max(found)) if found else None


def extremes(depth: Depth, padding: Sequence[int] | None) -> tuple[int, int]:
    """The smallest and the largest depth value, padding left out if anything else is there."""
    if padding is not None:
        inside = depth[(depth < padding[0]) | (depth > padding[1])]
        depth = inside if inside.size else depth
    return int(depth.min()), int(depth.max())


@dataclass(frozen=True, slots=True)
class Lookup:
    """A table of a DICOM file: what is before its first entry takes the first, what is behind takes the last."""

    first: int
    bits: int
    entries: Values

    def of(self, values: Values) -> Values:
        """What the table gives for these values, each rounded to a whole one."""
        places = np.clip(np.rint(values) - self.first, 0, len(self.entries) - 1)
        found: Values = self.entries[places.astype(np.int64)]
        return found


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
    return Lookup(first, bits, np.minimum((1 << bits) - 1, entries))


def colours_of(values: Values, layout: Layout, header: Header) -> Image.Image:
    """An RGB image from a frame in colour."""
    if layout.photometric == "PALETTE COLOR":
        return _from_palette(depth_of(values, layout), layout, header)
    if (layout.allocated, layout.stored) != (8, 8):
        scale = np.rint(255 * np.arange(LEVELS) / ((1 << layout.stored) - 1))
        values = mapped(depth_of(values, layout), np.minimum(255, scale).astype(np.uint8))
    mode = "RGB" if layout.photometric == "RGB" else "YCbCr"
    return Image.frombytes(mode, layout.size, values.tobytes()).convert("RGB")


def _from_palette(index: Depth, layout: Layout, header: Header) -> Image.Image:
    if "SegmentedRedPaletteColorLookupTableData" in header.tags:
        raise Refused("form", "palette")
    planes = []
    for name in ("Red", "Green", "Blue"):
        keyword = f"{name}PaletteColorLookupTable"
        table = lookup_of(header, header.get(f"{keyword}Descriptor"), header.get(f"{keyword}Data"), signed=False)
        levels = table.of(np.arange(LEVELS)) >> max(0, table.bits - 8)
        planes.append(Image.fromarray(mapped(index, levels.astype(np.uint8)).reshape(layout.rows, layout.columns)))
    return Image.merge("RGB", planes)
