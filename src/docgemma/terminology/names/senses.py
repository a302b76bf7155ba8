"""Short forms that mean several things in trials: the words around them decide, or nobody does.

"PD on levodopa" is Parkinson disease, "PD or HD for renal failure" is dialysis, "PD on the last regimen" is no entity.
A wrong guess would be grounded with full confidence, so where the text says nothing the form is left undecided.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from docgemma.terminology.contract import ENTITY_TYPES, EntityType

_TOKEN = re.compile(r"[^\W_]+|%")
_COMPOUND = re.compile(r"[-\u2010\u2011][A-Z\d]")
"""PD-L1 and CRT-D are names of their own."""
_STEM = 5
"""A cue of this many letters also stands for words that begin with it: "dialys" for "dialysed"."""
_DEFAULT = "*"


@dataclass(frozen=True, slots=True)
class Sense:
    """One meaning. Without a type it is no medical entity: an ordinary word, a response, a place."""

    long: str
    type: EntityType | None
    cues: tuple[str, ...]

    @property
    def usual(self) -> bool:
        """Meant where the text hints at no other."""
        return _DEFAULT in self.cues


@cache
def _table() -> dict[str, tuple[Sense, ...]]:
    text = resources.files("docgemma.terminology.names").joinpath("senses.tsv").read_text("utf-8")
    found: dict[str, tuple[Sense, ...]] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            short, kind, long, cues = line.split("\t")
            type = None if kind == "-" else ENTITY_TYPES[ENTITY_TYPES.index(kind)]
            found[short] = (*found.get(short, ()), Sense(long, type, tuple(cues.split())))
    return found


def senses(short: str) -> tuple[Sense, ...]:
    """What it may stand for; nothing for a form that is not listed. Case counts; a plural s is forgiven."""
    table = _table()
    return table.get(short) or (table.get(short[:-1], ()) if short.endswith("s") else ())


def meant(short: str, before: Sequence[str], after: Sequence[str]) -> Sense | None:
    """The sense that the lower-case words around a short form speak for; None where they do not say."""
    hits = [(_hits(sense, before, after), sense) for sense in senses(short)]
    most = max((count for count, _ in hits), default=0)
    best = [sense for count, sense in hits if count == most] if most else [one for _, one in hits if one.usual]
    return best[0] if len(best) == 1 else None


def undecided(text: str, start: int, end: int) -> str | None:
    """The first short form in `text[start:end]` that the rest of the text leaves open."""
    tokens = list(_TOKEN.finditer(text))
    low = [token.group().lower() for token in tokens]
    for place, token in enumerate(tokens):
        inside = start <= token.start() and token.end() <= end and not _COMPOUND.match(text, token.end())
        if inside and senses(token.group()) and meant(token.group(), low[:place], low[place + 1 :]) is None:
            return token.group()
    return None


def _hits(sense: Sense, before: Sequence[str], after: Sequence[str]) -> int:
    """How many of its cues the text has: `<word` just before, `>word` just after, the others anywhere."""
    around = {*before, *after}
    count = 0
    for cue in sense.cues:
        if cue.startswith("<"):
            count += before[-1:] == [cue[1:]]
        elif cue.startswith(">"):
            count += after[:1] == [cue[1:]]
        elif cue != _DEFAULT:
            count += cue in around or (len(cue) >= _STEM and any(word.startswith(cue) for word in around))
    return count
