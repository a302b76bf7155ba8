"""What a resource was before, and what changed lately: versions, newest first."""

from __future__ import annotations

from docgemma.ehr import fhir_json
from docgemma.ehr.contract import Params
from docgemma.ehr.embedded.contract import Stored
from docgemma.ehr.embedded.rest.exchange import Answer, Request, fault
from docgemma.ehr.embedded.rest.paging import beginning, bundle, cursor, is_after, links, number, page_size, place
from docgemma.ehr.embedded.searches.query import LARGEST_PAGE, PAGE
from docgemma.ehr.embedded.storage.unit import Unit

_SUPPORTED = ("_count", "_since", "_cursor", "_format")


def of_resource(unit: Unit, request: Request, kind: str, id_: str) -> Answer:
    versions = unit.history(kind, id_)
    if not versions:
        raise fault(404, "not-found", f"There is no {kind} with this id.")
    count, since, before = _read(request.params)
    shown = [one for one in versions if is_after(one, since) and (before is None or one.version < before)]
    next_ = cursor(shown[count - 1].version) if len(shown) > count else None
    return _answer(request, f"{kind}/{id_}/_history", shown[:count], next_, len(versions) if since is None else None)


def of_kind(unit: Unit, request: Request, kind: str | None) -> Answer:
    """All changes of a kind, or of the whole server. Places in the order of writing never move."""
    count, since, before = _read(request.params)
    found = unit.changes(kind, before=before, limit=count + 1)
    shown = [(where, one) for where, one in found[:count] if is_after(one, since)]
    ended = len(found) <= count or len(shown) < count
    path = f"{kind}/_history" if kind else "_history"
    return _answer(request, path, [one for _, one in shown], None if ended else cursor(shown[-1][0]))


def _answer(request: Request, path: str, shown: list[Stored], next_: str | None, total: int | None = None) -> Answer:
    entries = [_entry(request.base, one) for one in shown]
    body = bundle("history", links(request, path, request.params, next_), entries, total)
    return Answer(200, body, shown=tuple(shown))


def _entry(base: str, stored: Stored) -> str:
    name = f"{stored.kind}/{stored.id}"
    method, status = ("DELETE", "204") if stored.deleted else ("POST", "201") if stored.version == 1 else ("PUT", "200")
    about = fhir_json.dumps(
        {
            "request": {"method": method, "url": stored.kind if method == "POST" else name},
            "response": {"status": status, "etag": stored.etag, "lastModified": stored.updated},
        }
    )
    held = "" if stored.deleted else f'"resource":{stored.body},'
    return f'{{"fullUrl":{fhir_json.dumps(f"{base}/{name}")},{held}{about[1:]}'


def _read(params: Params) -> tuple[int, int | None, int | None]:
    count, since, before = PAGE, None, None
    for name, value in params:
        match name:
            case "_count":
                count = page_size(value, LARGEST_PAGE)
            case "_since":
                since = beginning(value)
            case "_cursor":
                before = number(place(value, 1)[0])
            case "_format":
                pass
            case _:
                known = ", ".join(_SUPPORTED)
                raise fault(400, "not-supported", f"A history has no such parameter. Supported: {known}.")
    return count, since, before
