"""Writes to a record system: one transaction, sent once, that ends as done, as not done, or as not known.

Which of the three it is, is the whole point: what was refused may be tried again by a person, what is unknown must be
looked for by its identifier first. In doubt it is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from docgemma.ehr import fhir_json
from docgemma.ehr.client.address import is_id, typed
from docgemma.ehr.client.asking import Budget, Question
from docgemma.ehr.client.exchange import Exchange
from docgemma.ehr.client.outcomes import (
    never_taken,
    outcome_of,
    refusal,
    refused,
    unknown,
    unreachable,
    unreadable,
)
from docgemma.ehr.client.placing import is_no, placed
from docgemma.ehr.client.searching import Searches
from docgemma.ehr.contract import Change, EhrError, Placed, Resource
from docgemma.fetch.door import FetchError, Reply

_HEADERS = {
    "content-type": "application/fhir+json",
    # Strict: a condition that the server does not know must not let everything, or nothing, answer to it.
    "prefer": "return=representation, handling=strict",
}
_BARE_VERSION = re.compile(r"[A-Za-z0-9\-.]{1,64}", re.ASCII)
_NOT_PLAIN = re.compile(r"[\\|,$\s]")
"""What means something else in a search than itself. Our identifiers hold none of it."""

_MOST_ALIKE = 50


async def transact(exchange: Exchange, changes: Sequence[Change], budget: Budget) -> tuple[Placed, ...]:
    """All of it or nothing. Refused: nothing was written. OutcomeUnknown: only a look tells."""
    body = _body(changes)
    try:
        reply = await exchange.tell(Question(exchange.base.url, headers=_HEADERS, body=body), budget)
    except FetchError as error:
        # Only what was refused before a connection stood was certainly not sent.
        said = unreachable(error)
        raise (never_taken(said) if error.kind == "refused" else unknown(said)) from None
    except EhrError as error:
        raise never_taken(error) from None
    if is_no(reply.status):
        raise refused(reply.status, outcome_of(reply))
    return placed(_answer(reply), changes)


async def identified(searches: Searches, kind: str, system: str, value: str, budget: Budget) -> tuple[Resource, ...]:
    """Everything that carries this identifier. That there is nothing is only said by a whole and honest answer."""
    if not system or not value or _NOT_PLAIN.search(system + value):
        raise ValueError("not an identifier of ours")
    hits = await searches.search(kind, [("identifier", f"{system}|{value}")], budget, most=_MOST_ALIKE)
    if not hits.complete or not all(_carries(one, system, value) for one in hits.resources):
        raise unreadable("The record system's answer to a search for one entry is not complete, or holds others too.")
    return hits.resources


def _body(changes: Sequence[Change]) -> bytes:
    """Checked for what our own code must keep to; each entry says under which condition it may happen."""
    if not changes:
        raise ValueError("a transaction needs an entry")
    if not all(change.if_none_exist or change.if_match for change in changes):
        raise ValueError("an entry without a condition could be written twice")
    bundle = {"resourceType": "Bundle", "type": "transaction", "entry": [_entry(change) for change in changes]}
    try:
        return fhir_json.dumps(bundle).encode()
    except UnicodeEncodeError:
        raise never_taken(EhrError("invalid_args", "The entry holds characters that no record can hold.")) from None


def _entry(change: Change) -> dict[str, Any]:
    kind, id_ = typed(change.resource["resourceType"]), change.resource.get("id")
    if id_ is not None and not (is_id(id_) and change.if_match and not change.if_none_exist):
        raise ValueError("what is replaced needs the version that was seen, and no other condition")
    if id_ is None and change.if_match:
        raise ValueError("what is new has no version to match")
    bare = _BARE_VERSION.fullmatch(change.if_match)
    request = {
        "method": "POST" if id_ is None else "PUT",
        "url": kind if id_ is None else f"{kind}/{id_}",
        "ifNoneExist": change.if_none_exist,
        "ifMatch": f'W/"{change.if_match}"' if bare else change.if_match,
    }
    named = {"fullUrl": change.full_url} if change.full_url else {}
    return {**named, "resource": change.resource, "request": {name: value for name, value in request.items() if value}}


def _answer(reply: Reply) -> dict[str, Any]:
    """The bundle of a success. Everything else that is no definite no leaves open what happened."""
    if not 200 <= reply.status < 300:
        raise unknown(refusal(reply))
    try:
        body = fhir_json.loads(reply.body)
    except fhir_json.NotJson:
        raise unknown(unreadable()) from None
    if not isinstance(body, dict):
        raise unknown(unreadable())
    return body


def _carries(resource: Resource, system: str, value: str) -> bool:
    listed = resource.get("identifier")
    return any(
        isinstance(one, dict) and one.get("system") == system and one.get("value") == value
        for one in (listed if isinstance(listed, list) else ())
    )
