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

from PIL import ImageOps
from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile

from docgemma.imaging.drawing import bands, ct_bands, png, squared
from docgemma.imaging.inspection import PNG
from docgemma.imaging.refusals import EXIT, MAX_PIXELS, Refused
from docgemma.imaging.square import square_for
from docgemma.imaging.tones import Tone


def main() -> None:
    memory_mb, cpu_seconds = int(sys.argv[1]), int(sys.argv[2])
    if (job := sys.argv[3]) == "dicom":
        _import_dicom()
    _limit(memory_mb, cpu_seconds)
    head, _, data = sys.stdin.buffer.read().partition(b"\n")
    try:
        sys.stdout.buffer.write(done(job, json.loads(head), data, cpu_seconds))
    except Refused as refused:
        _refuse(refused)
    except MemoryError:
        _refuse(Refused("memory"))


def _refuse(refused: Refused) -> None:
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


def done(job: str, order: dict[str, Any], data: bytes, seconds: float) -> bytes:
    """What a job gives back. Any error but Refused means that the image is unreadable."""
    if job == "window":
        return _windowed(order, data)
    if job == "present":
        return _presented(order, data)
    return inspected(job, order, data, seconds)


def inspected(job: str, order: dict[str, Any], data: bytes, seconds: float = 60) -> bytes:
    if zipfile.is_zipfile(io.BytesIO(data)) or b"%PDF-" in data[:1024]:
        raise ValueError("two files in one")
    header, parts = _dicom(order, data, seconds) if job == "dicom" else _clean(data)
    header["parts"] = [len(each) for each in parts]
    return json.dumps(header, allow_nan=False).encode() + b"\n" + b"".join(parts)


def _dicom(order: dict[str, Any], data: bytes, seconds: float) -> tuple[dict[str, Any], list[bytes]]:
    from docgemma.imaging.dicom import Budget, decoded, drawn_frames, opened

    budget, file = Budget(seconds), opened(data)
    shown = decoded(file, order["frame"])
    picture, facts = shown.picture(), shown.facts
    parts = [png(picture), png(shown.depth) if shown.depth is not None else b""]
    header = {"media_type": "image/png", "width": picture.width, "height": picture.height, "dicom": facts.as_dict()}
    del shown, picture  # as large as all that follows
    wanted = order["frames"] if facts.frames > 1 else 0
    frames = drawn_frames(file, facts, wanted, budget) if wanted > 1 else ()
    return header | {"frames": [each.number for each in frames]}, [*parts, *(each.picture for each in frames)]


def _windowed(order: dict[str, Any], data: bytes) -> bytes:
    with _opened(data) as depth:
        if depth.mode != "I;16":
            raise ValueError("not the depth of a grey image")
        return png(Tone(**order["tone"]).drawn(depth, order["centre"], order["width"]))


def _presented(order: dict[str, Any], data: bytes) -> bytes:
    square = square_for(order["width"], order["height"], order["aspect"])
    with _opened(data) as image:
        if image.size != (order["width"], order["height"]):
            raise ValueError("not the image that was meant")
        if (values := order.get("values")) is None:
            if isinstance(image, JpegImageFile):  # decoded at twice the size that is needed, not at any size
                image.draft(image.mode, (2 * square.across, 2 * square.down))
            return png(squared(bands(image), square))
        if image.mode != "I;16":
            raise ValueError("not the depth of a grey image")
        return png(squared(ct_bands(image, **values), square))


def _opened(data: bytes) -> PngImageFile | JpegImageFile:
    """By the first bytes alone, and only with these two decoders: Pillow has others, with other faults."""
    image = (PngImageFile if data.startswith(PNG) else JpegImageFile)(io.BytesIO(data))
    if image.width * image.height > MAX_PIXELS:
        raise Refused("pixels")
    return image


def _clean(data: bytes) -> tuple[dict[str, Any], list[bytes]]:
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
        header = {"media_type": media_type, "width": image.width, "height": image.height, "frames": []}
        return header, [out.getvalue(), b""]


if __name__ == "__main__":
    main()
