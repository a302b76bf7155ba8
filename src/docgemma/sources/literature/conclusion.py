"""What an abstract concludes, in its own words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docgemma.entities.cutting import shortened
from docgemma.entities.sentences import complete, split
from docgemma.sources.literature.facts import labelled

LONGEST = 400

_CONCLUSION = re.compile(
    r"(?:(?:authors?['’]?|reviewers?['’]?|overall|general|main|study)\s)?conclusions?(?:\s|$|[/,&])"
    r"|interpretations?(?:\s|$)|implications?\b|(?:clinical\s)?significance\b|what this (?:study|review) adds"
    r"|summary(?:\s|$)|in conclusion",
    re.IGNORECASE,
)
_SURELY = re.compile(r"conclu", re.IGNORECASE)
_CONCLUDING = re.compile(
    r"(?:in (?:conclusion|summary)|(?:we|the authors?) conclude|to conclude|taken together|overall,"
    r"|(?:these|our) (?:results|findings|data) (?:suggest|indicate|show|support|demonstrate)|conclusions?:)",
    re.IGNORECASE,
)
_NO_FINDING = re.compile(
    r"\(?(?:funded|supported|sponsored|funding|prospero|copyright|keywords?|registration)\b|©|\(c\)\s?\d"
    r"|(?:(?:clinical )?trial |systematic review |study )?(?:registration|registry|registered)\b"
    r"|(?:clinicaltrials\.gov|isrctn|eudract|nct\d)|this article is protected|all rights reserved"
    r"|the (?:study|trial) (?:is|was) registered|level of evidence\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"\s?\((?:funded|supported|clinicaltrials|prospero|registration|trial)[^()]{0,300}\)\.{0,2}", re.IGNORECASE
)


def conclusion_of(sections: Sequence[tuple[str, str]], most: int = LONGEST) -> str:
    """The section that concludes; else the closing sentences. Whole sentences from a beginning, or empty."""
    parts = [part for section in sections for part in (labelled(section[1]) if not section[0] else (section,))]
    named = [(heading, text) for heading, text in parts if _CONCLUSION.match(heading)]
    sure = [text for heading, text in named if _SURELY.search(heading)] or [text for _, text in named]
    if sure and (found := _findings(sure[-1])):
        return _bounded(found, most)
    return _closing(_findings(parts[-1][1]), most) if parts else ""


def _findings(text: str) -> list[str]:
    """Its sentences without those that name who paid or where it was registered."""
    whole: list[str] = []
    for piece in split(_ASIDE.sub(".", text)):  # a very long sentence comes in pieces
        if whole and not complete(whole[-1]):
            whole[-1] += piece
        else:
            whole.append(piece)
    return [found for each in whole if (found := each.strip(" .")) and not _NO_FINDING.match(found)]


def _bounded(sentences: Sequence[str], most: int) -> str:
    return shortened(_whole(sentences), most)


def _closing(sentences: Sequence[str], most: int) -> str:
    """From the sentence that begins to conclude; else the last two, the very last where both are too long."""
    if not sentences:
        return ""
    start = next((place for place, each in enumerate(sentences) if _CONCLUDING.match(each)), None)
    last = sentences[start:] if start is not None else sentences[-2:]
    while len(last) > 1 and start is None and len(_whole(last)) > most:
        last = last[1:]
    return _bounded(last, most)


def _whole(sentences: Sequence[str]) -> str:
    return " ".join(each if each.endswith(("?", "!", "…")) else f"{each}." for each in sentences)
