"""Measurements that only their shape shows: a short name, or something in serum, before a comparison ("IGA ≥ 3")."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docgemma.grounding.extracting.comparing import number_after
from docgemma.grounding.extracting.model import Found
from docgemma.grounding.extracting.tables import listed
from docgemma.terminology.linking.words import Word

_NAME = re.compile(r"[A-Z][A-Za-z]{0,3}[A-Z0-9][A-Za-z0-9]{0,7}|[a-z]{1,3}[A-Z][A-Za-z0-9]{1,7}")
"""A short form: a second capital or a digit near its beginning."""
_FLUIDS = frozenset({"serum", "plasma", "urinary", "urine"})
_SCORED = frozenset({"score", "index", "scale"})
_HALVES = 3
"""Parts of a compound name: "HAM-D-17"."""


def compared(words: Sequence[Word]) -> list[Found]:
    """Short names with a comparison right after them."""
    found = []
    for place, word in enumerate(words):
        scored = place + 1 < len(words) and word.gap == " " and words[place + 1].key in _SCORED
        last = place + 1 + scored
        if word.key in listed("boundaries") or number_after(words, last) is None:
            continue
        first = place
        while first > 0 and place - first < _HALVES - 1 and words[first - 1].hyphened:
            first -= 1
        fluid = first > 0 and words[first - 1].key in _FLUIDS and words[first - 1].gap == " "
        short = _NAME.fullmatch(words[first].text) is not None or (first < place and words[first].text.isupper())
        if fluid or short:
            found.append(Found(first - fluid, last, "Lab_Value"))
    return found
