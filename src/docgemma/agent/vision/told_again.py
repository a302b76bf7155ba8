"""Findings of an earlier image that an answer repeats: they need a specialist's review as much as on the first day."""

from __future__ import annotations

import re
from collections.abc import Iterable

from docgemma.ehr.folding import fold_words
from docgemma.store.rows import Turn

_IMAGE = re.compile(
    r"\b(?:images?|x-?rays?|cxrs?|scans?|films?|pictures?|photos?|photographs?|slides?|ct|mri|radiograph\w*|ultrasound"
    r"|mammogram)\b",
    re.IGNORECASE,
)
_LONG = 6
"""Letters of a word that names a finding; shorter ones stand in every sentence."""


def findings_of(turns: Iterable[Turn]) -> tuple[str, ...]:
    """What was seen in the images of these turns, and what was said of them later on."""
    found: list[str] = []
    for turn in turns:
        record = turn.record or {}
        seen = record.get("findings") or {}
        found += [*seen.get("findings", ()), *([seen["impression"]] if seen.get("impression") else [])]
        if not seen and any("specialist" in notice for notice in record.get("notices", ())):
            found.append(str(record.get("response", "")))
    return tuple(dict.fromkeys(found))


def tells_again(response: str, findings: tuple[str, ...]) -> bool:
    """Whether the answer speaks of an image that was looked at earlier, or of something that was found in it."""
    if not findings:
        return False
    told = {word for line in findings for word in fold_words(line) if len(word) >= _LONG}
    return _IMAGE.search(response) is not None or not told.isdisjoint(fold_words(response))
