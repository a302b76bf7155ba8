"""Drug names in a text, by dictionary. Exact spelling only: a look-alike is another word, never a correction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files

from docgemma.entities.model import Mention
from docgemma.entities.words import Word, words

_LONGEST = 3
"""No name in the list has more words than this."""


@cache
def names() -> dict[str, tuple[str, ...]]:
    """Every known name with its ingredients."""
    table: dict[str, tuple[str, ...]] = {}
    for line in files("docgemma.entities").joinpath("data/drugs.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, *ingredients = (part.strip() for part in line.split(","))
            table[name] = tuple(ingredients) or (name,)
    return table


@cache
def _openings() -> frozenset[str]:
    """First words of names with several words, so that the longest match is tried only where it can succeed."""
    return frozenset(name.split()[0] for name in names() if " " in name)


def ingredients(name: str) -> tuple[str, ...]:
    """What a drug name stands for; empty when the name is not known."""
    known = _known(" ".join(name.lower().split()))
    return names()[known] if known else ()


def same_drug(one: str, other: str) -> bool:
    """Equal by ingredients, or, for names we do not know, by spelling."""
    left, right = ingredients(one), ingredients(other)
    if left or right:
        return frozenset(left) == frozenset(right)
    return " ".join(one.lower().split()) == " ".join(other.lower().split())


def find_drugs(tokens: Sequence[Word]) -> tuple[Mention, ...]:
    """Known drugs, longest name first at each place. `value` is the name as the dictionary spells it."""
    found: list[Mention] = []
    index = 0
    while index < len(tokens):
        size, name = _longest(tokens, index)
        if name:
            start, end = tokens[index].start, tokens[index + size - 1].end
            text = " ".join(word.text for word in tokens[index : index + size])
            found.append(Mention(text.removesuffix("'s"), start, end, name))
        index += max(size, 1)
    return tuple(found)


def is_drug(name: str) -> bool:
    """Whether these words are one known drug name."""
    return bool(ingredients(name))


def spelled_out(mentions: Iterable[Mention]) -> list[Mention]:
    """Without those that were written in shorthand: a chart entry is made from a full name only."""
    return [mention for mention in mentions if is_drug(mention.text)]


def drugs_in(text: str) -> tuple[Mention, ...]:
    """Known drugs of a text that has not been split into words yet."""
    return find_drugs(words(text))


def _longest(tokens: Sequence[Word], index: int) -> tuple[int, str]:
    if not tokens[index].text.replace("’", "'").isascii():  # some foreign letters turn into Latin ones in lower case
        return 1, ""
    if tokens[index].low in _openings():
        for size in range(min(_LONGEST, len(tokens) - index), 1, -1):
            if name := _known(" ".join(word.low for word in tokens[index : index + size])):
                return size, name
    return 1, _known(tokens[index].low)


def _known(low: str) -> str:
    """The listed name behind a word: as it is, without a possessive, or without a plural."""
    for form in (low, low.removesuffix("'s"), low.removesuffix("s")):
        if form in names():
            return form
    return ""
