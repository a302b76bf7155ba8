"""Articles from PubMed's live service: first their numbers, then what they say."""

from __future__ import annotations

import asyncio

from docgemma.sources.contract import SourceError
from docgemma.sources.literature.contract import Paper, Papers, Sought
from docgemma.sources.literature.matching import fits
from docgemma.sources.literature.people import refuse_people
from docgemma.sources.pubmed.query import MOST, term_for
from docgemma.sources.pubmed.reply import SERVICE, Numbers, is_final, numbers_in, papers_in
from docgemma.sources.web import Web, unusable

BASE_URL = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
TOOL = "docgemma"


class PubMed:
    """A LiteratureSource. Without a key three questions a second are answered to one address, with one ten."""

    def __init__(
        self, web: Web, base_url: str = BASE_URL, api_key: str | None = None, *, email: str | None = None
    ) -> None:
        self._web = web
        self._url = base_url.rstrip("/")
        self._secrets = (("api_key", api_key),) if api_key else ()
        self._who = (("tool", TOOL), *((("email", email),) if email else ()))

    @property
    def name(self) -> str:
        return SERVICE

    async def search(self, sought: Sought, *, ends_at: float) -> Papers | None:
        """What PubMed lists and what has every concept: words that it does not know it leaves out of the search."""
        if not (sought.concepts or sought.by_number):
            raise SourceError("invalid_args", "There is nothing to search for. Say what the articles should be about.")
        refuse_people(sought)
        params = (("db", "pubmed"), ("term", term_for(sought)), ("retmode", "json"), ("retmax", str(MOST)))
        listed = await self._web.ask(
            SERVICE,
            f"{self._url}/esearch.fcgi",
            (*params, ("sort", "relevance"), *self._who),
            read=numbers_in,
            ends_at=ends_at,
            secrets=self._secrets,
            final=is_final,
        )
        if listed.data is None:
            return None
        chosen = (("db", "pubmed"), ("id", ",".join(listed.data.pmids[:MOST])), ("retmode", "xml"))
        answer = await self._web.ask(
            SERVICE,
            f"{self._url}/efetch.fcgi",
            (*chosen, *self._who),
            read=papers_in,
            ends_at=ends_at,
            secrets=self._secrets,
            final=is_final,
        )
        papers = await asyncio.to_thread(_fitting, answer.data or (), sought, listed.data)
        if not papers:
            return None
        cached = "cache" in (listed.origin, answer.origin)
        return Papers(
            papers,
            source=SERVICE,
            origin="cache" if cached else "live",
            data_date=min(listed.date, answer.date) if cached else None,
            total=len(papers) if listed.data.unknown else listed.data.total,
        )


def _fitting(papers: tuple[Paper, ...], sought: Sought, listed: Numbers) -> tuple[Paper, ...]:
    """In PubMed's order. None that fits is "none" only where PubMed said that it left out words; else it is a fault."""
    places = {pmid: place for place, pmid in enumerate(listed.pmids)}
    ordered = sorted(papers, key=lambda paper: places.get(paper.pmid, len(places)))
    if sought.by_number:
        return tuple(ordered)
    kept = tuple(paper for paper in ordered if not paper.retracted and fits(paper, sought, exactly=listed.unknown))
    if not kept and not listed.unknown and not all(paper.retracted for paper in ordered):
        raise unusable(SERVICE)
    return kept
