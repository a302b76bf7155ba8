"""Articles from PubMed's live service: first their numbers, then what they say. Errors come with any status.

Each phrase is asked for in title and abstract, its words next to each other. A quoted phrase that PubMed's index does
not know is taken apart in silence. Words that have to stand at distance 0 are not, so that is how phrases are asked.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from docgemma.fetch.door import Reply
from docgemma.ingest.xml_trees import BadMarkup, tree
from docgemma.sources.contract import SourceError
from docgemma.sources.literature.contract import Paper, Papers, Sought, evidence
from docgemma.sources.literature.facts import count, pmid
from docgemma.sources.literature.people import refuse_people
from docgemma.sources.literature.ranking import fits
from docgemma.sources.pubmed.record import ARTICLE, ARTICLES, paper_of
from docgemma.sources.web import Answer, Web, accept, json_in, unusable

MOST = 25
"""Articles that are read: each is a document of its own."""

_FOREVER = 3000
_LONGEST_PHRASE = 120
_NOT_IN_PHRASE = re.compile(r"[^\w\s'’.-]+")
_RETRACTIONS = ("retracted publication[pt]", "retraction of publication[pt]")


def term_for(sought: Sought) -> str:
    """The search term."""
    if sought.pmid:
        return f"{sought.pmid}[pmid]"
    if sought.doi:
        return f'"{_clean(sought.doi, keep="/()")}"[aid]'
    named = [[_phrase(name) for name in concept if _clean(name)] for concept in sought.concepts]
    clauses = [_any(phrases) for phrases in named if phrases]
    if sought.since or sought.until:
        clauses.append(f"{sought.since or 1600}:{sought.until or _FOREVER}[dp]")
    wanted = [clause for kind in sought.kinds for clause in evidence()[kind].pubmed]
    if wanted:
        clauses.append(_any(wanted))
    return " ".join([" AND ".join(clauses), *(f"NOT {clause}" for clause in _RETRACTIONS)])


def _phrase(name: str) -> str:
    words = _clean(name)
    return f'"{words}"[tiab:~0]' if " " in words or "-" in words else f'"{words}"[tiab]'


def _clean(name: str, keep: str = "") -> str:
    kept = "".join(mark if mark in keep or not _NOT_IN_PHRASE.match(mark) else " " for mark in name)
    return " ".join(kept.split())[:_LONGEST_PHRASE].strip()


def _any(clauses: Iterable[str]) -> str:
    return f"({' OR '.join(dict.fromkeys(clauses))})"


T = TypeVar("T")

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

    name = SERVICE

    def __init__(
        self, web: Web, base_url: str = BASE_URL, api_key: str | None = None, *, email: str | None = None
    ) -> None:
        self._web = web
        self._url = base_url.rstrip("/")
        self._secrets = (("api_key", api_key),) if api_key else ()
        self._who = (("tool", TOOL), *((("email", email),) if email else ()))

    async def search(self, sought: Sought, *, ends_at: float) -> Papers | None:
        """What PubMed lists and what has every concept: words that it does not know it leaves out of the search."""
        refuse_people(sought)
        listing = (("term", term_for(sought)), ("retmode", "json"), ("retmax", str(MOST)), ("sort", "relevance"))
        listed = await self._ask("esearch.fcgi", listing, numbers_in, ends_at)
        if listed.data is None:
            return None
        chosen = (("id", ",".join(listed.data.pmids[:MOST])), ("retmode", "xml"))
        answer = await self._ask("efetch.fcgi", chosen, papers_in, ends_at)
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

    async def _ask(
        self, path: str, params: Sequence[tuple[str, str]], read: Callable[[Reply], T | None], ends_at: float
    ) -> Answer[T]:
        return await self._web.ask(
            SERVICE,
            f"{self._url}/{path}",
            (("db", "pubmed"), *params, *self._who),
            read=read,
            ends_at=ends_at,
            secrets=self._secrets,
            final=is_final,
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
