"""Units of criteria: every spelling with the one that is written down."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ATOMS = {
    "%": "%, percent, per cent, pct",
    "kg": "kg, kgs, kilogram, kilograms, kilo, kilos",
    "g": "g, gm, gms, gram, grams, gramme, grammes",
    "mg": "mg, mgs, milligram, milligrams",
    "mcg": "mcg, µg, ug, microgram, micrograms",
    "ng": "ng, nanogram, nanograms",
    "pg": "pg, picogram, picograms",
    "lb": "lb, lbs, pound, pounds",
    "mol": "mol",
    "mmol": "mmol, mmols, millimole, millimoles",
    "µmol": "µmol, umol, mcmol, micromol, micromole, micromoles",
    "nmol": "nmol",
    "pmol": "pmol",
    "mEq": "meq, meqs",
    "IU": "iu, international units, international unit",
    "U": "u, unit, units",
    "mIU": "miu",
    "µIU": "µiu, uiu",
    "mU": "mu",
    "kU": "ku",
    "L": "l, liter, liters, litre, litres",
    "dL": "dl, deciliter, decilitre",
    "mL": "ml, mls, milliliter, milliliters, millilitre, millilitres, cc",
    "µL": "µl, ul, mcl, microliter, microliters, microlitre, microlitres",
    "nL": "nl",
    "mm3": "mm3, mm^3, mm³, cubic millimeter, cubic millimetre, cubic mm, cu mm, cumm, cmm",
    "m2": "m2, m^2, m², sqm, square meter, square meters, square metre, meter squared, metre squared",
    "cm2": "cm2, cm^2, cm²",
    "cm": "cm, cms, centimeter, centimeters, centimetre, centimetres",
    "mm": "mm, millimeter, millimeters, millimetre, millimetres",
    "m": "meter, meters, metre, metres",
    "inch": "inch, inches",
    "mmHg": "mmhg, mm hg, mm of hg, mm of mercury, torr",
    "cmH2O": "cmh2o, cm h2o",
    "kPa": "kpa",
    "ms": "ms, msec, msecs, millisecond, milliseconds, m sec",
    "s": "sec, secs, second, seconds",
    "min": "min, mins, minute, minutes",
    "hour": "hour, hours, hr, hrs, h",
    "day": "day, days, d",
    "week": "week, weeks, wk, wks",
    "month": "month, months, mo, mos, mth, mths",
    "year": "year, years, yr, yrs",
    "half-life": "half-life, half-lives, half life, half lives, half-lifes, t1/2",
    "bpm": "bpm, beats per minute, beats/minute, beats/min, beat/min, beats per min",
    "breaths/min": "breaths/min, breaths per minute, breaths/minute",
    "°C": "°c, ° c, degrees c, degrees celsius, celsius, ºc, oc",
    "°F": "°f, degrees f, degrees fahrenheit, fahrenheit, ºf",
    "cell": "cell, cells",
    "copies": "copies, copy, gc, genome copies",
    "log10": "log10, log",
    "CFU": "cfu",
    "Gy": "gy, gray",
    "kcal": "kcal",
    "pack-year": "pack-year, pack-years, pack year, pack years, packyears, py",
    "cigarette": "cigarette, cigarettes",
    "drink": "drink, drinks",
    "point": "point, points",
    "episode": "episode, episodes",
    "line": "line, lines",
    "regimen": "regimen, regimens",
    "cycle": "cycle, cycles",
    "dose": "dose, doses",
    "lesion": "lesion, lesions",
    "time": "times",
}
_CANONICAL = {spelling.strip(): unit for unit, listed in _ATOMS.items() for spelling in listed.split(",")}
_ATOM = "|".join(
    re.escape(spelling).replace(r"\ ", r"\s{1,2}") for spelling in sorted(_CANONICAL, key=len, reverse=True)
)
_END = r"(?![a-z0-9µ²³^])"
_PER = r"(?:\s{0,2}/\s{0,2}|\s{1,2}(?:per|a|each)\s{1,2}(?=[a-z\d]))"
_BELOW = rf"{_PER}(?:(?:1\.73|100|24|1|1000|min)?\s{{0,2}}-?(?:{_ATOM}){_END})"
_TEN = (
    r"(?:[x*·]\s{0,2}|\^\s?)?10(?:\s?(?:\^|\*\*|exp|e|e\+)?\s?\(?(?P<power>3|6|9|12|09)\)?|(?P<raised>[³⁶⁹]|¹²))"
    r"(?=\s{0,2}/|\s{1,2}(?:per|cells?))"
)
_LIMIT = (
    r"(?:[x*]|times|-?\s?fold|fold)?\s{0,2}(?:of\s{1,2})?(?:the\s{1,2})?"
    r"(?:(?:institution(?:al|'s)?|laboratory(?:'s)?|lab|local|central|age-adjusted|site|normal|applicable|reference|"
    r"respective|study|specific|age)[\s/-]{1,2}){0,3}"
    r"(?P<limit>uln|lln|(?P<side>upper|lower)\s{1,2}limits?\s{1,2}(?:of|for)\s{1,2}(?:the\s{1,2})?"
    r"(?:(?:institutional|laboratory|lab|local|reference|age)[\s/-]{1,2}){0,2}(?:normal|reference|range)(?:\s{1,2}range)?"
    r"(?:\s{0,2}[(\[](?:uln|lln)[)\]])?)(?![a-z])"
)
LIMIT = re.compile(_LIMIT)
_AGE = r"(?:[\s-]{1,2}(?:of\s{1,2}age|old)(?![a-z]))"
_UNIT = re.compile(
    rf"[\s-]{{0,2}}(?:{_LIMIT}"
    rf"|(?P<thousand>k|thousand)(?:\s?cells?)?(?=\s?/\s?(?:µl|ul|mm))(?P<kper>{_BELOW})"
    rf"|(?:{_TEN}\s{{0,2}}(?:cells?)?)(?P<tenper>{_BELOW})"
    r"|(?P<yo>y/o|y\.o\.|yo)(?![a-z])"
    rf"|(?P<atom>{_ATOM}){_END}(?P<below>(?:{_BELOW}){{0,3}})(?P<age>{_AGE})?"
    r"(?P<daily>\s{1,2}(?:(?:once\s{1,2})?daily|(?:each|every)\s{1,2}day)(?![a-z]))?"
    rf"|(?P<per>{_BELOW}))"
)
_SPLIT = re.compile(r"\s{0,2}/\s{0,2}|\s{1,2}(?:per|a|each)\s{1,2}")
_SCALED = re.compile(r"(?P<scale>1\.73|100|24|1000|1)?\s{0,2}-?(?P<atom>.{1,30})")
_POWERS = {"³": "3", "⁶": "6", "⁹": "9", "¹²": "12"}
TIME = frozenset({"min", "hour", "day", "week", "month", "year", "half-life"})
COUNTED = frozenset({"episode", "line", "regimen", "cycle", "dose", "lesion", "time", "drink", "cigarette", "point"})


@dataclass(frozen=True, slots=True)
class Unit:
    """`name`: the normal spelling; `end`: where it ends in the text; `age`: it says by itself that it is an age."""

    name: str
    end: int
    age: bool = False


def unit_at(text: str, raw: str, place: int) -> Unit | None:
    """The unit that begins there, behind a number. `raw` is the text as written: G/L and g/L are two units."""
    found = _UNIT.match(text, place)
    if found is None:
        return None
    if limit := found["limit"]:
        lower = found["side"] == "lower" or limit == "lln"
        return Unit("LLN" if lower else "ULN", found.end())
    if found["yo"]:
        return Unit("year", found.end(), True)
    if found["thousand"]:
        return Unit(f"10^3{_below(found['kper'])}", found.end())
    if found["tenper"]:
        power = _POWERS.get(found["raised"] or "") or (found["power"] or "").lstrip("0")
        return Unit(f"10^{power}{_below(found['tenper'])}", found.end())
    if per := found["per"]:
        return Unit(_below(per), found.end())
    if re.search(r"(?<![A-Za-z])G/L", raw[place : found.end()]):
        return Unit("10^9/L", found.end())
    name = _CANONICAL[" ".join(found["atom"].split())] + _below(found["below"] or "")
    return Unit(f"{name}/day" if found["daily"] else name, found.end(), bool(found["age"]))


def limit_at(text: str, place: int) -> Unit | None:
    """ "ULN" without a number before it."""
    found = LIMIT.match(text, place)
    if found is None:
        return None
    return Unit("LLN" if found["side"] == "lower" or found["limit"] == "lln" else "ULN", found.end())


def _below(written: str) -> str:
    """ "/ mm³" → "/mm3", "per 1.73 m2" → "/1.73m2"."""
    named = ""
    for part in _SPLIT.split(written)[1:]:
        scaled = _SCALED.fullmatch(part.strip())
        if scaled is None:
            continue
        atom = " ".join(scaled["atom"].split())
        unit = _CANONICAL.get(atom, atom)
        scale = scaled["scale"] or ""
        named += f"/{'' if scale == '1' else scale}{'h' if unit == 'hour' else unit}"
    return named
