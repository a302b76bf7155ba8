"""The embedded FHIR server as an ASGI application: reached in process by our own client, over HTTP by others.

Plain ASGI, without a framework: every look at a chart goes through here, and routing is one match statement.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from starlette.responses import Response
from starlette.types import ASGIApp

from docgemma.ehr.embedded.contract import Issue
from docgemma.ehr.embedded.rest import bundles, capability
from docgemma.ehr.embedded.rest.access import Access, OnAccess, after, before_writes, in_vain
from docgemma.ehr.embedded.rest.exchange import (
    Answer,
    Receive,
    Request,
    Scope,
    Send,
    failed,
    fault,
    lifespan,
    outcome,
    request_of,
    send_answer,
)
from docgemma.ehr.embedded.rest.interactions import Check
from docgemma.ehr.embedded.rest.routing import Route, route
from docgemma.ehr.embedded.storage.store import FhirStore
from docgemma.ehr.embedded.storage.unit import Unit
from docgemma.ehr.validation import check as is_valid
from docgemma.errors import DocGemmaError
from docgemma.fetch import serving

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


async def serve(
    store: FhirStore,
    host: str = "127.0.0.1",
    port: int = 8104,
    token: str | None = None,
    *,
    ready: Callable[[str], None] = lambda _: None,
    on_access: OnAccess | None = None,
) -> None:
    """Serve the open store at http://host:port/fhir until interrupted. `ready` hears the address once it is."""
    await serving.serve(http_app(store, host, token, on_access=on_access), host, port, path=BASE, ready=ready)


def http_app(store: FhirStore, host: str, token: str | None, *, on_access: OnAccess | None = None) -> ASGIApp:
    """The guarded application. Refuses to exist on an open address without a token worth the name."""
    return serving.guarded(
        FhirApp(store, on_access=on_access), host, token, what="the patient records", refusal=_refusal
    )


def _refusal(status: int, sentence: str) -> Response:
    issue = Issue("login" if status == 401 else "security", sentence)
    headers = {"x-content-type-options": "nosniff"}
    return Response(outcome([issue]), status, headers, media_type="application/fhir+json")
