"""The embedded FHIR server as an ASGI application: reached in process by our own client, over HTTP by others.

Plain ASGI, without a framework: every look at a chart goes through here, and routing is one match statement.
"""

from __future__ import annotations

import asyncio
import logging
import re
import traceback
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from typing import Any, TypeVar
from urllib.parse import parse_qsl

from docgemma.ehr import fhir_json
from docgemma.ehr.contract import Params, Resource
from docgemma.ehr.embedded.contract import Issue
from docgemma.ehr.embedded.rest import bundles, capability
from docgemma.ehr.embedded.rest.access import Access, OnAccess, after, before_writes, in_vain
from docgemma.ehr.embedded.rest.exchange import Answer, Request, failed, fault, outcome, steps_of
from docgemma.ehr.embedded.rest.interactions import Check
from docgemma.ehr.embedded.rest.routing import Route, route
from docgemma.ehr.embedded.storage.store import FhirStore
from docgemma.ehr.embedded.storage.unit import Unit
from docgemma.ehr.validation import check as is_valid
from docgemma.errors import DocGemmaError

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_JSON = frozenset({"application/fhir+json", "application/json", "application/json+fhir", "text/json"})
_FORM = "application/x-www-form-urlencoded"
_HOST = re.compile(r"[A-Za-z0-9.\-]{1,253}(?::[0-9]{1,5})?|\[[0-9A-Fa-f:.]{2,45}\](?::[0-9]{1,5})?", re.ASCII)
_MOST_PARAMETERS = 200
_PARSED_AT_ONCE = 256 * 1024
"""Beyond this a body is parsed in a thread, so that one import does not hold up everybody else."""


async def request_of(scope: Scope, receive: Receive, base: str, max_body: int) -> Request:
    """Read a request. Of a method without a body nothing is read but its address and headers."""
    headers = _headers(scope)
    path: str = scope["path"]
    if path != base and not path.startswith(f"{base}/"):
        raise fault(404, "not-found", f"There is nothing at this address. The records are under {base}.")
    params = _params(scope.get("query_string", b""))
    _must_want_json(headers, params)
    steps = steps_of(path[len(base) + 1 :])
    resource: Resource | None = None
    if scope["method"] in ("POST", "PUT"):
        searches = steps[-1:] in (("_search",), ("$everything",))
        body = await _body(receive, headers, max_body)
        if searches:
            params = [*params, *_form(headers, body)]
        else:
            resource = await _resource(headers, body)
    return Request(
        method=scope["method"],
        path=steps,
        params=params,
        base=f"{scope.get('scheme', 'http')}://{_host(scope, headers)}{base}",
        resource=resource,
        if_match=headers.get("if-match", ""),
        if_none_match=headers.get("if-none-match", ""),
        if_none_exist=headers.get("if-none-exist", ""),
        minimal="return=minimal" in headers.get("prefer", ""),
    )


