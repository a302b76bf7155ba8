"""One patient's whole chart, with what it refers to: `Patient/x/$everything`."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from docgemma.ehr.contract import CHART, Params
from docgemma.ehr.embedded.contract import Stored
from docgemma.ehr.embedded.rest.exchange import Answer, Request, fault
from docgemma.ehr.embedded.rest.interactions import live
from docgemma.ehr.embedded.rest.paging import (
    beginning,
    bundle,
    cursor,
    entry,
    how_many,
    is_after,
    links,
    number,
    page_size,
    place,
)
from docgemma.ehr.embedded.storage.unit import Unit

PAGE = 1_000
_KIND = re.compile(r"[A-Z][A-Za-z]{1,63}")
_INSIDE = frozenset((*CHART, "Patient"))
_SUPPORTED = ("_count", "_type", "_since", "_cursor", "_format")

Place = tuple[int, str, str]
"""Patient first, then the chart, then what it refers to; within each by kind and id."""


@dataclass(frozen=True, slots=True)
class _Asked:
    count: int = PAGE
    kinds: tuple[str, ...] | None = None
    since: int | None = None
    after: Place | None = None


def everything(unit: Unit, request: Request, patient: str) -> Answer:
    """Complete or refused: the store vouches for each kind of the chart. `total` counts all pages together."""
    asked = _read(request.params)
    live(unit, "Patient", patient)
    listed = sorted(_gathered(unit, patient, asked), key=lambda one: one[0])
    page = [one for one in listed if asked.after is None or one[0] > asked.after]
    fitting = how_many([stored.body for _, stored in page[: asked.count]])
    next_ = cursor(*page[fitting - 1][0]) if len(page) > fitting else None
    page = page[:fitting]
    body = bundle(
        "searchset",
        links(request, f"Patient/{patient}/$everything", request.params, next_),
        [entry(request.base, stored, "include" if where[0] == 2 else "match") for where, stored in page],
        len(listed),
    )
    return Answer(200, body, shown=tuple(stored for _, stored in page))


def _gathered(unit: Unit, patient: str, asked: _Asked) -> list[tuple[Place, Stored]]:
    # Who treated the patient is known from the whole chart, so asking for anything around it reads all of it.
    narrow = asked.kinds is not None and _INSIDE.issuperset(asked.kinds)
    chart = unit.of_patient(patient, asked.kinds if narrow else None)
    around = [] if narrow else unit.referred(patient, chart)
    inside = {(one.kind, one.id) for one in chart}
    placed = [((0 if one.kind == "Patient" else 1, one.kind, one.id), one) for one in chart]
    placed += [((2, one.kind, one.id), one) for one in around if (one.kind, one.id) not in inside]
    return [
        (where, one)
        for where, one in placed
        if (asked.kinds is None or one.kind in asked.kinds) and is_after(one, asked.since)
    ]


def _read(params: Params) -> _Asked:
    read = _Asked()
    for name, value in params:
        if name not in _SUPPORTED:
            raise fault(400, "not-supported", f"$everything has no such parameter. Supported: {', '.join(_SUPPORTED)}.")
        match name:
            case "_count":
                read = replace(read, count=page_size(value, PAGE))
            case "_type":
                read = replace(read, kinds=_kinds(value))
            case "_since":
                read = replace(read, since=beginning(value))
            case "_cursor":
                group, kind, id_ = place(value, 3)
                read = replace(read, after=(number(group), kind, id_))
    return read


def _kinds(value: str) -> tuple[str, ...]:
    kinds = tuple(dict.fromkeys(value.split(",")))
    if not all(_KIND.fullmatch(kind) for kind in kinds):
        raise fault(400, "invalid", "The parameter _type takes kinds of resources, separated by commas.")
    return kinds
