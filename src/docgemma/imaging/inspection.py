"""Decode an image in a subprocess with limits, and keep only its pixels.

A 22 kB PNG can take a decoder to 859 MB, a 1 MB DICOM file to 2.1 GB, and a malformed file can crash it, so no decoder
runs in this process. What comes back is re-encoded from the pixels: no names in the metadata, nothing hidden behind.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import sys
from typing import Any, Literal

from docgemma.errors import BadInput
from docgemma.imaging.facts import DicomFacts, ImageFacts
from docgemma.imaging.refusals import EXIT, MAX_BYTES, NO_HEADER, UNREADABLE, refusal

PNG = b"\x89PNG\r\n\x1a\n"
JPEG = b"\xff\xd8\xff"
BARE = tuple(
    group + element for group in (b"\x08\x00", b"\x02\x00") for element in (b"\0\0", b"\1\0", b"\5\0", b"\x08\0")
)
"""How a DICOM dataset begins that lost its file header: with a low tag of group 8, or of group 2."""

Job = Literal["picture", "dicom", "window"]


async def inspect(data: bytes, *, frame: int = 1, timeout_s: float = 5, memory_mb: int = 512) -> ImageFacts:
    """Prove that these bytes are a PNG, JPEG or DICOM image, whatever their name says. Raises BadInput if they are not.

    Of a DICOM file with several frames one is decoded: the first, or the one asked for.
    """
    if len(data) > MAX_BYTES:
        raise BadInput(f"This image is larger than {MAX_BYTES // 1_000_000} MB.")
    if frame < 1:
        raise BadInput("Frames are counted from 1.")
    job = _job(data)
    output = await _work(job, {"frame": frame}, data, timeout_s, memory_mb)
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
    return await _work("window", {"tone": tone, "centre": centre, "width": width}, depth, timeout_s, memory_mb)


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
    size = header.pop("size")
    dicom = header.pop("dicom", None)
    return ImageFacts(
        **header,
        data=body[:size],
        depth=body[size:] or None,
        dicom=DicomFacts.from_dict(dicom) if dicom is not None else None,
    )


async def _work(job: Job, order: dict[str, Any], data: bytes, timeout_s: float, memory_mb: int) -> bytes:
    # Isolated and without our environment: a decoder that is taken over finds no token and no other module.
    worker = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-I", "-m", "docgemma.imaging.worker", str(memory_mb), str(max(1, round(timeout_s))), job),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={},
    )
    try:
        async with asyncio.timeout(timeout_s):
            output, _ = await worker.communicate(json.dumps(order).encode() + b"\n" + data)
    except TimeoutError:
        raise BadInput("This image took too long to read.") from None
    finally:
        with contextlib.suppress(ProcessLookupError):
            worker.kill()
        await worker.wait()
    if worker.returncode == EXIT:
        raise refusal(output)
    if worker.returncode != 0:
        raise BadInput(UNREADABLE)
    return output
