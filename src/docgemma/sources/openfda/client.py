"""Drug labels from openFDA's live service. Only one of its answers means "no such label"."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from docgemma.clinical import Origin
from docgemma.fetch.door import Reply
from docgemma.sources.contract import Label, Labels, SourceError
from docgemma.sources.openfda.query import LIMIT, among_prescriptions, asked_name, rungs
from docgemma.sources.openfda.record import ELEMENTS, is_about, is_named, label_of
from docgemma.sources.openfda.texts import iso_day
from docgemma.sources.web import Answer, Web, accept, json_in, unusable

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


BASE_URL = "https://api.fda.gov"

_log = logging.getLogger(__name__)


class OpenFda:
    """A LabelSource. Without a key it may be asked a thousand times a day from one address."""

    name = SERVICE

    def __init__(self, web: Web, base_url: str = BASE_URL, api_key: str | None = None) -> None:
        self._web = web
        self._url = f"{base_url.rstrip('/')}/drug/label.json"
        self._secrets = (("api_key", api_key),) if api_key else ()

    async def labels(self, drug: str, *, ends_at: float) -> Labels | None:
        """The labels of the first query that finds any; None only when every query found none."""
        name = asked_name(drug)
        for query in rungs(name):
            answer = await self._ask(query, ends_at)
            if answer.data is None:
                continue
            found = await asyncio.to_thread(_about, answer.data, name)
            if found:
                found = await self._with_prescriptions(found, answer.data, query, name, ends_at)
                return _labels(found, answer, answer.data)
        return None

    async def _ask(self, query: str, ends_at: float) -> Answer[Page]:
        params = (("search", query), ("limit", str(LIMIT)))
        return await self._web.ask(
            SERVICE, self._url, params, read=read, secrets=self._secrets, ends_at=ends_at, final=is_final
        )

    async def _with_prescriptions(
        self, found: tuple[Label, ...], page: Page, query: str, name: str, ends_at: float
    ) -> tuple[Label, ...]:
        """Where only a part came and none of it is a prescription label, ask for those too.

        A medicine sold both ways has its gravest warnings on the prescription label alone.
        """
        if page.total <= len(page.records) or any("PRESCRIPTION" in label.product_type.upper() for label in found):
            return found
        try:
            answer = await self._ask(among_prescriptions(query), ends_at)
            more = () if answer.data is None else await asyncio.to_thread(_about, answer.data, name)
        except SourceError as error:
            _log.info("openFDA gave no prescription labels besides the others (%s).", error.error_type)
            return found
        return _once((*more, *found))


def _about(page: Page, name: str) -> tuple[Label, ...]:
    """Those of this drug. Product data name the fillers too: they count only where a label has no other names.

    Records without any name are no labels of other drugs: the reply cannot be read.
    """
    read = [label_of(record) for record in page.records]
    if not any(label.brands or label.generics or label.substances or ELEMENTS in label.sections for label in read):
        raise unusable(SERVICE)
    labels = [label for label in read if is_about(label, name)]
    return tuple(label for label in labels if is_named(label, name) or not (label.generics or label.substances))


def _once(labels: Iterable[Label]) -> tuple[Label, ...]:
    return tuple({label.set_id or str(place): label for place, label in enumerate(labels)}.values())


def _labels(found: tuple[Label, ...], answer: Answer[Page], page: Page) -> Labels:
    origin: Origin = answer.origin
    return Labels(
        found,
        source="openFDA drug labels",
        origin=origin,
        data_date=page.data_date or answer.kept_on,
        total=max(page.total, len(found)),
    )
