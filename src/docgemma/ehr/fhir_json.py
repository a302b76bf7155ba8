"""FHIR as text and back. A decimal keeps its digits: 7.50 was measured to two places, and stays 7.50."""

from __future__ import annotations

from typing import Any, NoReturn

import simplejson


class NotJson(ValueError):
    """The text is no JSON that FHIR allows."""


def loads(text: str | bytes) -> Any:
    """Decimals come as `Decimal`. NaN, Infinity, half characters and bottomless nesting are no JSON."""
    try:
        value = simplejson.loads(text, use_decimal=True, parse_constant=_no_constant)
        if "\\u" in text if isinstance(text, str) else b"\\u" in text:
            dumps(value).encode()
        return value
    except (ValueError, RecursionError, OverflowError):
        raise NotJson("This is not valid JSON.") from None


def dumps(value: Any) -> str:
    """Compact, in the order the fields came in, and the same text for the same value."""
    return simplejson.dumps(value, use_decimal=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)
