"""A record of any kind as bytes and back."""

from __future__ import annotations

import json
import zlib
from dataclasses import fields
from typing import Any, TypeVar

from docgemma.sources.contract import Label
from docgemma.sources.literature.contract import Paper
from docgemma.sources.trials.contract import Site, Study

R = TypeVar("R", Label, Paper, Study)

_LEVEL = 4
"""Beyond this, packs hardly become smaller, and building them takes much longer."""
_MOST_BYTES = {Label: 256_000_000, Paper: 64_000_000, Study: 64_000_000}


def packed(record: Label | Paper | Study) -> bytes:
    """Fields of articles and trials that say nothing are left out."""
    said = {field.name: getattr(record, field.name) for field in fields(record)}
    if isinstance(record, Label):
        said["sections"] = dict(record.sections)
    else:
        said = {name: value for name, value in said.items() if value not in ("", (), None, False)}
    if isinstance(record, Study) and record.sites:
        said["sites"] = [(site.facility, site.city, site.state, site.country, site.status) for site in record.sites]
    if isinstance(record, Study) and record.healthy_volunteers is False:
        said["healthy_volunteers"] = False
    return zlib.compress(json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode(), _LEVEL)


def unpacked(body: bytes, into: type[R]) -> R:
    """Raises ValueError for what `packed` never made."""
    unpacker = zlib.decompressobj()
    try:
        data = unpacker.decompress(body, _MOST_BYTES[into])
        if not unpacker.eof or unpacker.unused_data:
            raise ValueError("not one whole record")
        said: dict[str, Any] = {name: _frozen(value) for name, value in json.loads(data).items()}
        if into is Label:
            said["sections"] = {name: tuple(texts) for name, texts in said["sections"].items()}
        if "sites" in said:
            said["sites"] = tuple(Site(*site) for site in said["sites"])
        return into(**said)
    except (zlib.error, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError("not a record of this format") from error


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
