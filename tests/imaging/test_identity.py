"""Nothing that names a person leaves the decoder: every place of a file that can hold a name holds one here."""

from __future__ import annotations

import functools
import io
import json
import struct
import zlib
from typing import Any

import pytest
from PIL import Image, PngImagePlugin
from pydicom.dataset import Dataset

from docgemma.imaging import ImageFacts, describe, present, to_stored
from docgemma.imaging import inspect as inspect_in_time
from tests.imaging.phantoms import dataset, items, png_chunks, saved, words
from tests.imaging.test_inspection import encoded, noise

inspect = functools.partial(inspect_in_time, timeout_s=60)  # how busy the machine is must not decide a test

NAME, NUMBER, BIRTH, STUDY = "Canaryova", "MRN-77123", "19700704", "20240705"
SECRETS = (NAME, NAME.upper(), NUMBER, BIRTH, STUDY, "1970-07-04", "St Canary")
FREE_TEXT = ("LO", "SH", "LT", "ST", "UT", "PN", "UC")


def everywhere(made: Dataset) -> None:
    """The person in identity tags, free text, comments, codes, private tags, overlays, sequences, and paddings."""
    made.PatientName, made.PatientID, made.PatientBirthDate = f"{NAME}^Jana", NUMBER, BIRTH
    made.OtherPatientIDs, made.PatientAddress, made.PatientMotherBirthName = NUMBER, f"St Canary {NUMBER}", NAME
    made.StudyDate, made.AccessionNumber, made.InstitutionName = STUDY, NUMBER, "St Canary"
    made.ReferringPhysicianName = made.OperatorsName = made.PerformingPhysicianName = NAME
    made.PatientComments = made.ImageComments = made.StudyDescription = made.SeriesDescription = f"for {NAME} {NUMBER}"
    made.ProtocolName = made.BodyPartExamined = made.ViewPosition = NAME.upper()
    made.StationName, made.DeviceSerialNumber, made.StudyID = NAME, NUMBER, NUMBER
    made.Laterality, made.ImageType, made.RescaleType, made.Modality = NAME, ["ORIGINAL", NAME], NAME, NAME[:16].upper()
    made.WindowCenter, made.WindowWidth, made.WindowCenterWidthExplanation = 2000, 4000, NAME
    made.BurnedInAnnotation, made.VOILUTFunction = NAME.upper(), NAME.upper()
    made.StudyInstanceUID = f"1.2.{BIRTH}"
    made.RequestAttributesSequence = items(RequestedProcedureDescription=NAME, RequestedProcedureID=NUMBER)
    made.VOILUTSequence = items(LUTExplanation=NAME)
    made.SharedFunctionalGroupsSequence = items(FrameVOILUTSequence=items(WindowCenterWidthExplanation=NAME))
    made.EncryptedAttributesSequence = items(EncryptedContent=NAME.encode())
    block = made.private_block(0x0011, NAME, create=True)
    for element, vr in enumerate(FREE_TEXT, 1):
        block.add_new(element, vr, NAME)
    block.add_new(0x20, "UN", NAME.encode())
    made.add_new(0x60000010, "US", 16)
    made.add_new(0x60000011, "US", 16)
    made.add_new(0x60000022, "LO", NAME)
    made.add_new(0x60003000, "OW", (NAME * 8).encode()[:32])
    made.add_new(0x60004000, "LT", NAME)
    made.add_new(0x00880200, "SQ", [])
    made.DataSetTrailingPadding = NAME.encode() + b" "


def leaked(image: ImageFacts, pictures: tuple[bytes, ...]) -> list[str]:
    """The secrets in what is stored, told or sent: in the files as they stand, and in their pixels."""
    kept = to_stored(image)
    texts = [kept["facts"], repr(image), json.dumps(describe(image))]
    found = [secret for secret in SECRETS for text in texts if secret.lower() in text.lower()]
    pngs = [image.data, *pictures, *(each.picture for each in image.frames), *([image.depth] if image.depth else [])]
    for picture in pngs:
        with Image.open(io.BytesIO(picture)) as pixels:
            found += [secret for secret in SECRETS if secret.encode() in picture + pixels.tobytes()]
        if picture.startswith(b"\x89PNG"):
            assert png_chunks(picture) <= {b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"}
    return found


@pytest.mark.filterwarnings("ignore:Invalid value for VR")
@pytest.mark.parametrize("frames", [1, 5])
@pytest.mark.parametrize("tags", [{}, {"RescaleSlope": 1, "RescaleIntercept": -1024}], ids=["plain", "rescaled"])
async def test_a_dicom_file_full_of_names(frames: int, tags: dict[str, Any]) -> None:
    pixels = words([each * 15 for each in range(256)] * frames)
    made = dataset(pixels + NAME.encode() + b" ", 16, 16, NumberOfFrames=frames, **tags)
    everywhere(made)
    data = NAME.encode().ljust(128) + saved(made)[128:]
    assert data.count(NAME.encode()) > 25
    image = await inspect(data)
    assert len(image.frames) == (0 if frames == 1 else 5)
    shown = await present(image, timeout_s=60)
    assert leaked(image, shown.pictures) == []
    with Image.open(io.BytesIO(image.data)) as page:  # an overlay is not drawn into the pixels, either
        assert list(page.tobytes()) == sorted(page.tobytes())


def named_png() -> bytes:
    text = PngImagePlugin.PngInfo()
    text.add_text("Patient", NAME)
    text.add_text(NAME, NUMBER, zip=True)
    text.add_itxt("Comment", f"{NAME} {BIRTH}", zip=True)
    made = encoded(noise("RGB"), "PNG", pnginfo=text, exif=_exif(), icc_profile=NAME.encode())
    private = f"{NAME}{NUMBER}".encode()
    chunk = struct.pack(">I", len(private)) + b"caNv" + private + struct.pack(">I", zlib.crc32(b"caNv" + private))
    return made[:-12] + chunk + made[-12:] + private


def named_jpeg() -> bytes:
    comment = f"{NAME} {NUMBER}".encode()
    xmp = b"http://ns.adobe.com/xap/1.0/\x00<x>" + comment + b"</x>"
    return encoded(noise("RGB"), "JPEG", exif=_exif(), icc_profile=comment, comment=comment, xmp=xmp) + comment


def _exif() -> Image.Exif:
    exif = Image.Exif()
    exif[0x010E], exif[0x013B], exif[0x9C9B] = NAME, NAME, NAME.encode("utf-16-le")
    exif.get_ifd(0x8769)[0x9286] = NAME.encode()
    return exif


@pytest.mark.parametrize("data", [named_png(), named_jpeg()], ids=["png", "jpeg"])
async def test_a_picture_full_of_names(data: bytes) -> None:
    assert data.count(NAME.encode()) >= 4
    image = await inspect(data)
    shown = await present(image, timeout_s=60)
    assert leaked(image, shown.pictures) == []


def test_a_leak_would_be_found() -> None:
    text = PngImagePlugin.PngInfo()
    text.add_text("Patient", NAME)
    with pytest.raises(AssertionError):
        leaked(ImageFacts("image/png", 64, 48, encoded(noise(), "PNG", pnginfo=text)), ())
    pixels = Image.frombytes("L", (len(NAME), 1), NAME.encode())
    assert leaked(ImageFacts("image/png", len(NAME), 1, encoded(pixels, "PNG")), ()) == [NAME]
