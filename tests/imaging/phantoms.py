"""DICOM files made for a test: a few pixels whose every value is known."""

from __future__ import annotations

import io
import struct
from typing import Any

import numpy as np
from PIL import Image
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.encaps import encapsulate
from pydicom.sequence import Sequence
from pydicom.uid import (
    DeflatedExplicitVRLittleEndian,
    ExplicitVRBigEndian,
    ExplicitVRLittleEndian,
    ImplicitVRLittleEndian,
)

from docgemma.imaging.drawing import Depth

NATIVE = (ImplicitVRLittleEndian, ExplicitVRLittleEndian, ExplicitVRBigEndian, DeflatedExplicitVRLittleEndian)
CT_IMAGE = "1.2.840.10008.5.1.4.1.1.2"


def dataset(pixels: bytes, rows: int, columns: int, *, syntax: str = ExplicitVRLittleEndian, **tags: Any) -> Dataset:
    """An image of 16-bit unsigned grey values unless the tags say otherwise. A tag of None is left out."""
    made = Dataset()
    made.file_meta = FileMetaDataset()
    made.file_meta.TransferSyntaxUID = syntax
    made.file_meta.MediaStorageSOPClassUID = made.SOPClassUID = CT_IMAGE
    made.file_meta.MediaStorageSOPInstanceUID = made.SOPInstanceUID = "1.2.3.4"
    usual = {
        "Modality": "OT",
        "Rows": rows,
        "Columns": columns,
        "SamplesPerPixel": 1,
        "PhotometricInterpretation": "MONOCHROME2",
        "BitsAllocated": 16,
        "BitsStored": 16,
        "HighBit": 15,
        "PixelRepresentation": 0,
    }
    for keyword, value in (usual | tags).items():
        if value is not None:
            setattr(made, keyword, value)
    made.PixelData = pixels
    made["PixelData"].VR = "OB" if syntax not in NATIVE or made.BitsAllocated == 8 else "OW"
    return made


def saved(made: Dataset) -> bytes:
    out = io.BytesIO()
    made.save_as(out, enforce_file_format=True)
    return out.getvalue()


def words(values: list[int], *, big: bool = False) -> bytes:
    """16-bit values as bytes; a negative one in two's complement."""
    return struct.pack(f"{'>' if big else '<'}{len(values)}H", *(value & 0xFFFF for value in values))


def grey(values: list[int], *, columns: int | None = None, **tags: Any) -> bytes:
    """A file with these stored values, one row of them unless said otherwise."""
    columns = columns or len(values)
    big = tags.get("syntax") == ExplicitVRBigEndian
    return saved(dataset(words(values, big=big), len(values) // columns, columns, **tags))


def wrapped(frames: list[bytes], rows: int, columns: int, syntax: str, **tags: Any) -> bytes:
    """A file with compressed frames."""
    return saved(dataset(encapsulate(frames), rows, columns, syntax=syntax, **tags))


def items(**tags: Any) -> Sequence:
    """A sequence with one item."""
    item = Dataset()
    for keyword, value in tags.items():
        setattr(item, keyword, value)
    return Sequence([item])


def lookup(first: int, bits: int, entries: list[int], vr: str = "US") -> Sequence:
    """A modality or window lookup table."""
    item = Dataset()
    item.add_new("LUTDescriptor", "SS" if first < 0 else "US", [len(entries), first, bits])
    item.add_new("LUTData", vr, entries)
    return Sequence([item])


def values_of(depth: Depth, slope: float, intercept: float) -> list[float]:
    """What the depth image says, in the modality's unit."""
    return [slope * int(each) + intercept for each in depth.flat]


def rgb_pixels(png: bytes) -> np.ndarray[Any, Any]:
    """The colours of a picture for a model: rows, columns, and red, green, blue."""
    with Image.open(io.BytesIO(png)) as image:
        assert (image.format, image.mode, image.width) == ("PNG", "RGB", image.height)
        return np.array(image)


def png_chunks(png: bytes) -> set[bytes]:
    """The kinds of chunk in a PNG, up to its very end."""
    at, kinds = 8, set()
    while at < len(png):
        kinds.add(png[at + 4 : at + 8])
        at += 12 + int(struct.unpack(">I", png[at : at + 4])[0])
    return kinds
