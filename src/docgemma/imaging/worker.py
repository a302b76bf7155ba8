"""The decoder's own process: `python -m docgemma.imaging.worker MEMORY_MB CPU_SECONDS`, image in, image out.

Limits are set before the first byte is read. Whatever goes wrong ends this process; its exit code is all that is told.
"""

from __future__ import annotations

import io
import json
import resource
import sys
import zipfile

from PIL import ImageOps
from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile

from docgemma.imaging.inspection import MAGIC, MAX_BYTES, MAX_PIXELS, TOO_MANY_PIXELS


def main() -> None:
    memory_mb, cpu_seconds = (int(argument) for argument in sys.argv[1:])
    _limit(memory_mb, cpu_seconds)
    facts, pixels = _clean(sys.stdin.buffer.read(MAX_BYTES + 1))
    sys.stdout.buffer.write(json.dumps(facts).encode() + b"\n" + pixels)


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


def _clean(data: bytes) -> tuple[dict[str, str | int], bytes]:
    """Decode fully, turn upright, and encode again from the pixels alone."""
    if zipfile.is_zipfile(io.BytesIO(data)) or b"%PDF-" in data[:1024]:
        raise ValueError("two files in one")
    png = data.startswith(MAGIC[0])
    with (PngImageFile if png else JpegImageFile)(io.BytesIO(data)) as image:
        if image.width * image.height > MAX_PIXELS:
            sys.exit(TOO_MANY_PIXELS)
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
