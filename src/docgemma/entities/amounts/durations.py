"""For how long, and how much is handed out: "x 7 days", "5/7", "until Friday", "dispense 30", "2 refills"."""

from __future__ import annotations

import re
from collections.abc import Collection
from decimal import Decimal

from docgemma.entities.amounts.frequencies import adjacent
from docgemma.entities.amounts.numbers import read_number, written
from docgemma.entities.amounts.units import UNIT
from docgemma.entities.model import Mention

_N = r"(?:\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fourteen)"
_SPAN = rf"{_N}(?:\s{{0,2}}(?:[-–]|to)\s{{0,2}}{_N})?"
_UNIT = r"(?:days?|d|weeks?|wks?|w|months?|mths?|mos?|years?|yrs?|doses?|hours?|hrs?|nights?)"
_MORE = r"(?:(?:a\s{1,2}total\sof|another|the\s{1,2}next|a\s{1,2}further|further|about|(?P<most>up\sto))\s{1,2})?"
_DOSE = rf"\d{{1,5}}(?:\.\d{{1,3}})?\s{{0,2}}(?:{UNIT}|doses?|times)"
_COURSE = r"(?:course|supply|script|prescription|treatment|trial)"
_WORD = r"[\w'’/-]{1,20}"
DURATION = re.compile(
    r"(?=[a-z\d×#])(?<![\w./-])(?:"
    rf"(?P<over>over)\s{{1,2}}(?P<over_n>{_SPAN})[\s-]{{0,2}}(?P<over_unit>minutes?|mins?|hours?|hrs?|h)"
    rf"|(?:(?P<lead>for|x|×)\s{{0,2}})?{_MORE}(?P<n>(?:a\s{{1,2}}|an\s{{1,2}})?(?:(?<=a\s)|{_SPAN}))[\s-]{{0,2}}(?P<unit>{_UNIT})"
    rf"(?P<more>\s{{1,2}}more)?(?:[\s-]{{1,2}}(?P<course>{_COURSE}))?"
    r"|(?:(?P<slash_lead>for|x|×)\s{0,2})?(?P<slash>\d{1,2})\s?/\s?(?P<base>7|52|12)"
    r"|(?P<until>(?:until|till|til)\s{1,2}(?:(?!and\s|then\s|for\s|but\s|prescribe\s)" + _WORD + r"\s?){1,4})"
    rf"|(?P<limit>(?:max(?:imum)?|no\smore\sthan|not\smore\sthan)\.?\s{{0,2}}(?:dose\s{{1,2}})?(?:of\s{{1,2}})?(?P<limit_n>{_DOSE})"
    r"\s{0,2}(?:/|per|in(?:\sa|\sany)?|an?|daily|each)\s{0,2}(?:day|d|24\s?h(?:ou)?r?s?)?)"
    r"|(?P<except>except\s{1,2}(?:(?!and\s|then\s|for\s|but\s|prescribe\s)" + _WORD + r"\s?){1,4})"
    rf"|(?:dispense|disp|qty|quantity|supply)[:.]?\s{{0,2}}(?:of\s)?#?\s?(?P<given>\d{{1,4}})(?:\s?(?P<form>tab|cap|pill|patch)\w{{0,5}})?"
    r"|#\s?(?P<number>\d{1,3})"
    rf"|(?:with\s{{1,2}})?(?P<refills>{_N}|no|zero|0)\s{{1,2}}(?:refill|repeat)s?"
    rf"|(?:refill|repeat)s?[:\s]{{1,2}}x?\s?(?P<refilled>{_N}|0)"
    r"|(?P<open>long[\s-]term|life-?long|for\slife|indefinitely|ongoing)"
    r")(?![\w/-])",
    re.IGNORECASE,
)
_PERIODS = {"d": "day", "w": "week", "m": "month", "y": "year", "h": "hour", "n": "night"}
_BASES = {"7": "day", "52": "week", "12": "month"}
_PAST = re.compile(
    r"(?:last|past|previous|after|in|within|since|every|each|per|day|week|post-?op)\s{1,2}$", re.IGNORECASE
)


def find_durations(text: str, ends: Collection[int]) -> tuple[Mention, ...]:
    """Durations and quantities in order. `ends`: where amounts and drugs end; "5/7" counts only after one of them."""
    found: list[Mention] = []
    after = {*ends}
    for match in DURATION.finditer(text):
        loose = (match["n"] and not match["lead"] and not match["course"]) or (
            match["slash"] and not match["slash_lead"]
        )
        if (loose or match["number"]) and not adjacent(text, match.start(), after):
            continue
        if loose and _PAST.search(text, max(0, match.start() - 12), match.start()):
            continue
        said = match.group().rstrip()
        found.append(Mention(said, match.start(), match.start() + len(said), _value(match)))
        after.add(found[-1].end)
    return tuple(found)


def parse_duration(text: str) -> str:
    """The standard words for a text that is one duration; empty when it is none."""
    match = DURATION.fullmatch(text.strip())
    return _value(match) if match else ""


def _value(match: re.Match[str]) -> str:
    if match["over"]:
        unit = "minute" if match["over_unit"][0] in "mM" else "hour"
        return f"over {_counted(match['over_n'], unit)}"
    if match["slash"]:
        return f"for {_counted(match['slash'], _BASES[match['base']])}"
    if match["until"]:
        return f"until {' '.join(match['until'].split()[1:])}"
    if match["limit"]:
        return f"maximum {' '.join(match['limit_n'].split())} in 24 hours"
    if match["except"]:
        return " ".join(match["except"].split())
    if given := match["given"] or match["number"]:
        return f"dispense {given}"
    if refills := match["refills"] or match["refilled"]:
        return _counted(refills, "refill")
    if match["open"]:
        return "long term"
    unit = match["unit"].lower()
    lasting = _counted(
        re.sub(r"^an?\s+(?=\S)", "", match["n"]).strip(), "dose" if unit.startswith("dose") else _PERIODS[unit[0]]
    )
    if (match["course"] or "").lower() == "supply":
        return f"supply for {lasting}"
    return f"for up to {lasting}" if match["most"] else f"for {lasting}"


def _counted(count: str, unit: str) -> str:
    parts = re.split(r"\s{0,2}(?:[-–]|to)\s{0,2}", count.lower())
    number = "-".join(_digits(part) for part in parts)
    return f"{number} {unit}{'' if number == '1' else 's'}"


def _digits(word: str) -> str:
    if word in {"no", "zero", "0"}:
        return "no"
    value = Decimal(1) if word in {"a", "an"} else read_number(word)
    return written(value) if value is not None else word
