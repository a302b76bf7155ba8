"""How a record system says no, as our errors. What it wrote about a patient stays with it: only codes are repeated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from docgemma.clinical import ErrorType
from docgemma.ehr import fhir_json
from docgemma.ehr.contract import EhrError, OutcomeUnknown, Refused
from docgemma.fetch.door import FetchError, Kind, Reply

_ISSUE_CODES = frozenset({
    "invalid", "structure", "required", "value", "invariant", "security", "login", "unknown", "expired", "forbidden",
    "suppressed", "processing", "not-supported", "duplicate", "multiple-matches", "not-found", "deleted", "too-long",
    "code-invalid", "extension", "too-costly", "business-rule", "conflict", "transient", "lock-error", "no-store",
    "exception", "timeout", "incomplete", "throttled", "informational",
})  # fmt: skip
_HARMLESS = frozenset({"informational", "not-supported"})
"""What a server may remark about a search without having left anything out of its answer."""

_FETCH: dict[Kind, tuple[ErrorType, str]] = {
    "refused": ("service_unavailable", "The record system could not be reached."),
    "timeout": ("timeout", "The record system did not answer in time."),
    "too_large": ("invalid_response", "The record system's answer was too large to read."),
    "broken": ("service_unavailable", "The connection to the record system broke before its answer was complete."),
}
_REFUSED = "The record system refused access. Check the client id, its secret or key, and its scopes in the settings."
_STATUSES: dict[int, tuple[ErrorType, str]] = {
    400: ("invalid_args", "The record system did not accept what it was asked"),
    401: ("not_configured", _REFUSED),
    403: ("not_configured", _REFUSED),
    404: ("not_configured", "The record system does not offer what it was asked for"),
    408: ("timeout", "The record system did not answer in time"),
    410: ("not_found", "The record system holds this no more"),
    422: ("invalid_args", "The record system did not accept what it was asked"),
    429: ("rate_limit", "The record system asks for fewer requests; try again later"),
}
_NOT_AS_EXPECTED = "The chart was changed in the meantime, or holds this entry more than once"
_WRITES: dict[int, tuple[ErrorType, str]] = {
    400: ("invalid_args", "The record system did not accept the entry"),
    404: ("not_configured", "The record system takes no entries of this kind, or holds this one no more"),
    405: ("not_configured", "The record system takes no transactions"),
    409: ("invalid_args", _NOT_AS_EXPECTED),
    412: ("invalid_args", _NOT_AS_EXPECTED),
    413: ("invalid_args", "The entry is larger than the record system takes"),
    422: ("invalid_args", "The record system did not accept the entry"),
}
"""What these mean as the answer to a write."""


class Refusal(EhrError):
    """An answer with a status that is none of success."""

    def __init__(self, status: int, error_type: ErrorType, message: str) -> None:
        super().__init__(error_type, message)
        self.status = status


def unreachable(error: FetchError) -> EhrError:
    return EhrError(*_FETCH[error.kind])


def timed_out() -> EhrError:
    return EhrError(*_FETCH["timeout"])


def unreadable(what: str = "The record system's answer cannot be read.") -> EhrError:
    return EhrError("invalid_response", what)


def refusal(reply: Reply) -> Refusal:
    """Why there is no resource in this reply, in one sentence."""
    return Refusal(reply.status, *_worded(reply.status, _STATUSES, outcome_of(reply)))


def refused(status: int, outcome: dict[str, Any] | None) -> Refused:
    """The definite no to a write."""
    error_type, sentence = _worded(status, {**_STATUSES, **_WRITES}, outcome)
    return Refused(status, error_type, f"{sentence} Nothing was written.")


def never_taken(error: EhrError) -> Refused:
    """A write that did not get as far as being read: no connection, no token, no time left. There is no status."""
    return Refused(0, error.error_type, f"{error} Nothing was written.")


def unknown(error: EhrError) -> OutcomeUnknown:
    """A write that was sent, and to which there is no answer, or none that says what became of it."""
    return OutcomeUnknown(error.error_type, f"{error} Whether the entry was written is not known yet.")


def _worded(
    status: int, known: dict[int, tuple[ErrorType, str]], outcome: dict[str, Any] | None
) -> tuple[ErrorType, str]:
    if status in known:
        error_type, sentence = known[status]
    elif 300 <= status < 400:
        error_type, sentence = "invalid_response", "The record system pointed elsewhere, which is not followed"
    elif status >= 500:
        error_type, sentence = "server_error", "The record system reports a fault of its own"
    else:
        error_type, sentence = "invalid_response", "The record system gave no usable answer"
    code = next((code for _, code in issues(outcome) if code), "")
    shown = ", ".join((f"status {status}", code) if code else (f"status {status}",))
    return error_type, f"{sentence.rstrip('.')} ({shown})."


def body_of(reply: Reply) -> dict[str, Any]:
    """The JSON object of a success; everything else is raised."""
    if reply.status != 200:
        raise refusal(reply)
    try:
        body = fhir_json.loads(reply.body)
    except fhir_json.NotJson:
        raise unreadable() from None
    if not isinstance(body, dict):
        raise unreadable()
    if body.get("resourceType") == "OperationOutcome":
        code = next((code for _, code in issues(body) if code), "no reason given")
        raise unreadable(f"The record system answered with a remark instead of a record ({code}).")
    return body


def says_so(reply: Reply) -> bool:
    """Whether a refusal comes from a FHIR server, and not from whatever else may live at a mistyped address."""
    return outcome_of(reply) is not None


def is_lossy(outcome: dict[str, Any]) -> bool:
    """Whether a remark inside a search's answer means that something is missing from it."""
    return any(severity in ("error", "fatal") or code not in _HARMLESS for severity, code in issues(outcome))


def issues(outcome: dict[str, Any] | None) -> Iterator[tuple[str, str]]:
    """Severity and code of each issue. A code FHIR does not know may be anything, a name too: it reads "unknown"."""
    listed = outcome.get("issue") if outcome else None
    for issue in listed if isinstance(listed, list) else ():
        if isinstance(issue, dict):
            severity, code = issue.get("severity"), issue.get("code")
            known = code if isinstance(code, str) and code in _ISSUE_CODES else "unknown"
            yield severity if isinstance(severity, str) else "", known


def outcome_of(reply: Reply) -> dict[str, Any] | None:
    try:
        body = fhir_json.loads(reply.body)
    except fhir_json.NotJson:
        return None
    return body if isinstance(body, dict) and body.get("resourceType") == "OperationOutcome" else None
