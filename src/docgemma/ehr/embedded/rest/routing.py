"""Which interaction a method and an address mean."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from docgemma.ehr.embedded.contract import FhirFault
from docgemma.ehr.embedded.rest import everything, histories, interactions, searching
from docgemma.ehr.embedded.rest.exchange import Answer, Request, fault
from docgemma.ehr.embedded.rest.interactions import Check
from docgemma.ehr.embedded.searches import query
from docgemma.ehr.embedded.storage.unit import Unit
from docgemma.ehr.validation import is_kind

Run = Callable[[Unit, Check], Answer]
Interaction = Literal["read", "search", "chart", "write"]


@dataclass(frozen=True, slots=True)
class Route:
    """What to do in a transaction. `named` are the patients it is about, where the address itself says so."""

    run: Run
    interaction: Interaction
    kind: str
    id: str = ""
    named: tuple[str, ...] = ()

    @property
    def writes(self) -> bool:
        return self.interaction == "write"


def route(request: Request) -> Route:
    """Find the interaction. Searches are read here already, so that a wrong one never reaches the store."""
    kind, *rest = request.path or ("",)
    if kind == "_history" and not rest and request.method == "GET":
        return Route(lambda unit, _: histories.of_kind(unit, request, None), "search", "")
    if not is_kind(kind):
        raise fault(404, "not-supported", "This server knows no such kind of resource.")
    match request.method, rest:
        case ("GET", []) | ("POST", ["_search"]):
            return _search(request, kind)
        case "POST", []:
            return Route(lambda unit, check: interactions.create(unit, request, kind, check), "write", kind)
        case "PUT", []:
            return Route(lambda unit, check: interactions.update_where(unit, request, kind, check), "write", kind)
        case "GET", ["_history"]:
            return Route(lambda unit, _: histories.of_kind(unit, request, kind), "search", kind)
        case method, [id_, *deeper] if not id_.startswith(("_", "$")):
            return _instance(request, method, kind, id_, deeper)
    raise _no_such(request)


def _search(request: Request, kind: str) -> Route:
    asked = query.parse(kind, request.params, base=request.base)
    named = (asked.ids if kind == "Patient" else asked.patients) or ()
    return Route(lambda unit, _: searching.search(unit, request, asked), "search", kind, named=named)


def _instance(request: Request, method: str, kind: str, id_: str, deeper: list[str]) -> Route:
    def to(run: Run, interaction: Interaction = "read") -> Route:
        return Route(run, interaction, kind, id_, (id_,) if kind == "Patient" else ())

    match method, deeper:
        case "GET", []:
            return to(lambda unit, _: interactions.read(unit, request, kind, id_))
        case "PUT", []:
            return to(lambda unit, check: interactions.update(unit, request, kind, id_, check), "write")
        case "DELETE", []:
            return to(lambda unit, _: interactions.delete(unit, request, kind, id_), "write")
        case "GET", ["_history"]:
            return to(lambda unit, _: histories.of_resource(unit, request, kind, id_))
        case "GET", ["_history", version]:
            return to(lambda unit, _: interactions.read_version(unit, request, kind, id_, version))
        case ("GET" | "POST", ["$everything"]) if kind == "Patient":
            return to(lambda unit, _: everything.everything(unit, request, id_), "chart")
    raise _no_such(request)


def _no_such(request: Request) -> FhirFault:
    match request.path[1:]:
        case (*_, last) if last.startswith("$"):
            return fault(404, "not-supported", "This server has no such operation. It knows Patient/[id]/$everything.")
        case (step,) if step.startswith("_") and step not in ("_search", "_history"):
            return fault(404, "not-found", "There is nothing at this address.")
        case () | (_,) | (_, "_history") | (_, "_history", _):
            return fault(405, "not-supported", "This address does not take this method.")
        case _:
            return fault(404, "not-found", "There is nothing at this address.")
