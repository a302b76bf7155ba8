"""Numbers as people write them in an order: digits, words ("five hundred"), fractions ("1/2", "one and a half")."""

from __future__ import annotations

import re
from decimal import Decimal

_ONES = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS = {word: value for value, word in enumerate(_ONES, start=1)} | {
    word: 10 * value for value, word in enumerate(_TENS, start=2)
}
_GLYPHS = {"½": Decimal("0.5"), "¼": Decimal("0.25"), "¾": Decimal("0.75")}
_PARTS = {"half": Decimal("0.5"), "quarter": Decimal("0.25")}

DIGITS = r"(?:[1-9]\d{0,2}(?:,\d{3}){1,2}(?:\.\d{1,4})?|\d{1,7}(?:[.,]\d{1,6})?|\.\d{1,6})"
_WORD = rf"(?:{'|'.join(sorted((*_WORDS, 'hundred', 'thousand'), key=len, reverse=True))})"
_ONE = "|".join(_ONES[:9])
BELOW_HUNDRED = rf"(?:(?:{'|'.join(_TENS)})(?:[\s-](?:{_ONE}))?|{'|'.join(sorted(_ONES, key=len, reverse=True))})"
"""Nineteen, fifty, fifty-nine."""

WORDS = rf"(?:{_WORD}(?:(?:-|\s{{1,2}}|\s{{1,2}}and\s{{1,2}}){_WORD}){{0,5}})"
SLASHED = r"(?:(?:\d{1,2}\s{1,2}(?:and\s{1,2}|&\s{1,2})?)?[13]\s?/\s?[24](?![\d.]))"
_GLYPH = r"(?:\d{0,2}\s?[½¼¾])"
_SPOKEN = (
    rf"(?:(?:(?:\d{{1,2}}|{_WORD})\s{{1,2}}and\s{{1,2}})?(?:an?\s{{1,2}}|one\s{{1,2}})?(?:half|quarter)"
    r"(?:\s{1,2}of)?(?:\s{1,2}an?(?!\w))?)"
)
NUMBER = rf"(?:{SLASHED}|{_GLYPH}|{_SPOKEN}|{DIGITS}|{WORDS})"
"""Any number, for use inside larger expressions. Needs a boundary on its left and IGNORECASE."""

_IS_DIGITS = re.compile(DIGITS)
_IS_SLASHED = re.compile(r"(?:(?P<whole>\d{1,2}) (?:and |& )?)?(?P<top>[13]) ?/ ?(?P<bottom>[24])")
_IS_GLYPH = re.compile(r"(?P<whole>\d{0,2}) ?(?P<part>[½¼¾])")
_IS_SPOKEN = re.compile(rf"(?:(?P<whole>\d{{1,2}}|{_WORD}) and )?(?:an? |one )?(?P<part>half|quarter)(?: of)?(?: an?)?")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:,\d{3}){1,2}(?:\.\d{1,4})?")


def read_number(text: str) -> Decimal | None:
    """The likely value. A comma that separates no thousands is read as a decimal comma."""
    low = " ".join(text.lower().split())
    if _IS_DIGITS.fullmatch(low):
        return Decimal(low.replace(",", "") if _THOUSANDS.fullmatch(low) else low.replace(",", "."))
    if match := _IS_SLASHED.fullmatch(low):
        return Decimal(match["whole"] or 0) + Decimal(match["top"]) / Decimal(match["bottom"])
    if match := _IS_GLYPH.fullmatch(low):
        return Decimal(match["whole"] or 0) + _GLYPHS[match["part"]]
    if match := _IS_SPOKEN.fullmatch(low):
        whole = match["whole"] or "0"
        return Decimal(whole if whole.isdigit() else _spelled(whole)) + _PARTS[match["part"]]
    return Decimal(_spelled(low)) if re.fullmatch(WORDS, low) else None


def has_decimal_comma(text: str) -> bool:
    """A comma that separates no thousands: "1,5"."""
    return "," in text and not _THOUSANDS.fullmatch(text.strip())


def written(number: Decimal) -> str:
    """Plain digits: no trailing zero, no bare leading point, no exponent."""
    return format(number.normalize(), "f") if number else "0"


def _spelled(low: str) -> int:
    """ "Two hundred and fifty" is 250; words that form no number are added up and never raise."""
    total = group = 0
    for word in re.split(r"[\s-]+", low):
        if word == "hundred":
            group = max(group, 1) * 100
        elif word == "thousand":
            total, group = total + max(group, 1) * 1000, 0
        else:
            group += _WORDS.get(word, 0)
    return total + group
