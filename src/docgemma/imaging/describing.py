"""An image's technical facts in words for a person. Nothing here can name a patient: see `facts`."""

from __future__ import annotations

from typing import Literal

from docgemma.imaging.decoding import Presented
from docgemma.imaging.facts import DicomFacts, ImageFacts
from docgemma.imaging.presets import CHANNELS

Caution = Literal["burned_in", "burned_in_unknown", "frames", "lossy", "stretched", "magnified"]

_MODALITIES = {
    "CR": "X-ray",
    "DX": "X-ray",
    "RG": "X-ray",
    "RF": "fluoroscopy",
    "XA": "angiography",
    "MG": "mammography",
    "IO": "dental X-ray",
    "PX": "dental panorama",
    "CT": "CT",
    "MR": "MRI",
    "US": "ultrasound",
    "PT": "PET",
    "NM": "nuclear medicine",
    "OP": "eye photograph",
    "OPT": "eye OCT",
    "ES": "endoscopy",
    "SM": "slide microscopy",
    "XC": "photograph",
    "SC": "secondary capture",
    "BMD": "bone densitometry",
}
_SIDES = {"L": "left", "R": "right", "B": "both sides", "U": "unpaired", "": ""}
_SENTENCES: dict[Caution, str] = {
    "burned_in": "Text is burned into the pixels of this image. It may name the patient.",
    "burned_in_unknown": "Text may be burned into the pixels of this image: the file does not say that there is none.",
    "lossy": "This image was compressed with loss before it came here.",
    "stretched": "The pixels are not square. A model is shown the image with its true shape.",
    "magnified": "Sizes are those at the detector, where a body part looks larger than it is: not for measuring.",
}


def describe(image: ImageFacts, shown: Presented | None = None) -> tuple[str, ...]:
    """One line of facts, then a sentence for everything to be known before trusting the image.

    `shown` is what a model was shown of it, where one was asked.
    """
    lines = [", ".join(_facts(image))]
    if shown is not None:
        lines.extend(_shown(image, shown))
    lines.extend(_SENTENCES[each] for each in cautions_of(image.dicom) if each != "frames")
    return tuple(lines)


def cautions_of(facts: DicomFacts | None) -> tuple[Caution, ...]:
    """What must be known of an image before trusting it. Only a file that says "no" has no text in its pixels."""
    if facts is None:
        return ()
    found: dict[Caution, bool] = {
        "burned_in": facts.burned_in == "yes",
        "burned_in_unknown": facts.burned_in == "unknown",
        "frames": facts.frames > 1,
        "lossy": facts.lossy,
        "stretched": facts.aspect != 1.0,
        "magnified": facts.spacing_at == "detector",
    }
    return tuple(name for name, holds in found.items() if holds)


def _facts(image: ImageFacts) -> list[str]:
    size = f"{image.width} × {image.height}"
    facts = image.dicom
    if facts is None:
        return ["PNG" if image.media_type == "image/png" else "JPEG", size]
    found = [_MODALITIES.get(facts.modality, facts.modality) or "DICOM image of unknown kind"]
    found += [facts.body_part.lower(), f"{facts.view} view" if facts.view else "", _SIDES[facts.laterality]]
    found += [size, f"{facts.bits} bit"]
    if facts.shown is not None:
        name = facts.shown.label.removeprefix("From the file: ").lower()
        named = "window" if name.isdigit() else f"{name} window"
        found.append(f"{named} {facts.shown.centre:g}/{facts.shown.width:g}")
    if facts.spacing is not None:
        rows, columns = facts.spacing
        where = " at the detector" if facts.spacing_at == "detector" else ""
        found.append(f"pixels of {rows:g} × {columns:g} mm{where}")
    if facts.frames > 1:
        found.append(f"frame {facts.frame} of {facts.frames}")
    if facts.lossy:
        found.append("lossy compression")
    return [each for each in found if each]


def _shown(image: ImageFacts, shown: Presented) -> list[str]:
    """What a model was shown, where that is not simply the picture on the page."""
    found = []
    count = image.dicom.frames if image.dicom is not None else 1
    if count > 1:
        numbers = ", ".join(map(str, shown.frames))
        found.append(f"The model was shown frame{'s' if len(shown.frames) > 1 else ''} {numbers} of {count}.")
    if shown.ct_windows:
        windows = ", ".join(f"{low} to {high}" for low, high in CHANNELS)
        found.append(f"The model was shown three windows of CT numbers as red, green and blue: {windows} HU.")
    return found
