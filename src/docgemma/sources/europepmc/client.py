"""Articles from Europe PMC's live service. Its errors come with status 200.

Every phrase is asked for in quotes, in title, abstract or keywords. Full texts are left out on purpose: a word that
stands in one of ten thousand lists of references says nothing about an article. What the user wrote is always inside
quotes, so that it can be no field, operator or bracket.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from docgemma.fetch.door import Reply
from docgemma.sources.contract import SourceError
from docgemma.sources.europepmc.record import paper_of
from docgemma.sources.literature.contract import Kind, Paper, Papers, Sought, evidence
from docgemma.sources.literature.facts import count
from docgemma.sources.literature.people import refuse_people
from docgemma.sources.web import Answer, Web, is_final, object_in, unusable

PAGE_SIZE = 50
"""Enough to choose from: the order is made here."""

STRONG: tuple[Kind, ...] = ("guideline", "meta_analysis", "systematic_review", "randomised_trial")

_FOREVER = 3000
_LONGEST_PHRASE = 120
_LONGEST = 2_500
"""Letters of all concepts: a query travels in the address, which servers cut off at eight thousand."""

_PHRASINGS = (6, 4, 3, 2, 1)
_NOT_IN_PHRASE = re.compile(r"[^\w\s'’./+-]+")
_FIELDS = ("TITLE_ABS", "KW")
_SOURCES = "(SRC:MED OR SRC:PMC OR SRC:PPR)"
_RETRACTIONS = ('PUB_TYPE:"retracted publication"', 'PUB_TYPE:"retraction of publication"')


def query_for(sought: Sought, *, kinds: Sequence[Kind] | None = None, since: int | None = None) -> str:
    """The query; `kinds` and `since` in place of what the user asked for."""
    if sought.pmid:
        return f"EXT_ID:{sought.pmid} AND SRC:MED"
    if sought.doi:
        return f"DOI:{quoted(sought.doi)}"
    clauses = _short_enough(sought.concepts)
    first = sought.since if since is None else since
    if first or sought.until:
        clauses.append(f"PUB_YEAR:[{first or 1600} TO {sought.until or _FOREVER}]")
    wanted = [clause for kind in (sought.kinds if kinds is None else kinds) for clause in evidence()[kind].europepmc]
    if wanted:
        clauses.append(_any(wanted))
    return " AND ".join([*clauses, _SOURCES, *(f"NOT {clause}" for clause in _RETRACTIONS)])


def _short_enough(concepts: Sequence[Sequence[str]]) -> list[str]:
    """A clause for each concept, with as many phrasings as an address has room for; the first ones matter most."""
    clauses: list[str] = []
    for most in _PHRASINGS:
        named = [[phrase for name in concept if (phrase := quoted(name)) != '""'][:most] for concept in concepts]
        clauses = [_any(f"{field}:{phrase}" for phrase in phrases for field in _FIELDS) for phrases in named if phrases]
        if sum(map(len, clauses)) <= _LONGEST:
            break
    return clauses


def quoted(text: str) -> str:
    """A phrase that holds no quote, backslash, bracket or colon. What is left of it says the same to a search."""
    kept = text if text.startswith("10.") else _NOT_IN_PHRASE.sub(" ", text)
    plain = " ".join(kept.replace("\\", " ").replace('"', " ").split())[:_LONGEST_PHRASE]
    return f'"{plain.strip()}"'


def _any(clauses: Iterable[str]) -> str:
    return f"({' OR '.join(dict.fromkeys(clauses))})"


SERVICE = "Europe PMC"
_MOST_RECORDS = 200
"""Fifty are asked for. Who sends thousands has misread the question."""


@dataclass(frozen=True, slots=True)
class Page:
    """The records that came, of how many there are."""

    records: tuple[Mapping[str, Any], ...]
    total: int


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

    name = SERVICE

    def __init__(
        self, web: Web, base_url: str = BASE_URL, *, today: Callable[[], date] = lambda: datetime.now(UTC).date()
    ) -> None:
        self._web = web
        self._today = today
        self._url = f"{base_url.rstrip('/')}/search"

    async def search(self, sought: Sought, *, ends_at: float) -> Papers | None:
        """The first page by relevance; of a long list also the strongest evidence in it, which may stand far behind."""
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
            data_date=answer.kept_on,
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
