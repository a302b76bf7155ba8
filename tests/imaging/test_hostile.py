"""Files made to break a decoder: each ends in an image or in one reason, within the decoder's memory and time."""

from __future__ import annotations

import functools
import os
import random
import struct
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pydicom
import pytest
from PIL import Image
from pydicom.encaps import encapsulate
from pydicom.uid import DeflatedExplicitVRLittleEndian, JPEG2000Lossless, JPEGBaseline8Bit, RLELossless

from docgemma.errors import BadInput
from docgemma.imaging import inspect as inspect_in_time
from docgemma.imaging.refusals import EXIT, refusal
from tests.imaging.phantoms import dataset, grey, saved, wrapped
from tests.imaging.sweep import CPU_S, MEMORY_MB, Case, Cost, sweep
from tests.imaging.test_inspection import GOOD_JPEG, GOOD_PNG, MALFORMED, UNREADABLE, encoded, noise, png_of, zipped

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory and time are measured as Linux tells them")

inspect = functools.partial(inspect_in_time, timeout_s=60)
CASES = int(os.environ.get("DOCGEMMA_FUZZ", "60"))
"""How many damaged files are tried: `DOCGEMMA_FUZZ=1000` for a longer look."""

KILLED = -9
COLOUR = {"SamplesPerPixel": 3, "BitsAllocated": 8, "BitsStored": 8, "HighBit": 7, "PlanarConfiguration": 0}
COLOUR |= {"PhotometricInterpretation": "RGB"}
SMALL = grey([1, 2, 3, 4])
BEFORE_PIXELS = SMALL.rfind(b"\xe0\x7f\x10\x00")
EMPTY_ITEM = b"\xfe\xff\x00\xe0\0\0\0\0"
UNENDING = b"\xff\xff\xff\xff"


def within_limits(results: list[Cost]) -> None:
    """No result may be anything but an image, a reason from the list, unreadable, or the processor's limit."""
    wrong = []
    for each in results:
        reason = str(refusal(each.told.encode())) if each.code == EXIT else ""
        ended = each.code in (0, 1, KILLED) or (each.code == EXIT and reason != UNREADABLE)
        image = each.code != 0 or '"media_type": "image/' in each.told
        if not (ended and image and each.peak_mb <= MEMORY_MB and each.cpu_s <= CPU_S + 0.2):
            wrong.append(each)
    assert not wrong


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def coded(mode: str, size: tuple[int, int], kind: str, **options: Any) -> bytes:
    return encoded(Image.new(mode, size), kind, **options)


