"""A label as bytes and back."""

from __future__ import annotations

import json
import zlib
from dataclasses import fields
from typing import Any

from docgemma.sources.contract import Label

_LEVEL = 4
"""Beyond this, packs hardly become smaller, and building them takes much longer."""
_MOST_BYTES = 256_000_000
_FIELDS = tuple(field.name for field in fields(Label))


def packed(label: Label) -> bytes:
    values: dict[str, Any] = {name: getattr(label, name) for name in _FIELDS}
    values["sections"] = dict(label.sections)
    return zlib.compress(json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode(), _LEVEL)


def unpacked(body: bytes) -> Label:
    """Raises ValueError for what `packed` never made."""
    unpacker = zlib.decompressobj()
    try:
        data = unpacker.decompress(body, _MOST_BYTES)
        if not unpacker.eof or unpacker.unused_data:
            raise ValueError("not one whole label")
        values = json.loads(data)
        sections = {name: tuple(texts) for name, texts in values.pop("sections").items()}
        given: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
        }
        return Label(sections=sections, **given)
    except (zlib.error, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError("not a label of this format") from error
