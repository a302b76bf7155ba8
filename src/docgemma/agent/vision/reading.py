"""From a vision model's answer to what may be shown: orders to a program left out, odd answers turned down.

A picture can carry writing, and a model reads it. So what comes back is text from outside like any other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from docgemma.agent.answer.wording import is_data
from docgemma.agent.vision.blind import saw_nothing, says_so
from docgemma.agent.vision.schemas import Change, ImageComparison, ImageFindings, ImageRegions
from docgemma.agent.vision.seen import MODALITIES, Seen
from docgemma.agent.vision.writing import SAID, Writing, writing_in
from docgemma.entities.instructions import instructions_in
from docgemma.entities.printable import plain
from docgemma.imaging.geometry import Square, to_pixels
from docgemma.tools.results import ImageType, Region

BY_FILE: dict[str, tuple[str, tuple[ImageType, ...]]] = {
    "CR": ("X-ray", ("chest_xray", "xray")),
    "DX": ("X-ray", ("chest_xray", "xray")),
    "RG": ("X-ray", ("chest_xray", "xray")),
    "IO": ("X-ray", ("xray",)),
    "PX": ("X-ray", ("xray",)),
    "MG": ("mammography", ("xray",)),
    "CT": ("CT", ("ct_scan",)),
    "MR": ("MRI", ("mri",)),
    "US": ("ultrasound", ("ultrasound",)),
    "SM": ("histopathology", ("pathology",)),
    "OP": ("fundus photograph", ("fundus",)),
}
"""What a DICOM file's own modality means, and which kinds of image fit it."""

CHANGES: dict[Change, str] = {
    "improved": "Compared with the earlier image: improved.",
    "worse": "Compared with the earlier image: worse.",
    "unchanged": "Compared with the earlier image: unchanged.",
    "mixed": "Compared with the earlier image: partly better, partly worse.",
    "cannot_tell": "Compared with the earlier image: whether it changed cannot be told.",
}
OTHER_MODALITY = "The two images were made in different ways ({before} and {now}): a comparison says little."
MISTAKEN = "The model took the image for: {taken}. The file says: {file}. Its findings are doubtful."

_UNKNOWN = MODALITIES["unknown"]


def read_findings(answer: ImageFindings, *, image_id: str, modality: str, asked: str) -> Seen | None:
    """None for an answer that says nothing, or that says that there was nothing to see."""
    listed, summed = _usable(answer.findings), _usable([answer.impression])
    impression = " ".join(summed.lines)
    findings = listed.lines or summed.lines
    if not findings or saw_nothing((*findings, impression)):
        return None
    kind, name, doubt = _kind(answer.image_type, modality)
    return Seen(
        image_id=image_id,
        asked=asked,
        image_type=kind,
        modality=name,
        findings=findings,
        impression=impression,
        confidence=answer.confidence,
        warnings=(*doubt, *_said(listed, summed)),
        flagged=listed.flagged + summed.flagged,
    )


def read_comparison(
    answer: ImageComparison, *, image: tuple[str, str], prior: tuple[str, str], asked: str
) -> Seen | None:
    """`image`: its id, and the modality that its file gives; `prior`: its id, and how it was made, where known."""
    changed = _usable(answer.changes)
    as_findings = ImageFindings(
        image_type=answer.image_type,
        findings=answer.findings,
        impression=answer.impression,
        confidence=answer.confidence,
    )
    now = read_findings(as_findings, image_id=image[0], modality=image[1], asked=asked)
    if now is None or says_so(changed.lines):
        return None
    before, own = prior[1], now.modality
    differs = before != own and _UNKNOWN not in (before, own)
    other = (OTHER_MODALITY.format(before=before, now=own),) if differs else ()
    since = tuple(f"Since the earlier image: {line}" for line in changed.lines)
    return now.model_copy(
        update={
            "prior_id": prior[0],
            "compared": True,
            "findings": (CHANGES[answer.change], *since, *now.findings),
            "warnings": tuple(dict.fromkeys((*other, *now.warnings, *_said(changed)))),
            "flagged": now.flagged + changed.flagged,
        }
    )


def made_as(modality: str, known: Seen | None) -> str:
    """How an image was made: by its file, else as it was seen before."""
    if modality in BY_FILE:
        return BY_FILE[modality][0]
    return known.modality if known else _UNKNOWN


def read_regions(answer: ImageRegions, square: Square) -> tuple[tuple[Region, ...], int]:
    """Boxes on the image itself; what is no box there, or has no label that can be shown, is left out.

    Around what it says that it does not see, no model draws a box that means anything.
    """
    if answer.visible == "no":
        return (), 0
    found: list[Region] = []
    flagged = 0
    for region in answer.regions:
        label = _usable([region.label])
        flagged += label.flagged
        corners = to_pixels(region.box_2d, square)
        if label.lines and corners is not None:
            x0, y0, x1, y1 = (round(each, 1) for each in corners)
            if x1 > x0 and y1 > y0:
                found.append(Region(x0=x0, y0=y0, x1=x1, y1=y1, label=label.lines[0]))
    return tuple(dict.fromkeys(found)), flagged


def _kind(said: ImageType, modality: str) -> tuple[ImageType, str, tuple[str, ...]]:
    """The kind of image by its file, else as the model says. Where both speak and disagree, that is said."""
    if modality not in BY_FILE:
        return said, MODALITIES[said], ()
    name, kinds = BY_FILE[modality]
    if said in kinds:
        return said, name, ()
    kind: ImageType = kinds[-1]
    if said == "unknown":
        return kind, name, ()
    return kind, name, (MISTAKEN.format(taken=said.replace("_", " ").replace("xray", "X-ray"), file=name),)


def _said(*read: _Usable) -> tuple[str, ...]:
    return tuple(dict.fromkeys(SAID[what] for each in read for what in each.written))


@dataclass(frozen=True, slots=True)
class _Usable:
    """`flagged`: how many lines talked to a program; `written`: what else was read out and not seen."""

    lines: tuple[str, ...]
    flagged: int = 0
    written: tuple[Writing, ...] = ()


def _usable(lines: Iterable[str]) -> _Usable:
    """One line each, without control characters; writing and what talks to a program are counted and left out."""
    kept: list[str] = []
    written: list[Writing] = []
    flagged = 0
    for line in lines:
        bare = " ".join(plain(line).split()).lstrip("-*• ").strip()
        if instructions_in(bare):
            flagged += 1
        elif not bare or is_data(bare):
            continue
        elif (what := writing_in(bare)) is not None:
            written.append(what)
        else:
            kept.append(bare)
    return _Usable(tuple(dict.fromkeys(kept)), flagged, tuple(dict.fromkeys(written)))
