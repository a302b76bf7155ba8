"""One frame of a DICOM file as plain bytes: uncompressed, run-length, JPEG and JPEG 2000, without numpy.

The decoders are Pillow's, written in C and given the exact size they may fill. Whatever they return is put into one
form: little-endian, 8 or 16 bits for each value, with the layout that says how to read it.
"""

from __future__ import annotations

import io
import struct
from array import array
from dataclasses import dataclass, replace

from PIL import Image
from PIL.Jpeg2KImagePlugin import Jpeg2KImageFile
from PIL.JpegImagePlugin import JpegImageFile
from pydicom.encaps import get_frame

from docgemma.imaging.dicom.header import BIG_ENDIAN, DEFLATED, IMPLICIT, Header
from docgemma.imaging.refusals import MAX_DEEP_PIXELS, SYNTAXES, Refused

NATIVE = (IMPLICIT, "1.2.840.10008.1.2.1", BIG_ENDIAN, DEFLATED)
RLE = "1.2.840.10008.1.2.5"
JPEG = ("1.2.840.10008.1.2.4.50", "1.2.840.10008.1.2.4.51")
JPEG_2000 = ("1.2.840.10008.1.2.4.90", "1.2.840.10008.1.2.4.91")
VIDEO = ("1.2.840.10008.1.2.4.100", "1.2.840.10008.1.2.4.101", "1.2.840.10008.1.2.4.102", "1.2.840.10008.1.2.4.103")
GREY = ("MONOCHROME1", "MONOCHROME2")
COLOUR = ("RGB", "YBR_FULL", "YBR_FULL_422", "YBR_ICT", "YBR_RCT")
RGB_NAMES = ([82, 71, 66], [114, 103, 98])


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


def frame_of(header: Header, layout: Layout) -> tuple[bytes, Layout]:
    """The bytes of the header's frame, and the layout that they really have."""
    if header.frame > layout.frames:
        raise Refused("frame", layout.frames)
    if header.syntax in NATIVE:
        return _native(header, layout), layout
    if header.syntax not in (RLE, *JPEG, *JPEG_2000):
        raise Refused("syntax", _named(header.syntax))
    packed = get_frame(header.tags.PixelData, header.frame - 1, number_of_frames=layout.frames)
    if header.syntax == RLE:
        return _run_length(packed, layout), replace(layout, planar=True)
    if header.syntax in JPEG:
        return _jpeg(packed, layout)
    return _jpeg_2000(packed, layout)


def _named(syntax: str) -> str:
    if syntax.startswith(VIDEO):
        return "video"
    return syntax if syntax in SYNTAXES else ""


def _native(header: Header, layout: Layout) -> bytes:
    half = layout.photometric == "YBR_FULL_422"  # two pixels share their colour
    length = layout.pixels * (2 if half else layout.samples) * layout.allocated // 8
    start = (header.frame - 1) * length
    data: bytes = header.tags.PixelData
    if len(data) < layout.frames * length:  # whichever frame is missing: nobody is to think that this is all
        raise Refused("cut")
    if header.syntax != BIG_ENDIAN or (layout.allocated == 8 and header.tags["PixelData"].VR != "OW"):
        return data[start : start + length]
    words = array("H", data[start - start % 2 : start + length + (start + length) % 2])
    words.byteswap()
    return words.tobytes()[start % 2 :][:length]


def _run_length(packed: bytes, layout: Layout) -> bytes:
    """PS3.5 annex G: a segment for each byte of each sample, the high byte first."""
    bytes_each = layout.allocated // 8
    count, *offsets = struct.unpack("<16L", packed[:64])
    if count != layout.samples * bytes_each:
        raise ValueError("the wrong number of segments")
    ends = [*offsets[1:count], len(packed)]
    out = bytearray(layout.pixels * count)
    for index, (start, end) in enumerate(zip(offsets, ends, strict=False)):
        sample, byte = divmod(index, bytes_each)
        first = sample * layout.pixels * bytes_each + bytes_each - 1 - byte
        segment = Image.frombytes("L", (layout.pixels, 1), packed[start:end], "packbits", "L").tobytes()
        out[first : (sample + 1) * layout.pixels * bytes_each : bytes_each] = segment
    return bytes(out)


def _jpeg(packed: bytes, layout: Layout) -> tuple[bytes, Layout]:
    if _precision(packed) > 8:
        raise Refused("syntax", JPEG[1])
    real = replace(layout, allocated=8, stored=8, high=7, planar=False)
    with JpegImageFile(io.BytesIO(packed)) as image:
        if image.size != layout.size or image.mode != ("RGB" if layout.samples == 3 else "L"):
            raise ValueError("the image inside is not the one promised")
        if layout.samples == 1:
            return image.tobytes(), real
        # Without a marker libjpeg takes three components for YCbCr. If the file says RGB they must stay as they are.
        marked = "adobe_transform" in image.info or "jfif" in image.info
        if layout.photometric == "RGB" and not marked and [each[0] for each in image.layer] not in RGB_NAMES:
            image.draft("YCbCr", image.size)
        return image.tobytes(), replace(real, photometric="RGB")


def _precision(packed: bytes) -> int:
    """Bits of each value, from the frame header, the first segment that begins with FFC0 to FFC3."""
    at = 2
    while at + 5 <= len(packed):
        if packed[at] == 0xFF and 0xC0 <= packed[at + 1] <= 0xC3:
            return packed[at + 4]
        at += 2 + max(2, int.from_bytes(packed[at + 2 : at + 4], "big"))
    return 8


def _jpeg_2000(packed: bytes, layout: Layout) -> tuple[bytes, Layout]:
    start = packed.find(b"\xff\x4f\xff\x51")
    if start < 0:
        raise ValueError("no codestream")
    precision, signed = (packed[start + 42] & 0x7F) + 1, bool(packed[start + 42] & 0x80)
    if precision > 16 or (precision > 8 and layout.samples == 3):
        raise Refused("form", "depth")
    wide = 16 if precision > 8 else 8
    real = replace(layout, allocated=wide, stored=precision, high=wide - 1, planar=False)
    with Jpeg2KImageFile(io.BytesIO(packed)) as image:
        if image.size != layout.size or image.mode != {1: "L" if wide == 8 else "I;16", 3: "RGB"}[layout.samples]:
            raise ValueError("the image inside is not the one promised")
        data = image.tobytes()
    if layout.photometric in ("YBR_ICT", "YBR_RCT"):  # undone by the decoder
        return data, replace(real, photometric="RGB")
    # Pillow moves values up to the highest bit, and signed values so that the smallest is 0: make them signed again.
    return (flipped(data, 0x80 << (wide - 8), wide) if signed else data), real


def flipped(data: bytes, bits: int, wide: int) -> bytes:
    """All values with these bits turned over: one long number is faster than a loop over its digits."""
    pattern = int.from_bytes(bits.to_bytes(wide // 8, "little") * (len(data) * 8 // wide), "little")
    return (int.from_bytes(data, "little") ^ pattern).to_bytes(len(data), "little")
