"""The concept that an expert names, as the terminology in use has it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docgemma.errors import BadInput
from docgemma.grounding.review.decision import Choice, Item
from docgemma.terminology.contract import LONGEST_TERM, Terminology

_CUI = re.compile(r"C[0-9]{7}", re.ASCII)
_SNOMED = re.compile(r"[0-9]{6,18}", re.ASCII)
_LOOKED_AT = 50


def check_codes(cui: str | None, snomed: str | None) -> None:
    """What is no code of either kind is a slip of the hand, and never stored."""
    if cui is not None and not _CUI.fullmatch(cui):
        raise BadInput("A CUI is C and seven digits, such as C0004096.")
    if snomed is not None and not _SNOMED.fullmatch(snomed):
        raise BadInput("A SNOMED CT code has 6 to 18 digits.")


async def named(
    terminology: Terminology, item: Item, *, cui: str | None, snomed: str | None, name: str | None
) -> tuple[Choice, bool]:
    """The choice that these codes make, and whether the terminology has it under this name or the item's text.

    What the expert gave stands; what they left out is filled in.
    """
    known = await _looked_up(terminology, [each for each in (name, item.text) if each], cui, snomed)
    had = known or Choice()
    choice = Choice(
        umls_cui=cui or had.umls_cui,
        snomed_code=snomed or had.snomed_code,
        preferred_term=name or had.preferred_term,
    )
    return choice, known is not None


async def _looked_up(
    terminology: Terminology, terms: Sequence[str], cui: str | None, snomed: str | None
) -> Choice | None:
    for term in dict.fromkeys(terms):
        for each in await terminology.search(term[:LONGEST_TERM], max_results=_LOOKED_AT):
            if each.cui == cui if cui else each.snomed_code == snomed:
                return Choice(umls_cui=each.cui, snomed_code=each.snomed_code, preferred_term=each.display)
    return None
