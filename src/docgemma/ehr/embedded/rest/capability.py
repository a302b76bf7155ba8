"""What this server can do, as it tells its clients: built from the same tables that its searches are read with."""

from __future__ import annotations

from functools import cache
from typing import Any

from docgemma import __version__
from docgemma.ehr import fhir_json
from docgemma.ehr.embedded.contract import CARRIERS
from docgemma.ehr.embedded.searches.parameters import Parameter, parameters_of
from docgemma.ehr.folding import FOLDED_NAMES
from docgemma.ehr.validation import kinds

_FOLDED = {"extension": [{"url": FOLDED_NAMES, "valueBoolean": True}]}
_INTERACTIONS = (
    "read",
    "vread",
    "update",
    "delete",
    "history-instance",
    "history-type",
    "create",
    "search-type",
)
_EVERYTHING = {"name": "everything", "definition": "http://hl7.org/fhir/OperationDefinition/Patient-everything"}
_DATE = "2026-01-01"
_ADDRESS = "urn:docgemma:address"


def statement(base: str) -> str:
    """The CapabilityStatement as text: the same for everybody but for the address, which is the caller's to choose."""
    before, after = _around_address()
    return f"{before}{fhir_json.dumps(base)}{after}"


@cache
def _around_address() -> tuple[str, str]:
    """Built once: it describes some hundred kinds of resources."""
    text = fhir_json.dumps(
        {
            "resourceType": "CapabilityStatement",
            "status": "active",
            "date": _DATE,
            "kind": "instance",
            "software": {"name": "DocGemma embedded record", "version": __version__},
            "implementation": {"description": "A small FHIR R4 server over one file", "url": _ADDRESS},
            "fhirVersion": "4.0.1",
            "format": ["application/fhir+json", "json"],
            "rest": [
                {
                    "mode": "server",
                    "resource": [_resource(kind) for kind in sorted(kinds() - CARRIERS)],
                    "interaction": [{"code": "transaction"}, {"code": "batch"}, {"code": "history-system"}],
                }
            ],
        }
    )
    before, _, after = text.partition(fhir_json.dumps(_ADDRESS))
    return before, after


def _resource(kind: str) -> dict[str, Any]:
    known = parameters_of(kind)
    followed = [f"{kind}:{one.name}" for one in known.values() if one.type == "reference"]
    described: dict[str, Any] = {
        "type": kind,
        "interaction": [{"code": code} for code in _INTERACTIONS],
        "versioning": "versioned-update",
        "readHistory": True,
        "updateCreate": True,
        "conditionalCreate": True,
        "conditionalRead": "not-match",
        "conditionalUpdate": True,
        "conditionalDelete": "not-supported",
        "referencePolicy": ["literal", "enforced", "local"],
    }
    if followed:
        described["searchInclude"] = followed
    described["searchParam"] = [_parameter(kind, one) for one in known.values()]
    if kind == "Patient":
        described["operation"] = [_EVERYTHING]
    return described


def _parameter(kind: str, parameter: Parameter) -> dict[str, Any]:
    folded = _FOLDED if kind == "Patient" and parameter.name == "name" else {}
    return {**folded, "name": parameter.name, "type": parameter.shown_type}
