"""A record as bytes and back."""

from __future__ import annotations

import json
import zlib
from dataclasses import fields
from typing import Any, TypeVar

from docgemma.sources.literature.contract import Paper
from docgemma.sources.trials.contract import Site, Study

R = TypeVar("R", Paper, Study)

_LEVEL = 4
"""Beyond this, packs hardly become smaller, and building them takes much longer."""
_MOST_BYTES = 64_000_000


def packed(record: Paper | Study) -> bytes:
    """Fields that say nothing are left out."""
    values = {field.name: getattr(record, field.name) for field in fields(record)}
    said = {name: value for name, value in values.items() if value not in ("", (), None, False)}
    if isinstance(record, Study) and record.sites:
        said["sites"] = [(site.facility, site.city, site.state, site.country, site.status) for site in record.sites]
    if isinstance(record, Study) and record.healthy_volunteers is False:
        said["healthy_volunteers"] = False
    return zlib.compress(json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode(), _LEVEL)


def unpacked(body: bytes, into: type[R]) -> R:
    """Raises ValueError for what `packed` never made."""
    unpacker = zlib.decompressobj()
    try:
        data = unpacker.decompress(body, _MOST_BYTES)
        if not unpacker.eof or unpacker.unused_data:
            raise ValueError("not one whole record")
        said: dict[str, Any] = {name: _frozen(value) for name, value in json.loads(data).items()}
        if "sites" in said:
            said["sites"] = tuple(Site(*site) for site in said["sites"])
        return into(**said)
    except (zlib.error, TypeError, AttributeError, RecursionError) as error:
        raise ValueError("not a record of this format") from error


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
