"""Articles from Europe PMC's live service. Its errors come with status 200."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from docgemma.fetch.door import Reply
from docgemma.sources.contract import SourceError
from docgemma.sources.europepmc.query import PAGE_SIZE, STRONG, query_for
from docgemma.sources.europepmc.record import paper_of
from docgemma.sources.literature.contract import Paper, Papers, Sought
from docgemma.sources.literature.facts import count
from docgemma.sources.literature.people import refuse_people
from docgemma.sources.web import Answer, Web, object_in, unusable

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


BASE_URL = "https://www.ebi.ac.uk/europepmc/webservices/rest"

_RECENT_YEARS = 5
_log = logging.getLogger(__name__)


class EuropePmc:
    """A LiteratureSource. It needs no key."""

    def __init__(
        self, web: Web, base_url: str = BASE_URL, *, today: Callable[[], date] = lambda: datetime.now(UTC).date()
    ) -> None:
        self._web = web
        self._today = today
        self._url = f"{base_url.rstrip('/')}/search"

    @property
    def name(self) -> str:
        return SERVICE

    async def search(self, sought: Sought, *, ends_at: float) -> Papers | None:
        """The first page by relevance; of a long list also the strongest evidence in it, which may stand far behind."""
        if not (sought.concepts or sought.by_number):
            raise SourceError("invalid_args", "There is nothing to search for. Say what the articles should be about.")
        refuse_people(sought)
        answer = await self._ask(query_for(sought), ends_at)
        if answer.data is None:
            return None
        pages = [answer.data, *await self._strongest(sought, answer.data, ends_at)]
        papers = await asyncio.to_thread(_papers, pages)
        kept = papers if sought.by_number else tuple(paper for paper in papers if not paper.retracted)
        if not kept:
            return None
        return Papers(
            kept,
            source=SERVICE,
            origin=answer.origin,
            data_date=answer.date if answer.origin == "cache" else None,
            total=answer.data.total,
        )

    async def _ask(self, query: str, ends_at: float) -> Answer[Page]:
        params = (
            ("query", query),
            ("format", "json"),
            ("resultType", "core"),
            ("pageSize", str(PAGE_SIZE)),
            ("synonym", "true"),
        )
        return await self._web.ask(SERVICE, self._url, params, read=read, ends_at=ends_at, final=is_final)

    async def _strongest(self, sought: Sought, page: Page, ends_at: float) -> list[Page]:
        if sought.by_number or sought.kinds or page.total <= len(page.records):
            return []
        since = self._today().year - _RECENT_YEARS if sought.newest and sought.since is None else None
        try:
            answer = await self._ask(query_for(sought, kinds=STRONG, since=since), ends_at)
        except SourceError as error:
            _log.info("Europe PMC gave no reviews and trials besides the others (%s).", error.error_type)
            return []
        return [answer.data] if answer.data else []


def _papers(pages: Sequence[Page]) -> tuple[Paper, ...]:
    """All that can be read, the pages by turns: the first of the second page is no worse than the second of the first.

    Raises SourceError when nothing can be.
    """
    lists = [[paper_of(record) for record in page.records] for page in pages]
    longest = max(map(len, lists), default=0)
    papers = tuple(
        paper for place in range(longest) for each in lists if place < len(each) and (paper := each[place]) is not None
    )
    if not papers:
        raise unusable(SERVICE)
    return papers
