"""From a vision model's answer to what may be shown: orders to a program left out, odd answers turned down.

A picture can carry writing, and a model reads it. So what comes back is text from outside like any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from docgemma.agent.answer.wording import is_data
from docgemma.agent.vision.schemas import Change, ImageComparison, ImageFindings, ImageRegions
from docgemma.agent.vision.seen import MODALITIES, Seen
from docgemma.entities.drugs.names import drugs_in
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
    as_findings = ImageFindings(**answer.model_dump(include=set(ImageFindings.model_fields)))
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


_KIND = r"(?:(?:chest|medical|actual|radiographic|clinical|ct|mri?)\s){0,2}"
_THING = (
    rf"{_KIND}(?:x-?rays?\s(?=image|picture|film))?"
    r"(?:images?|pictures?|photos?|photographs?|attachments?|radiographs?|x-?rays?|scans?|films?|visuals?|image\sdata"
    r"|image\sfiles?|visual\s(?:input|data|content|information))"
)
_ONE = r"(?:the|an?|any|your|this|that|such|his|her|their)"
_GIVEN = (
    r"(?:provided|attached|given|available|visible|supplied|included|uploaded|received|present|accessible|shared|sent"
    r"|found|loaded|displayed|shown|embedded|detected|submitted)"
)
_NOT = r"(?:not|n['’]t)"
_FAILED = r"(?:failed\sto|did(?:\snot|n['’]t)|could(?:\snot|n['’]t)(?:\sbe)?|can(?:not|\snot|['’]t)(?:\sbe)?)"
_SEE = r"(?:see|view|access|process|analy[sz]e|display|interpret|open|read|evaluate|assess|examine|receive|load)"

_SAYS = re.compile(
    rf"\b(?:no|without\s{_ONE}|lack\sof\s{_ONE})\s{_THING}\s(?:\w+\s){{0,2}}{_GIVEN}\b(?!\sfor\scompar)"
    rf"|\b(?:there(?:\sis|['’]s|\swas)|i\shave|because|as|since|assess|determine|evaluate)[:,]?\sno\s{_THING}\b(?!\s\w+ings?\b"
    r"|\sevidence)"
    rf"|\bwithout\s(?:{_ONE}\s)?{_THING}(?=\s*[,.;!]|\s(?:i|it)\b|\s*$)"
    rf"|\A\W*no\s{_THING}\W*\Z|\bno\svisual\s(?:input|data|content|information)\b"
    rf"|\b(?:{_ONE}\s|provided\s|attached\s|uploaded\s|\A\W*)+{_THING}\s(?:(?:is|was|were|are|has|have|seems?\sto\sbe|been"
    rf"|data)\s?){{0,2}}(?:{_NOT}\s?(?:been\s)?{_GIVEN}(?!\sin\sfull)|missing\W*\Z|missing\sfrom\s(?:your|the)\s(?:message"
    rf"|request|prompt|input)|unavailable|empty|{_FAILED}\s(?:load|open|display|process|access|decode|view|see)\w*)\b"
    rf"|\b(?:is|was|were)n['’]t\s{_GIVEN}\b(?=\W*\Z)"
    rf"|\b(?:do(?:es)?\s?{_NOT}|did\s?{_NOT}|have\s?{_NOT}|has\s?{_NOT}|never)\s(?:\w+\s)?(?:see|have|receive[d]?|contain"
    rf"|attach(?:ed)?|include[d]?|upload(?:ed)?|provide[d]?|find|detect)\s(?:access\sto\s)?{_ONE}\s{_THING}\b"
    rf"|\b(?:can\s?{_NOT}|can['’]t|unable\sto|{_NOT}\sable\sto|(?:ability|able|capability|need)\s(?:to|of))\s(?:\w+\s)?"
    rf"{_SEE}(?:ing)?\s(?:{_ONE}\s)?(?:\w+\s)?{_THING}\W*(?:\Z|[.,;!]|\b(?:as|because|since|so|directly|or|and|itself)\b)"
    rf"|\bplease\s(?:\w+\s)?(?:up-?load|provide|attach|share|send|supply|submit|include|re-?upload)\b"
    r"|\btext[- ](?:based|only)\b|\b(?:large\s)?language\smodel\b|\bas\san\sai\b|\bi['’]?\s?a?m\san\sai\b"
    r"|\bsorry\b|\bi\scan(?:not|['’]t)\s(?:assist|help|comply|provide\smedical)\b|\bno\saccess\sto\s(?:it|the)\b",
    re.IGNORECASE,
)
_EMPTY = re.compile(
    r"\W*(?:n/?a|none|null|nothing|unknown|not\s(?:provided|available|applicable|visible|given)|undetermined|tbd|to\sbe\s"
    r"determined|string|text|finding\s?\d?|<?\[?\s?image[\w.]*\s?\]?>?|\.{2,})\W*",
    re.IGNORECASE,
)
"""A form filled in without looking: placeholders, and the picture's own mark."""


def saw_nothing(lines: Iterable[str]) -> bool:
    """Whether one of the lines says that there was no image to see, or none of them says anything."""
    told = [line for line in lines if line]
    return all(_EMPTY.fullmatch(line) for line in told) or says_so(told)


def says_so(lines: Iterable[str]) -> bool:
    """Whether one of the lines says that there was no image to see."""
    return any(_SAYS.search(line) for line in lines)


Writing = Literal["drug", "person"]

SAID: dict[Writing, str] = {
    "drug": "Writing in the image about a drug was left out: no drug and no dose can be seen in an image.",
    "person": "Writing in the image names a person or a record. It was left out: check whose image this is.",
}

_DOSE = re.compile(
    r"\d\s?(?:mg|mcg|µg|ug|g|ml|iu|units?|tablets?|tabs?|caps(?:ules?)?|puffs?|drops?|patch(?:es)?|mmol|meq)(?![a-z])",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"\b(?:prescrib\w+|start(?:ing|ed)?|giv(?:e|en|ing)|administer\w*|tak(?:e|en|ing)|discontinu\w+|stop(?:ped|ping)?"
    r"|hold|increas(?:e|ing)\s(?:the\s)?(?:dose|dosage)|inject(?:ed|ing)?\s(?:with|of)|switch\w*|order(?:ed)?|dispense\w*"
    r"|allerg\w+|recommend\w*|indicated|contraindicated|daily|hourly|bid|tid|qid)\b",
    re.IGNORECASE,
)
_PERSON = re.compile(
    r"\b(?:patient(?:['’]s)?\s(?:name|id|identifier|number)|(?:full|first|last|family|given)\sname|name\s?[:=]"
    r"|named\s[A-Z]|mrn|medical\srecord\s(?:no|number|num)|accession|date\sof\sbirth|birth\s?date|d\.?o\.?b\.?(?!\w)"
    r"|born\s(?:on\s|in\s)?\d|hospital\s(?:no|number|id)|nhs\s(?:no|number)|ssn|social\ssecurity)",
    re.IGNORECASE,
)


def writing_in(line: str) -> Writing | None:
    """What kind of writing the line passes on, if it is any."""
    if _PERSON.search(line):
        return "person"
    if (_DOSE.search(line) or _ORDER.search(line)) and drugs_in(line):
        return "drug"
    return None
