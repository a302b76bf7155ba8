"""Shorthand for drugs: "warf", "ASA", "vanc".

For a look-up it stands for the drug. In an order it does not: some of it is on every list of error-prone abbreviations
(MTX, HCTZ, MSO4, MgSO4), so there it stays as written, a word that has to be cleared up first.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from docgemma.entities.model import Mention
from docgemma.entities.words import Word, word_set

_CLASSES = word_set("class classes score status grade physical i ii iii iv v")
"""After "ASA" these make it a classification, not aspirin."""


@cache
def _table() -> dict[str, tuple[str, bool]]:
    """Shorthand → the drug, and whether it counts in any case."""
    table: dict[str, tuple[str, bool]] = {}
    for line in files("docgemma.entities").joinpath("data/abbreviations.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            short, drug = (part.strip() for part in line.split(","))
            table[short.lower()] = (drug, short.islower())
    return table


def find_abbreviations(tokens: Sequence[Word]) -> tuple[Mention, ...]:
    """Shorthand in order; `value` is the drug it stands for."""
    found: list[Mention] = []
    for index, word in enumerate(tokens):
        entry = _table().get(word.low) if word.text.isascii() else None
        if entry is None:
            continue
        drug, any_case = entry
        classified = word.low == "asa" and index + 1 < len(tokens) and tokens[index + 1].low in _CLASSES
        if (any_case or word.text.isupper() or word.text.islower()) and not classified:
            found.append(Mention(word.text, word.start, word.end, drug))
    return tuple(found)


def meaning(short: str) -> str:
    """The drug that this one piece of shorthand stands for, or nothing."""
    entry = _table().get(short.lower()) if short.isascii() else None
    return entry[0] if entry and (entry[1] or short.isupper() or short.islower()) else ""


def as_written(found: Sequence[Mention]) -> tuple[Mention, ...]:
    """Only the letters that were typed."""
    return tuple(Mention(mention.text, mention.start, mention.end) for mention in found)
