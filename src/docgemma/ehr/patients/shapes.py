"""Parts of a resource as they should be: whatever has another shape is not there. Real servers send odd ones."""

from __future__ import annotations

from typing import Any

_MOST = 16
"""Nobody has more names or numbers than this; a record that does is not read to its end."""


def text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def texts(value: Any) -> list[str]:
    return [one for one in value[:_MOST] if isinstance(one, str)] if isinstance(value, list) else []


def parts(value: Any) -> list[dict[str, Any]]:
    return [one for one in value[:_MOST] if isinstance(one, dict)] if isinstance(value, list) else []


def part(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def codes(concept: Any) -> list[str]:
    """The codes of a CodeableConcept."""
    return [text(coding.get("code")) for coding in parts(part(concept).get("coding"))]
