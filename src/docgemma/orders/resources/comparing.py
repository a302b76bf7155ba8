"""Whether an entry stands in the chart as it was sent. What differs is told in words that a clinician reads.

A server may number what it stores and add its own administration; equal numbers and equal moments may be spelled in
another way. Nothing else of ours may be missing or changed, and nothing clinical may be added.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from docgemma.ehr.chart.sections.medications import directions
from docgemma.ehr.contract import Resource

Path = tuple[str | int, ...]

_LABELS = {
    "resourceType": "kind of entry",
    "identifier": "our identifier",
    "meta": "marking as prepared by software",
    "medicationCodeableConcept": "medicine",
    "subject": "patient",
    "patient": "patient",
    "authoredOn": "time of the order",
    "recordedDate": "time of the record",
    "date": "time of the note",
    "requester": "who ordered it",
    "recorder": "who recorded it",
    "author": "author",
    "dosageInstruction": "instructions",
    "dosageInstruction.doseAndRate": "dose",
    "dosageInstruction.timing": "how often",
    "dosageInstruction.asNeededBoolean": "as needed",
    "dosageInstruction.route": "route",
    "dosageInstruction.maxDosePerPeriod": "maximum dose",
    "dosageInstruction.additionalInstruction": "further instructions",
    "reasonCode": "reason",
    "note": "remarks",
    "description": "remarks",
    "dispenseRequest.quantity": "quantity to dispense",
    "dispenseRequest.numberOfRepeatsAllowed": "refills",
    "dispenseRequest.expectedSupplyDuration": "supply",
    "clinicalStatus": "clinical status",
    "verificationStatus": "verification status",
    "code": "substance",
    "docStatus": "status of the document",
    "type": "kind of note",
    "content": "text of the note",
}
_UNTOLD = frozenset({"patient", "our identifier", "remarks", "text of the note", "marking as prepared by software"})
"""Told without what was found: it would name somebody else, or is long."""

_TOP = frozenset({"id", "meta", "text"})
_ANYWHERE = frozenset({"id", "extension", "display"})
_MORE_ALLOWED = frozenset({"identifier"})
"""What a server may add: in an entry, in any part of it, and to a list."""

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)")
_RELATIVE = re.compile(r"[A-Z][A-Za-z]+/[A-Za-z0-9\-.]{1,64}")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LONGEST = 60


def differences(sent: Resource, found: Resource) -> tuple[str, ...]:
    """One line for each thing that is not as it was sent; empty when all of it is."""
    told: dict[Path, str] = {}
    for path in _differing(sent, found, ()):
        place, label = _labelled(path)
        told.setdefault(place, _sentence(label, place, sent, found))
    return tuple(dict.fromkeys(told.values()))


def _differing(sent: Any, found: Any, path: Path) -> Iterator[Path]:
    """The places that differ."""
    if isinstance(sent, Mapping) and isinstance(found, Mapping):
        for name, value in sent.items():
            yield from _differing(value, found.get(name), (*path, name))
        for name in found:
            if name not in sent and not _may_add(str(name), path):
                yield (*path, str(name))
    elif isinstance(sent, list) and isinstance(found, list):
        yield from _in_list(sent, found, path)
    elif not _equal(sent, found, path):
        yield path


def _in_list(sent: list[Any], found: list[Any], path: Path) -> Iterator[Path]:
    """Each of ours once, in any order; what has no equal is held against the one in its place."""
    left = list(range(len(found)))
    lost: list[int] = []
    for index, value in enumerate(sent):
        equal = next((at for at in left if next(_differing(value, found[at], (*path, at)), None) is None), None)
        if equal is None:
            lost.append(index)
        else:
            left.remove(equal)
    for index in lost:
        if index in left:
            left.remove(index)
            yield from _differing(sent[index], found[index], (*path, index))
        else:
            yield (*path, index)
    if path[:1] != ("meta",) and path[-1] not in _MORE_ALLOWED:
        yield from ((*path, index) for index in left)


def _may_add(name: str, path: Path) -> bool:
    if path[:1] == ("meta",) or name.startswith("_"):
        return True
    return name in (_TOP if not path else _ANYWHERE) or name == "extension"


def _equal(sent: Any, found: Any, path: Path) -> bool:
    if isinstance(sent, bool) or isinstance(found, bool):
        return sent is found
    if isinstance(sent, (int, float, Decimal)) and isinstance(found, (int, float, Decimal)):
        return Decimal(str(sent)) == Decimal(str(found))
    if not isinstance(sent, str) or not isinstance(found, str):
        return bool(sent == found)
    if sent == found:
        return True
    if _MOMENT.fullmatch(sent) and _MOMENT.fullmatch(found):
        return _moment(sent) == _moment(found)
    if path[-1] == "data":
        return sent == "".join(found.split())
    return path[-1] == "reference" and bool(_RELATIVE.fullmatch(sent)) and found.endswith(f"/{sent}")


def _moment(text: str) -> datetime | str:
    """What looks like a moment and is none is equal to nothing of ours."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return text


def _labelled(path: Path) -> tuple[Path, str]:
    """The place that is spoken of, and what a clinician calls it: the narrowest that has a name."""
    for end in range(len(path), 0, -1):
        label = _LABELS.get(".".join(str(step) for step in path[:end] if isinstance(step, str)))
        if label:
            while end < len(path) and isinstance(path[end], int):
                end += 1
            return path[:end], label
    return path, _HUMP.sub(" ", str(path[0])).lower()


def _sentence(label: str, place: Path, sent: Resource, found: Resource) -> str:
    before, after = _at(sent, place), _at(found, place)
    if label in _UNTOLD:
        return f"{label}: {'missing' if after is None else 'not as it was sent'}"
    one, other = _said(before, place), _said(after, place)
    return f"{label}: sent {one}, found {other}" if one != other else f"{label}: not as it was sent"


def _at(resource: Any, path: Path) -> Any:
    for step in path:
        if isinstance(step, str) and isinstance(resource, Mapping):
            resource = resource.get(step)
        elif isinstance(step, int) and isinstance(resource, Sequence) and step < len(resource):
            resource = resource[step]
        else:
            return None
    return resource


def _said(value: Any, place: Path) -> str:
    """In words: an instruction as the chart shows it, anything else by its text, name or code."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if place[0] == "dosageInstruction" and len(place) > 2 and isinstance(value, (Mapping, list)):
        listed = isinstance(place[-1], int)
        value = directions([{str(place[-2 if listed else -1]): [value] if listed else value}]) or value
    words = _words(value)
    return words if len(words) <= _LONGEST else words[: _LONGEST - 1] + "…"


def _words(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_words(item) for item in value)
    if not isinstance(value, Mapping):
        return str(value)
    if "value" in value:
        return " ".join(str(value[part]) for part in ("value", "unit") if part in value)
    inner = next((value[name] for name in ("text", "coding", "display", "code", "reference") if name in value), None)
    return _words(inner) if inner is not None else ", ".join(f"{name} {_words(part)}" for name, part in value.items())
