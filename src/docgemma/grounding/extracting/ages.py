"""Age that only its unit names: "≥ 18 years", "21 years or older". A criterion that says "aged", "adults" or "women"
has named whom it is about already."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docgemma.grounding.extracting.model import Found
from docgemma.terminology.linking.words import Word

_UNITS = frozenset({"year", "month", "week", "day"})
_OLD = frozenset({"old"})
_COMPARED = frozenset({"older", "younger"})
_NUMBER = re.compile(r"\d{1,3}")


def unnamed_age(words: Sequence[Word]) -> Found | None:
    """The unit as the age's name, with "old" where it stands beside it."""
    for place, word in enumerate(words):
        if word.key not in _UNITS or place == 0 or _NUMBER.fullmatch(words[place - 1].text) is None:
            continue
        following = words[place + 1 : place + 3]
        if following and following[0].low in _OLD and word.joined:
            return Found(place, place + 2, "Demographic", "age", rank=2)
        if any(one.low in _COMPARED for one in following):
            return Found(place, place + 1, "Demographic", "age", rank=2)
    return None
