"""The things a person may react to, found by name: drugs, listed allergens, and what their nouns make of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from docgemma.entities.entries.allergens import ALLERGENS, PAIRS, SINGULAR
from docgemma.entities.model import Mention
from docgemma.entities.words import Word, word_set

_HEAD_NOUNS = word_set(
    "fruit fruits tape dye media medium gloves sting stings bite bites venom vaccine vaccines leaves leaf oil oils "
    "products product seed seeds dander powder sap resin cream ointment drops patch patches dressing dressings spray "
    "plaster plasters extract shampoo soap detergent serum protein wool hair fur bread flour iodine"
)
"""With the known word before them these are one thing: "kiwi fruit", "micropore tape"."""


def known_substances(tokens: Sequence[Word], drugs: tuple[Mention, ...]) -> dict[int, tuple[int, Mention]]:
    """Token index → (how many tokens, what) for everything a person may react to."""
    by_start = {drug.start: drug for drug in drugs}
    known: dict[int, tuple[int, Mention]] = {}
    index = 0
    while index < len(tokens):
        word, size = tokens[index], 1
        if (name := f"{word.low} {_low(tokens, index + 1)}") in PAIRS:
            size = 3 if _low(tokens, index + 2) in _HEAD_NOUNS else 2
            whole = phrase(tokens[index : index + size])
            known[index] = (size, replace(whole, value=SINGULAR.get(name, name)) if size == 2 else whole)
        elif drug := by_start.get(word.start):
            while index + size < len(tokens) and tokens[index + size].start < drug.end:
                size += 1
            known[index] = (size, drug)
        elif word.low in ALLERGENS and index + 1 < len(tokens) and tokens[index + 1].low in _HEAD_NOUNS:
            known[index] = (size := 2, phrase(tokens[index : index + 2]))
        elif word.low in ALLERGENS:
            known[index] = (1, Mention(word.text, word.start, word.end, SINGULAR.get(word.low, word.low)))
        index += size
    return known


def phrase(named: Sequence[Word]) -> Mention:
    """Some words as one thing, as they were said."""
    text = " ".join(word.text for word in named)
    return Mention(text, named[0].start, named[-1].end, text.lower())


def _low(tokens: Sequence[Word], index: int) -> str:
    return tokens[index].low if index < len(tokens) else ""
