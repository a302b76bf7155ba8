"""A request and its answer, whether they came over HTTP or as one entry of a bundle."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from email.utils import format_datetime
from typing import Any
from urllib.parse import parse_qsl

from docgemma.ehr import fhir_json
from docgemma.ehr.contract import Params, Resource
from docgemma.ehr.embedded.contract import FhirFault, Issue, IssueCode, Saved, Stored
from docgemma.errors import BadInput, Conflict, DocGemmaError

_ETAG = re.compile(r'(?:W/)?"([0-9]{1,18})"', re.ASCII)


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked. `path` is the part after the base; `base` the address that links in the answer begin with."""

    method: str
    path: tuple[str, ...]
    params: Params = ()
    base: str = ""
    resource: Resource | None = None
    if_match: str = ""
    if_none_match: str = ""
    if_none_exist: str = ""
    minimal: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What is answered. `body` is JSON text.

    For those who keep account: `shown` are the resources in it, `counted` how many it tells of without showing them,
    `touched` the versions that a write made and, after them, those that it replaced.
    """

    status: int
    body: str = ""
    etag: str = ""
    modified: str = ""
    location: str = ""
    shown: tuple[Stored, ...] = ()
    counted: int = 0
    touched: tuple[Stored, ...] = ()

    def headers(self) -> list[tuple[bytes, bytes]]:
        named = (("etag", self.etag), ("last-modified", http_date(self.modified)), ("location", self.location))
        return [(name.encode(), value.encode("latin-1")) for name, value in named if value]


def fault(status: int, code: IssueCode, text: str, where: str = "") -> FhirFault:
    return FhirFault(status, [Issue(code, text, where)])


def steps_of(path: str) -> tuple[str, ...]:
    """The parts of an address. An id that a caller forgot stays an empty one: it must not become a list of all."""
    return tuple(path.split("/")) if path else ()


def version_of(etag: str) -> int:
    """The version behind an entity tag that we gave out; 0, which is none, for any other."""
    found = _ETAG.fullmatch(etag.strip())
    return int(found[1]) if found else 0


def resource_answer(stored: Stored, request: Request, status: int = 200) -> Answer:
    """One resource, or only its place where the caller wants no more."""
    return Answer(
        status,
        body="" if request.minimal and request.method != "GET" else stored.body,
        etag=stored.etag,
        modified=stored.updated,
        location=f"{request.base}/{stored.kind}/{stored.id}/_history/{stored.version}" if status == 201 else "",
        shown=(stored,),
    )


def saved_answer(saved: Saved, request: Request) -> Answer:
    """To a write: what now lies there, and what lay there before."""
    answer = resource_answer(saved.stored, request, 201 if saved.how == "created" else 200)
    if saved.how == "unchanged":
        return answer
    return replace(answer, touched=(saved.stored, *([saved.replaced] if saved.replaced else [])))


def http_date(instant: str) -> str:
    """Our instants are UTC; HTTP wants them in words."""
    if not instant:
        return ""
    return format_datetime(datetime.fromisoformat(instant.replace("Z", "+00:00")), usegmt=True)


def outcome(issues: Sequence[Issue], *, fatal: bool = False) -> str:
    return fhir_json.dumps(
        {
            "resourceType": "OperationOutcome",
            "issue": [_issue(issue, "fatal" if fatal else "error") for issue in issues],
        }
    )


def failed(error: DocGemmaError) -> Answer:
    """The answer to a request that could not be served, for a reason that is known."""
    if isinstance(error, FhirFault):
        return Answer(error.status, outcome(error.issues, fatal=error.status >= 500))
    match error:
        case BadInput():
            return Answer(400, outcome([Issue("invalid", str(error))]))
        case Conflict():
            return Answer(409, outcome([Issue("conflict", str(error))]))
        case _:
            return Answer(503, outcome([Issue("exception", str(error))], fatal=True))


def _issue(issue: Issue, severity: str) -> dict[str, object]:
    said: dict[str, object] = {"severity": severity, "code": issue.code, "diagnostics": issue.text}
    if issue.where:
        said["expression"] = [issue.where]
    return said


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
