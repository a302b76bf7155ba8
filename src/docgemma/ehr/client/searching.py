"""Searches as callers ask them: by POST where names would stand in an address, and never with somebody else's hits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from docgemma.clinical import ErrorType
from docgemma.ehr.client.address import is_id, unsendable
from docgemma.ehr.client.asking import Budget, Question
from docgemma.ehr.client.exchange import Exchange
from docgemma.ehr.client.outcomes import Refusal, body_of, is_lossy, unreadable
from docgemma.ehr.client.ownership import Owner
from docgemma.ehr.contract import EhrError, Hits, Params, Resource

_MOST_PAGES = 500

Total = Literal["matches", "all"]
"""What a bundle's `total` counts: the matches of a search, or all that `$everything` gathered."""


@dataclass(slots=True)
class Page:
    """One bundle. `flawed`: part of it could not be used, or the server says that something is missing."""

    matches: list[Resource] = field(default_factory=list)
    included: list[Resource] = field(default_factory=list)
    next: str | None = None
    total: int | None = None
    flawed: bool = False


@dataclass(slots=True)
class Found:
    """What all pages together held. `reason` says why it may not be everything; None: it is."""

    matches: list[Resource] = field(default_factory=list)
    included: list[Resource] = field(default_factory=list)
    reason: ErrorType | None = None

    def count(self, total: Total) -> int:
        return len(self.matches) + (len(self.included) if total == "all" else 0)


async def follow(
    exchange: Exchange, question: Question, budget: Budget, *, most: int, total: Total = "matches"
) -> Found:
    """All pages, up to `most` resources. Only a first page that cannot be read is an error.

    A later one that is missing, links that lead elsewhere or in circles, and counts that do not add up become the
    `reason`.
    """
    found = Found()
    page = read_page(body_of(await exchange.ask(question, budget)))
    seen = {question.url} if question.form is None else set()
    for _ in range(_MOST_PAGES):
        found.matches += page.matches
        found.included += page.included
        if page.flawed:
            found.reason = "invalid_response"
        if page.next is None:
            if page.total is not None and page.total > found.count(total):
                found.reason = "invalid_response"
            return found
        url = exchange.base.page(page.next)
        if found.count(total) >= most or url is None or url in seen:
            break
        seen.add(url)
        try:
            page = read_page(body_of(await exchange.ask(Question(url), budget)))
        except EhrError as error:
            found.reason = error.error_type
            return found
    found.reason = "invalid_response"
    return found


def read_page(bundle: dict[str, Any]) -> Page:
    """A bundle taken apart. What has no kind or no id cannot be told from another patient's, and is left out."""
    if bundle.get("resourceType") != "Bundle":
        raise unreadable("The record system answered a search with something else than a list.")
    page = Page(total=_total(bundle.get("total")))
    entries = bundle.get("entry", [])
    if not isinstance(entries, list):
        entries, page.flawed = [], True
    for entry in entries:
        _sort_in(entry, page)
    page.next, crooked = _next(bundle.get("link", []))
    page.flawed |= crooked
    return page


def _sort_in(entry: object, page: Page) -> None:
    resource = entry.get("resource") if isinstance(entry, dict) else None
    if not isinstance(entry, dict) or not isinstance(resource, dict):
        page.flawed = True
        return
    search = entry.get("search")
    mode = search.get("mode") if isinstance(search, dict) else None
    if resource.get("resourceType") == "OperationOutcome":
        page.flawed |= is_lossy(resource)
    elif not isinstance(resource.get("resourceType"), str) or not is_id(resource.get("id")):
        page.flawed = True
    elif mode == "include":
        page.included.append(resource)
    else:
        page.matches.append(resource)


def _total(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _next(links: object) -> tuple[str | None, bool]:
    """The link to the next page, and whether there is one that cannot be read."""
    if not isinstance(links, list):
        return None, True
    for link in links:
        if isinstance(link, dict) and link.get("relation") == "next":
            url = link.get("url")
            return (url, False) if isinstance(url, str) else (None, True)
    return None, False


_NO_POST = frozenset({403, 404, 405, 415, 501})
"""How servers say that they search by GET only. A gateway that lets nobody write says 403."""

_BY_PATIENT = frozenset({"patient", "subject", "patient:Patient", "subject:Patient"})


class Searches:
    """Searches on one server, which remembers whether that server can be asked by POST."""

    def __init__(self, exchange: Exchange, page_size: int) -> None:
        self._exchange = exchange
        self._page_size = page_size
        self._posts = True

    async def search(self, kind: str, params: Params, budget: Budget, *, most: int) -> Hits:
        """Hits of this kind. Whatever the parameters can be checked against is checked, and left out if it fails."""
        asked = list(params)
        if not any(name == "_count" for name, _ in asked):
            asked.append(("_count", str(min(most, self._page_size))))
        found = await self._ask(kind, asked, budget, most)
        fits = _Fits(kind, params, self._exchange.bases)
        kept = {match["id"]: match for match in found.matches if fits(match)}
        strays = any(not fits(match) for match in found.matches)
        hits = tuple(kept.values())
        return Hits(hits[:most], complete=found.reason is None and not strays and len(hits) <= most)

    async def _ask(self, kind: str, params: Params, budget: Budget, most: int) -> Found:
        if self._posts and _names_people(kind, params):
            try:
                return await follow(self._exchange, self._post(kind, params), budget, most=most)
            except Refusal as refused:
                if refused.status not in _NO_POST:
                    raise
        by_get = Question(self._exchange.base.asking(kind, params))
        found = await follow(self._exchange, by_get, budget, most=most)
        if _names_people(kind, params):
            self._posts = False
        return found

    def _post(self, kind: str, params: Params) -> Question:
        try:
            "".join(text for pair in params for text in pair).encode()
        except UnicodeEncodeError:
            raise unsendable() from None
        return Question(self._exchange.base.at(kind, "_search"), params)


def _names_people(kind: str, params: Params) -> bool:
    """Whether the parameters hold more of a person than an id: addresses end up in logs and caches."""
    return kind == "Patient" or any("." in name or name.partition(":")[0] == "identifier" for name, _ in params)


class _Fits:
    """Whether a hit is what was asked for, as far as its kind, its id and its patient tell."""

    def __init__(self, kind: str, params: Params, bases: frozenset[str]) -> None:
        self._kind = kind
        self._ids = [set(value.split(",")) for name, value in params if name == "_id"]
        named = [value.removeprefix("Patient/") for name, value in params if name in _BY_PATIENT]
        self._owners = [Owner(id_, bases) for id_ in named if is_id(id_)]

    def __call__(self, hit: Resource) -> bool:
        return (
            hit["resourceType"] == self._kind
            and all(hit["id"] in ids for ids in self._ids)
            and all(owner.owns(hit) for owner in self._owners)
        )
