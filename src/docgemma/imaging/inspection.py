"""Decode an image in a subprocess with limits, and keep only its pixels.

A 22 kB PNG can take a decoder to 859 MB, a 1 MB DICOM file to 2.1 GB, and a malformed file can crash it, so no decoder
runs in this process. What comes back is re-encoded from the pixels: no names in the metadata, nothing hidden behind.
"""

from __future__ import annotations

import json
import math

from docgemma.errors import BadInput
from docgemma.imaging.facts import DicomFacts, Frame, ImageFacts
from docgemma.imaging.process import Job, work
from docgemma.imaging.refusals import MAX_BYTES, NO_HEADER, UNREADABLE
from docgemma.imaging.sampling import FRAMES, MOST_FRAMES

PNG = b"\x89PNG\r\n\x1a\n"
JPEG = b"\xff\xd8\xff"
BARE = tuple(
    group + element for group in (b"\x08\x00", b"\x02\x00") for element in (b"\0\0", b"\1\0", b"\5\0", b"\x08\0")
)
"""How a DICOM dataset begins that lost its file header: with a low tag of group 8, or of group 2."""


async def inspect(
    data: bytes, *, frame: int = 1, frames: int = FRAMES, timeout_s: float = 5, memory_mb: int = 512
) -> ImageFacts:
    """Prove that these bytes are a PNG, JPEG or DICOM image, whatever their name says. Raises BadInput if they are not.

    Of a DICOM file with several frames one is the picture: the first, or the one asked for. Beside it up to `frames`
    of them are drawn for a vision model, fewer where time or memory do not allow more.
    """
    if len(data) > MAX_BYTES:
        raise BadInput(f"This image is larger than {MAX_BYTES // 1_000_000} MB.")
    if frame < 1:
        raise BadInput("Frames are counted from 1.")
    order = {"frame": frame, "frames": max(0, min(frames, MOST_FRAMES))}
    output = await work(_job(data), order, data, timeout_s, memory_mb)
    try:
        return _facts(output)
    except (ValueError, KeyError, TypeError):
        raise BadInput(UNREADABLE) from None


async def window(
    depth: bytes, facts: DicomFacts, *, centre: float, width: float, timeout_s: float = 5, memory_mb: int = 512
) -> bytes:
    """The image once more, as an 8-bit PNG in another window. `depth` and `facts` are what `inspect` gave."""
    smallest = 1 if facts.function == "LINEAR" else 0
    if not (math.isfinite(centre) and math.isfinite(width)):
        raise BadInput("A window's centre and width are plain numbers.")
    if width < smallest or width <= 0:
        raise BadInput("A window's width is at least 1." if smallest else "A window's width is more than 0.")
    tone = {
        "slope": facts.slope,
        "intercept": facts.intercept,
        "function": facts.function,
        "inverted": facts.inverted,
        "padding": facts.padding,
    }
    return await work("window", {"tone": tone, "centre": centre, "width": width}, depth, timeout_s, memory_mb)


def _job(data: bytes) -> Job:
    dicom = data[128:132] == b"DICM"
    if data.startswith((PNG, JPEG)):
        if dicom:  # two files in one: which of them was meant is not for us to guess
            raise BadInput(UNREADABLE)
        return "picture"
    if dicom:
        return "dicom"
    raise BadInput(NO_HEADER if data.startswith(BARE) else UNREADABLE)


def _facts(output: bytes) -> ImageFacts:
    head, _, body = output.partition(b"\n")
    header = json.loads(head)
    parts, numbers, dicom = header.pop("parts"), header.pop("frames"), header.pop("dicom", None)
    cut, at = [], 0
    for size in parts:
        cut.append(body[at : at + size])
        at += size
    clean, depth, *drawn = cut
    return ImageFacts(
        **header,
        data=clean,
        depth=depth or None,
        dicom=DicomFacts.from_dict(dicom) if dicom is not None else None,
        frames=tuple(Frame(number, picture) for number, picture in zip(numbers, drawn, strict=True)),
    )
