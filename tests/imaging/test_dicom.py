"""DICOM phantoms: every known value comes back, in the unit, the window and the colours that the file asks for."""

from __future__ import annotations

import io
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pydicom
import pytest
from PIL import Image
from pydicom.pixels import apply_color_lut, apply_modality_lut, apply_voi_lut
from pydicom.uid import ExplicitVRBigEndian, JPEG2000Lossless, JPEGBaseline8Bit, JPEGLSLossless, RLELossless

from docgemma.imaging import DicomFacts, Window, presets
from docgemma.imaging.dicom import decoded, opened
from docgemma.imaging.drawing import Depth, greys_of
from docgemma.imaging.refusals import Refused, refusal
from tests.imaging.phantoms import NATIVE, dataset, grey, items, lookup, saved, values_of, words, wrapped

LOCAL_FILES = sorted((Path(pydicom.__file__).parent / "data" / "test_files").glob("*.dcm"))


def read(data: bytes, frame: int = 1) -> tuple[Image.Image, Depth | None, DicomFacts]:
    """The picture of a frame, its depth values and its facts."""
    found = decoded(opened(data), frame)
    return found.picture(), found.depth, found.facts


def seen(data: bytes, frame: int = 1) -> tuple[list[int], list[float], DicomFacts]:
    """The greys of the picture, the values in the modality's unit, and the facts."""
    picture, depth, facts = read(data, frame)
    assert depth is not None
    assert (picture.mode, depth.dtype, picture.size) == ("L", np.uint16, depth.shape[::-1])
    return list(picture.tobytes()), values_of(depth, facts.slope, facts.intercept), facts


def refused(data: bytes, frame: int = 1) -> str:
    with pytest.raises(Refused) as caught:
        read(data, frame)
    return str(refusal(caught.value.encoded))


@pytest.mark.parametrize("syntax", NATIVE, ids=lambda syntax: syntax.keyword)
def test_values_survive_every_uncompressed_form(syntax: str) -> None:
    values = [-32768, -2000, -1, 0, 1, 32767]
    _, found, facts = seen(grey(values, syntax=syntax, PixelRepresentation=1, RescaleSlope=2, RescaleIntercept=-1024))
    assert found == [2 * value - 1024 for value in values]
    assert (facts.low, facts.high) == (-66560, 64510)


@pytest.mark.parametrize(
    ("stored", "high", "signed", "raw", "expected"),
    [
        (12, 11, 0, [0x0000, 0x0FFF, 0xFFFF, 0xF123], [0, 4095, 4095, 0x123]),  # what is above the stored bits is noise
        (12, 11, 1, [0x07FF, 0x0800, 0xF800, 0x0FFF], [2047, -2048, -2048, -1]),
        (12, 15, 0, [0xFFF0, 0x0010, 0x001F, 0x0000], [4095, 1, 1, 0]),
        (10, 13, 1, [0x1FF0, 0x2000, 0x3FFF, 0xC000], [511, -512, -1, 0]),
        (1, 0, 0, [0, 1, 2, 3], [0, 1, 0, 1]),
    ],
)
def test_only_the_stored_bits_count(stored: int, high: int, signed: int, raw: list[int], expected: list[int]) -> None:
    data = grey(raw, BitsStored=stored, HighBit=high, PixelRepresentation=signed)
    assert seen(data)[1] == expected


@pytest.mark.parametrize(("signed", "expected"), [(0, [0, 1, 127, 128, 255, 7]), (1, [0, 1, 127, -128, -1, 7])])
@pytest.mark.parametrize("vr", ["OB", "OW"])
def test_eight_bits_in_either_byte_order(signed: int, expected: list[int], vr: str) -> None:
    raw = bytes([0, 1, 127, 128, 255, 7])
    tags = {"BitsAllocated": 8, "BitsStored": 8, "HighBit": 7, "PixelRepresentation": signed}
    assert seen(saved(dataset(raw, 2, 3, **tags)))[1] == expected
    swapped = bytes([1, 0, 128, 127, 7, 255]) if vr == "OW" else raw
    made = dataset(swapped, 2, 3, syntax=ExplicitVRBigEndian, **tags)
    made["PixelData"].VR = vr
    assert seen(saved(made))[1] == expected


