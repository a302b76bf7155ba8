"""DICOM through the decoder's own process: limits, files in disguise, and nothing that names a patient."""

from __future__ import annotations

import functools
import io
import json
import struct
import subprocess
import sys
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image
from pydicom.dataset import Dataset
from pydicom.uid import DeflatedExplicitVRLittleEndian, JPEG2000Lossless

from docgemma.errors import BadInput
from docgemma.imaging import DicomFacts, presets, worker
from docgemma.imaging import inspect as inspect_in_time
from docgemma.imaging import window as window_in_time
from docgemma.imaging.refusals import Refused, refusal
from tests.imaging.phantoms import dataset, grey, items, png_chunks, saved, words, wrapped
from tests.imaging.test_inspection import GOOD_PNG, MALFORMED, UNREADABLE, zipped

inspect = functools.partial(inspect_in_time, timeout_s=60)  # how busy the machine is must not decide a test
window = functools.partial(window_in_time, timeout_s=60)

CT = {"Modality": "CT", "RescaleSlope": 1, "RescaleIntercept": -1024, "PixelPaddingValue": 0}
RAMP = grey(list(range(0, 4096, 4)), columns=32, **CT)


async def said(data: bytes) -> str:
    with pytest.raises(BadInput) as caught:
        await inspect(data)
    return str(caught.value)


def pixels(png: bytes) -> bytes:
    with Image.open(io.BytesIO(png)) as image:
        assert (image.format, image.mode) == ("PNG", "L")
        return image.tobytes()


async def test_another_window_needs_only_what_was_kept() -> None:
    facts = await inspect(RAMP)
    assert (facts.media_type, facts.width, facts.height) == ("image/png", 32, 32)
    assert facts.dicom is not None
    assert facts.depth is not None
    assert facts.dicom.shown is not None
    shown = facts.dicom.shown
    again = await window(facts.depth, facts.dicom, centre=shown.centre, width=shown.width)
    assert pixels(again) == pixels(facts.data)
    lung = next(each for each in presets(facts.dicom) if each.name == "lung")
    drawn = pixels(await window(facts.depth, facts.dicom, centre=lung.centre, width=lung.width))
    assert drawn[0] == 0
    assert drawn[106] == int((((424 - 1024) + 600.5) / 1499 + 0.5) * 255 + 0.5)
    inverted = replace(facts.dicom, photometric="MONOCHROME1")
    negative = pixels(await window(facts.depth, inverted, centre=lung.centre, width=lung.width))
    assert negative[0] == 0
    assert [255 - each for each in negative[1:]] == list(drawn[1:])


@pytest.mark.parametrize(
    ("centre", "width", "sentence"),
    [
        (40, 0, "A window's width is at least 1."),
        (40, -5, "A window's width is at least 1."),
        (float("nan"), 80, "A window's centre and width are plain numbers."),
        (40, float("inf"), "A window's centre and width are plain numbers."),
    ],
)
async def test_a_window_that_shows_nothing_is_refused(centre: float, width: float, sentence: str) -> None:
    facts = DicomFacts("CT", "MONOCHROME2", bits=12, frames=1, frame=1, rows=1, columns=1)
    with pytest.raises(BadInput) as caught:
        await window(b"", facts, centre=centre, width=width)
    assert str(caught.value) == sentence


async def test_only_a_depth_image_has_windows() -> None:
    facts = DicomFacts("CT", "MONOCHROME2", bits=12, frames=1, frame=1, rows=1, columns=1)
    with pytest.raises(BadInput, match="not a readable"):
        await window(GOOD_PNG, facts, centre=40, width=80)


async def test_a_file_that_inflates_without_end_is_refused() -> None:
    small = saved(dataset(words([1, 2]), 1, 2, syntax=DeflatedExplicitVRLittleEndian))
    meta = small[: 132 + 12 + struct.unpack("<L", small[140:144])[0]]
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    block = packer.compress(bytes(1_000_000)) + packer.flush(zlib.Z_FULL_FLUSH)
    bomb = meta + block * 2000 + b"\x03\x00"
    assert len(bomb) < 3_000_000
    assert await said(bomb) == "This DICOM file unpacks to more than 100 MB. Export one image of it."


async def test_a_small_frame_that_promises_a_large_one_is_refused() -> None:
    run_length = struct.pack("<16L", 2, 64, 66, *[0] * 13) + b"\x81\x00" * 2
    assert await said(wrapped([run_length], 5000, 5000, "1.2.840.10008.1.2.5")) == UNREADABLE
    out = io.BytesIO()
    Image.new("I;16", (4, 4)).save(out, "JPEG2000", no_jp2=True)
    large = out.getvalue().replace(struct.pack(">LL", 4, 4), struct.pack(">LL", 60000, 60000))
    assert await said(wrapped([large], 4, 4, JPEG2000Lossless)) == UNREADABLE


SMALL = grey(list(range(64)), columns=8, WindowCenter=30, WindowWidth=40)
REPORT = saved(dataset(b"", 1, 1, Rows=None, Columns=None, PhotometricInterpretation=None))


