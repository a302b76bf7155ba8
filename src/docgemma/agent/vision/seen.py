"""What was seen in an image, once code went over it: what is kept, shown, told to later nodes and used again."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Protocol

from docgemma.agent.record import Findings, Part
from docgemma.clinical import Confidence, Source
from docgemma.ehr.folding import fold_words
from docgemma.store.rows import Turn
from docgemma.tools.handlers import SPECIALIST
from docgemma.tools.results import ImageReport, ImageType, Region

MODALITIES: dict[ImageType, str] = {
    "chest_xray": "X-ray",
    "xray": "X-ray",
    "ct_scan": "CT",
    "mri": "MRI",
    "ultrasound": "ultrasound",
    "pathology": "histopathology",
    "dermatology": "photograph of skin",
    "fundus": "fundus photograph",
    "unknown": "unknown",
}
_WORD = re.compile(r"[a-z]{3}", re.IGNORECASE)
_LONGEST_QUOTE = 600
NOT_LOOKED_AT = "No vision model answered, so the image was not looked at."


class Seen(Part):
    """One look at one image, or at two. `asked` is the question that it answers; empty where none was asked."""

    image_id: str
    prior_id: str = ""
    asked: str = ""
    image_type: ImageType = "unknown"
    modality: str = "unknown"
    findings: tuple[str, ...] = ()
    impression: str = ""
    confidence: Confidence = "low"
    compared: bool = False
    regions: tuple[Region, ...] = ()
    warnings: tuple[str, ...] = ()
    flagged: int = 0

    def text(self) -> str:
        """As later nodes read it."""
        lines = [f"Modality: {self.modality}", *(f"- {finding}" for finding in self.findings)]
        return "\n".join([*lines, *([f"Impression: {self.impression}"] if self.impression else [])])

    def answers(self, question: str) -> bool:
        """Whether it was made for this very question."""
        return same_words(self.asked) == same_words(question)

    def serves(self, question: str) -> bool:
        """Whether it needs no further look: made for this question, or for none in particular and asked for again."""
        return self.answers(question) or not is_specific(question)

    def for_another(self, question: str) -> Seen:
        """What it shows whatever is asked: an impression that answers another question stays behind."""
        own = self.answers(question) or not is_specific(self.asked)
        return self if own else self.model_copy(update={"impression": ""})

    def report(self, facts: tuple[str, ...]) -> ImageReport:
        """As the tool gives it."""
        return ImageReport(
            status="found",
            origin="model",
            **_shared(self),
            regions=self.regions,
            facts=facts,
            warnings=(SPECIALIST, *self.warnings),
            flagged=self.flagged,
            sources=(self._source(),),
        )

    def _source(self) -> Source:
        """The findings word for word: what a model then writes about them can be held against them."""
        quote = "; ".join(self.findings)[:_LONGEST_QUOTE]
        return Source(kind="image", title=f"Attached image ({self.modality})", quote=quote)

    def recorded(self) -> Findings:
        """As the turn record holds it."""
        return findings_record(self.report(()), self.image_id, self.prior_id)


class Memory(Protocol):
    """Where what was seen in an image is kept. Images that come with a call from outside have none."""

    async def recall(self, image_id: str, question: str = "", *, prior_id: str = "") -> Seen | None: ...

    async def keep(self, seen: Seen) -> None: ...


def findings_record(report: ImageReport, image_id: str, prior_id: str = "") -> Findings:
    """The tool's report in the turn record."""
    return Findings(
        image_id=image_id,
        prior_id=prior_id if report.compared else "",
        **_shared(report),
        boxes=tuple((each.x0, each.y0, each.x1, each.y1, each.label) for each in report.regions),
    )


def _shared(look: Seen | ImageReport) -> dict[str, Any]:
    """What a look has in every form: as it is kept, as the tool gives it, in the turn record."""
    names = ("image_type", "modality", "findings", "impression", "confidence", "compared")
    return {name: getattr(look, name) for name in names}


def not_looked_at(facts: tuple[str, ...], message: str = NOT_LOOKED_AT) -> ImageReport:
    """Nobody looked: what the file itself says, and no finding."""
    return ImageReport(status="unavailable", error_type="not_configured", message=message, facts=facts)


def is_specific(question: str) -> bool:
    """A question beyond "what do you see?": general findings are made for every image anyway."""
    return bool(_WORD.search(GENERAL_LOOK.sub(" ", question)))


def same_words(question: str) -> str:
    """A question without what does not change it."""
    return " ".join(question.casefold().split()).rstrip(" ?.!")


GENERAL_LOOK = re.compile(
    r"(?<![\w-])(?:what(?:'s|\sis|\sare|\sdo|\scan|\sdoes)?|do|you|see|describe|analy[sz]e|interpret|interpretation|read|look|at"
    r"|here|is|this|these|that|the|a|an|in|on|of|my|attached|image|images|x-?ray|cxr|ct|mri|scan|film|picture|photo|slide"
    r"|radiograph|chest|please|findings?|tell|me|about|show|shows|shown|can|could|any|it|and|for|give|your|thoughts|report"
    r"|hello|hi|thanks|patient|what's|abnormal(?:ity|ities)?|there|anything)(?![\w-])",
    re.IGNORECASE,
)


_IMAGE = re.compile(
    r"\b(?:images?|x-?rays?|cxrs?|scans?|films?|pictures?|photos?|photographs?|slides?|ct|mri|radiograph\w*|ultrasound"
    r"|mammogram)\b",
    re.IGNORECASE,
)
_LONG = 6
"""Letters of a word that names a finding; shorter ones stand in every sentence."""


def earlier_findings(turns: Iterable[Turn]) -> tuple[str, ...]:
    """What was seen in the images of these turns, and what was said of them later on."""
    found: list[str] = []
    for turn in turns:
        record = turn.record or {}
        seen = record.get("findings") or {}
        found += [*seen.get("findings", ()), *([seen["impression"]] if seen.get("impression") else [])]
        if not seen and any("specialist" in notice for notice in record.get("notices", ())):
            found.append(str(record.get("response", "")))
    return tuple(dict.fromkeys(found))


def repeats_findings(response: str, findings: tuple[str, ...]) -> bool:
    """Whether the answer speaks of an image that was looked at earlier, or of something that was found in it."""
    if not findings:
        return False
    told = {word for line in findings for word in fold_words(line) if len(word) >= _LONG}
    return _IMAGE.search(response) is not None or not told.isdisjoint(fold_words(response))
