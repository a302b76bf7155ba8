"""Articles from PubMed's live service: first their numbers, then what they say. Errors come with any status."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from docgemma.fetch.door import Reply
from docgemma.sources.contract import SourceError
from docgemma.sources.dailymed.spl import BadMarkup, tree
from docgemma.sources.literature.contract import Paper, Papers, Sought
from docgemma.sources.literature.facts import count, pmid
from docgemma.sources.literature.people import refuse_people
from docgemma.sources.literature.ranking import fits
from docgemma.sources.pubmed.query import MOST, term_for
from docgemma.sources.pubmed.record import ARTICLE, ARTICLES, paper_of
from docgemma.sources.web import Web, accept, json_in, unusable

SERVICE = "PubMed"
_MOST_IDS = 100


@dataclass(frozen=True, slots=True)
class Numbers:
    """The articles by number, of how many there are; `unknown`: PubMed left out words that its index does not have."""

    pmids: tuple[str, ...]
    total: int
    unknown: bool


def is_final(reply: Reply) -> bool:
    """An error that asking again will not change."""
    return 400 <= reply.status < 500 and reply.status != 429 and not _is_over_limit(json_in(reply))


def numbers_in(reply: Reply) -> Numbers | None:
    """The numbers; None when PubMed counts none itself. Raises SourceError for everything else."""
    found = json_in(reply)
    _refuse_error(found)
    accept(SERVICE, reply)
    result = found.get("esearchresult") if isinstance(found, dict) else None
    if not isinstance(result, dict):
        raise unusable(SERVICE)
    if "ERROR" in result:
        raise SourceError(
            "invalid_response", "PubMed did not understand the question. Ask again in other, plainer words."
        )
    total, listed = count(result.get("count")), result.get("idlist")
    if total is None or not isinstance(listed, list):
        raise unusable(SERVICE)
    if total == 0 and not listed:
        return None
    pmids = tuple(dict.fromkeys(number for each in listed[:_MOST_IDS] if (number := pmid(each))))
    if not pmids:
        raise unusable(SERVICE)
    return Numbers(pmids, max(total, len(pmids)), unknown=_left_out(result))


def papers_in(reply: Reply) -> tuple[Paper, ...]:
    """The articles of a document. One without a single article is a failure: these numbers were PubMed's own."""
    _refuse_error(json_in(reply) if reply.body.lstrip()[:1] == b"{" else None)
    accept(SERVICE, reply)
    try:
        root = tree(reply.body, named_type=True)
    except BadMarkup:
        raise unusable(SERVICE) from None
    found = tuple(paper for each in root.iterfind(ARTICLE) if (paper := paper_of(each)) is not None)
    if root.tag != ARTICLES or not found:
        raise unusable(SERVICE)
    return found


def _refuse_error(found: Any) -> None:
    """`{"error": …}`, which may come with status 200: over the limit, a refused key, or a fault."""
    error = found.get("error") if isinstance(found, dict) else None
    if error is None:
        return
    if _is_over_limit(found):
        raise SourceError("rate_limit", "PubMed takes no more questions for now. Try again later.")
    if "key" in str(error).lower():
        raise SourceError("not_configured", "PubMed refused the API key. Correct DOCGEMMA_NCBI_API_KEY, or remove it.")
    raise SourceError("server_error", "PubMed has a fault at the moment. Try again later.")


def _is_over_limit(found: Any) -> bool:
    error = found.get("error") if isinstance(found, dict) else None
    return isinstance(error, str) and "limit" in error.lower()


def _left_out(result: dict[str, Any]) -> bool:
    """Whether PubMed says that it did not look for everything."""
    errors, warnings = result.get("errorlist"), result.get("warninglist")
    lists = [errors.get("phrasesnotfound"), errors.get("fieldsnotfound")] if isinstance(errors, dict) else []
    lists += (
        [warnings.get("quotedphrasesnotfound"), warnings.get("phrasesignored")] if isinstance(warnings, dict) else []
    )
    return any(lists)


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
