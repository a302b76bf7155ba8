"""Decode an image in a subprocess with limits, and keep only its pixels.

A 22 kB PNG can take a decoder to 859 MB, a 1 MB DICOM file to 2.1 GB, and a malformed file can crash it, so no decoder
runs in this process. What comes back is re-encoded from the pixels: no names in the metadata, nothing hidden behind.
"""

from __future__ import annotations

import asyncio
import json
import math
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal

from docgemma.errors import BadInput
from docgemma.imaging.facts import DicomFacts, Frame, ImageFacts
from docgemma.imaging.geometry import FRAMES, MOST_FRAMES, Square, spread, square_for
from docgemma.imaging.refusals import EXIT, MAX_BYTES, NO_HEADER, SLOW, UNREADABLE, refusal
from docgemma.imaging.storing import unpack_frames

Job = Literal["picture", "dicom", "window", "present"]

PNG = b"\x89PNG\r\n\x1a\n"
JPEG = b"\xff\xd8\xff"
BARE = tuple(
    group + element for group in (b"\x08\x00", b"\x02\x00") for element in (b"\0\0", b"\1\0", b"\5\0", b"\x08\0")
)
"""How a DICOM dataset begins that lost its file header: with a low tag of group 8, or of group 2."""

PLACES = ThreadPoolExecutor(2, thread_name_prefix="image-decoder")
"""Decoders of this process, whoever asks: each may take half a gigabyte. Waiting takes nothing of an image's time."""

TOO_LONG = (-signal.SIGXCPU, -signal.SIGKILL)
"""How a process ends that used up its processor time."""

ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1"}
"""Nothing of ours: a decoder that is taken over finds no token. Each thread of OpenBLAS would take of its memory."""


@dataclass(frozen=True, slots=True)
class Presented:
    """What a vision model is shown of an image: square pictures of 8 bits in red, green and blue, nothing but pixels.

    In the order of their frames, with how to find a place of theirs in the image.
    """

    pictures: tuple[bytes, ...] = field(repr=False)
    frames: tuple[int, ...]
    """Which frame each picture shows; the first is 1."""
    square: Square
    """Of every picture: all frames of a file have one size."""
    ct_windows: bool = False
    """Whether red, green and blue are three windows of CT numbers, and not colours."""


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
        return _inspected(output)
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
    names = ("slope", "intercept", "function", "inverted", "padding")
    tone = {name: getattr(facts, name) for name in names}
    return await work("window", {"tone": tone, "centre": centre, "width": width}, depth, timeout_s, memory_mb)


async def present(
    image: ImageFacts, *, most: int = MOST_FRAMES, timeout_s: float = 5, memory_mb: int = 512
) -> Presented:
    """The pictures for a model, at most `most` of them. Raises BadInput when the stored pixels cannot be read.

    A CT slice is shown in three windows at once, as the model was taught; any other image as it stands on the page.
    """
    if most < 1:
        raise BadInput("A model is shown at least one picture.")
    facts, frames = image.dicom, image.frames
    ct_windows = facts is not None and facts.hounsfield and image.depth is not None
    if len(frames) > most:
        frames = tuple(frames[index - 1] for index in spread(len(frames), most))
    if not frames or most == 1:  # one picture is the one on the page, not just any
        order: dict[str, Any] = {"width": image.width, "height": image.height, "aspect": image.aspect}
        data = image.data
        if ct_windows and facts is not None and image.depth is not None:
            order["values"] = {"slope": facts.slope, "intercept": facts.intercept, "padding": facts.padding}
            data = image.depth
        picture = await work("present", order, data, timeout_s, memory_mb)
        frames = (Frame(facts.frame if facts is not None else 1, picture),)
    square = square_for(image.width, image.height, image.aspect)
    return Presented(tuple(each.picture for each in frames), tuple(each.number for each in frames), square, ct_windows)


def _job(data: bytes) -> Job:
    dicom = data[128:132] == b"DICM"
    if data.startswith((PNG, JPEG)):
        if dicom:  # two files in one: which of them was meant is not for us to guess
            raise BadInput(UNREADABLE)
        return "picture"
    if dicom:
        return "dicom"
    raise BadInput(NO_HEADER if data.startswith(BARE) else UNREADABLE)


def _inspected(output: bytes) -> ImageFacts:
    head, _, body = output.partition(b"\n")
    header = json.loads(head)
    (clean, depth), dicom = header.pop("sizes"), header.pop("dicom", None)
    return ImageFacts(
        **header,
        data=body[:clean],
        depth=body[clean : clean + depth] or None,
        dicom=DicomFacts.from_dict(dicom) if dicom is not None else None,
        frames=unpack_frames(body[clean + depth :]),
    )


async def work(job: Job, order: dict[str, Any], data: bytes, timeout_s: float, memory_mb: int) -> bytes:
    """Have a decoder do one job. Raises BadInput with one sentence, whatever happened in there."""
    # Isolated, so that it finds no other module than those that are installed.
    command = (sys.executable, "-I", "-m", "docgemma.imaging.worker", str(memory_mb), str(max(1, round(timeout_s))))
    decoder = _Decoder((*command, job), json.dumps(order).encode() + b"\n" + data, timeout_s)
    try:
        code, output = await asyncio.wrap_future(PLACES.submit(decoder.run))
    except asyncio.CancelledError:
        decoder.stop()
        raise
    if code == EXIT:
        raise refusal(output)
    if code in TOO_LONG:
        raise BadInput(SLOW)
    if code != 0:
        raise BadInput(UNREADABLE)
    return output


class _Decoder:
    """One process. It is run in a thread, and stopped from another when nobody waits for it any more."""

    def __init__(self, command: tuple[str, ...], given: bytes, timeout_s: float) -> None:
        self._command, self._given, self._timeout_s = command, given, timeout_s
        self._process: subprocess.Popen[bytes] | None = None
        self._unwanted = threading.Event()

    def run(self) -> tuple[int, bytes]:
        """Its exit code and what it wrote. One that takes too long is killed."""
        with subprocess.Popen(  # noqa: S603 - our own interpreter and module
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=ENVIRONMENT,
        ) as process:
            self._process = process
            try:
                if self._unwanted.is_set():
                    process.kill()
                output, _ = process.communicate(self._given, self._timeout_s)
            except subprocess.TimeoutExpired:
                process.kill()
                output, _ = process.communicate()
            return process.wait(), output

    def stop(self) -> None:
        self._unwanted.set()
        if self._process is not None:
            self._process.kill()
