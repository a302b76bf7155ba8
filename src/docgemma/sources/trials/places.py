"""Where a trial should take place, as people write it: "in the UK", "Uganda or Kenya", "Portland, Oregon"."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from docgemma.sources.trials.tables import rows

HERE = re.compile(
    r"(?<!\w)(?:near|close\sto|around)\s(?:me|us|here|home|my\s\w+|our\s\w+)(?!\w)|(?<!\w)(?:nearby|locally)(?!\w)",
    re.IGNORECASE,
)
"""A place that only the one who asks knows."""

_LED = re.compile(
    r"(?:(?:based\s|located\s)?(?:in|near|at|around|from|across|throughout|close\sto|within\sreach\sof)(?:\sand\saround)?\s+)?"
    r"(?:the\s+)?(?:(?:city|state|region|area|province)\sof\s)?",
    re.IGNORECASE,
)
_BEHIND = re.compile(r"[\s,]+(?:only|area|region|please)$", re.IGNORECASE)
_LEADING = re.compile(r"\s(?=(?:in|near|at|around|across|throughout)\s)", re.IGNORECASE)
_EITHER = re.compile(r"\s*(?:[,/]|(?:,\s*)?(?<!\w)(?:or|and)(?!\w))\s*", re.IGNORECASE)
_OR = re.compile(r"\s+or\s+|\s*/\s*", re.IGNORECASE)


class _Listed(NamedTuple):
    register: str
    is_area: bool


def place_of(words: str) -> str:
    """A place as the register is asked for it; one that is not on the list as it was written."""
    return listed_place(words) or " or ".join(listed_place(part) or _bare(part) for part in _OR.split(_bare(words)))


def listed_place(words: str) -> str:
    """A place of the list, or several joined by "or", as the register is asked for it; empty for anything else."""
    bare = _bare(words)
    if bare.lower() in _listed():
        return _listed()[bare.lower()].register
    parts = [_bare(part).lower() for part in _EITHER.split(bare) if part.strip()]
    known = [_listed()[part] for part in parts if part in _listed()]
    if len(parts) == 2 and "," in bare and len(known) == 2 and known[1].is_area and not known[0].is_area:
        return f"{known[0].register} {known[1].register}"
    return " or ".join(each.register for each in known) if len(known) == len(parts) else ""


def without_place(words: str) -> tuple[str, str]:
    """What stands before "in <a place of the list>" at the end of the words, and the place; empty where none is."""
    for joint in _LEADING.finditer(words):
        if place := listed_place(words[joint.end() :]):
            return words[: joint.start()], place
    return words, ""


def _bare(words: str) -> str:
    written = " ".join(words.replace("’", "'").split()).strip(" .,;?!")
    return _BEHIND.sub("", _LED.sub("", written, count=1) if _LED.match(written) else written)


@cache
def _listed() -> dict[str, _Listed]:
    return {row["written"]: _Listed(row["register"], row["sort"] == "area") for row in rows("places.tsv")}
