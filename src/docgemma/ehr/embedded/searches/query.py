"""A search as it was asked: which resources answer to it, in what order, and what of it the store can do by itself."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from docgemma.ehr.contract import Params, Resource
from docgemma.ehr.embedded.contract import FhirFault, Issue, Narrow
from docgemma.ehr.embedded.searches.criteria import MODIFIERS, Criterion, criterion, fault, split
from docgemma.ehr.embedded.searches.dates import moment, stretches
from docgemma.ehr.embedded.searches.elements import texts, tokens, values
from docgemma.ehr.embedded.searches.indexing import indexed
from docgemma.ehr.embedded.searches.parameters import Parameter, parameters_of
from docgemma.ehr.folding import fold_words

PAGE = 20
LARGEST_PAGE = 1000
_IGNORED = ("_format", "_pretty")
_MOST_PARAMETERS = 64
_MOST_ALTERNATIVES = 200
_LONGEST = 4000
_SAYABLE = re.compile(r"[\w.:-]{1,40}", re.ASCII)
_TARGET_KIND = re.compile(r"[A-Z][A-Za-z]{1,63}")

SortKey = tuple[str | int | None, ...]


@dataclass(frozen=True, slots=True)
class Order:
    """One step of a sort. What has no value comes last, whichever way the rest goes."""

    parameter: Parameter
    descending: bool = False

    def key(self, resource: Resource) -> str | int | None:
        found = values(resource, self.parameter)
        if self.parameter.type == "date":
            return min((when.low for one in found for when in stretches(one, wall=False)), default=None)
        if self.parameter.type == "token":
            return min((code for one in found for _, code in tokens(one)), default=None)
        return min((" ".join(fold_words(text)) for one in found for text in texts(one)), default=None)


@dataclass(frozen=True, slots=True)
class Include:
    """A reference that is followed, and its target sent along."""

    parameter: Parameter
    target: str = ""


@dataclass(frozen=True, slots=True)
class Query:
    """What to find and how to show it. `patients` and `ids`, unless None, are the only places to look."""

    kind: str
    criteria: tuple[Criterion, ...] = ()
    sort: tuple[Order, ...] = ()
    includes: tuple[Include, ...] = ()
    count: int = PAGE
    total: bool = False
    only_count: bool = False
    cursor: str = ""

    def matches(self, resource: Resource) -> bool:
        """Whether this resource answers to every condition."""
        return resource.get("resourceType") == self.kind and all(one.matches(resource) for one in self.criteria)

    @property
    def patients(self) -> tuple[str, ...] | None:
        return next((tuple(dict.fromkeys(one.patients)) for one in self.criteria if one.patients), None)

    @property
    def ids(self) -> tuple[str, ...] | None:
        return next((tuple(dict.fromkeys(one.ids)) for one in self.criteria if one.ids), None)

    @property
    def narrow(self) -> tuple[Narrow, ...]:
        """What the index can answer. Each of its hits must still match."""
        return tuple(one for each in self.criteria if indexed(self.kind, each.parameter.name) for one in each.narrow)

    def sort_key(self, resource: Resource) -> SortKey:
        return tuple(order.key(resource) for order in self.sort)

    def follows(self, key: SortKey, id_: str, after: SortKey, after_id: str) -> int:
        """Above zero when the first comes after the second, below when before. Ids break ties."""
        for order, mine, other in zip(self.sort, key, after, strict=True):
            if mine == other:
                continue
            if mine is None or other is None:
                return 1 if mine is None else -1
            later = _greater(mine, other)
            return 1 if later is not order.descending else -1
        return (id_ > after_id) - (id_ < after_id)


def parse(kind: str, params: Params, *, base: str = "", now: datetime | None = None) -> Query:
    """Read a search. Whatever it does not know is a FhirFault that names it and lists what is known."""
    if len(params) > _MOST_PARAMETERS or any(len(value) > _LONGEST for _, value in params):
        raise FhirFault(400, [Issue("too-costly", "The search has too many or too long parameters.")])
    at = moment(now or datetime.now(UTC))
    criteria: list[Criterion] = []
    shown: dict[str, Any] = {}
    for name, value in params:
        if name in _SHOWING:
            shown |= _SHOWING[name](kind, value, shown)
        elif name not in _IGNORED:
            criteria.append(_criterion(kind, name, value, base, at))
    return Query(kind, tuple(criteria), **shown)


def _criterion(kind: str, name: str, value: str, base: str, now: int) -> Criterion:
    bare, _, modifier = name.partition(":")
    parameter = _known(kind, bare, "search by")
    typed = parameter.type == "reference" and _TARGET_KIND.fullmatch(modifier)
    if modifier and not typed and modifier not in MODIFIERS[parameter.type]:
        allowed = ", ".join(f":{one}" for one in MODIFIERS[parameter.type])
        raise _unsupported(f"The parameter {bare} does not take the modifier {_said(modifier)}. Supported: {allowed}.")
    if not value:
        raise fault(f"The parameter {bare} has no value.")
    alternatives = [one for one in split(value, ",") if one]
    if not alternatives or len(alternatives) > _MOST_ALTERNATIVES:
        raise fault(f"The parameter {bare} takes 1 to {_MOST_ALTERNATIVES} values.")
    return criterion(parameter, modifier, alternatives, base=base, now=now)


def _known(kind: str, name: str, what: str) -> Parameter:
    known = parameters_of(kind)
    if name not in known:
        raise _unsupported(f"{kind} has no parameter {_said(name)} to {what}. Supported: {', '.join(sorted(known))}.")
    return known[name]


def _count(kind: str, value: str, shown: dict[str, Any]) -> dict[str, Any]:
    if not re.fullmatch(r"\d{1,9}", value, re.ASCII):
        raise fault("The parameter _count takes a whole number.")
    if int(value) == 0:
        return {"only_count": True}
    return {"count": min(int(value), LARGEST_PAGE)}


def _sort(kind: str, value: str, shown: dict[str, Any]) -> dict[str, Any]:
    orders: list[Order] = []
    for part in value.split(","):
        parameter = _known(kind, part.removeprefix("-"), "sort by")
        if parameter.type not in ("date", "string", "token"):
            raise _unsupported(f"{kind} cannot be sorted by {parameter.name}.")
        orders.append(Order(parameter, descending=part.startswith("-")))
    return {"sort": tuple(orders)}


def _total(kind: str, value: str, shown: dict[str, Any]) -> dict[str, Any]:
    return {"total": _choice("_total", value, ("none", "accurate", "estimate")) != "none"}


def _summary(kind: str, value: str, shown: dict[str, Any]) -> dict[str, Any]:
    return {"only_count": _choice("_summary", value, ("count", "false")) == "count"}


def _include(kind: str, value: str, shown: dict[str, Any]) -> dict[str, Any]:
    source, _, rest = value.partition(":")
    name, _, target = rest.partition(":")
    if source != kind:
        raise _unsupported(f"The parameter _include follows references of {kind} only, as {kind}:name.")
    parameter = _known(kind, name, "include")
    if parameter.type != "reference":
        raise _unsupported(f"{kind}:{parameter.name} is no reference that could be included.")
    return {"includes": (*shown.get("includes", ()), Include(parameter, target))}


def _cursor(kind: str, value: str, shown: dict[str, Any]) -> dict[str, Any]:
    if not value:
        raise fault("The parameter _cursor has no value.")  # it must not quietly begin from the start
    return {"cursor": value}


_SHOWING = {
    "_count": _count,
    "_sort": _sort,
    "_total": _total,
    "_summary": _summary,
    "_include": _include,
    "_cursor": _cursor,
}


def _choice(name: Literal["_total", "_summary"], value: str, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise fault(f"The parameter {name} takes one of: {', '.join(allowed)}.")
    return value


def _greater(mine: str | int, other: str | int) -> bool:
    if isinstance(mine, int) and isinstance(other, int):
        return mine > other
    return str(mine) > str(other)


def _unsupported(text: str) -> FhirFault:
    return FhirFault(400, [Issue("not-supported", text)])


def _said(name: str) -> str:
    """A name as it may be repeated: one that is no name could be anything, patient data too."""
    return f"'{name}'" if _SAYABLE.fullmatch(name) else "of this name"
