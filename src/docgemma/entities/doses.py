"""Doses and frequencies. `value` is the standard wording; forms that safe-prescribing lists ban stay as written.

A banned form ("QD", "10U", "5.0 mg", "µg") must reach the order check as it is, so that it can be asked about.
Equality is by meaning: `dose_key` and `frequency_key` see through spelling.
"""

from __future__ import annotations

import re
from decimal import Decimal

from docgemma.entities.model import Mention

_UNIT = (
    r"mg/kg|mcg/kg|mcg/hr?|mg/hr?|units/kg|mg|mcg|µg|μg|ug|grams?|g|milligrams?|micrograms?|ml|meq|mmol|units?|iu|u"
    r"|tablets?|tabs?|capsules?|caps?|puffs?|drops?|patch(?:es)?|sprays?|%"
)
DOSE = re.compile(
    rf"(?<![\w.,/-])(\d{{1,3}}(?:,\d{{3}}){{1,2}}|\d{{0,7}}[.,]?\d{{1,6}})"
    rf"(\s{{0,2}}(?:-|–|to)\s{{0,2}}\d{{1,6}}(?:\.\d{{1,4}})?)?[\s-]{{0,2}}({_UNIT})(?![\w/])(?!\s{{0,2}}/\s{{0,2}}[a-z])",
    re.IGNORECASE,
)
_SPELLING = {
    "milligram": "mg",
    "milligrams": "mg",
    "microgram": "mcg",
    "micrograms": "mcg",
    "gram": "g",
    "grams": "g",
    "unit": "units",
    "tablet": "tablets",
    "tab": "tablets",
    "tabs": "tablets",
    "capsule": "capsules",
    "cap": "capsules",
    "caps": "capsules",
    "puff": "puffs",
    "drop": "drops",
    "patch": "patches",
    "spray": "sprays",
    "meq": "mEq",
    "ml": "mL",
    "mcg/hr": "mcg/h",
    "mg/hr": "mg/h",
}
_BANNED_UNITS = {"u": "units", "iu": "units", "µg": "mcg", "μg": "mcg", "ug": "mcg"}
_MASS = {"g": (1_000_000, "mcg"), "mg": (1_000, "mcg"), "mcg": (1, "mcg")}

