"""Slips of the tongue that are mended in the same breath: of "30 mg no sorry make that 40 mg" the last counts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docgemma.entities.model import Mention

_GAP = r"[\s,.–—:-]{1,3}"
_MENDED = re.compile(
    rf"[\s,.;–—-]{{1,4}}(?:(?:no|oh|wait|um|er|erm|uh){_GAP}){{0,3}}"
    rf"(?:(?:sorry|oops|apologies|correction|actually|rather|i\smeant?|make\s(?:that|it)|should\sbe){_GAP}){{1,4}}",
    re.IGNORECASE,
)
"""A bare "no" mends nothing: "30 mg no 40 mg" stays a contradiction and is asked about."""

_LONGEST_SLIP = 60


def last_said(text: str, mentions: Sequence[Mention]) -> tuple[Mention, ...]:
    """Without those that the speaker took back at once."""
    following = (*mentions[1:], None)
    return tuple(one for one, other in zip(mentions, following, strict=False) if not _taken_back(text, one, other))


def _taken_back(text: str, one: Mention, other: Mention | None) -> bool:
    if other is None or other.start - one.end > _LONGEST_SLIP:
        return False
    return _MENDED.fullmatch(text, one.end, other.start) is not None
