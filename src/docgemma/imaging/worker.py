"""The decoder's own process: `python -m docgemma.imaging.worker MEMORY_MB CPU_SECONDS JOB`, image in, image out.

Limits are set before the first byte is read. Whatever goes wrong ends this process; at most it names one of a closed
list of reasons.
"""

from __future__ import annotations

import importlib
import io
import json
import resource
import sys
import zipfile
from typing import Any

from PIL import ImageOps
from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile

from docgemma.imaging.decoding import PNG
from docgemma.imaging.facts import Frame
from docgemma.imaging.refusals import EXIT, MAX_PIXELS, Refused
from docgemma.imaging.storing import pack_frames


def main() -> None:
    memory_mb, cpu_seconds, job = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    if job != "picture":
        # Before the limits: they forbid writing files, so Python could not keep what it compiled, and start slowly.
        importlib.import_module(f"docgemma.imaging.{'dicom' if job == 'dicom' else 'drawing'}")
    _limit(memory_mb, cpu_seconds)
    head, _, data = sys.stdin.buffer.read().partition(b"\n")
    try:
        output, code = done(job, json.loads(head), data, cpu_seconds), 0
    except Refused as refused:
        output, code = refused.encoded, EXIT
    except MemoryError:
        output, code = Refused("memory").encoded, EXIT
    sys.stdout.buffer.write(output)
    sys.stdout.flush()
    sys.exit(code)


def _limit(memory_mb: int, cpu_seconds: int) -> None:
    memory = memory_mb * 1024 * 1024
    limits = {
        resource.RLIMIT_CPU: cpu_seconds,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: 0,
    }
    if sys.platform != "darwin":  # macOS knows the name but refuses to set it
        limits[resource.RLIMIT_AS] = memory
    for kind, value in limits.items():
        resource.setrlimit(kind, (value, value))


def done(job: str, order: dict[str, Any], data: bytes, seconds: float = 60) -> bytes:
    """What a job gives back. Any error but Refused means that the image is unreadable."""
    if job in ("window", "present"):
        from docgemma.imaging.drawing import presented, windowed

        with _opened(data) as image:
            return (windowed if job == "window" else presented)(image, order)
    if zipfile.is_zipfile(io.BytesIO(data)) or b"%PDF-" in data[:1024]:
        raise ValueError("two files in one")
    return _dicom(order, data, seconds) if job == "dicom" else _clean(data)


def _dicom(order: dict[str, Any], data: bytes, seconds: float) -> bytes:
    from docgemma.imaging.dicom import Budget, decoded, drawn_frames, opened
    from docgemma.imaging.drawing import png

    budget, file = Budget(seconds), opened(data)
    shown = decoded(file, order["frame"])
    picture, facts = shown.picture(), shown.facts
    clean, depth = png(picture), png(shown.depth) if shown.depth is not None else b""
    header = {"media_type": "image/png", "width": picture.width, "height": picture.height, "dicom": facts.as_dict()}
    del shown, picture  # as large as all that follows
    wanted = order["frames"] if facts.frames > 1 else 0
    return _output(header, clean, depth, drawn_frames(file, facts, wanted, budget) if wanted > 1 else ())


def _output(header: dict[str, Any], clean: bytes, depth: bytes = b"", frames: tuple[Frame, ...] = ()) -> bytes:
    header["sizes"] = len(clean), len(depth)
    return b"".join((json.dumps(header, allow_nan=False).encode(), b"\n", clean, depth, pack_frames(frames)))


def _opened(data: bytes) -> PngImageFile | JpegImageFile:
    """By the first bytes alone, and only with these two decoders: Pillow has others, with other faults."""
    image = (PngImageFile if data.startswith(PNG) else JpegImageFile)(io.BytesIO(data))
    if image.width * image.height > MAX_PIXELS:
        raise Refused("pixels")
    return image


def _clean(data: bytes) -> bytes:
    """Decode fully, turn upright, and encode again from the pixels alone."""
    is_png = data.startswith(PNG)
    with _opened(data) as image:
        image.load()
        ImageOps.exif_transpose(image, in_place=True)  # a sideways X-ray must not stay so once its EXIF is gone
        # Without `info` nothing but pixels is written: no EXIF, comment, text, profile or thumbnail.
        image.info = {key: value for key, value in image.info.items() if key == "transparency"}
        out = io.BytesIO()
        if is_png:
            image.save(out, "PNG", compress_level=1)
        else:
            image.save(out, "JPEG", quality="keep")  # the same quantisation: the least that re-encoding can cost
        media_type = "image/png" if is_png else "image/jpeg"
        return _output({"media_type": media_type, "width": image.width, "height": image.height}, out.getvalue())


if __name__ == "__main__":
    main()