def test_the_first_window_of_the_file_is_shown_in_rescaled_values() -> None:
    values = list(range(0, 2048, 16))
    data = grey(
        values,
        Modality="CT",
        RescaleSlope=1,
        RescaleIntercept=-1024,
        WindowCenter=[40, 300],
        WindowWidth=[80, 1500],
        WindowCenterWidthExplanation=["BRAIN", "DOE^JANE"],
    )
    greys, _, facts = seen(data)
    assert greys == [int(each + 0.5) for each in greys_of("LINEAR", np.array(values) - 1024, 40, 80)]
    assert facts.shown == Window("file-1", "From the file: Brain", 40, 80)
    assert facts.windows[1] == Window("file-2", "From the file: 2", 300, 1500)
    assert facts.unit == "HU"


@pytest.mark.parametrize("function", ["LINEAR", "LINEAR_EXACT", "SIGMOID"])
def test_the_files_window_function_is_used(function: Any) -> None:
    values = list(range(0, 4096, 32))
    greys, _, facts = seen(grey(values, WindowCenter=1000, WindowWidth=900, VOILUTFunction=function))
    assert greys == [int(each + 0.5) for each in greys_of(function, np.array(values), 1000, 900)]
    assert facts.function == function


def test_monochrome1_is_shown_as_a_negative() -> None:
    window = {"WindowCenter": 100, "WindowWidth": 200}
    plain = seen(grey([0, 50, 100, 150, 200], **window))[0]
    inverted, values, facts = seen(grey([0, 50, 100, 150, 200], PhotometricInterpretation="MONOCHROME1", **window))
    assert inverted == [255 - each for each in plain]
    assert values == [0, 50, 100, 150, 200]
    assert facts.inverted


@pytest.mark.parametrize("photometric", ["MONOCHROME1", "MONOCHROME2"])
@pytest.mark.parametrize("syntax", NATIVE[:3], ids=lambda syntax: syntax.keyword)
def test_padding_is_black_and_no_part_of_the_range(photometric: str, syntax: str) -> None:
    data = grey(
        [-2000] * 50 + list(range(1000, 1100)),
        syntax=syntax,
        PixelRepresentation=1,
        PixelPaddingValue=-2000,
        PhotometricInterpretation=photometric,
    )
    greys, _, facts = seen(data)
    assert greys[:50] == [0] * 50
    assert len(set(greys[50:])) == 100
    assert (facts.low, facts.high, facts.padding) == (1000, 1099, (30768, 30768))


def test_a_range_of_padding_and_one_that_no_pixel_can_have() -> None:
    values = [0, 5, 10, 11, 4000]
    assert seen(grey(values, PixelPaddingValue=0, PixelPaddingRangeLimit=10))[2].low == 11
    impossible = grey([63536 & 0xFFF, 100], BitsStored=12, HighBit=11, PixelPaddingValue=63536)
    assert seen(impossible)[2].padding is None
    assert seen(grey([7, 7], PixelPaddingValue=7))[0] == [0, 0]


def test_one_bright_marker_does_not_darken_the_rest() -> None:
    greys, _, facts = seen(grey([*range(1000), 65535], Modality="CR"))
    assert facts.shown is not None
    assert facts.shown.name == "auto"
    assert greys[-1] == 255
    assert greys[500] in range(120, 136)


