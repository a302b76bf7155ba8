"""Open a DICOM file without trusting it: bounded inflation, and only the tags that are needed are ever parsed.

Names, ids, dates and comments are skipped by the parser, so they cannot reach what is made from the file.
"""

from __future__ import annotations

import io
import math
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pydicom.dataset import Dataset
from pydicom.filereader import read_dataset
from pydicom.tag import BaseTag, Tag

from docgemma.imaging.refusals import MAX_INFLATED, Refused

IMPLICIT = "1.2.840.10008.1.2"
BIG_ENDIAN = "1.2.840.10008.1.2.2"
DEFLATED = "1.2.840.10008.1.2.1.99"

OTHER_FILES = (
    b"MZ",
    b"\x7fELF",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
    b"PK",
    b"#!",
    b"<",
    b"GIF8",
    b"%",
    b"{\\rtf",
)
"""How a program, an archive or a document begins. In the 128 free bytes before DICM it makes two files of one."""

_WANTED = (
    "ImageType Modality SamplesPerPixel PhotometricInterpretation PlanarConfiguration NumberOfFrames Rows Columns "
    "BitsAllocated BitsStored HighBit PixelRepresentation PixelPaddingValue PixelPaddingRangeLimit PixelSpacing "
    "ImagerPixelSpacing PixelAspectRatio WindowCenter WindowWidth WindowCenterWidthExplanation VOILUTFunction "
    "RescaleIntercept RescaleSlope RescaleType Units ModalityLUTSequence VOILUTSequence BurnedInAnnotation "
    "LossyImageCompression Laterality ImageLaterality ViewPosition BodyPartExamined SharedFunctionalGroupsSequence "
    "PerFrameFunctionalGroupsSequence RedPaletteColorLookupTableDescriptor GreenPaletteColorLookupTableDescriptor "
    "BluePaletteColorLookupTableDescriptor RedPaletteColorLookupTableData GreenPaletteColorLookupTableData "
    "BluePaletteColorLookupTableData SegmentedRedPaletteColorLookupTableData PixelData FloatPixelData "
    "DoubleFloatPixelData"
)
WANTED: list[BaseTag | int] = [Tag(keyword) for keyword in _WANTED.split()]


@dataclass(frozen=True, slots=True)
class Header:
    """The wanted tags of one file, and how its bytes are laid out."""

    tags: Dataset
    syntax: str
    frame: int = 1

    @property
    def order(self) -> str:
        return ">" if self.syntax == BIG_ENDIAN else "<"

    def get(self, keyword: str, group: str = "") -> Any:
        """A tag of the file, or of the functional group of this frame: multi-frame files keep many tags there."""
        value = self.tags.get(keyword)
        if value is not None or not group:
            return value
        for holder, index in (
            ("PerFrameFunctionalGroupsSequence", self.frame - 1),
            ("SharedFunctionalGroupsSequence", 0),
        ):
            items = self.tags.get(holder) or ()
            inner = (items[index].get(group) or ()) if index < len(items) else ()
            if inner and inner[0].get(keyword) is not None:
                return inner[0].get(keyword)
        return None

    def numbers(self, keyword: str, group: str = "") -> list[float]:
        """A tag's numbers, or none at all if one of them is no finite number."""
        value = self.get(keyword, group)
        if value is None:
            return []
        try:
            found = [float(each) for each in (value if isinstance(value, Iterable) and not is_text(value) else [value])]
        except (ValueError, TypeError, OverflowError):
            return []
        return found if all(map(math.isfinite, found)) else []

    def whole(self, keyword: str, default: int | None = None) -> int:
        """A tag that the pixels cannot be read without. Raises ValueError when it is not one whole number."""
        value = self.get(keyword)
        if value is None or value == "":
            value = default
        if value is None:
            raise ValueError(f"no {keyword}")
        return int(value)

    def code(self, keyword: str, allowed: frozenset[str], group: str = "") -> str:
        """A tag's word, if it is one of these words."""
        value = self.get(keyword, group)
        word = value.strip().upper() if isinstance(value, str) else ""
        return word if word in allowed else ""

    def words(self, value: Any) -> list[int]:
        """16-bit numbers, however the parser gave them: the type of some tags is known only with the file's others."""
        if isinstance(value, bytes):
            return list(struct.unpack(f"{self.order}{len(value) // 2}H", value[: len(value) // 2 * 2]))
        return [int(each) & 0xFFFF for each in (value if isinstance(value, Iterable) else [value])]


def is_text(value: object) -> bool:
    """Text can be walked through letter by letter, which is never what is meant."""
    return isinstance(value, str | bytes)


def opened(data: bytes) -> Header:
    """The wanted tags of a file that begins with a preamble and DICM."""
    if data[:128].lstrip().startswith(OTHER_FILES):
        raise ValueError("two files in one")
    file: io.BytesIO = io.BytesIO(data)
    file.seek(132)
    meta = read_dataset(file, is_implicit_VR=False, is_little_endian=True, stop_when=_past_the_header)
    syntax = str(meta.get("TransferSyntaxUID") or "")
    if not syntax:
        raise ValueError("no transfer syntax")
    if syntax == DEFLATED:
        file = io.BytesIO(_inflated(data[file.tell() :]))
    tags = read_dataset(
        file,
        is_implicit_VR=syntax == IMPLICIT,
        is_little_endian=syntax != BIG_ENDIAN,
        specific_tags=WANTED,
    )
    return Header(tags, syntax)


def _past_the_header(tag: BaseTag, vr: str | None, length: int) -> bool:
    return tag.group != 2


def _inflated(packed: bytes) -> bytes:
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    found = inflater.decompress(packed, MAX_INFLATED)
    if inflater.unconsumed_tail:
        raise Refused("inflated")
    return found
