"""How a failure reads: an OperationOutcome with one issue for each thing that is wrong, and no patient data."""

from __future__ import annotations

from collections.abc import Sequence

from docgemma.ehr import fhir_json
from docgemma.ehr.embedded.contract import FhirFault, Issue
from docgemma.ehr.embedded.rest.exchange import Answer
from docgemma.errors import BadInput, Conflict, DocGemmaError


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
