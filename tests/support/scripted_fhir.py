"""A FHIR server that does what a test tells it to: it answers truly from memory, unless a fault is scripted.

It is an ASGI application, so that it serves in process as well as over sockets.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode

from starlette.types import Receive, Scope, Send

from docgemma.ehr.client.client import FhirClient
from docgemma.fetch.door import Door

BASE = "http://localhost/fhir"
Resource = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """One request as it arrived. `path` is relative to the base, without a slash before it."""

    method: str
    path: str
    query: list[tuple[str, str]]
    form: list[tuple[str, str]]
    headers: dict[str, str]
    host: str

    @property
    def kind(self) -> str:
        return self.path.partition("/")[0]

    @property
    def params(self) -> dict[str, str]:
        return dict(self.query + self.form)


@dataclass(frozen=True)
class Answer:
    """A reply. `drip_s`: a pause before every few bytes; `cut_at`: the connection breaks after so many bytes."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    drip_s: float = 0.0
    cut_at: int | None = None

    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


Fault = Callable[[Asked], Answer | None]


def outcome(status: int, code: str = "processing", text: str = "") -> Answer:
    issue = {"severity": "error", "code": code, **({"diagnostics": text} if text else {})}
    return Answer(status, {"resourceType": "OperationOutcome", "issue": [issue]})


def bundle(entries: Iterable[Resource], **more: Any) -> dict[str, Any]:
    return {"resourceType": "Bundle", "type": "searchset", "entry": [{"resource": one} for one in entries], **more}


class ScriptedFhir:
    """The faults are asked first, in order; the first answer counts."""

    def __init__(
        self,
        resources: Sequence[Resource] = (),
        *faults: Fault,
        everything: bool = True,
        page: int = 1000,
        base: str = BASE,
    ) -> None:
        self.resources = list(resources)
        self.faults = list(faults)
        self.everything = everything
        self.page = page
        self.base = base
        self.asked: list[Asked] = []

    def paths(self) -> list[str]:
        return [one.path for one in self.asked]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        asked = await _asked(scope, receive)
        self.asked.append(asked)
        answer = next((said for fault in self.faults if (said := fault(asked)) is not None), None) or self.truth(asked)
        await _send(answer, send)

    def truth(self, asked: Asked) -> Answer:
        if asked.path == "metadata":
            return Answer(body=self.statement())
        parts = asked.path.split("/")
        if asked.path.endswith("$everything"):
            return self.gathered(parts[1], asked)
        if len(parts) == 2 and parts[1] != "_search":
            return next((Answer(body=one) for one in self.resources if _key(one) == tuple(parts)), None) or outcome(
                404, "not-found"
            )
        return self.paged(self.searched(asked), asked)

    def statement(self) -> dict[str, Any]:
        operations = {"operation": [{"name": "everything", "definition": "x"}]} if self.everything else {}
        return {"resourceType": "CapabilityStatement", "rest": [{"resource": [{"type": "Patient", **operations}]}]}

    def searched(self, asked: Asked) -> list[Resource]:
        patient = asked.params.get("patient", "").removeprefix("Patient/")
        found = [one for one in self.resources if one["resourceType"] == asked.kind]
        return [one for one in found if not patient or owner_of(one) == patient]

    def gathered(self, patient: str, asked: Asked) -> Answer:
        mine = [one for one in self.resources if _key(one) == ("Patient", patient) or owner_of(one) == patient]
        return self.paged(mine, asked) if mine else outcome(404, "not-found")

    def paged(self, found: list[Resource], asked: Asked) -> Answer:
        start, size = int(asked.params.get("_start", "0")), min(self.page, int(asked.params.get("_count", "20")))
        rest = {name: value for name, value in asked.params.items() if name != "_start"}
        following = f"{self.base}/{asked.path}?{urlencode({**rest, '_start': start + size})}"
        link = [{"relation": "next", "url": following}] if start + size < len(found) else []
        return Answer(body=bundle(found[start : start + size], link=link, total=len(found)))


def in_process(server: ScriptedFhir, **options: Any) -> FhirClient:
    return FhirClient(Door.in_process(server), server.base, **options)


def owner_of(resource: Resource) -> str | None:
    reference = (resource.get("subject") or resource.get("patient") or {}).get("reference", "")
    return reference.removeprefix("Patient/") if reference.startswith("Patient/") else None


def _key(resource: Resource) -> tuple[str, str]:
    return resource["resourceType"], resource["id"]


async def _asked(scope: Scope, receive: Receive) -> Asked:
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    headers = {name.decode().lower(): value.decode() for name, value in scope["headers"]}
    return Asked(
        scope["method"],
        scope["path"].partition("/fhir/")[2] or scope["path"],
        parse_qsl(scope["query_string"].decode(), keep_blank_values=True),
        parse_qsl(body.decode(), keep_blank_values=True),
        headers,
        headers.get("host", ""),
    )


async def _send(answer: Answer, send: Send) -> None:
    await asyncio.sleep(answer.delay_s)
    content = answer.content()
    headers = {"content-type": "application/fhir+json", "content-length": str(len(content)), **answer.headers}
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": answer.status, "headers": raw})
    if answer.cut_at is not None:
        await send({"type": "http.response.body", "body": content[: answer.cut_at], "more_body": True})
        raise ConnectionAbortedError("scripted")
    if answer.drip_s:
        for start in range(0, len(content), 16):
            await send({"type": "http.response.body", "body": content[start : start + 16], "more_body": True})
            await asyncio.sleep(answer.drip_s)
        await send({"type": "http.response.body", "body": b""})
    else:
        await send({"type": "http.response.body", "body": content})
