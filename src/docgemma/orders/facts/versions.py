"""What an approval is bound to: it changes when, and only when, something that the checks rest on does."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

import docgemma.ehr.fhir_json as fhir_json
from docgemma.ehr.chart.recorded.fields import node
from docgemma.ehr.contract import VITAL, Record, Resource
from docgemma.orders.facts.model import Facts
from docgemma.orders.model import Draft

_LISTS = (*VITAL, "Medication")
"""A prescription may name its drug by a resource of its own: another name there is another drug."""


def of_patient(record: Record) -> str:
    return _digest(["patient", _stamp(record.patient)])


def of_allergies(record: Record) -> str:
    return _digest(["allergies", _stamp(record.patient), *_stamps(record.of("AllergyIntolerance"))])


def of_everything(record: Record, values: Iterable[object]) -> str:
    """The vital lists, and the values that were used of the rest."""
    lists = [stamp for kind in _LISTS for stamp in _stamps(record.of(kind))]
    return _digest(["chart", _stamp(record.patient), *lists, [repr(value) for value in values]])


def version_for(draft: Draft, facts: Facts) -> str:
    """An order rests on the whole chart, an allergy on the allergy list, a note on the patient alone."""
    match draft.kind:
        case "prescription":
            return facts.version
        case "allergy":
            return facts.allergy_version
        case "note":
            return facts.patient_version


def _stamps(resources: Iterable[Resource]) -> list[list[str]]:
    """Whatever order the server gave them in."""
    return sorted(_stamp(resource) for resource in resources)


def _stamp(resource: Resource) -> list[str]:
    """Kind, id, version and the content itself: a server may count no versions, or forget to."""
    version = str(node(resource.get("meta")).get("versionId"))
    return [str(resource.get("resourceType")), str(resource.get("id")), version, _content(resource)]


def _content(resource: Resource) -> str:
    """Without the server's own notes on it, in one order of the fields."""
    fields = {name: value for name, value in resource.items() if name != "meta"}
    return hashlib.sha256(fhir_json.dumps(_sorted(fields)).encode()).hexdigest()


def _sorted(value: object) -> object:
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value)}
    return [_sorted(each) for each in value] if isinstance(value, list) else value


def _digest(parts: list[object]) -> str:
    return hashlib.sha256(json.dumps(parts, separators=(",", ":")).encode()).hexdigest()
