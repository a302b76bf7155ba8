"""Types that the words around an entity decide: "testosterone < 50 ng/dL" is measured, testosterone gel is given."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from docgemma.grounding.extracting.comparing import number_after
from docgemma.grounding.extracting.model import Found
from docgemma.grounding.extracting.tables import heads
from docgemma.terminology.linking.words import Word

_MEASURED = frozenset({"level", "concentration", "titer", "value"})
_FLUIDS = frozenset({"serum", "plasma", "blood", "urine", "urinary", "fasting"})
_GIVEN = frozenset(
    {"supplement", "supplementation", "therapy", "treatment", "replacement", "injection", "infusion", "tablet", "gel"}
)
_CONCENTRATION = re.compile(
    r"\d[\d.,]{0,9}(?:\s{0,2}(?:-|–|to|and)\s{0,2}\d[\d.,]{0,9})?\s{0,2}(?:(?:x|×|times)\s{0,2})?(?:the )?"
    r"(?:ULN|LLN|upper limit|[mµμunpk]?(?:g|mol|Eq|kat|IU|U)\s?/\s?[dmµμ]?L\b)"
)
"""A number with the unit of something dissolved; "10 mg/day" is a dose."""
_RESULTS = frozenset({"positive", "negative", "positivity", "seropositive", "seronegative", "titer"})


def retyped(text: str, words: Sequence[Word], one: Found) -> Found:
    """The entity with the type and the extent that its surroundings give it."""
    head = heads().of(words[one.last - 1].key)
    if one.type == "Procedure" and head is not None and head.type == "Lab_Value":
        return replace(one, type="Lab_Value")
    if one.type == "Lab_Value" and one.size > 1 and head is not None and head.alone and head.type == "Procedure":
        return replace(one, type="Procedure")
    if one.type not in {"Medication", "Biomarker"}:
        return one
    after = words[one.last] if one.last < len(words) and words[one.last - 1].joined else None
    if after is not None and after.key in _GIVEN:
        return one
    fluid = one.first > 0 and words[one.first - 1].key in _FLUIDS and words[one.first - 1].gap == " "
    level_of = one.first > 1 and words[one.first - 1].low == "of" and words[one.first - 2].key in _MEASURED
    level = after is not None and after.key in _MEASURED
    tested = after is not None and after.key in _RESULTS and words[one.last - 1].key == "antibody"
    if not (fluid or level or level_of or tested or (one.type == "Medication" and _dissolved(text, words, one.last))):
        return one
    return replace(
        one, first=one.first - fluid, last=one.last + level, type="Lab_Value", term="" if level else one.term
    )


def _dissolved(text: str, words: Sequence[Word], last: int) -> bool:
    """Whether a concentration follows."""
    number = number_after(words, last)
    return number is not None and _CONCENTRATION.match(text, words[number].start) is not None
