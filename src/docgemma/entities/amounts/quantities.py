"""Numbers with units, as text has them, in one form, so that "500mg" and "0.50 g" can be compared."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

NUMBER = r"(?:\d{1,3}(?:[,\u202f\u2009]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?|\.\d+)"
_UNITS: tuple[tuple[str, str, str], ...] = (
    ("mg", "1", "mg mgs milligram milligrams milligramme milligrammes"),
    ("mg", "1000", "g gm gms gram grams gramme grammes"),
    ("mg", "0.001", "mcg µg ug microgram micrograms microgramme microgrammes"),
    ("mg", "0.000001", "ng nanogram nanograms"),
    ("kg", "1", "kg kgs kilogram kilograms kilo kilos"),
    ("ml", "1", "ml mls milliliter milliliters millilitre millilitres cc"),
    ("ml", "1000", "l liter liters litre litres"),
    ("ml", "100", "dl deciliter deciliters decilitre decilitres"),
    ("ml", "0.001", "µl ul microliter microliters microlitre microlitres"),
    ("iu", "1", "iu ius u unit units"),
    ("mmol", "1", "mmol mmols millimole millimoles"),
    ("mmol", "0.001", "µmol umol micromole micromoles"),
    ("mmol", "0.000001", "nmol"),
    ("meq", "1", "meq meqs milliequivalent milliequivalents"),
    ("mmhg", "1", "mmhg"),
    ("bpm", "1", "bpm beats breaths"),
    ("%", "1", "% percent pct"),
    ("°c", "1", "°c celsius"),
    ("°f", "1", "°f fahrenheit"),
    ("cm", "1", "cm centimeter centimeters centimetre centimetres"),
    ("cm", "0.1", "mm millimeter millimeters millimetre millimetres"),
    ("m2", "1", "m2 m²"),
    ("lb", "1", "lb lbs pound pounds"),
    ("ms", "1", "ms msec msecs millisecond milliseconds"),
    ("minute", "1", "minute minutes min mins"),
    ("hour", "1", "hour hours h hr hrs"),
    ("day", "1", "day days"),
    ("week", "1", "week weeks wk wks"),
    ("month", "1", "month months mo mos"),
    ("year", "1", "year years yr yrs"),
    ("dose", "1", "dose doses"),
    ("tablet", "1", "tablet tablets tab tabs pill pills"),
    ("capsule", "1", "capsule capsules cap caps"),
    ("puff", "1", "puff puffs"),
    ("drop", "1", "drop drops"),
    ("fold", "1", "fold"),
    ("10^3", "1", "10^3 10³ k"),
    ("10^6", "1", "10^6 10⁶"),
    ("10^9", "1", "10^9 10⁹"),
    ("10^12", "1", "10^12 10¹²"),
)
"""What a unit is counted in, how many of those it is, and how it is written (lower case)."""

_SPELLINGS = {spelling: (name, Decimal(factor)) for name, factor, spellings in _UNITS for spelling in spellings.split()}

_WORD = "|".join(sorted(map(re.escape, _SPELLINGS), key=len, reverse=True))
_UNIT = rf"(?:{_WORD})(?![\w^])(?:(?:\s*/\s*|\s+per\s+)(?:\d+(?:\.\d+)?\s*)?(?:{_WORD})(?![\w^]))*"
_QUANTITY = re.compile(
    rf"(?<![\w.,/^])(?P<numbers>{NUMBER}(?:\s*(?:-|–|—|/|to|or)\s*{NUMBER})*)"
    rf"\s*[-‑]?\s*(?:[x×]\s*)?(?P<unit>{_UNIT})(?P<daily>\s+(?:daily|a\s+day|each\s+day|every\s+day))?",
    re.IGNORECASE,
)
_BARE = re.compile(rf"(?<![\w.,]){NUMBER}(?![\w])")
_ONE = re.compile(NUMBER)
_PER = re.compile(r"\s*/\s*|\s+per\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value with its unit. `forms` are the ways a source may have put the same thing."""

    forms: frozenset[tuple[Decimal, str]]
    start: int
    unit: str


def plain(text: str) -> str:
    """One spelling for signs that look alike. Character for character, so that places stay true."""
    return text.translate({0x03BC: "µ", 0x2044: "/", 0x00A0: " ", 0x2212: "-"})


def number(text: str) -> Decimal:
    """The value of a written number: "1,000", "0.50", ".5" and "0,5"."""
    text = text.replace("\u202f", ",").replace("\u2009", ",")
    whole = re.fullmatch(r"(\d{1,3}(?:,\d{3})+)(\.\d+)?", text)
    text = text.replace(",", "") if whole and not text.startswith("0,") else text.replace(",", ".")
    return Decimal(text).normalize()


def quantities(text: str) -> tuple[Quantity, ...]:
    """Every number with a unit, ranges as their two ends."""
    found: list[Quantity] = []
    for match in _QUANTITY.finditer(plain(text)):
        name, factor = _canonical(match["unit"])
        for part in _ONE.finditer(match["numbers"]):
            value = (number(part[0]) * factor).normalize()
            forms = {(value, name)} | ({(value, f"{name}/day")} if match["daily"] else set())
            found.append(Quantity(frozenset(forms), match.start() + part.start(), name))
    return tuple(found)


def _canonical(unit: str) -> tuple[str, Decimal]:
    """ "micrograms per kg" is "mg/kg" with a factor; below the line units keep their own scale."""
    head, *rest = _PER.split(unit.strip().lower())
    name, factor = _SPELLINGS[head]
    if not rest:
        return name, factor
    return "/".join([name, *(_below(part) for part in rest)]), factor


def _below(part: str) -> str:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)?\s*(\S+)", part.strip())
    if match is None:  # unreachable by the pattern of units; kept total
        return part
    name, factor = _SPELLINGS[match[2]]
    scale = "" if factor == 1 else f"{factor.normalize()}"
    return f"{match[1] or ''}{scale}{name}"


def bare_numbers(text: str) -> frozenset[Decimal]:
    """Every number of the text, with a unit or without."""
    spaced = re.sub(r"(?<=\d)(?=[A-Za-zµ%°])", " ", plain(text))
    spaced = re.sub(rf"(?<=\d)\s*[/–—-]\s*(?={NUMBER})", " ", spaced)
    return frozenset(number(part) for part in _BARE.findall(spaced))