@pytest.mark.parametrize(
    "data",
    [b"MZ" + RAMP[2:], b"\r\n<svg" + RAMP[6:], b"%PDF-1.7" + RAMP[8:], RAMP + zipped(), RAMP[:140]],
    ids=["program", "svg", "pdf", "zip", "no header"],
)
def test_two_files_in_one_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError):  # in the decoder any error but a reason means: unreadable
        worker.done("dicom", {"frame": 1, "frames": 8}, data)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (GOOD_PNG[:128].ljust(128) + RAMP[128:], UNREADABLE),
        (RAMP[:-10], "This DICOM image is incomplete: some of its pixels are missing. Export it again."),
        (REPORT, "This DICOM file holds no image. Choose the file of an image."),
        (RAMP[132:], "This looks like DICOM data without its file header. Export it again as a DICOM file, or as PNG."),
    ],
    ids=["png", "cut", "report", "bare"],
)
async def test_files_in_disguise_and_in_pieces(data: bytes, sentence: str) -> None:
    assert await said(data) == sentence


async def test_frames_are_counted_from_one() -> None:
    facts = await inspect(grey([1, 2, 3, 4], columns=2, Rows=1, NumberOfFrames=2), frame=2)
    assert facts.dicom is not None
    assert (facts.dicom.frames, facts.dicom.frame, facts.dicom.low) == (2, 2, 3)
    with pytest.raises(BadInput, match="counted from 1"):
        await inspect(RAMP, frame=0)


def named(made: Dataset) -> None:
    """Write a patient into every place that a name, an id, a date or a comment can stand."""
    made.PatientName, made.PatientID, made.PatientBirthDate = "CANARY^JANE", "CANARY-1", "19700704"
    made.StudyDate, made.AccessionNumber, made.InstitutionName = "20240704", "CANARY-2", "CANARY HOSPITAL"
    made.ReferringPhysicianName, made.PatientComments, made.ImageComments = "CANARY", "CANARY", "CANARY"
    made.StudyDescription, made.SeriesDescription, made.ProtocolName = "CANARY", "CANARY", "CANARY"
    made.Modality, made.BodyPartExamined, made.ViewPosition = "CANARY", "CANARY", "CANARY"
    made.Laterality, made.ImageType, made.RescaleType = "CANARY", ["CANARY", "CANARY"], "CANARY"
    made.WindowCenter, made.WindowWidth, made.WindowCenterWidthExplanation = 50, 100, "CANARY JANE"
    made.BurnedInAnnotation, made.VOILUTFunction, made.LossyImageCompression = "CANARY", "CANARY", "CANARY"
    made.DeviceSerialNumber, made.StudyInstanceUID = "CANARY", "1.2.19700704"
    made.RequestAttributesSequence = items(RequestedProcedureDescription="CANARY")
    made.VOILUTSequence = items(LUTExplanation="CANARY")
    made.private_block(0x0011, "CANARY", create=True).add_new(1, "LO", "CANARY")
    made.add_new(0x60004000, "LT", "CANARY")
    made.DataSetTrailingPadding = b"CANARY"


async def test_nothing_that_names_a_patient_comes_out() -> None:
    made = dataset(words(list(range(100))) + b"CANARY", 10, 10, RescaleSlope=1, RescaleIntercept=0)
    named(made)
    given = b"CANARY".ljust(128) + saved(made)[128:]
    assert given.count(b"CANARY") > 25
    facts = await inspect(given)
    assert facts.dicom is not None
    assert facts.depth is not None
    told = json.dumps(facts.dicom.as_dict()) + repr(facts)
    assert not [word for word in ("CANARY", "Canary", "JANE", "19700704", "20240704", "1.2.") if word in told]
    for png in (facts.data, facts.depth):
        assert png_chunks(png) == {b"IHDR", b"IDAT", b"IEND"}
        assert b"CANARY" not in png
    assert (facts.dicom.modality, facts.dicom.burned_in) == ("", "unknown")


def announced(codestream: bytes) -> tuple[int, int]:
    """The columns and rows that a JPEG 2000 file announces, so that the decoder is really tried."""
    at = codestream.find(b"\xff\x4f\xff\x51")
    right, bottom, left, top = struct.unpack(">4L", codestream[at + 8 : at + 24]) if at >= 0 else (1, 1, 0, 0)
    return max(1, right - left) & 0xFFFF, max(1, bottom - top) & 0xFFFF


@pytest.mark.skipif(not MALFORMED.exists(), reason="the attack set is not beside this checkout")
async def test_a_codestream_made_to_crash_a_decoder_is_refused() -> None:
    for path in sorted(MALFORMED.glob("*.j2k")):
        columns, rows = announced(path.read_bytes())
        refused = await said(wrapped([path.read_bytes()], rows, columns, JPEG2000Lossless, BitsStored=16))
        assert refused.startswith("This "), path.name


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
@pytest.mark.filterwarnings("ignore")
def test_a_damaged_file_is_an_image_or_an_ordinary_error(data: st.DataObject) -> None:
    damaged = bytearray(SMALL)
    for _ in range(data.draw(st.integers(1, 8))):
        damaged[data.draw(st.integers(132, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    try:
        output = worker.done("dicom", {"frame": 1, "frames": 8}, bytes(damaged))
    except Refused as refused:
        assert str(refusal(refused.encoded)) != UNREADABLE  # a reason that is given has its sentence
        return
    except Exception:  # noqa: BLE001 - whatever it is, it ends the decoder's process, and the file is unreadable
        return
    assert b'"media_type": "image/png"' in output


def test_the_package_loads_no_decoder() -> None:
    code = "import sys, docgemma.imaging; print([name for name in ('pydicom', 'PIL', 'numpy') if name in sys.modules])"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, cwd=Path(__file__).parents[2])
    assert ended.stdout.decode().strip() == "[]"
