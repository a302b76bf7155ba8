"""Decode an image in a subprocess with limits, and keep only its pixels.

A 22 kB PNG can take a decoder to 859 MB and a malformed file can crash it, so no decoder runs in this process. What
comes back is re-encoded from the pixels: no names in the metadata, and nothing hidden behind the image.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from dataclasses import dataclass, field
from typing import Literal

from docgemma.errors import BadInput

MAX_BYTES = 20_000_000
MAX_PIXELS = 50_000_000
TOO_MANY_PIXELS = 3
"""The worker's exit code for an image that is fine but too large; every other failure is simply unreadable."""

UNREADABLE = "This file is not a readable PNG or JPEG image."
MAGIC = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff")


@dataclass(frozen=True, slots=True)
class ImageFacts:
    """An image that was decoded once: its true type, its size, and a clean copy."""

    media_type: Literal["image/png", "image/jpeg"]
    width: int
    height: int
    data: bytes = field(repr=False)


async def inspect(data: bytes, *, timeout_s: float = 5, memory_mb: int = 512) -> ImageFacts:
    """Prove that these bytes are a PNG or JPEG image, whatever their name says. Raises BadInput when they are not."""
    if len(data) > MAX_BYTES:
        raise BadInput(f"This image is larger than {MAX_BYTES // 1_000_000} MB.")
    if not data.startswith(MAGIC):
        raise BadInput(UNREADABLE)
    output = await _decode(data, timeout_s, memory_mb)
    header, _, pixels = output.partition(b"\n")
    return ImageFacts(**json.loads(header), data=pixels)


async def _decode(data: bytes, timeout_s: float, memory_mb: int) -> bytes:
    # Isolated and without our environment: a decoder that is taken over finds no token and no other module.
    worker = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-I", "-m", "docgemma.imaging.worker", str(memory_mb), str(max(1, round(timeout_s)))),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={},
    )
    try:
        async with asyncio.timeout(timeout_s):
            output, _ = await worker.communicate(data)
    except TimeoutError:
        raise BadInput("This image took too long to read.") from None
    finally:
        with contextlib.suppress(ProcessLookupError):
            worker.kill()
        await worker.wait()
    if worker.returncode == TOO_MANY_PIXELS:
        raise BadInput(f"This image has more than {MAX_PIXELS // 1_000_000} million pixels.")
    if worker.returncode != 0:
        raise BadInput(UNREADABLE)
    return output
