"""What a number means that somebody reads off a meter: "đường huyết 400" asks about high sugar, not about sugar.

Only values that are clearly too high or too low say anything; the limits are wide, and no advice rests on them.
"""

from __future__ import annotations

import re
from typing import Literal

from docgemma.knowledge.entry import Language
from docgemma.knowledge.search.vietnamese import flat

Level = Literal["high", "low"]

_GLUCOSE = re.compile(
    r"\b(?:(?:blood )?(?:sugars?|glucose)|bs|bg|bgl|cbg|bm|glu|duong (?:huyet|mau)|duong|dh|dm)\b[^.;?!\d]{0,40}?"
    r"(?<![\d.,/])(\d{1,3}(?:[.,]\d)?)(?![\d/])(?:\s*(mmol|mg))?"
)
_METER = re.compile(r"\b(?:meter|sugar|glucometer|may do)\b.{0,20}\b(hi|lo)\b")
_PRESSURE = re.compile(r"(?<!\d)(\d{2,3})\s*/\s*(\d{2,3})(?!\d)")
_HIGH = re.compile(r"\b(?:high|higher|raised|elevated|hyper(?!tension)\w+|cao|tang)\b")
_LOW = re.compile(r"\b(?:low|lows|lower|hypo(?!t)\w+|ha|thap|tut)\b")
_LOWERING = re.compile(
    r"\b(?:(?:de|cach|lam|muon|giup|thuoc) (?:ha|giam)|(?:to|how do i|how to|can i) (?:lower|bring down|reduce))\b"
)
_IDLE: dict[Language, re.Pattern[str]] = {
    "en": re.compile(r"\b(?:red flags?|(?:first|next) steps?|what now)\b", re.IGNORECASE),
    "vi": re.compile(
        r"\b(?:xử trí|xu tri|phải làm gì|phai lam gi|làm sao|lam sao|thế nào|the nao|tư vấn|tu van|xin chào|"
        r"xin chao)\b",
        re.IGNORECASE,
    ),
}
"""They are in every second entry and would be found there, whatever was asked."""

WORDS: dict[Language, dict[tuple[str, Level], str]] = {
    "en": {
        ("glucose", "high"): "high blood sugar",
        ("glucose", "low"): "low blood sugar",
        ("pressure", "high"): "high blood pressure",
        ("pressure", "low"): "low blood pressure",
    },
    "vi": {
        ("glucose", "high"): "đường huyết cao",
        ("glucose", "low"): "hạ đường huyết",
        ("pressure", "high"): "huyết áp cao",
        ("pressure", "low"): "huyết áp thấp",
    },
}


def readings(question: str) -> tuple[tuple[str, Level], ...]:
    """What was measured and how it stands, for values beyond doubt."""
    text = flat(question.lower())
    found: list[tuple[str, Level]] = []
    for match in _GLUCOSE.finditer(text):
        level = _glucose(float(match[1].replace(",", ".")), match[2])
        found += [("glucose", level)] if level else []
    found += [("glucose", "high" if match[1] == "hi" else "low") for match in _METER.finditer(text)]
    for match in _PRESSURE.finditer(text):
        upper, lower = int(match[1]), int(match[2])
        if 60 <= upper <= 280 and 30 <= lower <= 180 and upper > lower:
            level = "high" if upper >= 160 or lower >= 100 else "low" if upper < 90 else None
            found += [("pressure", level)] if level else []
    return tuple(dict.fromkeys(found))


def in_words(question: str, language: Language) -> str:
    """The question, with what its numbers mean behind it."""
    return " ".join((question, *(WORDS[language][reading] for reading in readings(question))))


def subject(question: str, language: Language) -> str:
    """The same without phrases that name no subject: by them entries may be ordered, but none fits."""
    rest = _IDLE[language].sub(" ", question)
    return in_words(rest if any(letter.isalnum() for letter in rest) else question, language)


def levels(text: str) -> frozenset[Level]:
    """Whether something is too high or too low in the text. To lower something means that it is high."""
    plain = flat(text.lower())
    found: set[Level] = {level for _, level in readings(text)}
    plain, lowered = _LOWERING.subn(" cao ", plain)
    found |= {"high"} if lowered or _HIGH.search(plain) else set()
    found |= {"low"} if _LOW.search(plain) else set()
    return frozenset(found)


def _glucose(value: float, unit: str | None) -> Level | None:
    """Without a unit: up to 35 it is mmol/L, from 40 on mg/dL."""
    molar = unit == "mmol" or (unit is None and value <= 35)
    if molar:
        return "high" if 13.9 <= value <= 60 else "low" if 0 < value < 3.9 else None
    return "high" if 250 <= value <= 999 else "low" if 20 <= value < 70 else None
