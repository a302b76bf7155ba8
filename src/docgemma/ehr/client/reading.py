"""One resource by its id."""

from __future__ import annotations

from docgemma.ehr.client.address import is_id, typed
from docgemma.ehr.client.asking import Budget, Question
from docgemma.ehr.client.exchange import Exchange
from docgemma.ehr.client.outcomes import body_of, says_so, unreadable
from docgemma.ehr.contract import Resource


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
