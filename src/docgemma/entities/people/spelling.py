"""How a name is spoken, and the words before it that belong to it: particles, "baby of"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docgemma.entities.people.kinds import VIETNAMESE, is_particle
from docgemma.entities.words import Word, word_set

_NUMERALS = word_set("ii iii iv")
_OPENING = word_set("van von der den de dos del al el bin da di la")


def baby_before(tokens: Sequence[Word], index: int) -> int:
    """How many words before a name say that its baby is meant: "B/O Lakshmi", "baby of Priya", "Baby Girl Smith"."""
    before = [word.low for word in tokens[max(0, index - 3) : index]]
    if before == ["b", "/", "o"]:
        return 3
    if len(before) > 1 and before[-2] in {"baby", "babe"} and before[-1] in {"of", "boy", "girl"}:
        return 2
    return 1 if before[-1:] == ["baby"] else 0


def particles_before(tokens: Sequence[Word], index: int) -> int:
    """How many particles open the name: "van der Berg", "de Souza"."""
    size = 0
    while size < min(2, index) and tokens[index - size - 1].low in _OPENING:
        size += 1
    return size


def spoken(name: str, *, glued: bool) -> str:
    """ "smith, john" as "John Smith": given name first, in capitals as names are written."""
    name = name[:-1] if glued else name
    family, comma, given = name.partition(",")
    parts = (f"{given} {family}" if comma else name).split()
    middle = parts[0].lower() in VIETNAMESE  # "van" is a name there, not a particle
    small = (bool(index) and is_particle(part) and not middle for index, part in enumerate(parts))
    return " ".join(part if lower else _capitals(part) for part, lower in zip(parts, small, strict=True))


def _capitals(part: str) -> str:
    if part.lower() in _NUMERALS:
        return part.upper()
    if not (part.islower() or (part.isupper() and len(part.strip(".")) > 1)):
        return part
    proper = re.sub(r"[^\W\d_]+", lambda match: match.group().capitalize(), part)
    return re.sub(r"^Mc[a-z]", lambda match: match.group()[:2] + match.group()[2].upper(), proper)
