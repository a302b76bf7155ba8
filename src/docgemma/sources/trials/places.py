"""Where a trial should take place, as the register is asked for it: "the UK", "Uganda or Kenya", "Portland, Oregon"."""

from __future__ import annotations

import re
from functools import cache

from docgemma.entities.tables import rows
from docgemma.entities.words import word_set

_LED = word_set("in near at around from across throughout the")
_BEHIND = word_set("only area region please")
_EITHER = re.compile(r"\s*(?:[,/]|(?:,\s*)?(?<!\w)(?:or|and)(?!\w))\s*", re.IGNORECASE)
_OR = re.compile(r"\s+or\s+|\s*/\s*", re.IGNORECASE)


def place_of(words: str) -> str:
    """A place, or several joined by "or"; one that is not on the list as it was written; empty for "near me"."""
    bare = _bare(words)
    parts = [_bare(part) for part in _EITHER.split(bare) if part.strip()]
    known = [_listed().get(part.lower()) for part in parts]
    if bare.lower() in _listed() or not all(known):
        return " or ".join(_named(part) for part in _OR.split(bare) if _named(part))
    (first, sort), *others = [each for each in known if each] or [("", "")]
    if len(others) == 1 and "," in bare and others[0][1] == "area" and sort != "area":
        return f"{first} {others[0][0]}"
    return " or ".join(name for name, _ in [(first, sort), *others] if name)


def is_here(words: str) -> bool:
    """Whether it is a place that only the one who asks knows."""
    return _listed().get(" ".join(words.lower().split()), ("", ""))[1] == "here"


def _named(written: str) -> str:
    return _listed().get(_bare(written).lower(), (_bare(written), ""))[0]


def _bare(words: str) -> str:
    """Without the words that lead to a place and follow one."""
    written = words.replace("’", "'").strip(" .,;?!").split()
    if " ".join(written).lower() in _listed():
        return " ".join(written)
    while len(written) > 1 and written[0].lower() in _LED:
        written = written[1:]
    while len(written) > 1 and written[-1].lower().strip(",") in _BEHIND:
        written = written[:-1]
    return " ".join(written).strip(" ,")


@cache
def _listed() -> dict[str, tuple[str, str]]:
    return {said: (register, sort) for said, register, sort in rows("docgemma.sources.trials", "places.tsv")[1:]}
