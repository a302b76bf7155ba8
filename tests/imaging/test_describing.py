"""What people are told of an image: its technical facts in words, and what to know before trusting it."""

from __future__ import annotations

from dataclasses import replace

from docgemma.imaging import DicomFacts, ImageFacts, Presented, Window, cautions_of, describe
from docgemma.imaging.facts import MODALITIES
from docgemma.imaging.geometry import square_for
from tests.support.tables import each_of

CT = DicomFacts(
    modality="CT",
    photometric="MONOCHROME2",
    bits=16,
    frames=1,
    frame=1,
    rows=512,
    columns=512,
    body_part="CHEST",
    shown=Window("soft-tissue", "Soft tissue", 40, 400),
    unit="HU",
    burned_in="no",
)
XRAY = DicomFacts(
    modality="DX",
    photometric="MONOCHROME1",
    bits=12,
    frames=1,
    frame=1,
    rows=2500,
    columns=2048,
    spacing=(0.143, 0.143),
    spacing_at="detector",
    laterality="L",
    view="PA",
    shown=Window("auto", "Automatic", 1000, 2000),
    burned_in="yes",
)


def of(facts: DicomFacts | None, media_type: str = "image/png") -> ImageFacts:
    return ImageFacts("image/jpeg" if media_type == "image/jpeg" else "image/png", 1024, 800, b"", dicom=facts)


@each_of(
    ("image", "line"),
    [
        (of(None), "PNG, 1024 × 800"),
        (of(None, "image/jpeg"), "JPEG, 1024 × 800"),
        (of(CT), "CT, chest, 1024 × 800, 16 bit, soft tissue window 40/400"),
        (
            of(replace(CT, frames=120, frame=3, lossy=True, spacing=(0.7, 0.7), spacing_at="patient")),
            "CT, chest, 1024 × 800, 16 bit, soft tissue window 40/400, pixels of 0.7 × 0.7 mm, frame 3 of 120, "
            "lossy compression",
        ),
        (
            of(replace(CT, shown=Window("file-1", "From the file: Brain", 35.5, 80))),
            "CT, chest, 1024 × 800, 16 bit, brain window 35.5/80",
        ),
        (
            of(replace(CT, shown=Window("file-1", "From the file: 1", -600, 1500))),
            "CT, chest, 1024 × 800, 16 bit, window -600/1500",
        ),
        (
            of(XRAY),
            "X-ray, PA view, left, 1024 × 800, 12 bit, automatic window 1000/2000, "
            "pixels of 0.143 × 0.143 mm at the detector",
        ),
        (of(replace(CT, modality="", body_part="", shown=None)), "DICOM image of unknown kind, 1024 × 800, 16 bit"),
        (of(replace(CT, modality="XC", body_part="", shown=None)), "photograph, 1024 × 800, 16 bit"),
    ],
)
def test_the_facts_are_one_line(image: ImageFacts, line: str) -> None:
    assert describe(image)[0] == line


def test_what_must_be_known_is_said_in_sentences() -> None:
    assert describe(of(CT)) == ("CT, chest, 1024 × 800, 16 bit, soft tissue window 40/400",)
    assert describe(of(None))[1:] == ()
    assert describe(of(XRAY))[1:] == (
        "Text is burned into the pixels of this image. It may name the patient.",
        "Sizes are those at the detector, where a body part looks larger than it is: not for measuring.",
    )
    doubtful = replace(CT, burned_in="unknown", lossy=True, spacing=(2.0, 1.0), frames=3)
    assert cautions_of(doubtful) == ("burned_in_unknown", "frames", "lossy", "stretched")
    assert [sentence.partition(" ")[0] for sentence in describe(of(doubtful))[1:]] == ["Text", "This", "The"]


def test_what_a_model_was_shown_is_said_where_it_is_not_simply_the_picture() -> None:
    square = square_for(1024, 800)
    assert describe(of(None), Presented((b"",), (1,), square)) == ("PNG, 1024 × 800",)
    many = describe(of(replace(CT, frames=120)), Presented((b"", b""), (1, 120), square, ct_windows=True))
    windows = "-1024 to 1024, -135 to 215, 0 to 80 HU"
    assert many[1:] == (
        "The model was shown frames 1, 120 of 120.",
        f"The model was shown three windows of CT numbers as red, green and blue: {windows}.",
    )
    one = describe(of(replace(CT, frames=120, unit="")), Presented((b"",), (1,), square))
    assert one[1:] == ("The model was shown frame 1 of 120.",)


@each_of("modality", sorted(MODALITIES))
def test_every_modality_has_a_word(modality: str) -> None:
    assert describe(of(replace(CT, modality=modality)))[0].partition(",")[0]
