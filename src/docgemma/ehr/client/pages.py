"""A search's answer, page by page. An end that is not the end is never taken for one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from docgemma.clinical import ErrorType
from docgemma.ehr.client.address import is_id
from docgemma.ehr.client.asking import Budget, Question
from docgemma.ehr.client.exchange import Exchange
from docgemma.ehr.client.outcomes import body_of, is_lossy, unreadable
from docgemma.ehr.contract import EhrError, Resource

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
