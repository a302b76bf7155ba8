"""What an answer of Europe PMC's search means. Its errors come with status 200."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from docgemma.fetch.door import Reply
from docgemma.sources.contract import SourceError
from docgemma.sources.literature.facts import count
from docgemma.sources.web import object_in, unusable

SERVICE = "Europe PMC"
_MOST_RECORDS = 200
"""Fifty are asked for. Who sends thousands has misread the question."""


@dataclass(frozen=True, slots=True)
class Page:
    """The records that came, of how many there are."""

    records: tuple[Mapping[str, Any], ...]
    total: int


def is_final(reply: Reply) -> bool:
    """An error that asking again will not change."""
    return 400 <= reply.status < 500 and reply.status != 429


def read(reply: Reply) -> Page | None:
    """The records; None when Europe PMC counts none itself. An answer that does not count is a failure: a question that
    it could not read is answered with its version number alone.
    """
    found = object_in(SERVICE, reply)
    if "errCode" in found or "errMsg" in found:
        raise SourceError(
            "invalid_response", "Europe PMC did not understand the question. Ask again in other, plainer words."
        )
    total = count(found.get("hitCount"))
    listed = found.get("resultList")
    results = listed.get("result") if isinstance(listed, dict) else None
    if total is None or not (isinstance(results, list) or (results is None and total == 0)):
        raise unusable(SERVICE)
    records = tuple(record for record in (results or [])[:_MOST_RECORDS] if isinstance(record, dict))
    if total == 0 and not results:
        return None
    if not records:
        raise unusable(SERVICE)
    return Page(records, max(total, len(records)))
