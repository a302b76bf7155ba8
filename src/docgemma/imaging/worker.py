"""The decoder's own process: `python -m docgemma.imaging.worker MEMORY_MB CPU_SECONDS JOB`, image in, image out.

Limits are set before the first byte is read. Whatever goes wrong ends this process; at most it names one of a closed
list of reasons.
"""

from __future__ import annotations

import io
import json
import resource
import sys
import zipfile
from typing import Any

from PIL import Image, ImageOps
from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile

from docgemma.imaging.inspection import PNG
from docgemma.imaging.refusals import EXIT, MAX_PIXELS, Refused

MOST = 150_000_000
"""More than any job needs: the depth of the largest image, and the order before it."""


def main() -> None:
    memory_mb, cpu_seconds = int(sys.argv[1]), int(sys.argv[2])
    if (job := sys.argv[3]) == "dicom":
        _import_dicom()
    _limit(memory_mb, cpu_seconds)
    head, _, data = sys.stdin.buffer.read(MOST).partition(b"\n")
    order = json.loads(head)
    try:
        sys.stdout.buffer.write(_windowed(order, data) if job == "window" else inspected(job, order, data))
    except Refused as refused:
        sys.stdout.buffer.write(refused.told)
        sys.stdout.flush()
        sys.exit(EXIT)


def _import_dicom() -> None:
    """Before the limits: they forbid writing files, so Python could not keep what it compiled, and start slowly.

    numpy is shut out: pydicom would load it where it is installed, and the same file must read the same without it.
    """
    sys.modules["numpy"] = None  # type: ignore[assignment]
    import docgemma.imaging.dicom  # noqa: F401


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


def inspected(job: str, order: dict[str, Any], data: bytes) -> bytes:
    if zipfile.is_zipfile(io.BytesIO(data)) or b"%PDF-" in data[:1024]:
        raise ValueError("two files in one")
    if job == "dicom":
        from docgemma.imaging.dicom import read

        picture, depth, facts = read(data, order["frame"])
        clean, deep = _png(picture), _png(depth) if depth is not None else b""
        header = {"media_type": "image/png", "width": picture.width, "height": picture.height, "dicom": facts.as_dict()}
    else:
        header, clean = _clean(data)
        deep = b""
    return json.dumps(header | {"size": len(clean)}, allow_nan=False).encode() + b"\n" + clean + deep


def _windowed(order: dict[str, Any], data: bytes) -> bytes:
    from docgemma.imaging.tones import Tone

    with PngImageFile(io.BytesIO(data)) as depth:
        if depth.width * depth.height > MAX_PIXELS:
            raise Refused("pixels")
        if depth.mode != "I;16":
            raise ValueError("not the depth of a grey image")
        return _png(Tone(**order["tone"]).drawn(depth, order["centre"], order["width"]))


def _png(image: Image.Image) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=1)
    return out.getvalue()


def _clean(data: bytes) -> tuple[dict[str, Any], bytes]:
    """Decode fully, turn upright, and encode again from the pixels alone."""
    png = data.startswith(PNG)
    with (PngImageFile if png else JpegImageFile)(io.BytesIO(data)) as image:
        if image.width * image.height > MAX_PIXELS:
            raise Refused("pixels")
        image.load()
        ImageOps.exif_transpose(image, in_place=True)  # a sideways X-ray must not stay so once its EXIF is gone
        # Without `info` nothing but pixels is written: no EXIF, comment, text, profile or thumbnail.
        image.info = {key: value for key, value in image.info.items() if key == "transparency"}
        out = io.BytesIO()
        if png:
            image.save(out, "PNG", compress_level=1)
        else:
            image.save(out, "JPEG", quality="keep")  # the same quantisation: the least that re-encoding can cost
        media_type = "image/png" if png else "image/jpeg"
        return {"media_type": media_type, "width": image.width, "height": image.height}, out.getvalue()


if __name__ == "__main__":
    main()
