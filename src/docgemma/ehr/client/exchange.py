"""Requests to one record system: with our token, and with the headers that keep its answers honest and fresh."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from docgemma.ehr.client.address import Base, is_id, typed
from docgemma.ehr.client.asking import Budget, Question, ask, tell
from docgemma.ehr.client.outcomes import body_of, says_so, unreadable
from docgemma.ehr.client.tokens import Tokens
from docgemma.ehr.contract import Resource
from docgemma.fetch.door import Door, Reply

_HEADERS = {
    "accept": "application/fhir+json",
    # A parameter that the server does not know is an error, and no reason to answer with everybody's data.
    "prefer": "handling=strict",
    # Some servers answer a search from a cache that is minutes old: an allergy recorded just now would be missing.
    "cache-control": "no-cache",
}


class Exchange:
    """Every reply, whatever its status. A refused token is renewed once."""

    def __init__(self, door: Door, base: Base, tokens: Tokens | None, most_page_bytes: int) -> None:
        self.base = base
        self.bases = frozenset({base.url})
        """The addresses under which references mean this server."""
        self._door = door
        self._tokens = tokens
        self._most_page_bytes = most_page_bytes

    def metadata(self) -> Question:
        return Question(self.base.at("metadata"))

    def also_known_as(self, address: str | None) -> None:
        """The server's own name for itself. References may use it; requests and tokens never follow it."""
        if address is not None:
            self.bases |= {address.rstrip("/")}

    async def ask(self, question: Question, budget: Budget) -> Reply:
        return await self._signed(
            lambda headers: ask(self._door, question, headers, budget, self._most_page_bytes), budget
        )

    async def tell(self, write: Question, budget: Budget) -> Reply:
        """A write, sent once. A 401 is a definite no: only then it is sent again, with another token.

        EhrError: nothing of it was taken. FetchError: it may have been, unless it is "refused".
        """
        return await self._signed(
            lambda headers: tell(self._door, write, headers, budget, self._most_page_bytes), budget
        )

    async def _signed(self, send: Callable[[Mapping[str, str]], Awaitable[Reply]], budget: Budget) -> Reply:
        if self._tokens is None:
            return await send(_HEADERS)
        token = await self._tokens.current(budget)
        reply = await send(_with(token))
        if reply.status == 401:
            another = await self._tokens.instead_of(token, budget)
            if another is not None:
                return await send(_with(another))
        return reply


def _with(token: str) -> dict[str, str]:
    return {**_HEADERS, "authorization": f"Bearer {token}"}


async def read_one(exchange: Exchange, kind: str, id_: str, budget: Budget) -> Resource | None:
    """None when the server says that there is none. What no id can be is not asked for at all.

    A bare 404 is no such word: it also comes from a mistyped address, where nobody is a patient.
    """
    if not is_id(id_):
        return None
    reply = await exchange.ask(Question(exchange.base.at(typed(kind), id_)), budget)
    if reply.status == 410 or (reply.status == 404 and says_so(reply)):
        return None
    resource = body_of(reply)
    if resource.get("resourceType") != kind or resource.get("id") != id_:
        raise unreadable("The record system answered with another resource than the one asked for.")
    return resource
