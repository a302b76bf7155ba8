"""What an answer of openFDA's label endpoint means. Only one of them means "no such label"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from docgemma.fetch.door import Reply
from docgemma.sources.contract import SourceError
from docgemma.sources.openfda.texts import iso_day
from docgemma.sources.web import accept, json_in, unusable

SERVICE = "openFDA"
_MOST_RECORDS = 50
"""Ten are asked for. Who sends thousands has misread the question, and all of them would have to be read."""

_BAD_QUERY = ("parse_exception", "token_mgr_error", "illegal_argument_exception", "query_shard_exception")


@dataclass(frozen=True, slots=True)
class Page:
    """The records that came, of how many there are, and the day of the data."""

    records: tuple[Mapping[str, Any], ...]
    total: int
    data_date: str | None


def is_final(reply: Reply) -> bool:
    """An error that asking again will not change."""
    if reply.status >= 500:
        return _is_bad_query(_error(reply))
    return reply.status >= 400 and reply.status != 429


def read(reply: Reply) -> Page | None:
    """The records; None when openFDA says itself that nothing matches. Raises SourceError for everything else."""
    error = _error(reply)
    if reply.status == 404 and error.get("code") == "NOT_FOUND":
        return None
    if reply.status in (401, 403) and str(error.get("code", "")).startswith("API_KEY"):
        raise SourceError(
            "not_configured", "openFDA refused the API key. Correct DOCGEMMA_OPENFDA_API_KEY, or remove it."
        )
    if reply.status == 400 or (reply.status >= 500 and _is_bad_query(error)):
        raise SourceError(
            "invalid_response", "openFDA did not understand the question. Write the drug's plain generic name."
        )
    accept(SERVICE, reply)
    return _page(json_in(reply))


def _page(found: Any) -> Page:
    """An envelope without a single record is a fault: openFDA says "none" with status 404."""
    results = found.get("results") if isinstance(found, dict) and "error" not in found else None
    meta = found.get("meta") if isinstance(found, dict) else None
    sent = results[:_MOST_RECORDS] if isinstance(results, list) else []
    records = tuple(record for record in sent if isinstance(record, dict))
    if not records or not isinstance(meta, dict):
        raise unusable(SERVICE)
    counts = meta.get("results")
    total = counts.get("total") if isinstance(counts, dict) else None
    known = isinstance(total, int) and not isinstance(total, bool) and total > len(records)
    updated = meta.get("last_updated")
    return Page(
        records,
        total if known and isinstance(total, int) else len(records),
        iso_day(updated.replace("-", "")) if isinstance(updated, str) else None,
    )


def _error(reply: Reply) -> Mapping[str, Any]:
    if reply.status < 400:
        return {}
    found = json_in(reply)
    error = found.get("error") if isinstance(found, dict) else None
    return error if isinstance(error, dict) else {}


def _is_bad_query(error: Mapping[str, Any]) -> bool:
    said = f"{error.get('message', '')} {error.get('details', '')}"
    return any(marker in said for marker in _BAD_QUERY)
