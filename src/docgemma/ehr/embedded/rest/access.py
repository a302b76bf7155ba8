"""What whoever keeps account of accesses hears: whom a request asked about, and whose data it was shown or wrote."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from docgemma.ehr.embedded.contract import FhirFault, Stored
from docgemma.ehr.embedded.rest.exchange import Answer, Request
from docgemma.ehr.embedded.rest.routing import Interaction, Route
from docgemma.ehr.embedded.storage.compartment import patient_of
from docgemma.ehr.embedded.storage.unit import Unit
from docgemma.errors import DocGemmaError

_NOTHING_THERE = (404, 410)


@dataclass(frozen=True, slots=True)
class Access:
    """A request that touches resources. `asked`: before a write. `shown`: before anything is handed out. `absent` and
    `failed`: a read that came to nothing, because there is nothing or for another reason.

    `named` are the patients that the request itself names, which nobody has confirmed to be any. `patients` are those
    whose resources, `count` of them, are handed out or were written; of a write also those whose resources it replaces
    or deletes. A write that found nothing to change has only read.
    """

    stage: Literal["asked", "shown", "absent", "failed"]
    interaction: Interaction
    kind: str
    id: str
    named: tuple[str, ...] = ()
    patients: tuple[str, ...] = ()
    count: int = 0


OnAccess = Callable[[Sequence[Access]], Awaitable[None]]
"""Hears of every access in time to refuse it: a DocGemmaError it raises is the answer instead."""


def before_writes(unit: Unit, writes: Iterable[tuple[Request, Route]]) -> list[Access]:
    """What these are about to do, and whose entries lie where they would write."""
    return [_asked(unit, request, route) for request, route in writes]


def after(route: Route, answer: Answer) -> Access:
    interaction: Interaction = "read" if route.writes and not answer.touched else route.interaction
    seen = (*answer.touched, *answer.shown)
    id_ = route.id or (seen[0].id if route.writes and seen else "")
    count = 1 if answer.touched else len(answer.shown) or answer.counted
    return Access("shown", interaction, route.kind, id_, route.named, _patients(seen), count)


def in_vain(routes: Iterable[Route], error: DocGemmaError) -> list[Access]:
    """Reads that were not answered. Writes have been heard of before."""
    absent = isinstance(error, FhirFault) and error.status in _NOTHING_THERE
    return [
        Access("absent" if absent else "failed", one.interaction, one.kind, one.id, one.named)
        for one in routes
        if not one.writes
    ]


def _asked(unit: Unit, request: Request, route: Route) -> Access:
    there = unit.read(route.kind, route.id) if route.id else None
    replaced = _patients([there] if there and not there.deleted else [])
    return Access("asked", "write", route.kind, route.id, _named(request, route), replaced)


def _named(request: Request, route: Route) -> tuple[str, ...]:
    """Whose data a write says that it brings. A bundle's own names for patients are not theirs yet."""
    resource = request.resource
    if route.kind == "Patient" or resource is None or resource.get("resourceType") != route.kind:
        return route.named
    named = patient_of(resource, lambda _kind, _id: "")
    return (named,) if named else ()


def _patients(stored: Iterable[Stored]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.patient for one in stored if one.patient))
