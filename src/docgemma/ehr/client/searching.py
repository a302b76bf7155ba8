"""Searches as callers ask them: by POST where names would stand in an address, and never with somebody else's hits."""

from __future__ import annotations

from docgemma.ehr.client.address import is_id, unsendable
from docgemma.ehr.client.asking import Budget, Question
from docgemma.ehr.client.exchange import Exchange
from docgemma.ehr.client.outcomes import Refusal
from docgemma.ehr.client.ownership import Owner
from docgemma.ehr.client.pages import Found, follow
from docgemma.ehr.contract import Hits, Params, Resource

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
