"""What an answer says instead of what was said before: "make that 20", "sorry 250 not 500", "bd not tds"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from docgemma.entities.amounts.doses import parse_dose
from docgemma.entities.model import Entities, Mention

_DENIED = re.compile(r"(?<!\w)(?:not|no|instead\sof|rather\sthan)\s{1,2}(?:the\s)?$", re.IGNORECASE)
_BACK = 16
_AMOUNT = r"[0-9]{1,6}(?:\.[0-9]{1,3})?"
_INSTEAD = re.compile(
    r"(?:(?:no|oops|sorry|wait|actually|apologies|pls|please|wrong\sdose|my\s(?:bad|mistake))[\s,.-]{1,3}){0,3}"
    r"(?:(?:make|change|amend|correct)\s(?:that|it|this)(?:\sto)?\s|(?:it\s|that\s|dose\s)?should\s(?:be|say|read)\s|(?:i\s)?mean[t]?\s)?"
    rf"(?P<said>{_AMOUNT})(?:[\s,]{{1,2}}(?:not|instead\sof|rather\sthan)\s(?P<denied>{_AMOUNT}))?"
    r"(?:[\s,]{1,2}(?:pls|please|sorry|instead|thanks|thx|ta)){0,2}[.!]?",
    re.IGNORECASE,
)
_KNOWN = re.compile(rf"(?P<value>{_AMOUNT})\s?(?P<unit>[a-z]{{1,12}})", re.IGNORECASE)


def without_denied(text: str, found: Entities) -> Entities:
    """The entities without the amounts that the text says it is not: of "bd not tds" only the first counts."""
    return replace(found, doses=_affirmed(text, found.doses), frequencies=_affirmed(text, found.frequencies))


def _affirmed(text: str, mentions: Sequence[Mention]) -> tuple[Mention, ...]:
    return tuple(item for item in mentions if not _DENIED.search(text[max(0, item.start - _BACK) : item.start]))


def bare_dose(text: str, known: str) -> Mention | None:
    """A number alone in place of a dose keeps its unit. A bare "20" corrects nothing: it may answer anything."""
    before = _KNOWN.fullmatch(known)
    match = _INSTEAD.fullmatch(text.strip().replace("’", "'"))
    if before is None or match is None or match["said"] == match.group():
        return None
    if match["denied"] and float(match["denied"]) != float(before["value"]):
        return None
    value = f"{match['said']} {before['unit']}"
    start = text.index(text.strip()) + match.start("said")
    return Mention(match["said"], start, start + len(match["said"]), value) if parse_dose(value) else None
