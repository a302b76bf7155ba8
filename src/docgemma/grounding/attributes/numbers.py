"""Numbers as criteria write them: 1,500 and 100 000, decimal point and comma, words, 140/90."""

from __future__ import annotations

import re

_COUNTED = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_WORDS = {word: str(value) for value, word in enumerate(_COUNTED)} | {
    "thirty": "30",
    "forty": "40",
    "fifty": "50",
    "sixty": "60",
    "ninety": "90",
}
_DIGITS = (
    r"\d{2,3}/\d{2,3}(?=\s{0,2}mm\s?hg)"
    r"|[1-9]\d{0,2}(?:,\d{3}){1,3}(?:\.\d{1,6})?(?![\d,])"
    r"|[1-9]\d{0,2}(?: \d{3}){1,3}(?![\d,.]?\d)"
    r"|\d{1,9}(?:[.,]\d{1,6})?"
    r"|\.\d{1,6}"
)
_SIGN = r"(?:(?<![\w)\]%.])[-+](?=[\d.]))?"
NUMBER = re.compile(
    rf"(?<![\w.^])(?<!\d,)(?:(?<![a-z)\]][-/])(?P<digits>{_SIGN}(?:{_DIGITS}))"
    rf"|(?<!-)(?P<word>{'|'.join(sorted(_WORDS, key=len, reverse=True))})(?![\w])(?!-[a-z]{{1,9}}-)"
    r"(?:\s{0,2}\((?P<again>\d{1,3})\))?)"
)
"""On folded text. A digit that hangs on a word (COVID-19, CYP3A4, HIV-1) is part of its name."""

_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:,\d{3}){1,3}(?:\.\d{1,6})?")


def value_of(found: re.Match[str]) -> str:
    """Plain digits: no separators of thousands, a point for decimals."""
    if word := found["word"]:
        return _WORDS[word]
    digits = found["digits"].replace(" ", "").removeprefix("+")
    if _THOUSANDS.fullmatch(digits):
        digits = digits.replace(",", "")
    digits = digits.replace(",", ".")
    return f"0{digits}" if digits.startswith(".") else digits
