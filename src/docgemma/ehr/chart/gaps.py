"""What was not read, in words. A gap is never silent, and its section never says that there is nothing."""

from __future__ import annotations

from docgemma.clinical import ErrorType
from docgemma.ehr.chart.recorded.plain import plain
from docgemma.ehr.contract import Gap, Record

_REASONS: dict[ErrorType, str] = {
    "timeout": "the record system did not answer in time",
    "rate_limit": "the record system refused further requests for now",
    "server_error": "the record system failed",
    "service_unavailable": "the record system is not reachable",
    "not_configured": "the record system does not offer them, or does not allow access to them",
    "invalid_response": "the answer could not be read",
    "invalid_args": "the record system refused the request",
    "not_found": "the record system does not offer them",
}

_SUBJECTS: dict[str, str] = {
    "AllergyIntolerance": "Allergies",
    "MedicationRequest": "Medications",
    "MedicationStatement": "Reported medications",
    "Medication": "Names of medications",
    "Condition": "Problems",
    "Observation": "Laboratory results, vital signs and other observations",
    "DiagnosticReport": "Reports",
    "DocumentReference": "Notes",
    "ClinicalImpression": "Notes",
    "Encounter": "Encounters",
    "Immunization": "Immunisations",
    "Procedure": "Procedures",
    "CarePlan": "Care plans",
}

_UNREAD = "{subject} could not be read ({reason}). Whether there are any is not known."
_PART_READ = "{subject} could not be read completely ({reason}). There may be more than is shown."


def not_read(record: Record, *kinds: str) -> tuple[str, ...]:
    """A sentence for each gap among these kinds, the same one only once."""
    return tuple(dict.fromkeys(_sentence(record, gap) for gap in record.missing(*kinds)))


def all_not_read(record: Record) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_sentence(record, gap) for gap in record.gaps))


def _sentence(record: Record, gap: Gap) -> str:
    subject = _SUBJECTS.get(gap.kind) or f"Entries of the kind {plain(gap.kind, 40)}"
    siblings = [kind for kind, name in _SUBJECTS.items() if name == subject] or [gap.kind]
    template = _PART_READ if any(map(record.of, siblings)) else _UNREAD
    return template.format(subject=subject, reason=_REASONS.get(gap.reason, "the reason is not known"))