@pytest.mark.parametrize("syntax", NATIVE[:2], ids=lambda syntax: syntax.keyword)
def test_lookup_tables_are_those_of_pydicom(syntax: str) -> None:
    values = list(range(0, 300, 3))
    made = dataset(words(values), 1, 100, syntax=syntax, PixelPaddingValue=297)
    made.ModalityLUTSequence = lookup(20, 16, [each * 200 for each in range(200)])
    made["ModalityLUTSequence"][0].ModalityLUTType = "US"
    greys, found, facts = seen(saved(made))
    expected = apply_modality_lut(np.array(values), made)
    assert found[:99] == list(expected[:99])
    assert (facts.padding, greys[99]) == ((0, 0), 0)
    del made.PixelPaddingValue
    assert seen(saved(made))[1] == list(expected)
    made = dataset(words(values), 1, 100, syntax=syntax, RescaleSlope=1, RescaleIntercept=-50)
    made.VOILUTSequence = lookup(-20, 12, [each * 20 for each in range(200)])
    greys, _, facts = seen(saved(made))
    by_pydicom = apply_voi_lut(np.array(values) - 50, made).astype(float)
    assert np.abs(np.array(greys) - by_pydicom * 255 / 4095).max() <= 0.5
    assert facts.shown is None


COLOURS = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (10, 20, 30), (200, 100, 50), (255, 255, 255)]
COLOUR = {"SamplesPerPixel": 3, "BitsAllocated": 8, "BitsStored": 8, "HighBit": 7, "PhotometricInterpretation": "RGB"}


def rgb(data: bytes) -> list[tuple[int, ...]]:
    picture, depth, facts = read(data, 1)
    assert (picture.mode, depth, facts.shown, presets(facts)) == ("RGB", None, None, ())
    flat = picture.tobytes()
    return [tuple(flat[at : at + 3]) for at in range(0, len(flat), 3)]


def test_colours_by_pixel_and_by_plane() -> None:
    flat = bytes(each for colour in COLOURS for each in colour)
    planes = b"".join(flat[sample::3] for sample in range(3))
    assert rgb(saved(dataset(flat, 2, 3, **COLOUR, PlanarConfiguration=0))) == COLOURS
    assert rgb(saved(dataset(planes, 2, 3, **COLOUR, PlanarConfiguration=1))) == COLOURS
    deep = words([each * 257 for each in flat])
    wide = COLOUR | {"BitsAllocated": 16, "BitsStored": 16, "HighBit": 15}
    assert rgb(saved(dataset(deep, 2, 3, **wide, PlanarConfiguration=0))) == COLOURS


def test_luminance_and_palette_become_rgb() -> None:
    image = Image.new("RGB", (6, 1))
    image.putdata(COLOURS)
    ybr = image.convert("YCbCr").tobytes()
    found = rgb(saved(dataset(ybr, 1, 6, **COLOUR | {"PhotometricInterpretation": "YBR_FULL"}, PlanarConfiguration=0)))
    assert np.abs(np.array(found) - np.array(COLOURS)).max() <= 2
    made = dataset(bytes([0, 1, 2, 3, 4, 5]), 1, 6, BitsAllocated=8, BitsStored=8, HighBit=7)
    made.PhotometricInterpretation = "PALETTE COLOR"
    for name, entries in zip(("Red", "Green", "Blue"), zip(*COLOURS[1:5], strict=True), strict=True):
        setattr(made, f"{name}PaletteColorLookupTableDescriptor", [4, 1, 16])
        setattr(made, f"{name}PaletteColorLookupTableData", words([each << 8 for each in entries]))
    found = rgb(saved(made))
    assert found == [COLOURS[1], *COLOURS[1:5], COLOURS[4]]
    made.file_meta.TransferSyntaxUID, made.PlanarConfiguration = NATIVE[1], 0
    assert found == [tuple(int(x) >> 8 for x in row) for row in apply_color_lut(np.arange(6, dtype="u1"), made)]


def coded(values: list[int], kind: str, **options: Any) -> bytes:
    out = io.BytesIO()
    Image.frombytes("I;16", (len(values), 1), words(values)).save(out, kind, **options)
    return out.getvalue()


