"""Units of medicine: every spelling with its canonical form, and which of them are error-prone."""

from __future__ import annotations

import re
from decimal import Decimal

from docgemma.entities.words import word_set

_SPELLINGS = {
    "mg": "mg mgs mgm milligram milligrams milligramme milligrammes",
    "mcg": "mcg mcgs microgram micrograms microgramme microgrammes µg μg ug",
    "ng": "ng nanogram nanograms",
    "g": "g gm gms gram grams gramme grammes",
    "mEq": "meq meqs milliequivalent milliequivalents",
    "mmol": "mmol mmols millimole millimoles",
    "mL": "ml mls millilitre millilitres milliliter milliliters cc ccs",
    "L": "litre litres liter liters",
    "%": "% percent",
    "units": "unit units u iu i.u. international_units international_unit",
    "million units": "million_units million_iu mega_units megaunits mu",
    "lakh units": "lakh_units lac_units lakh_iu",
    "tablets": "tablet tablets tab tabs tablet(s) tab(s)",
    "capsules": "capsule capsules cap caps capsule(s)",
    "pills": "pill pills",
    "puffs": "puff puffs inhalation inhalations",
    "drops": "drop drops gtt gtts",
    "patches": "patch patches",
    "sprays": "spray sprays",
    "suppositories": "suppository suppositories supp supps",
    "pessaries": "pessary pessaries",
    "sachets": "sachet sachets",
    "ampoules": "ampoule ampoules ampule ampules amp amps",
    "vials": "vial vials",
    "nebules": "nebule nebules respule respules",
    "lozenges": "lozenge lozenges",
    "teaspoons": "teaspoon teaspoons teaspoonful teaspoonfuls tsp tsps",
    "tablespoons": "tablespoon tablespoons tablespoonful tablespoonfuls tbsp tbsps",
}
_CANONICAL = {
    spelling.replace("_", " "): unit for unit, spellings in _SPELLINGS.items() for spelling in spellings.split()
}
SOLID = frozenset({"tablets", "capsules", "pills"})
"""A number of these beside a strength can mean the whole dose or each piece."""

COUNTED = SOLID | word_set(
    "puffs drops patches sprays suppositories pessaries sachets ampoules vials nebules lozenges teaspoons tablespoons"
)
_SINGULAR = {
    "suppositories": "suppository",
    "pessaries": "pessary",
    "patches": "patch",
    "units": "unit",
    "million units": "million units",
    "lakh units": "lakh units",
}
_PER = {
    **dict.fromkeys(("kg", "kilo", "kilogram"), "kg"),
    **dict.fromkeys(("h", "hr", "hour"), "h"),
    **dict.fromkeys(("min", "minute"), "min"),
    **dict.fromkeys(("day", "d", "24h", "24 h", "24 hours", "24hrs"), "day"),
    "dose": "dose",
    **dict.fromkeys(("m2", "m²"), "m2"),
}
_SCALES = {
    "g": (Decimal(1_000_000), "mcg"),
    "mg": (Decimal(1_000), "mcg"),
    "ng": (Decimal("0.001"), "mcg"),
    "L": (Decimal(1_000), "mL"),
    "teaspoons": (Decimal(5), "mL"),
    "tablespoons": (Decimal(15), "mL"),
    "million units": (Decimal(1_000_000), "units"),
    "lakh units": (Decimal(100_000), "units"),
}
ERROR_PRONE = frozenset({"u", "iu", "i.u.", "µg", "μg", "ug", "mu", "million iu", "lakh iu", "cc", "ccs"})
"""Spellings on lists of error-prone abbreviations: kept as written until they have been asked about."""


def _any(spellings: list[str]) -> str:
    longest_first = sorted(spellings, key=len, reverse=True)
    return "|".join(re.escape(spelling).replace(r"\ ", r"\s{1,2}") for spelling in longest_first)


_PIECE = _any([*_PER])
_RATED = _any([s for s, unit in _CANONICAL.items() if unit in {"mg", "mcg", "ng", "g", "mEq", "mmol", "mL", "units"}])
_RATE = rf"(?!ml\s?/\s?min)(?:{_RATED})(?:(?:\s?/\s?|\s{{1,2}}per\s{{1,2}})(?:{_PIECE})(?!\w)){{1,2}}"
UNIT = rf"(?:{_RATE}|(?-i:L/min)|{_any([*_CANONICAL])}|(?-i:L))"
COUNTED_UNIT = rf"(?:{_any([s for s, unit in _CANONICAL.items() if unit in COUNTED])})"
MASS_UNIT = rf"(?:{_RATED})"
_JOINT = re.compile(r"\s{0,2}/\s{0,2}|\sper\s", re.IGNORECASE)


def canonical_unit(text: str) -> str:
    """ "Mgs" → "mg", "micrograms per hour" → "mcg/h"; an unknown unit stays as it is."""
    if text in {"L", "L/min"}:
        return text
    low = " ".join(text.lower().split())
    base, *per = _JOINT.split(low)
    known = _CANONICAL.get(base, base)
    return "/".join([known, *(_PER.get(piece, piece) for piece in per)])


def is_error_prone(unit: str) -> bool:
    """Whether a spelling, or the first part of a rate, has to be cleared up: "10U", "5 µg/kg"."""
    return _JOINT.split(" ".join(unit.lower().split()))[0] in ERROR_PRONE


def named(unit: str, number: Decimal) -> str:
    """The unit after this number: "1 tablet", "2 tablets"."""
    if number > 1 or number == 0 or unit not in COUNTED | _SINGULAR.keys():
        return unit
    return _SINGULAR.get(unit, unit.removesuffix("s"))


def scaled(number: Decimal, unit: str) -> tuple[Decimal, str]:
    """In the smallest unit of its kind, so that 0.5 g and 500 mg are equal."""
    base, slash, per = unit.partition("/")
    factor, small = _SCALES.get(base, (Decimal(1), base))
    return (number * factor).normalize(), f"{small}{slash}{per}"