async def send_answer(answer: Answer, send: Send) -> None:
    body = answer.body.encode()
    headers = [
        (b"content-type", b"application/fhir+json; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
        *answer.headers(),
    ]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def lifespan(receive: Receive, send: Send) -> None:
    """Nothing to start or to end: whoever opened the store closes it."""
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


def _headers(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("utf-8", "replace") for name, value in scope["headers"]}


def _host(scope: Scope, headers: Mapping[str, str]) -> str:
    """As the caller calls us, so that links lead back the same way."""
    said = headers.get("host", "")
    if _HOST.fullmatch(said):
        return said
    name, port = scope.get("server") or ("localhost", None)
    return f"{name}:{port}" if port else str(name)


def _params(query: bytes) -> Params:
    try:
        return parse_qsl(query.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=_MOST_PARAMETERS)
    except ValueError:
        raise fault(400, "too-costly", "The request has too many parameters.") from None


def _form(headers: Mapping[str, str], body: bytes) -> Params:
    if not body:
        return []
    if _type(headers) != _FORM:
        raise fault(415, "not-supported", f"A search is posted as {_FORM}.")
    return _params(body)


async def _resource(headers: Mapping[str, str], body: bytes) -> Resource:
    if _type(headers) not in _JSON:
        raise fault(415, "not-supported", "A body is taken as application/fhir+json, in UTF-8.")
    try:
        parsed = (
            await asyncio.to_thread(fhir_json.loads, body) if len(body) > _PARSED_AT_ONCE else fhir_json.loads(body)
        )
    except fhir_json.NotJson:
        raise fault(400, "structure", "The body is not valid JSON.") from None
    if not isinstance(parsed, dict):
        raise fault(400, "structure", "The body is not a resource.")
    return parsed


async def _body(receive: Receive, headers: Mapping[str, str], most: int) -> bytes:
    parts: list[bytes] = []
    arrived = 0
    announced = headers.get("content-length", "")
    size = int(announced) if re.fullmatch(r"[0-9]{1,18}", announced, re.ASCII) else 0
    more = True
    while more and size <= most:
        message = await receive()
        if message["type"] != "http.request":
            raise fault(400, "structure", "The body ended before it was complete.")
        parts.append(message.get("body", b""))
        arrived += len(parts[-1])
        size = max(size, arrived)
        more = message.get("more_body", False)
    if size > most:
        raise fault(413, "too-costly", f"The body is larger than {most} bytes. Send it in parts.")
    return b"".join(parts)


def _type(headers: Mapping[str, str]) -> str:
    """The content type; nothing when its text is in another encoding than ours."""
    kind, _, rest = headers.get("content-type", "").lower().partition(";")
    charset = re.search(r"charset=\"?([^\s;\"]+)", rest)
    return kind.strip() if charset is None or charset[1] in ("utf-8", "utf8", "us-ascii") else ""


def _must_want_json(headers: Mapping[str, str], params: Params) -> None:
    wanted = next((value for name, value in params if name == "_format"), headers.get("accept", ""))
    if wanted and "json" not in wanted and "*" not in wanted:
        raise fault(406, "not-supported", "This server answers in application/fhir+json only.")


T = TypeVar("T")

log = logging.getLogger(__name__)

BASE = "/fhir"
MAX_BODY = 64 * 1024 * 1024
"""Room for a bundle with one patient's whole life in it."""

_FAULT = "This server has a fault. Of a write, read what is there before you send it again."


class FhirApp:
    """One store behind FHIR's REST interface."""

    def __init__(
        self,
        store: FhirStore,
        *,
        base: str = BASE,
        check: Check = is_valid,
        on_access: OnAccess | None = None,
        max_body: int = MAX_BODY,
    ) -> None:
        self._store = store
        self._base = base.rstrip("/")
        self._check = check
        self._on_access = on_access
        self._max_body = max_body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await lifespan(receive, send)
        elif scope["type"] == "http":
            await send_answer(await _bordered(self._answer(scope, receive)), send)

    async def _answer(self, scope: Scope, receive: Receive) -> Answer:
        request = await request_of(scope, receive, self._base, self._max_body)
        if request.path == () and request.method == "POST":
            return await self._bundle(request)
        if request.path == ("metadata",) and request.method == "GET":
            return Answer(200, capability.statement(request.base))
        return await self._serve(request, route(request))

    async def _serve(self, request: Request, found: Route) -> Answer:
        await self._account_writes([(request, found)])
        answer = await self._run(lambda unit: found.run(unit, self._check), [found])
        await self._account([after(found, answer)])
        return answer

    async def _bundle(self, request: Request) -> Answer:
        bundle = request.resource
        if bundle is None or bundle.get("resourceType") != "Bundle":
            raise fault(400, "structure", "A Bundle is expected here.", "Resource.resourceType")
        raw = bundles.raw_entries(bundle)
        match bundle.get("type"):
            case "batch":
                # What fails does so without the others, which are done already or still to come.
                answers = [await _bordered(self._alone(index, one, request)) for index, one in enumerate(raw)]
                return bundles.response("batch-response", answers)
            case "transaction":
                return await self._together([bundles.entry_of(index, one, request) for index, one in enumerate(raw)])
            case _:
                raise fault(400, "value", "A Bundle is taken as a transaction or as a batch.", "Bundle.type")

    async def _together(self, entries: Sequence[bundles.Entry]) -> Answer:
        await self._account_writes([(one.request, one.route) for one in entries])
        routes = [one.route for one in entries]
        answers = await self._run(lambda unit: bundles.transaction(unit, entries, self._check), routes)
        await self._account([after(one.route, answer) for one, answer in zip(entries, answers, strict=True)])
        return bundles.response("transaction-response", answers)

    async def _alone(self, index: int, raw: Any, outer: Request) -> Answer:
        entry = bundles.entry_of(index, raw, outer)
        return await self._serve(entry.request, entry.route)

    async def _run(self, work: Callable[[Unit], T], routes: Sequence[Route]) -> T:
        try:
            return await self._store.run(work, write=any(one.writes for one in routes))
        except DocGemmaError as error:
            await self._account(in_vain(routes, error))
            raise

    async def _account_writes(self, asked: Sequence[tuple[Request, Route]]) -> None:
        writes = [(request, found) for request, found in asked if found.writes]
        if self._on_access is not None and writes:
            await self._account(await self._store.run(lambda unit: before_writes(unit, writes), write=False))

    async def _account(self, accesses: Sequence[Access]) -> None:
        if self._on_access is not None and accesses:
            await self._on_access(accesses)


async def _bordered(answering: Awaitable[Answer]) -> Answer:
    try:
        return await answering
    except DocGemmaError as error:
        return failed(error)
    except Exception as error:  # noqa: BLE001  the border: a bug in one request must not end the server
        # Where, not what: the exception's own text may hold patient data.
        frame = traceback.extract_tb(error.__traceback__)[-1]
        log.error("request failed: %s in %s, line %s", type(error).__name__, frame.name, frame.lineno)
        return Answer(500, outcome([Issue("exception", _FAULT)], fatal=True))
