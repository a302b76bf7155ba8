"""The whole UMLS over UMLS Terminology Services (UTS), for those who have a licence and its key.

A search asks for exact names first and for words only when there is none. UTS gives no score: how much a candidate is
to be believed is decided here from how it was found, and only an exact name that means one thing passes the usual
threshold. Mentions in a text are found by the embedded index, which costs no request; what they stand for is asked.

Written from the public documentation of the service and tried against a stand-in of its shapes, never live.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Protocol

from docgemma.errors import BadInput, Unavailable
from docgemma.fetch.door import FetchError
from docgemma.fetch.outside import Outside
from docgemma.fetch.pacing import Manners
from docgemma.terminology import uts_shapes as shapes
from docgemma.terminology.contract import LONGEST_TERM, LONGEST_TEXT, About, Candidate, EntityType, Linked
from docgemma.terminology.names.abbreviations import defined
from docgemma.terminology.uts_shapes import SERVICE, Hit

BASE_URL = "https://uts-ws.nlm.nih.gov/rest"
MANNERS: Mapping[str, Manners] = {"uts-ws.nlm.nih.gov": Manners(per_minute=900, burst=15, at_once=8)}
"""The service allows 20 requests a second from one address."""

NOTICE = "UMLS Metathesaurus, U.S. National Library of Medicine, under the user's own licence."
MOST_CANDIDATES = 10
"""Each candidate costs two requests more, for its type and its SNOMED CT code."""

_PREFERRED, _SYNONYM, _SHARED, _LIKE = 0.95, 0.9, 0.6, 0.65
"""The term is the preferred name; another name of one concept; a name of several; only alike, times the likeness."""
_OTHER_TYPE = 0.5
_SHORT = 4
_PAGE = 25
_MOST_PAGES = 4
_KEPT = 20_000


class Linker(Protocol):
    """Finds mentions in a text: the embedded terminology."""

    async def link(self, text: str, *, max_results: int = 5) -> Sequence[Linked]: ...


@dataclass(frozen=True, slots=True)
class _Known:
    type: EntityType | None
    codes: tuple[str, ...]


class UtsTerminology:
    """A Terminology. `release` names one of the UMLS, such as 2025AA; `current` moves on by itself twice a year."""

    def __init__(
        self,
        outside: Outside,
        key: str,
        linker: Linker,
        *,
        base_url: str = BASE_URL,
        release: str = "current",
        deadline_s: float = 30.0,
    ) -> None:
        self._outside = outside
        self._key = key
        self._linker = linker
        self._url = base_url.rstrip("/")
        self._release = release
        self._deadline_s = deadline_s
        self._known: OrderedDict[str, _Known] = OrderedDict()

    async def search(
        self, term: str, *, max_results: int = 5, type: EntityType | None = None, context: str = ""
    ) -> Sequence[Candidate]:
        asked = " ".join(defined(context).get(term, term).split())
        if len(asked) > LONGEST_TERM:
            raise BadInput(f"A search term has at most {LONGEST_TERM} characters.")
        if not asked:
            return ()
        ends_at = asyncio.get_running_loop().time() + self._deadline_s
        # Whether a name means one thing shows only when all that bear it are seen, however few are wanted.
        found, exact = await self._hits(asked, "exact", MOST_CANDIDATES, ends_at), True
        if not found:
            found, exact = await self._hits(asked, "words", min(max_results, MOST_CANDIDATES), ends_at), False
        known = await asyncio.gather(*(self._about(hit.cui, ends_at) for hit in found))
        return _ranked(asked, type, list(zip(found, known, strict=True)), exact=exact)[:max_results]

    async def link(self, text: str, *, max_results: int = 5) -> Sequence[Linked]:
        if len(text) > LONGEST_TEXT:
            raise BadInput(f"A text has at most {LONGEST_TEXT} characters.")
        mentions = await self._linker.link(text, max_results=1)
        found = await asyncio.gather(
            *(
                self.search(mention.text, max_results=max_results, type=mention.type, context=text)
                for mention in mentions
            )
        )
        return [
            mention.model_copy(update={"candidates": tuple(candidates)})
            for mention, candidates in zip(mentions, found, strict=True)
        ]

    async def about(self) -> About:
        """The release is read from an answer: `current` means another one next spring."""
        release = self._release
        if release == "current":
            ends_at = asyncio.get_running_loop().time() + self._deadline_s
            found = await self._hits("aspirin", "exact", 1, ends_at)
            release = next((hit.release for hit in found if hit.release), release)
        return About(back_end="uts", version=f"uts-{release}", sources=(f"UMLS {release}",), notices=(NOTICE,))

    async def _hits(self, term: str, how: str, most: int, ends_at: float) -> tuple[Hit, ...]:
        """The first concepts of a search, each once, over as many pages as they need."""
        found: dict[str, Hit] = {}
        for page in range(1, _MOST_PAGES + 1):
            params = [("string", term), ("searchType", how), ("returnIdType", "concept")]
            rows = await self._get("search", "", [*params, *_paged(page)], ends_at)
            new = shapes.hits(rows) if rows is not None else ()
            for hit in new:
                found.setdefault(hit.cui, hit)
            if len(new) < _PAGE or len(found) >= most:
                break
        return tuple(found.values())[:most]

    async def _about(self, cui: str, ends_at: float) -> _Known:
        """Type and codes of a concept; the same concepts come up again and again."""
        if cui in self._known:
            self._known.move_to_end(cui)
            return self._known[cui]
        concept, codes = await asyncio.gather(
            self._get("content", f"/CUI/{cui}", (), ends_at), self._snomed(cui, ends_at)
        )
        known = _Known(shapes.entity_type(concept) if concept is not None else None, codes)
        self._known[cui] = known
        if len(self._known) > _KEPT:
            self._known.popitem(last=False)
        return known

    async def _snomed(self, cui: str, ends_at: float) -> tuple[str, ...]:
        codes: list[str] = []
        for page in range(1, _MOST_PAGES + 1):
            params = [("sabs", "SNOMEDCT_US"), *_paged(page)]
            rows = await self._get("content", f"/CUI/{cui}/atoms", params, ends_at)
            if rows is None:
                break
            codes += shapes.snomed_codes(rows)
            if page >= shapes.pages(rows):
                break
        return tuple(dict.fromkeys(codes))

    async def _get(
        self, area: str, path: str, params: Sequence[tuple[str, str]], ends_at: float
    ) -> Mapping[str, Any] | None:
        """The object that was answered; None for what the service does not have."""
        url = f"{self._url}/{area}/{self._release}{path}"
        try:
            reply = await self._outside.get(url, params, secrets=(("apiKey", self._key),), ends_at=ends_at)
        except FetchError as error:
            raise Unavailable(f"{SERVICE} gave no answer. {error}") from None
        if reply.status in (401, 403):
            raise Unavailable(f"{SERVICE} refused the key. Set DOCGEMMA_UMLS_API_KEY to the key of your UTS profile.")
        if reply.status == 404:
            # Also how it says that a concept has no atom in a source. A page of a web server says nothing.
            shapes.object_in(reply)
            return None
        if reply.status != 200:
            raise shapes.unusable()
        return shapes.object_in(reply)


def _paged(page: int) -> list[tuple[str, str]]:
    return [("pageNumber", str(page)), ("pageSize", str(_PAGE))]


def _ranked(term: str, type: EntityType | None, found: Sequence[tuple[Hit, _Known]], *, exact: bool) -> list[Candidate]:
    """Best first; what is of another type than asked stands behind and below the threshold, but is not hidden."""
    fitting = [hit.name for hit, known in found if type is None or known.type == type]
    named = [name for name in fitting if name.casefold() == term.casefold()]
    ranked = []
    for hit, known in found:
        if hit.name.casefold() == term.casefold():
            confidence = _PREFERRED if len(named) == 1 else _SHARED
        elif exact:
            confidence = _SYNONYM if len(fitting) == 1 else _SHARED
        else:
            confidence = _LIKE * _likeness(term, hit.name)
        if type is not None and known.type != type:
            confidence *= _OTHER_TYPE
        if type is None and len(term) <= _SHORT:
            confidence = min(confidence, _SHARED)
        ids = {"SNOMEDCT_US": known.codes} if known.codes else {}
        ranked.append(
            Candidate(
                cui=hit.cui,
                snomed_code=known.codes[0] if known.codes else None,
                display=hit.name,
                ontology=hit.source,
                confidence=round(confidence, 3),
                ids=ids,
                type=known.type,
                matched=term if exact else hit.name,
            )
        )
    return sorted(ranked, key=lambda candidate: -candidate.confidence)


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one.casefold(), other.casefold(), autojunk=False).ratio()
