"""The embedded record for other programs, over HTTP. Every access is heard of before it happens, or it does not."""

from __future__ import annotations

from collections.abc import Callable

from starlette.responses import Response
from starlette.types import ASGIApp

from docgemma.ehr.embedded.contract import Issue
from docgemma.ehr.embedded.rest.access import OnAccess
from docgemma.ehr.embedded.rest.app import BASE, FhirApp
from docgemma.ehr.embedded.rest.exchange import outcome
from docgemma.ehr.embedded.storage.store import FhirStore
from docgemma.fetch import serving


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
