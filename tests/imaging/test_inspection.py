"""Images from outside: what is one comes back clean, what is not is refused in one sentence."""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import struct
import sys
import zipfile
import zlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image, PngImagePlugin

from docgemma.errors import BadInput
from docgemma.imaging import ImageFacts, inspect

MALFORMED = Path(__file__).parents[3] / "shared" / "data" / "attacks" / "pillow_malformed"
UNREADABLE = "This file is not a readable PNG, JPEG or DICOM image."


def encoded(image: Image.Image, kind: str, **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def noise(mode: str = "L") -> Image.Image:
    return Image.effect_noise((64, 48), 40).convert(mode)


def png_of(width: int, height: int, pixels: bytes) -> bytes:
    """A PNG with a header that promises more than Pillow would write."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("run.sh", "echo hello")
    return out.getvalue()


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
async def test_a_png_keeps_its_pixels(mode: str) -> None:
    picture = Image.frombytes("I;16", (64, 48), os.urandom(64 * 48 * 2)) if mode == "I;16" else noise(mode)
    facts = await inspect(encoded(picture, "PNG"))
    assert (facts.media_type, facts.width, facts.height) == ("image/png", 64, 48)
    with Image.open(io.BytesIO(facts.data)) as clean:
        assert (clean.format, clean.mode) == ("PNG", picture.mode)
        assert clean.tobytes() == picture.tobytes()


@pytest.mark.parametrize("mode", ["L", "RGB", "CMYK"])
async def test_a_jpeg_is_read_whatever_its_name_says(mode: str) -> None:
    facts = await inspect(encoded(noise(mode), "JPEG"))
    assert (facts.media_type, facts.width, facts.height) == ("image/jpeg", 64, 48)
    with Image.open(io.BytesIO(facts.data)) as clean:
        assert (clean.format, clean.mode, clean.size) == ("JPEG", mode, (64, 48))


@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
async def test_metadata_is_gone_and_the_image_stands_upright(kind: str) -> None:
    exif = Image.Exif()
    exif[0x010E] = "Jane Canary"
    exif[0x0112] = 6  # to be turned by 90 degrees
    text = PngImagePlugin.PngInfo()
    text.add_text("Patient", "Jane Canary")
    options = {"comment": b"Jane Canary"} if kind == "JPEG" else {"pnginfo": text}
    given = encoded(noise("RGB"), kind, exif=exif, icc_profile=b"Jane Canary", **options)
    assert given.count(b"Jane Canary") >= 2
    facts = await inspect(given)
    assert b"Canary" not in facts.data
    assert (facts.width, facts.height) == (48, 64)
    with Image.open(io.BytesIO(facts.data)) as clean:
        assert clean.size == (48, 64)
        assert not clean.getexif()


async def test_what_hides_behind_the_image_does_not_come_along() -> None:
    facts = await inspect(encoded(noise(), "JPEG") + b"<script>alert(1)</script>")
    assert b"script" not in facts.data


def workers() -> list[str]:
    """This process's decoders that are still there, running or unburied, as Linux tells it."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it may end while we look
            parent = (process / "stat").read_text().rpartition(")")[2].split()[1]
            if int(parent) == os.getpid() and b"imaging.worker" in (process / "cmdline").read_bytes():
                found.append(process.name)
    return found


GOOD_PNG = encoded(noise(), "PNG")
GOOD_JPEG = encoded(noise("RGB"), "JPEG")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"hello",
        b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>",
        b"GIF89a" + bytes(100),
        b"BM" + bytes(100),
        encoded(noise(), "GIF"),
        encoded(noise(), "TIFF"),
        zipped(),
        GOOD_PNG[:8],
        GOOD_PNG[: len(GOOD_PNG) // 2],
        GOOD_PNG.replace(b"IDAT", b"IDAX"),
        GOOD_JPEG[:3],
        GOOD_JPEG[: len(GOOD_JPEG) // 2],
        GOOD_PNG + zipped(),
        GOOD_JPEG + zipped(),
        GOOD_JPEG[:2] + b"\xff\xfe\x00\x0a%PDF-1.7" + GOOD_JPEG[2:],
        png_of(0, 10, b""),
        png_of(10, 10, zlib.compress(b"")),
    ],
)
async def test_everything_else_is_unreadable(data: bytes) -> None:
    with pytest.raises(BadInput) as refusal:
        await inspect(data)
    assert str(refusal.value) == UNREADABLE


async def test_bombs_are_refused() -> None:
    promised = png_of(30_000, 30_000, zlib.compress(bytes(1000)))
    with pytest.raises(BadInput, match="50 million pixels"):
        await inspect(promised)
    solid = encoded(Image.new("L", (12_000, 10_000)), "PNG")
    assert len(solid) < 200_000
    with pytest.raises(BadInput, match="50 million pixels"):
        await inspect(solid)
    with pytest.raises(BadInput, match="20 MB"):
        await inspect(GOOD_PNG + bytes(20_000_000))


async def test_a_text_chunk_that_inflates_is_refused() -> None:
    body = b"k\0\0" + zlib.compress(bytes(100_000_000))
    chunk = struct.pack(">I", len(body)) + b"zTXt" + body + struct.pack(">I", zlib.crc32(b"zTXt" + body))
    with pytest.raises(BadInput, match="not a readable"):
        await inspect(GOOD_PNG[:33] + chunk + GOOD_PNG[33:])


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS does not limit address space")
async def test_memory_is_limited() -> None:
    large = encoded(Image.new("RGB", (6000, 6000)), "PNG")
    assert (await inspect(large)).width == 6000
    with pytest.raises(BadInput, match="more memory than it may have"):
        await inspect(large, memory_mb=150)


async def test_time_is_limited_and_no_worker_stays_behind() -> None:
    with pytest.raises(BadInput, match="too long"):
        await inspect(GOOD_PNG, timeout_s=0)
    assert not workers()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to see other processes")
async def test_a_cancelled_request_leaves_no_worker_behind() -> None:
    request = asyncio.create_task(inspect(encoded(Image.new("RGB", (4000, 4000)), "PNG")))
    while not workers():
        await asyncio.sleep(0.01)
    request.cancel()
    with pytest.raises(asyncio.CancelledError):
        await request
    assert not workers()


@pytest.mark.skipif(not MALFORMED.exists(), reason="the attack set is not beside this checkout")
async def test_the_attack_set_gives_an_image_or_one_sentence() -> None:
    for path in sorted(MALFORMED.iterdir()):
        try:
            facts = await inspect(path.read_bytes())
        except BadInput as refusal:
            assert str(refusal) == UNREADABLE, path.name
        else:
            assert path.suffix in (".png", ".jpg"), path.name
            assert isinstance(facts, ImageFacts)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_damaged_image_is_an_image_or_bad_input(data: st.DataObject) -> None:
    damaged = bytearray(data.draw(st.sampled_from([GOOD_PNG, GOOD_JPEG])))
    for _ in range(data.draw(st.integers(1, 8))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    try:
        assert asyncio.run(inspect(bytes(damaged))).data
    except BadInput as refusal:
        assert "image" in str(refusal)
