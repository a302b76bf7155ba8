"""Error-prone ways of writing a dose that can be read: the reading is likely, but a person has to confirm it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from docgemma.entities.amounts.doses import Dose, parse_dose
from docgemma.entities.amounts.numbers import has_decimal_comma
from docgemma.entities.amounts.units import SOLID, scaled
from docgemma.entities.model import Mention, Trap

Severity = Literal["warn", "ask", "reject"]

_NUMBER = re.compile(r"(?:\d|\.(?=\d))(?:[\d.,]{0,14}\d)?")
_TRAILING_ZERO = re.compile(r"\d{1,7}\.\d{0,5}0")
_AS_THOUSANDS = re.compile(r"[1-9]\d{0,2}\.\d{2}0")
_UNIT_WORD = re.compile(r"(?<![^\W\d_])(?:i\.?u\.?|[µμu]g|cc|mu|u)(?![^\W\d_])", re.IGNORECASE)
_ASKED_UNITS = {"u": "units", "iu": "units", "mu": "million units"}
_FRACTION = re.compile(r"(?<!\d)[13]\s?/\s?[24](?![\d.])")
_RATIO = re.compile(r"1\s?:\s?\d")
_SPLIT = re.compile(r"\d{1,3}\s\d{3}(?!\d)\D{1,20}")


def dose_traps(mention: Mention) -> Iterator[Trap]:
    """What is error-prone in one dose, the worst of each kind once."""
    dose = parse_dose(mention.text)
    if dose is None:
        yield _unread(mention)
        return
    yield from _by_number(mention, dose)
    yield from _by_unit(mention, dose)
    yield from _by_shape(mention, dose)


def _unread(mention: Mention) -> Trap:
    if not any(letter.isalpha() or letter == "%" for letter in mention.text):
        question = f"“{mention.text}” has no unit. What is the dose, with its unit?"
        return _trap(mention, "missing_unit", "ask", "", question)
    if _RATIO.match(mention.text):
        return _asked(mention, "ratio", "gives the strength as a ratio")
    if _SPLIT.fullmatch(mention.text):
        return _asked(mention, "split_number", "has a space between numbers")
    return _asked(mention, "unclear_dose", "is not clear")


def _by_number(mention: Mention, dose: Dose) -> Iterator[Trap]:
    if all(amount == 0 for amount in dose.amounts):
        yield _trap(mention, "zero", "reject", "", f"“{mention.text}” is no dose. What is the dose?")
    numbers = _NUMBER.findall(mention.text)
    if not mention.text.replace("µ", "u").replace("μ", "u").isascii() and any(not part.isascii() for part in numbers):
        yield _asked(mention, "non_ascii_digit", "is not written in the usual digits", dose)
    for number in numbers:
        if has_decimal_comma(number):
            yield _asked(mention, "decimal_comma", "has a decimal comma", dose)
        elif _AS_THOUSANDS.fullmatch(number):
            whole = mention.text.replace(number, number.replace(".", ""))
            question = f"“{mention.text}” can be read in two ways. Do you mean {_reading(dose)} or {whole}?"
            yield _trap(mention, "decimal_comma", "ask", _reading(dose), question)
        elif _TRAILING_ZERO.fullmatch(number):
            yield _warned(mention, "trailing_zero", "has a zero after the decimal point", dose)
        elif number.startswith("."):
            yield _warned(mention, "leading_point", "has no zero before the decimal point", dose)
        elif len(number) > 1 and number[0] == "0" and number[1] != ".":
            yield _asked(mention, "leading_zeros", "begins with a zero and may lack a decimal point", dose)


def _by_unit(mention: Mention, dose: Dose) -> Iterator[Trap]:
    for match in _UNIT_WORD.finditer(mention.text):
        unit = match.group()
        if unit.lower().replace(".", "") in _ASKED_UNITS:
            yield _asked(mention, "unit_abbreviation", f"has the error-prone unit “{unit}”", dose)
        else:
            yield _warned(mention, "unit_abbreviation", f"has the error-prone unit “{unit}”", dose)
    if dose.unit == "teaspoons":
        yield _warned(mention, "household_measure", "is a household measure of 5 mL each", dose)
    if dose.unit == "tablespoons":
        yield _asked(mention, "household_measure", "is a household measure and is mixed up with teaspoons", dose)


def _by_shape(mention: Mention, dose: Dose) -> Iterator[Trap]:
    if dose.most is not None:
        question = f"“{mention.text}” is a range. Which dose is it to be?"
        yield _trap(mention, "range", "ask", "", question)
    if _FRACTION.search(mention.text) and len(dose.amounts) == 1:
        yield _asked(mention, "fraction", "has a fraction that can be read as two numbers", dose)
    if dose.each is None:
        if "mL" in dose.unit and dose.unit != "mL":
            question = f"“{mention.text}” is a concentration. What is the dose?"
            yield _trap(mention, "concentration", "ask", "", question)
        return
    if dose.unit == "mL":
        yield _asked(mention, "concentration", "gives a concentration and a volume", dose)
    elif dose.unit == "x" or (dose.unit in SOLID and dose.amounts[0] != 1):
        yield _asked(mention, "product_count", "gives a strength and a number of pieces", dose)


def _reading(dose: Dose | None) -> str:
    """The whole amount; of a household measure, its volume."""
    if dose is None:
        return ""
    if dose.unit in {"teaspoons", "tablespoons"} and dose.each is None and dose.most is None:
        dose = Dose((scaled(dose.amounts[0], dose.unit)[0],), "mL")
    return (dose.total() or dose).render()


def _asked(mention: Mention, kind: str, why: str, dose: Dose | None = None) -> Trap:
    reading = _reading(dose)
    question = f"Do you mean {reading}?" if reading else "What is the dose?"
    return _trap(mention, kind, "ask", reading, f"“{mention.text}” {why}. {question}")


def _warned(mention: Mention, kind: str, why: str, dose: Dose) -> Trap:
    reading = _reading(dose)
    return _trap(mention, kind, "warn", reading, f"“{mention.text}” {why}. It is read as {reading}.")


def _trap(mention: Mention, kind: str, severity: Severity, reading: str, question: str) -> Trap:
    return Trap(mention.text, mention.start, mention.end, kind, severity, reading, question)
