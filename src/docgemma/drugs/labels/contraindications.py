"""Which sentences under "Contraindications" say when not to give the drug, and which only say why."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from docgemma.drugs.labels.gathered import FORBIDS, Said, is_fragment, listed
from docgemma.drugs.model import Statement

FIELDS = ("contraindications", "do_not_use")
_FALLBACK = 3
_NONE = re.compile(
    r"\W*(?:none(?: (?:known|reported|identified|listed|stated))?|not applicable|n/a|(?:there are )?no (?:known "
    r"|specific |absolute )?contraindications?(?: (?:are |have been )?(?:known|reported|identified|established))?"
    r"(?: (?:to|for|with) (?:the use of )?[\w\s-]{1,60})?)\W*",
    re.IGNORECASE,
)


def is_none(text: str) -> bool:
    """ "None." stands where a label has nothing to forbid. It is no contraindication."""
    return _NONE.fullmatch(text) is not None


def contraindications(said: Sequence[Statement]) -> list[Said]:
    """When not to give it, in the label's order; then why. What nobody knows forbids nothing."""
    first: list[Said] = []
    reasons: list[Said] = []
    kept = [each for each in said if not is_none(each.text)]
    for heading, group in groupby(listed(kept), key=lambda each: each.statement.heading):
        under = [each for each in group if not each.text.endswith(":")]
        telling = [each for each in under if FORBIDS.search(each.text) or not each.idle]
        if heading and not heading.endswith(":"):
            first += telling[:1]
            first += [each for each in telling[1:] if FORBIDS.search(each.text)]
        else:
            first += [each for each in telling if _forbids(each)]
            reasons += [each for each in telling if not _forbids(each)]
    return [*first, *reasons] or listed(kept[:_FALLBACK])


def _forbids(item: Said) -> bool:
    """Says so, or just names a condition."""
    return bool(FORBIDS.search(item.text)) or is_fragment(item.text)
