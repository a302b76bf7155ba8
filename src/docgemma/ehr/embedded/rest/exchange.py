"""A request and its answer, whether they came over HTTP or as one entry of a bundle."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from email.utils import format_datetime

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
