"""The embedded FHIR server as an ASGI application: reached in process by our own client, over HTTP by others.

Plain ASGI, without a framework: every look at a chart goes through here, and routing is one match statement.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from docgemma.ehr.embedded.contract import Issue
from docgemma.ehr.embedded.rest import bundles, capability
from docgemma.ehr.embedded.rest.exchange import Answer, Request, fault
from docgemma.ehr.embedded.rest.interactions import Check
from docgemma.ehr.embedded.rest.outcomes import failed, outcome
from docgemma.ehr.embedded.rest.routing import Route, route
from docgemma.ehr.embedded.rest.wire import Receive, Scope, Send, lifespan, request_of, send_answer
from docgemma.ehr.embedded.storage.compartment import patient_of
from docgemma.ehr.embedded.storage.store import FhirStore
from docgemma.ehr.validation import check as is_valid
from docgemma.errors import DocGemmaError

log = logging.getLogger(__name__)

BASE = "/fhir"
MAX_BODY = 64 * 1024 * 1024
"""Room for a bundle with one patient's whole life in it."""


@dataclass(frozen=True, slots=True)
class Access:
    """A request that touches resources, and the ids of the patients it is about.

    `asked`: before a write happens, with the patients it names. `shown`: before anything is handed out, with the
    patients whose data it is.
    """

    stage: Literal["asked", "shown"]
    method: str
    kind: str
    id: str
    patients: tuple[str, ...]


OnAccess = Callable[[Access], Awaitable[None]]
"""Hears of every access in time to refuse it: a DocGemmaError it raises is the answer instead."""


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
            await send_answer(await self._answer(scope, receive), send)

    async def _answer(self, scope: Scope, receive: Receive) -> Answer:
        try:
            request = await request_of(scope, receive, self._base, self._max_body)
            if request.path == () and request.method == "POST":
                return await self._bundle(request)
            if request.path == ("metadata",) and request.method == "GET":
                return Answer(200, capability.statement(request.base))
            return await self._serve(request)
        except DocGemmaError as error:
            return failed(error)
        except Exception as error:  # noqa: BLE001  the border: a bug in one request must not end the server
            # Where, not what: the exception's own text may hold patient data.
            frame = traceback.extract_tb(error.__traceback__)[-1]
            log.error("request failed: %s in %s, line %s", type(error).__name__, frame.name, frame.lineno)
            return Answer(500, outcome([Issue("exception", "This server has a fault; nothing was done.")], fatal=True))

    async def _serve(self, request: Request) -> Answer:
        found = route(request)
        if found.writes:
            await self._account("asked", request, found, [_named(found, request)])
        answer = await self._store.run(lambda unit: found.run(unit, self._check), write=found.writes)
        await self._account("shown", request, found, [found.patient, *(one.patient for one in answer.shown)])
        return answer

    async def _bundle(self, request: Request) -> Answer:
        bundle = request.resource
        if bundle is None or bundle.get("resourceType") != "Bundle":
            raise fault(400, "structure", "A Bundle is expected here.", "Resource.resourceType")
        raw = bundles.raw_entries(bundle)
        match bundle.get("type"):
            case "batch":
                answers = [await self._alone(index, one, request) for index, one in enumerate(raw)]
                return bundles.response("batch-response", answers)
            case "transaction":
                return await self._together([bundles.entry_of(index, one, request) for index, one in enumerate(raw)])
            case _:
                raise fault(400, "value", "A Bundle is taken as a transaction or as a batch.", "Bundle.type")

    async def _together(self, entries: Sequence[bundles.Entry]) -> Answer:
        writes = any(one.route.writes for one in entries)
        for one in entries:
            if one.route.writes:
                await self._account("asked", one.request, one.route, [_named(one.route, one.request)])
        answers = await self._store.run(lambda unit: bundles.transaction(unit, entries, self._check), write=writes)
        for one, answer in zip(entries, answers, strict=True):
            patients = [one.route.patient, *(stored.patient for stored in answer.shown)]
            await self._account("shown", one.request, one.route, patients)
        return bundles.response("transaction-response", answers)

    async def _alone(self, index: int, raw: Any, outer: Request) -> Answer:
        """One entry of a batch: what fails does so without the others."""
        try:
            return await self._serve(bundles.entry_of(index, raw, outer).request)
        except DocGemmaError as error:
            return failed(error)

    async def _account(
        self, stage: Literal["asked", "shown"], request: Request, found: Route, patients: Iterable[str]
    ) -> None:
        if self._on_access is not None:
            distinct = tuple(dict.fromkeys(one for one in patients if one))
            await self._on_access(Access(stage, request.method, found.kind, found.id, distinct))


def _named(found: Route, request: Request) -> str:
    """Whose data a write says that it brings. A bundle's own names for patients are not theirs yet."""
    resource = request.resource
    if found.kind == "Patient" or resource is None or resource.get("resourceType") != found.kind:
        return found.patient
    return patient_of(resource, lambda _kind, _id: "")