def test_compressed_frames_have_the_same_values() -> None:
    values = [each * 13 % 4096 for each in range(64)]
    signed = [each - 32 for each in range(64)]
    made = dataset(words(signed), 1, 64, PixelRepresentation=1)
    made.compress(RLELossless, generate_instance_uid=False)
    assert seen(saved(made))[1] == signed
    assert seen(wrapped([coded(values, "JPEG2000", no_jp2=True)], 1, 64, JPEG2000Lossless))[1] == values
    picture = Image.effect_noise((64, 48), 40)
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=95)
    tags = {"BitsAllocated": 8, "BitsStored": 8, "HighBit": 7, "LossyImageCompression": "01"}
    _, found, facts = seen(wrapped([out.getvalue()], 48, 64, JPEGBaseline8Bit, **tags))
    assert found == list(Image.open(io.BytesIO(out.getvalue())).tobytes())
    assert facts.lossy


def test_one_frame_of_several() -> None:
    groups = [items(RescaleSlope=slope, RescaleIntercept=0, RescaleType="US") for slope in (1, 10)]
    made = dataset(words([1, 2, 3, 4]), 1, 2, NumberOfFrames=2)
    per_frame = items(PixelValueTransformationSequence=groups[0])
    per_frame.extend(items(PixelValueTransformationSequence=groups[1]))
    made.PerFrameFunctionalGroupsSequence = per_frame
    voi = items(WindowCenter=25, WindowWidth=50)
    made.SharedFunctionalGroupsSequence = items(FrameVOILUTSequence=voi)
    assert seen(saved(made))[1] == [1, 2]
    _, found, facts = seen(saved(made), 2)
    assert found == [30, 40]
    assert (facts.frames, facts.frame, facts.windows) == (2, 2, (Window("file-1", "From the file: 1", 25, 50),))
    assert refused(saved(made), 3) == "This image has 2 frames: choose 1 to 2."
    assert refused(grey([1, 2]), 2) == "This image has one frame only."
    made.NumberOfFrames = 9
    assert "incomplete" in refused(saved(made), 9)


HEADS = {"Modality": "CT", "RescaleSlope": 1, "RescaleIntercept": -1024}


def test_a_ct_has_its_presets_and_begins_with_the_one_for_its_body_part() -> None:
    _, _, facts = seen(grey([0, 1024, 2048], **HEADS, BodyPartExamined="HEAD"))
    assert facts.shown == Window("brain", "Brain", 40, 80)
    assert [(each.name, each.centre, each.width) for each in presets(facts)] == [
        ("brain", 40, 80),
        ("subdural", 75, 215),
        ("stroke", 35, 30),
        ("bone", 480, 2500),
        ("lung", -600, 1500),
        ("soft-tissue", 40, 400),
        ("mediastinum", 50, 350),
        ("liver", 30, 150),
        ("full", 0.5, 2049),
    ]
    own = seen(grey([0, 1024], **HEADS, WindowCenter=[7, 7, 9], WindowWidth=[8, 8, 0]))[2]
    assert [each.name for each in presets(own)][:2] == ["file-1", "brain"]
    assert seen(grey([0, 1024], **HEADS))[2].shown == Window("soft-tissue", "Soft tissue", 40, 400)


@pytest.mark.parametrize(
    "tags",
    [
        {"Modality": "MR", "RescaleSlope": 1, "RescaleIntercept": 0},
        {"Modality": "CT"},
        HEADS | {"ImageType": ["ORIGINAL", "PRIMARY", "LOCALIZER"]},
        HEADS | {"RescaleType": "US"},
        {"Modality": "CR", "RescaleSlope": 1, "RescaleIntercept": 0, "RescaleType": "HU"},
    ],
    ids=["mr", "not rescaled", "scout", "unspecified unit", "not a ct"],
)
def test_values_that_are_no_hounsfield_units_get_no_ct_presets(tags: dict[str, Any]) -> None:
    facts = seen(grey([0, 500, 1000], **tags))[2]
    assert facts.unit == ""
    assert [each.name for each in presets(facts)] == ["auto", "full"]


