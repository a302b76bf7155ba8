"""The tags of a DICOM file that are technical facts. Every word is from a closed set, every number is finite."""

from __future__ import annotations

from typing import Any, cast

from docgemma.imaging.dicom.header import Header, is_text
from docgemma.imaging.dicom.pixels import Layout
from docgemma.imaging.facts import (
    BODY_PARTS,
    MODALITIES,
    UNITS,
    VIEWS,
    BurnedIn,
    DicomFacts,
    Function,
    Laterality,
    Window,
)

MOST_WINDOWS = 8
SIDES = frozenset({"L", "R", "B", "U"})
FUNCTIONS = frozenset({"LINEAR", "LINEAR_EXACT", "SIGMOID"})
_NAMES = (
    "NORMAL HARDER SOFTER BRAIN HEAD BONE LUNG ABDOMEN MEDIASTINUM LIVER CHEST SPINE PELVIS NECK STANDARD SUBDURAL "
    "STROKE ANGIO WIDE NARROW USER DEFAULT"
)
NAMES = frozenset((*_NAMES.split(), "SOFT TISSUE"))
"""Names of windows that say something. They are free text in the file: any other is replaced by a number."""


def plain_facts(header: Header, layout: Layout) -> DicomFacts:
    """What holds for every image, grey or in colour."""
    spacing, at = _spacing(header)
    burned = header.code("BurnedInAnnotation", frozenset({"YES", "NO"})).lower()
    return DicomFacts(
        modality=header.code("Modality", MODALITIES),
        photometric=layout.photometric,
        bits=layout.stored,
        frames=layout.frames,
        frame=header.frame,
        rows=layout.rows,
        columns=layout.columns,
        spacing=spacing,
        spacing_at=at,
        laterality=cast(Laterality, header.code("ImageLaterality", SIDES) or header.code("Laterality", SIDES)),
        view=header.code("ViewPosition", VIEWS),
        body_part=header.code("BodyPartExamined", BODY_PARTS),
        function=cast(Function, header.code("VOILUTFunction", FUNCTIONS, "FrameVOILUTSequence") or "LINEAR"),
        unit=_unit(header),
        burned_in=cast(BurnedIn, burned or "unknown"),
        lossy=header.code("LossyImageCompression", frozenset({"01"})) == "01",
        ratio=_ratio(header),
    )


def _spacing(header: Header) -> tuple[tuple[float, float] | None, Any]:
    for keyword, at in (("PixelSpacing", "patient"), ("ImagerPixelSpacing", "detector")):
        found = header.numbers(keyword, "PixelMeasuresSequence")
        if len(found) == 2 and min(found) > 0:
            return (found[0], found[1]), at
    return None, ""


def _ratio(header: Header) -> tuple[float, float] | None:
    found = header.numbers("PixelAspectRatio")
    return (found[0], found[1]) if len(found) == 2 and min(found) > 0 else None


def rescale_of(header: Header) -> tuple[float, float]:
    """Slope and intercept; 1 and 0 where the file has none. Raises ValueError where they make no sense."""
    group = "PixelValueTransformationSequence"
    found = [header.numbers(keyword, group) for keyword in ("RescaleSlope", "RescaleIntercept")]
    given = [header.get(keyword, group) not in (None, "") for keyword in ("RescaleSlope", "RescaleIntercept")]
    if any(there and len(numbers) != 1 for there, numbers in zip(given, found, strict=True)):
        raise ValueError("the rescale values are no numbers")
    slope = found[0][0] if given[0] else 1.0
    if slope == 0:
        raise ValueError("the rescale slope is 0")
    return slope, found[1][0] if given[1] else 0.0


def _unit(header: Header) -> str:
    """What a value means. Hounsfield units only for a CT slice that was rescaled: a scout image has no CT numbers."""
    group = "PixelValueTransformationSequence"
    modality = header.code("Modality", MODALITIES)
    if modality == "PT":
        return header.code("Units", UNITS)
    if header.get("RescaleSlope", group) in (None, "") or header.get("ModalityLUTSequence"):
        return ""
    said = header.get("RescaleType", group)
    if modality != "CT":
        return header.code("RescaleType", UNITS - {"HU"}, group)
    kind = header.get("ImageType")
    if kind is not None and not is_text(kind) and "LOCALIZER" in [str(each).upper() for each in kind]:
        return ""
    return header.code("RescaleType", UNITS, group) if said not in (None, "") else "HU"


def windows_of(header: Header, function: Function) -> tuple[Window, ...]:
    """The file's own windows, in its order; one that no window function allows is left out."""
    group = "FrameVOILUTSequence"
    centres, widths = header.numbers("WindowCenter", group), header.numbers("WindowWidth", group)
    names = header.get("WindowCenterWidthExplanation", group)
    words = [names] if isinstance(names, str) else list(names or ())
    found: dict[tuple[float, float], Window] = {}
    for index, (centre, width) in enumerate(zip(centres, widths, strict=False)):
        if width <= 0 or (function == "LINEAR" and width < 1) or (centre, width) in found:
            continue
        word = str(words[index]).strip().upper() if index < len(words) else ""
        said = word.capitalize() if word in NAMES else str(len(found) + 1)
        found[centre, width] = Window(f"file-{len(found) + 1}", f"From the file: {said}", centre, width)
    return tuple(found.values())[:MOST_WINDOWS]
