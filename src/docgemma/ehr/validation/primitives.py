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
from html.entities import name2codepoint
from typing import Any
from xml.parsers import expat

from docgemma.entities.tables import rows

_TAG_NAMES = (
    "a abbr acronym address b big blockquote br caption cite code col colgroup dd del dfn div dl dt em h1 h2 h3 h4 h5 "
    "h6 hr i img ins kbd li ol p pre q s samp small span strike strong sub sup table tbody td tfoot th thead tr tt u "
    "ul var"
)
_ATTRIBUTE_NAMES = (
    "abbr align alt axis border cellpadding cellspacing char charoff cite class colspan compact datetime dir frame "
    "headers height href hreflang id lang name nowrap rel rev rowspan rules scope span src start style summary title "
    "type valign value width xml:lang xml:space xmlns"
)
_TAGS, _ATTRIBUTES = frozenset(_TAG_NAMES.split()), frozenset(_ATTRIBUTE_NAMES.split())
_ADDRESS = re.compile(r"(?:#|https?:|ftp:|mailto:|tel:|cid:|data:\s*image/|(?![^/?#]*:))", re.IGNORECASE)
_DATA = re.compile(r"\s*data:", re.IGNORECASE)
_LOADING_STYLE = re.compile(r"url\s*\((?!\s*['\"]?data:\s*image/)|expression\s*\(|@import|\\", re.IGNORECASE)
_XHTML = "http://www.w3.org/1999/xhtml"
_LONGEST = 1024 * 1024


def is_narrative(value: Any) -> bool:
    """Whether this is one well-formed `<div>` of basic formatting with something to read in it."""
    if not isinstance(value, str) or len(value) > _LONGEST:
        return False
    reading = _Reading()
    try:
        reading.parser.Parse(value.encode(), True)
    except (expat.ExpatError, _NotAllowed, UnicodeEncodeError):
        return False
    return reading.content


class _NotAllowed(Exception):
    """Raised inside the parser's callbacks, which is the only way out of them."""


class _Reading:
    """One pass over the text. HTML's named characters are known without a document type, which is refused."""

    def __init__(self) -> None:
        self.content = False
        self._depth = 0
        parser = expat.ParserCreate()
        parser.UseForeignDTD(True)
        parser.ExternalEntityRefHandler = lambda *_: 1
        parser.SkippedEntityHandler = self._entity
        parser.StartDoctypeDeclHandler = self._refuse
        parser.ProcessingInstructionHandler = self._refuse
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        self.parser = parser

    def _start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag not in _TAGS or (self._depth == 0 and tag != "div"):
            raise _NotAllowed
        self._depth += 1
        self.content |= tag == "img"
        for name, value in attributes.items():
            if name not in _ATTRIBUTES or not _harmless(name, value):
                raise _NotAllowed

    def _end(self, _tag: str) -> None:
        self._depth -= 1

    def _text(self, text: str) -> None:
        self.content |= not text.isspace()

    def _entity(self, name: str, _is_parameter: bool) -> None:
        if name not in name2codepoint:
            raise _NotAllowed
        self.content |= name != "nbsp"

    def _refuse(self, *_: object) -> None:
        raise _NotAllowed


def _harmless(name: str, value: str) -> bool:
    if name in ("href", "src", "cite"):
        return _ADDRESS.match(value.strip()) is not None and (name == "src" or not _DATA.match(value))
    if name == "style":
        return _LOADING_STYLE.search(value) is None
    return name != "xmlns" or value == _XHTML


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