_NUMBERS = {"once": "1", "twice": "2", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6"}
_TIMES = {"1": "once daily", "2": "twice daily", "3": "three times daily", "4": "four times daily"}
_FIXED = {
    "bid": "twice daily",
    "tid": "three times daily",
    "qid": "four times daily",
    "qhs": "at bedtime",
    "nightly": "at bedtime",
    "at bedtime": "at bedtime",
    "at night": "at bedtime",
    "before bed": "at bedtime",
    "qam": "every morning",
    "every morning": "every morning",
    "in the morning": "every morning",
    "qpm": "every evening",
    "every evening": "every evening",
    "in the evening": "every evening",
    "daily": "once daily",
    "every day": "once daily",
    "each day": "once daily",
    "every other day": "every other day",
    "weekly": "once weekly",
    "every week": "once weekly",
    "monthly": "once monthly",
    "every month": "once monthly",
    "hourly": "every 1 hour",
    "prn": "as needed",
    "as needed": "as needed",
    "if needed": "as needed",
    "when needed": "as needed",
    "stat": "once now",
    "one time": "once",
    "single dose": "once",
    "with meals": "with meals",
    "with food": "with meals",
    "before meals": "before meals",
    "after meals": "after meals",
}
_BANNED = {"qd": "once daily", "qod": "every other day", "od": "once daily"}
MODIFIERS = frozenset(
    {
        "as needed",
        "at bedtime",
        "every morning",
        "every evening",
        "with meals",
        "before meals",
        "after meals",
        "once now",
    }
)
"""Values that refine another frequency instead of contradicting it."""

_PHRASES = "|".join(phrase.replace(" ", r"\s{1,2}") for phrase in sorted(_FIXED, key=len, reverse=True))
_DOTTED = r"q\.?o\.?d|q\.?h\.?s|b\.?i\.?d|t\.?i\.?d|q\.?i\.?d|q\.?d|o\.d|p\.?r\.?n"
FREQUENCY = re.compile(
    r"(?<![\w-])(?:"
    r"(?P<every>(?:every|each|q)\.?\s{0,2}(?P<n>\d{1,3}(?:\s{0,2}[-–]\s{0,2}\d{1,3})?|two|three|four|six)"
    r"\s{0,2}(?P<unit>hours?|hrs?|hr|h|days?|d|weeks?|wks?|months?))"
    r"|(?P<times>(?P<count>once|twice|(?:one|two|three|four|five|six|\d)\s{0,2}(?:times|x)|x\s?\d)"
    r"\s{0,2}(?:(?:a|per|each|every|/)\s{0,2})?(?P<per>day|daily|week|weekly|month|monthly))"
    rf"|(?P<dotted>(?:{_DOTTED})\.?)|(?P<fixed>{_PHRASES})"
    r")(?![\w-])",
    re.IGNORECASE,
)
_PERIODS = {"h": "hour", "d": "day", "w": "week", "m": "month"}
_OD = re.compile(r"(?<=[a-z\d]\s)od(?![\w-])", re.IGNORECASE)


def find_doses(text: str) -> tuple[Mention, ...]:
    """Amounts with a unit of medicine. Laboratory values ("180 mg/dL") are none."""
    return tuple(Mention(m.group(), m.start(), m.end(), _dose_value(m)) for m in DOSE.finditer(text))


def _dose_value(match: re.Match[str]) -> str:
    number, span, unit = match.group(1), match.group(2) or "", match.group(3)
    if unit.lower() in _BANNED_UNITS:
        return f"{number}{span} {unit}"
    unit = _SPELLING.get(unit.lower(), unit.lower())
    return f"{number}{span}{unit}" if unit == "%" else f"{number}{span} {unit}"


def dose_key(text: str) -> tuple[Decimal, str] | None:
    """Amount and unit, for comparing two spellings of one dose. A range or an unclear number has none."""
    match = DOSE.fullmatch(text.strip())
    if match is None or match.group(2):
        return None
    number, unit = match.group(1), match.group(3).lower()
    if "," in number:
        if not re.fullmatch(r"\d{1,3}(?:,\d{3}){1,2}", number):
            return None
        number = number.replace(",", "")
    unit = _BANNED_UNITS.get(unit, _SPELLING.get(unit, unit))
    factor, base = _MASS.get(unit, (1, unit))
    return (Decimal(number) * factor).normalize(), base


def find_frequencies(text: str) -> tuple[Mention, ...]:
    """How often, in the standard words."""
    found = [Mention(m.group(), m.start(), m.end(), _frequency_value(m)) for m in FREQUENCY.finditer(text)]
    found += [Mention(m.group(), m.start(), m.end()) for m in _OD.finditer(text)]
    return tuple(sorted(found, key=lambda mention: mention.start))


def frequency_key(text: str) -> str:
    """The meaning of a frequency; empty when it is not one."""
    folded = " ".join(text.lower().replace(".", "").split())
    if folded in _BANNED:
        return _BANNED[folded]
    found = find_frequencies(text)
    return " ".join(_BANNED.get(_bare(mention.value), mention.value) for mention in found)


def _bare(text: str) -> str:
    return text.lower().replace(".", "")


def _frequency_value(match: re.Match[str]) -> str:
    if match.group("every"):
        return _interval(match.group("n"), match.group("unit"))
    if match.group("times"):
        return _per_period(match.group("count"), match.group("per"))
    low = " ".join(match.group().lower().replace(".", "").split())
    return match.group() if low in _BANNED else _FIXED[low]


def _interval(count: str, unit: str) -> str:
    number = _NUMBERS.get(count.lower(), "".join(count.split()).replace("–", "-"))
    period = _PERIODS[unit[0].lower()]
    if number == "1" and period != "hour":
        return {"day": "once daily", "week": "once weekly", "month": "once monthly"}[period]
    return f"every {number} {period}{'' if number == '1' else 's'}"


def _per_period(count: str, per: str) -> str:
    word = count.lower().split()[0].strip("x") or count.lower().strip("x ")
    number = _NUMBERS.get(word, word)
    if per.lower() in {"day", "daily"}:
        return _TIMES.get(number, f"{number} times daily")
    period = "weekly" if per.lower().startswith("week") else "monthly"
    names = {"1": "once", "2": "twice"}
    return f"{names.get(number, f'{number} times')} {period}"
