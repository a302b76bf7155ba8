"""Writes to a record system: one transaction, sent once, that ends as done, as not done, or as not known.

Which of the three it is, is the whole point: what was refused may be tried again by a person, what is unknown must be
looked for by its identifier first. In doubt it is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from docgemma.ehr import fhir_json
from docgemma.ehr.client.address import is_id, typed
from docgemma.ehr.client.asking import Budget, Question
from docgemma.ehr.client.exchange import Exchange
from docgemma.ehr.client.outcomes import never_taken, outcome_of, refusal, refused, unknown, unreachable, unreadable
from docgemma.ehr.client.searching import Searches
from docgemma.ehr.contract import Change, EhrError, Placed, Resource
from docgemma.fetch.door import FetchError, Reply

_STATUS = re.compile(r"([1-5][0-9]{2})(?:\s.*)?", re.ASCII | re.DOTALL)
_ETAG = re.compile(r'(?:W/)?"([A-Za-z0-9\-.]{1,64})"', re.ASCII)
_LOCATION = re.compile(
    r"(?:[^?#]*/)?([A-Z][A-Za-z]{1,63})/([A-Za-z0-9\-.]{1,64})(?:/_history/([A-Za-z0-9\-.]{1,64}))?", re.ASCII
)


@dataclass(frozen=True, slots=True)
class _Word:
    """What the server says of one entry; whatever of it cannot be read is empty."""

    status: int
    place: Placed | None
    outcome: dict[str, Any] | None

    @property
    def is_no(self) -> bool:
        return is_no(self.status)

    def wrote(self, change: Change) -> bool:
        """Whether it may have changed anything: a create that found something there did not."""
        return not self.is_no and not (self.status == 200 and self.place is not None and "id" not in change.resource)


def is_no(status: int) -> bool:
    """Whether a status is a definite no to a write. A timeout is none, nor is a fault: the work may be done by then."""
    return 400 <= status < 500 and status != 408


def placed(bundle: dict[str, Any], changes: Sequence[Change]) -> tuple[Placed, ...]:
    """Where each change lies now.

    There are servers that take a transaction for a batch, and answer 200 with a no to one of its entries. Where none of
    the others changed anything that is a refusal; else it is unknown, because half of it may be there.
    """
    listed = bundle.get("entry")
    if bundle.get("resourceType") != "Bundle" or not isinstance(listed, list) or len(listed) != len(changes):
        raise unknown(unreadable("The record system did not say what became of every part of the entry."))
    words = [_word(entry, change) for entry, change in zip(listed, changes, strict=True)]
    places = [word.place for word in words if word.place is not None and 200 <= word.status < 300]
    if len(places) == len(words):
        return tuple(places)
    no = next((word for word in words if word.is_no), None)
    if no is None or any(word.wrote(change) for word, change in zip(words, changes, strict=True)):
        raise unknown(_half(no))
    raise refused(no.status, no.outcome)


def _half(no: _Word | None) -> EhrError:
    if no is None:
        return unreadable("The record system did not say what became of every part of the entry.")
    return unreadable(f"The record system took one part of the entry and refused another (status {no.status}).")


def _word(entry: object, change: Change) -> _Word:
    answer = entry.get("response") if isinstance(entry, dict) else None
    if not isinstance(entry, dict) or not isinstance(answer, dict):
        return _Word(0, None, None)
    said = _STATUS.fullmatch(str(answer.get("status", "")))
    outcome = answer.get("outcome")
    status = int(said[1]) if said else 0
    return _Word(status, _place(entry, answer, change, status), outcome if isinstance(outcome, dict) else None)


def _place(entry: dict[str, Any], answer: dict[str, Any], change: Change, status: int) -> Placed | None:
    """None unless all that is said of kind and id agrees, with each other and with what was sent."""
    kind, sent_id = change.resource["resourceType"], change.resource.get("id")
    shown = entry.get("resource")
    resource: dict[str, Any] = shown if isinstance(shown, dict) else {}
    named = {(kind, sent_id)} if sent_id is not None else set()
    if resource.get("resourceType", "OperationOutcome") != "OperationOutcome":
        named.add((str(resource["resourceType"]), str(resource.get("id"))))
    location = answer.get("location")
    found = _LOCATION.fullmatch(location) if isinstance(location, str) else None
    if found:
        named.add((found[1], found[2]))
    if len(named) != 1:
        return None
    ((kind_said, id_),) = named
    if kind_said != kind or not is_id(id_):
        return None
    return Placed(kind, str(id_), _version(answer, found[3] if found else None, resource), status == 201)


def _version(answer: dict[str, Any], in_location: str | None, resource: dict[str, Any]) -> str:
    """As the server names it; empty when it does not, or names two."""
    etag, meta = answer.get("etag"), resource.get("meta")
    tag = _ETAG.fullmatch(etag) if isinstance(etag, str) else None
    told = (tag[1] if tag else None, in_location, meta.get("versionId") if isinstance(meta, dict) else None)
    versions = {one for one in told if isinstance(one, str) and one}
    return versions.pop() if len(versions) == 1 else ""


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
