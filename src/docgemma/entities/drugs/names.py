"""Drug names in a text, by dictionary. Exact spelling only: a look-alike is another word, never a correction."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from docgemma.entities.drugs.matcher import find, key, keys
from docgemma.entities.drugs.table import table
from docgemma.entities.model import Mention

_JOINED = re.compile(r"\s{0,3}(?:/|\+|&|,|\band\b|\bwith\b|-)\s{0,3}", re.IGNORECASE)
_ONE_PRODUCT = frozenset("/+-")
_NUMBER = re.compile(r"\s{0,2}(?:#|no\.?\s{0,2}|number\s{1,2})(?P<n>\d)(?![\w.])", re.IGNORECASE)
_LONGEST = 200
"""No name is longer; what is longer is not looked up."""


def names() -> dict[str, tuple[str, ...]]:
    """Every known name with its ingredients."""
    return table().names


def listed_as(name: str) -> str:
    """The dictionary's spelling of a name: as it is, without a possessive, or without a plural; empty when unknown."""
    folded = key(name)
    for form in (folded, folded.removesuffix(" s"), folded.removesuffix("s")):
        if form in keys():
            return keys()[form]
    return ""


def ingredients(name: str) -> tuple[str, ...]:
    """What a drug name stands for, also "sacubitril and valsartan", which is one product; empty when it is not known.

    "Warfarin and ibuprofen" is no drug: nobody sells them together, so an order for it has to be taken apart.
    """
    if len(name) > _LONGEST:
        return ()
    known = listed_as(name)
    if known:
        return names()[known]
    parts = [listed_as(part) for part in _JOINED.split(name)]
    if len(parts) < 2 or not all(parts):
        return ()
    together = tuple(dict.fromkeys(ingredient for part in parts for ingredient in names()[part]))
    return together if frozenset(together) in _products() else ()


def same_drug(one: str, other: str) -> bool:
    """Equal by ingredients, or, for names we do not know, by spelling."""
    left, right = ingredients(one), ingredients(other)
    if left or right:
        return frozenset(left) == frozenset(right)
    return " ".join(one.lower().split()) == " ".join(other.lower().split())


def is_drug(name: str) -> bool:
    """Whether these words are one known drug name."""
    return bool(ingredients(name))


def spelled_out(mentions: Iterable[Mention]) -> list[Mention]:
    """Without those that were written in shorthand: a chart entry is made from a full name only."""
    return [mention for mention in mentions if is_drug(mention.text)]


def drugs_in(text: str) -> tuple[Mention, ...]:
    """Known drugs in order, the longest name at each place. `value` is the name as the dictionary spells it.

    "Telmisartan/amlodipine" is one mention, because a product of both exists; "warfarin/ibuprofen" are two.
    """
    found: list[Mention] = []
    for name, start, end in find(text):
        before = found[-1] if found else None
        if before and start == before.end + 1 and text[before.end] in _ONE_PRODUCT:
            joined = f"{before.value}{text[before.end]}{name}"
            if ingredients(joined):
                found[-1] = Mention(text[before.start : end], before.start, end, joined)
                continue
        found.append(_numbered(text, Mention(text[start:end], start, end, name)))
    return tuple(found)


def _numbered(text: str, drug: Mention) -> Mention:
    """ "Tylenol #3" is another product than Tylenol: the number belongs to the name where the dictionary says so."""
    number = _NUMBER.match(text, drug.end)
    listed = listed_as(f"{drug.value} {number['n']}") if number else ""
    if not number or names().get(listed) in (None, names().get(drug.value)):
        return drug
    return Mention(text[drug.start : number.end()], drug.start, number.end(), listed)


@cache
def _products() -> frozenset[frozenset[str]]:
    """Ingredients that are sold together."""
    return frozenset(frozenset(parts) for parts in names().values() if len(parts) > 1)
