"""What a server says became of a transaction. What it does not say of every entry, it did not say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from docgemma.ehr.client.address import is_id
from docgemma.ehr.client.outcomes import refused, unknown, unreadable
from docgemma.ehr.contract import Change, EhrError, Placed

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