def deep_png(width: int, height: int, interlaced: int) -> bytes:
    """Four times 16 bits a pixel, more than Pillow would write."""
    header = struct.pack(">IIBBBBB", width, height, 16, 6, 0, 0, interlaced)
    packer = zlib.compressobj(9)
    packed = b"".join([*(packer.compress(bytes(1 + 8 * width)) for _ in range(height)), packer.flush()])
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def run_length(pixels: int, segments: int) -> bytes:
    """A frame of nothing but zeros: 128 pixels in two bytes."""
    one = b"\x81\x00" * -(-pixels // 128)
    offsets = [64 + index * len(one) for index in range(segments)]
    return struct.pack("<16L", segments, *offsets, *[0] * (15 - segments)) + one * segments


def deflated(rows: int, columns: int, frames: int = 1, **tags: Any) -> bytes:
    pixels = bytes(rows * columns * 2 * frames)
    return saved(dataset(pixels, rows, columns, syntax=DeflatedExplicitVRLittleEndian, NumberOfFrames=frames, **tags))


def header_with(extra: bytes) -> bytes:
    return SMALL[:BEFORE_PIXELS] + extra + SMALL[BEFORE_PIXELS:]


def pictures() -> Iterator[tuple[str, bytes]]:
    for mode in ("RGBA", "I;16"):
        yield f"50 million pixels {mode}", coded(mode, (7070, 7070), "PNG")
    turned = Image.Exif()
    turned[0x0112] = 6
    yield "50 million pixels, turned", coded("RGB", (7070, 7070), "JPEG", exif=turned)
    yield "50 million pixels, progressive", coded("RGB", (7070, 7070), "JPEG", progressive=True)
    yield "a promise of 900 million pixels", png_of(30_000, 30_000, zlib.compress(bytes(1000)))
    yield "22 kB for 108 million pixels", coded("1", (14_000, 12_000), "PNG")
    yield "64 bits a pixel", deep_png(2500, 2500, 0)
    yield "interlaced", deep_png(2000, 2000, 1)
    yield "one row", png_of(50_000_000, 1, zlib.compress(bytes(1000)))
    yield (
        "a profile that inflates",
        GOOD_PNG[:33] + chunk(b"iCCP", b"k\0\0" + zlib.compress(bytes(99_000_000))) + GOOD_PNG[33:],
    )
    yield "many chunks", GOOD_PNG[:33] + chunk(b"tEXt", b"a\0b") * 300_000 + GOOD_PNG[33:]
    yield "many unknown chunks", GOOD_PNG[:33] + chunk(b"abCd", b"") * 300_000 + GOOD_PNG[33:]
    yield "many markers", GOOD_JPEG[:2] + b"\xff\xfe\x00\x02" * 500_000 + GOOD_JPEG[2:]
    slow = coded("RGB", (2000, 2000), "JPEG", progressive=True)
    last = slow.rfind(b"\xff\xda")
    yield "many scans", slow[:-2] + slow[last:-2] * 300 + slow[-2:]


def dicom_files() -> Iterator[tuple[str, bytes]]:
    ct = {"Modality": "CT", "RescaleSlope": 1, "RescaleIntercept": -1024, "PixelPaddingValue": 7}
    yield "30 million pixels", deflated(5400, 5500, **ct)
    yield "12 million pixels, three times", deflated(3464, 3464, 3)
    one = run_length(5400 * 5500, 2)
    yield "30 million pixels, ten times", wrapped([one] * 10, 5400, 5500, RLELossless, NumberOfFrames=10)
    colours = run_length(5400 * 5500, 3)
    yield "30 million colours, five times", wrapped([colours] * 5, 5400, 5500, RLELossless, NumberOfFrames=5, **COLOUR)
    stream = coded("I;16", (5400, 5500), "JPEG2000", no_jp2=True)
    yield "a kilobyte of JPEG 2000, four times", wrapped([stream] * 4, 5500, 5400, JPEG2000Lossless, NumberOfFrames=4)
    stream = coded("RGB", (5400, 5500), "JPEG", progressive=True)
    yield "progressive frames", wrapped([stream] * 8, 5500, 5400, JPEGBaseline8Bit, NumberOfFrames=8, **COLOUR)
    yield "two thousand million frames", grey([1, 2, 3, 4], NumberOfFrames=2**31 - 1)
    yield "as many compressed", wrapped([run_length(4, 2)], 2, 2, RLELossless, NumberOfFrames=2**31 - 1)
    yield "no frames", grey([1, 2], NumberOfFrames=0)
    yield "fewer than no frames", grey([1, 2], NumberOfFrames=-5)
    yield "65535 by 65535", grey([1, 2, 3, 4], Rows=65535, Columns=65535)
    empty = EMPTY_ITEM * 300_000
    yield "empty fragments", saved(dataset(empty, 2, 2, syntax=RLELossless))
    yield "a frame for each empty fragment", saved(dataset(empty, 2, 2, syntax=RLELossless, NumberOfFrames=299_999))
    table = b"\xfe\xff\x00\xe0" + struct.pack("<L", 8_000_000) + bytes(8_000_000)
    offsets = table + encapsulate([run_length(4, 2)])[8:]
    yield "two million offsets", saved(dataset(offsets, 2, 2, syntax=RLELossless, NumberOfFrames=2_000_000))
    lie = b"\xfe\xff\x00\xe0" + struct.pack("<L", 0xFFFFFFF0)
    yield "a fragment longer than the file", saved(dataset(EMPTY_ITEM + lie, 2, 2, syntax=RLELossless))
    for name, tag in (("wanted", b"\x00\x52\x29\x92"), ("private", b"\x11\x00\x10\x10")):
        nested = tag + b"SQ\0\0" + UNENDING + b"\xfe\xff\x00\xe0" + UNENDING
        yield f"{name} sequences, 5,000 deep", header_with(nested * 5_000)
        yield f"{name} sequences, 400,000 deep", header_with(nested * 400_000)
    groups = b"\x00\x52\x30\x92SQ\0\0" + UNENDING + EMPTY_ITEM * 60_000 + b"\xfe\xff\xdd\xe0\0\0\0\0"
    yield "items without end", header_with(groups)
    yield "elements without end", header_with(b"\x11\x00\x10\x10LO\0\0" * 300_000)
    many = b"1\\" * 2_000_000
    yield "two million windows", header_with(b"\x28\x00\x50\x10UT\0\0" + struct.pack("<L", len(many)) + many)
    yield "an endless slope", grey([1, 2], RescaleSlope="1e308", RescaleIntercept="1e308")
    yield "no difference to be seen", grey([1, 2], WindowCenter="1e-300", WindowWidth="1e300")


def preambles() -> Iterator[tuple[str, bytes]]:
    """Two files in one: the 128 bytes before DICM belong to nobody."""
    for name, start in (
        ("windows program", b"MZ\x90\0"),
        ("linux program", b"\x7fELF\x02\x01\x01"),
        ("script", b"#!/bin/sh\n"),
        ("page", b"<html><script>"),
        ("pdf", b"%PDF-1.7"),
        ("gif", b"GIF89a"),
    ):
        yield name, start.ljust(128, b"\0") + SMALL[128:]
    yield "zip behind", SMALL + zipped()


def others() -> Iterator[tuple[str, bytes]]:
    """What is no PNG, JPEG or DICOM file, or one that is also something else."""
    yield from {
        "empty": b"",
        "svg": b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>",
        "zip": zipped(),
        "gif": encoded(noise(), "GIF"),
        "tiff": encoded(noise(), "TIFF"),
        "bmp": encoded(noise(), "BMP"),
        "webp": encoded(noise("RGB"), "WEBP"),
        "ico": encoded(noise("RGB"), "ICO"),
        "png and zip": GOOD_PNG + zipped(),
        "jpeg and zip": GOOD_JPEG + zipped(),
        "jpeg and pdf": GOOD_JPEG[:2] + b"\xff\xfe\x00\x0a%PDF-1.7" + GOOD_JPEG[2:],
        "png and dicom": GOOD_PNG[:128].ljust(128) + SMALL[128:],
        "png signature": GOOD_PNG[:8],
        "jpeg signature": GOOD_JPEG[:3],
    }.items()


@pytest.mark.parametrize("files", [pictures, dicom_files])
def test_bombs_stay_within_the_decoders_memory_and_time(files: Callable[[], Iterator[tuple[str, bytes]]]) -> None:
    cases = [Case(name, data) for name, data in files()]
    assert all(len(each.data) <= 20_000_000 for each in cases)
    within_limits(sweep(cases))


def test_the_measurement_sees_a_decoder_that_goes_too_far() -> None:
    fine, *_ = sweep([Case("fine", GOOD_PNG)])
    within_limits([fine])
    for wrong in ((0, 600.0, 1.0), (0, 30.0, 6.0), (-11, 30.0, 1.0), (EXIT, 30.0, 1.0)):
        with pytest.raises(AssertionError):
            within_limits([Cost("wrong", *wrong, told=fine.told)])


async def test_every_file_that_is_something_else_is_refused_with_one_sentence() -> None:
    said = {}
    for name, data in (*others(), *preambles()):
        try:
            await inspect(data)
        except BadInput as error:
            said[name] = str(error)
        else:
            said[name] = "an image"
    assert {name: sentence for name, sentence in said.items() if sentence != UNREADABLE} == {}


@pytest.mark.parametrize("start", [b"II*\0\x08\0\0\0", b"MM\0*\0\0\0\x08"], ids=["little", "big"])
async def test_a_tiff_in_the_free_bytes_is_allowed_and_does_not_come_along(start: bytes) -> None:
    """The standard offers them for it: whole-slide images are such files. Only the DICOM pixels are read."""
    given = (start + b"hidden").ljust(128, b"\0") + SMALL[128:]
    with_tiff, without = await inspect(given), await inspect(SMALL)
    assert with_tiff == without
    assert b"hidden" not in with_tiff.data


def test_files_cut_at_many_places_are_refused_or_whole() -> None:
    wide = {"Modality": "CT", "RescaleSlope": 1, "RescaleIntercept": 0}
    seeds = {
        "png": GOOD_PNG,
        "jpeg": GOOD_JPEG,
        "dicom": grey(list(range(256)), columns=8, Rows=8, NumberOfFrames=4, **wide),
        "compressed": wrapped([run_length(64, 2)] * 3, 8, 8, RLELossless, NumberOfFrames=3),
    }
    cases = [
        Case(f"{name} cut at {at}", data[:at], "picture" if name in ("png", "jpeg") else "dicom")
        for name, data in seeds.items()
        for at in {len(data) * part // 16 for part in range(1, 16)} | {len(data) - 1}
    ]
    results = sweep(cases)
    within_limits(results)
    shown = [each.name for each in results if each.code == 0 and each.name.startswith(("dicom", "png"))]
    assert not [name for name in shown if not name.endswith(f"at {len(GOOD_PNG) - 1}")]  # its last checksum alone


def flipped(random_: random.Random, data: bytes) -> bytes:
    """Some bits turned over, some bytes lost, some doubled: mostly near the beginning, where the lengths are."""
    made = bytearray(data)
    for _ in range(random_.randint(1, 6)):
        at = random_.randrange(min(len(made), random_.choice((600, len(made)))))
        kind = random_.randrange(4)
        if kind < 2:
            made[at] ^= 1 << random_.randrange(8)
        elif kind == 2:
            made[at : at + 2] = random_.choice((b"\xff\xff", b"\0\0", b"\x7f\xff"))
        else:
            made[at:at] = made[at : at + random_.randint(1, 40)]
    return bytes(made)


@pytest.mark.filterwarnings("ignore")
def test_damaged_files_are_an_image_or_refused() -> None:
    colour = saved(dataset(bytes(range(192)), 4, 4, NumberOfFrames=4, **COLOUR))
    stream = encoded(noise(), "JPEG2000", no_jp2=True)
    bits = {"BitsAllocated": 8, "BitsStored": 8, "HighBit": 7}
    seeds = [
        GOOD_PNG,
        GOOD_JPEG,
        encoded(noise("RGB"), "JPEG", progressive=True),
        encoded(noise("RGB").quantize(16), "PNG"),
        grey(list(range(256)), columns=8, Rows=8, NumberOfFrames=4, WindowCenter=100, WindowWidth=50),
        colour,
        wrapped([run_length(64, 2)] * 3, 8, 8, RLELossless, NumberOfFrames=3),
        wrapped([stream] * 2, 48, 64, JPEG2000Lossless, NumberOfFrames=2, **bits),
        deflated(16, 16, 3),
    ]
    random_ = random.Random(20261116)
    cases = []
    for number in range(CASES):
        kind = number % len(seeds)
        cases.append(Case(f"{number}: seed {kind}", flipped(random_, seeds[kind]), "picture" if kind < 4 else "dicom"))
    within_limits(sweep(cases))


def test_the_files_that_come_with_pydicom_are_an_image_or_refused() -> None:
    paths = sorted((Path(pydicom.__file__).parent / "data").rglob("*.dcm"))
    results = sweep([Case(path.name, path.read_bytes()) for path in paths])
    within_limits(results)
    assert sum(each.code == 0 for each in results) >= 50


@pytest.mark.skipif(not MALFORMED.exists(), reason="the attack set is not beside this checkout")
def test_the_attack_set_through_every_decoder() -> None:
    """As a picture, as a DICOM file, and as the frame of a DICOM file, whatever `inspect` would have chosen."""
    cases = []
    for path in sorted(MALFORMED.iterdir()):
        data = path.read_bytes()
        cases += [Case(f"{job} {path.name}", data, job) for job in ("picture", "dicom")]
        cases += [
            Case(f"frame {syntax} {path.name}", wrapped([data], 64, 64, syntax, **COLOUR))
            for syntax in (RLELossless, JPEGBaseline8Bit, JPEG2000Lossless)
        ]
    within_limits(sweep(cases))