@pytest.mark.parametrize(
    ("tags", "part"),
    [
        ({"BitsAllocated": 32, "BitsStored": 32, "HighBit": 31}, "neither 8 nor 16 bits"),
        ({"PhotometricInterpretation": "CMYK"}, "colour model"),
        ({"Rows": 60000, "Columns": 60000}, "30 million pixels"),
        ({"Rows": 2}, "incomplete"),
        ({"PhotometricInterpretation": None}, "holds no image"),
    ],
    ids=["deep", "colour", "large", "cut", "no image"],
)
def test_what_cannot_be_shown_says_why(tags: dict[str, Any], part: str) -> None:
    assert part in refused(grey([1, 2, 3, 4], **tags))


@pytest.mark.parametrize(
    ("syntax", "words_for_it"),
    [
        ("1.2.840.10008.1.2.4.70", "JPEG Lossless"),
        ("1.2.840.10008.1.2.4.81", "JPEG-LS"),
        ("1.2.840.10008.1.2.4.202", "High-Throughput JPEG 2000"),
        ("1.2.840.10008.1.2.4.103", "a video"),
        ("1.2.840.10008.1.2.4.99", "an unknown kind of compression"),
    ],
)
def test_a_compression_that_is_not_read_is_named(syntax: str, words_for_it: str) -> None:
    data = wrapped([b"\xff\xd8\xff\xd9"], 1, 1, JPEGLSLossless if syntax.endswith(".99") else syntax)
    said = refused(data.replace(JPEGLSLossless.encode(), syntax.encode()))
    assert f"stored as {words_for_it}, which cannot be read here. Export it as PNG" in said


@pytest.mark.parametrize(
    "tags",
    [
        {"RescaleSlope": 0, "RescaleIntercept": 0},
        {"BitsStored": 17},
        {"HighBit": 3},
        {"SamplesPerPixel": 3},
        {"Rows": 0},
        {"ModalityLUTSequence": lookup(0, 40, [1, 2])},
    ],
    ids=["slope", "stored", "high", "samples", "rows", "table"],
)
def test_a_header_that_contradicts_itself_is_not_shown(tags: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        read(grey([1, 2], **tags), 1)


def test_facts_are_json_both_ways() -> None:
    facts = seen(grey([0, 9], **HEADS, PixelSpacing=[0.5, 0.25], PixelPaddingValue=9, ImageLaterality="L"))[2]
    assert DicomFacts.from_dict(json.loads(json.dumps(facts.as_dict()))) == facts
    assert (facts.spacing, facts.spacing_at, facts.laterality) == ((0.5, 0.25), "patient", "L")
    with pytest.raises(ValueError):
        DicomFacts.from_dict(facts.as_dict() | {"burned_in": "perhaps"})


def test_the_files_that_come_with_pydicom_are_read_as_pydicom_reads_them() -> None:
    compared = 0
    for path in LOCAL_FILES:
        if (data := path.read_bytes())[128:132] != b"DICM":
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                picture, depth, facts = read(data, 1)
            except (Refused, ValueError, OSError):
                continue
            header = pydicom.dcmread(path)
            pixels = header.pixel_array[0] if facts.frames > 1 else header.pixel_array
        if depth is not None:
            values = np.array(values_of(depth, facts.slope, facts.intercept)).reshape(depth.shape)
            assert np.array_equal(values, apply_modality_lut(pixels, header)), path.name
        elif facts.photometric != "PALETTE COLOR":
            expected = pixels // 257 if pixels.dtype == np.uint16 else pixels
            assert np.abs(np.asarray(picture).astype(int) - expected).max() <= 1, path.name
        compared += 1
    assert compared >= 35
