"""FHIR's primitive types: which JSON values they take, and how to say so without repeating the value.

The patterns are those of the specification. A date must also be a day that exists, and text must be text: what holds
only blanks, half characters or control characters says nothing, and breaks what reads it later.
"""

from __future__ import annotations

import binascii
import math
import re
from calendar import monthrange
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import cache
from typing import Any

from docgemma.ehr.validation.narrative import is_narrative
from docgemma.entities.tables import rows

Fits = Callable[[Any], bool]

LONGEST_TEXT = 1024 * 1024
"""FHIR's own limit for a string."""

_LARGEST_EXPONENT = 300
_YEAR = r"(?!0000)[0-9]{4}"
_CLOCK = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\.[0-9]+)?"
_DAY = rf"{_YEAR}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
_MOMENT = rf"{_DAY}T{_CLOCK}(?:Z|[+-](?:(?:0[0-9]|1[0-3]):[0-5][0-9]|14:00))"
_PARTIAL = rf"{_YEAR}(?:-(?:0[1-9]|1[0-2]))?"
_NO_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]")
_INK = r"[^\x00-\x20\x7f\ud800-\udfff]"

Match = Callable[[str], object]
_date: Match = re.compile(rf"{_PARTIAL}|{_DAY}").fullmatch
_date_time: Match = re.compile(rf"{_PARTIAL}|{_DAY}|{_MOMENT}").fullmatch
_instant: Match = re.compile(_MOMENT).fullmatch


def _matches(pattern: str) -> Fits:
    match = re.compile(pattern).fullmatch
    return lambda value: isinstance(value, str) and match(value) is not None


def _on_a_real_day(match: Match) -> Fits:
    def fits(value: Any) -> bool:
        if not isinstance(value, str) or match(value) is None:
            return False
        day = value[8:10]
        return day <= "28" or int(day) <= monthrange(int(value[:4]), int(value[5:7]))[1]

    return fits


def _is_text(value: Any) -> bool:
    if not isinstance(value, str) or not value or len(value) > LONGEST_TEXT or value.isspace():
        return False
    return value.isprintable() or _NO_TEXT.search(value) is None


def _is_boolean(value: Any) -> bool:
    return value is True or value is False


def _whole_number(least: int) -> Fits:
    return lambda value: type(value) is int and least <= value <= 0x7FFFFFFF


def _is_decimal(value: Any) -> bool:
    """Numbers of three hundred digits are no measurement, and stop whoever writes them out."""
    if isinstance(value, Decimal):
        return value.is_finite() and abs(value.adjusted()) <= _LARGEST_EXPONENT and len(str(value)) <= _LARGEST_EXPONENT
    if isinstance(value, float):
        return math.isfinite(value)
    return type(value) is int and abs(value) < 10**_LARGEST_EXPONENT


def _is_base64(value: Any) -> bool:
    if not isinstance(value, str) or not value or value.isspace():
        return False
    try:
        binascii.a2b_base64("".join(value.split()), strict_mode=True)
    except ValueError:
        return False
    return True


_URI: Fits = _matches(f"{_INK}+")

FITS: Mapping[str, Fits] = {
    "base64Binary": _is_base64,
    "boolean": _is_boolean,
    "canonical": _URI,
    "code": _matches(f"{_INK}+(?: {_INK}+)*"),
    "date": _on_a_real_day(_date),
    "dateTime": _on_a_real_day(_date_time),
    "decimal": _is_decimal,
    "id": _matches(r"[A-Za-z0-9\-.]{1,64}"),
    "instant": _on_a_real_day(_instant),
    "integer": _whole_number(-0x80000000),
    "markdown": _is_text,
    "oid": _matches(r"urn:oid:[0-2](?:\.(?:0|[1-9][0-9]*))+"),
    "positiveInt": _whole_number(1),
    "string": _is_text,
    "time": _matches(_CLOCK),
    "unsignedInt": _whole_number(0),
    "uri": _URI,
    "url": _URI,
    "uuid": _matches(r"urn:uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    "xhtml": is_narrative,
}


@cache
def expected() -> Mapping[str, str]:
    """By type, what a value must be; completes "X must be …"."""
    return {row[0]: row[1] for row in rows("docgemma.ehr", "primitives.tsv")}
