"""The allergy list of a chart, sorted by what it means for an order."""

from __future__ import annotations

import re
from dataclasses import dataclass

from docgemma.drugs.rules.allergens import read_allergen
from docgemma.ehr.chart.recorded.fields import identity
from docgemma.ehr.chart.sections.allergies import Allergy, contradictions, entry, is_refuted, names, sorted_out
from docgemma.ehr.chart.view import View
from docgemma.orders.facts.model import Recorded

_STRUCTURE = re.compile(r"substance with (?:the )?([\w -]{3,60}?) structure\b.{0,120}", re.IGNORECASE)
"""How a code system words a kind of substance: only the kind is meant, not every drug that acts alike."""

_UNSURE = frozenset({"unconfirmed", "presumed"})


@dataclass(frozen=True, slots=True)
class Allergies:
    """What counts, what counted once, what was disproved, and what is said to be free of allergies."""

    current: tuple[Recorded, ...]
    past: tuple[Recorded, ...]
    refuted: tuple[Recorded, ...]
    statements: tuple[Recorded, ...]
    contradictions: tuple[str, ...]


def allergies(view: View) -> Allergies:
    """A statement that nobody confirmed, or that holds no longer, states nothing."""
    standing, withdrawn = sorted_out(view)
    current: list[Recorded] = []
    past: list[Recorded] = []
    statements: list[Recorded] = []
    for allergy in standing:
        scope = allergy.scope or _said_otherwise(allergy)
        if allergy.unknown or (scope and (allergy.over or allergy.verification in _UNSURE)):
            continue
        kept = statements if scope else past if allergy.over else current
        kept.append(_recorded(allergy, view, scope or (allergy.clinical if allergy.over else "")))
    return Allergies(
        tuple(current),
        tuple(past),
        tuple(_recorded(allergy, view, "refuted") for allergy in withdrawn if is_refuted(allergy)),
        tuple(statements),
        tuple(contradictions(standing)),
    )


def _recorded(allergy: Allergy, view: View, state: str) -> Recorded:
    resource = allergy.resource
    return Recorded(
        name=allergy.name,
        reference=identity(resource),
        words=entry(allergy, view).text,
        names=_to_compare(names(allergy)),
        state=state,
    )


def _said_otherwise(allergy: Allergy) -> str:
    """Words for "none" that only the reader of allergens knows."""
    return "all" if all(read_allergen(name).none for name in names(allergy)) else ""


def _to_compare(given: tuple[str, ...]) -> tuple[str, ...]:
    """The recorder's words whole. A code's words too where they are clear, else only the drugs among them."""
    first, *others = (_STRUCTURE.sub(r"\1", name) for name in given)
    kept = [first]
    for other in others:
        read = read_allergen(other)
        kept += sorted(read.ingredients) if read.unread else [other]
    return tuple(dict.fromkeys(kept))
