"""What was not read, in words, and what else must be said about a record as a whole.

A gap is never silent, and its section never says that there is nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from docgemma.clinical import ErrorType
from docgemma.ehr.chart.model import Entry, sentence
from docgemma.ehr.chart.recorded.fields import code, counted, node, nodes, plain
from docgemma.ehr.chart.recorded.when import day
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


def with_gaps(entries: Sequence[Entry], record: Record, *kinds: str, nothing: str) -> list[Entry]:
    """Entries behind what was not read of their kinds. Where all was read and none is there, the sentence for that."""
    said = not_read(record, *kinds) or (() if entries else (nothing,))
    return [*map(sentence, said), *entries]


def all_not_read(record: Record) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_sentence(record, gap) for gap in record.gaps))


def _sentence(record: Record, gap: Gap) -> str:
    subject = _SUBJECTS.get(gap.kind) or f"Entries of the kind {plain(gap.kind, 40)}"
    siblings = [kind for kind, name in _SUBJECTS.items() if name == subject] or [gap.kind]
    template = _PART_READ if any(map(record.of, siblings)) else _UNREAD
    return template.format(subject=subject, reason=_REASONS.get(gap.reason, "the reason is not known"))


_TEST_DATA = "htest"


def record_warnings(record: Record) -> tuple[str, ...]:
    return tuple(_warnings(record))


def _warnings(record: Record) -> Iterator[str]:
    patient = record.patient
    if any(code(tag.get("code")) == _TEST_DATA for tag in nodes(node(patient.get("meta")).get("tag"))):
        yield "This is a fictional record for demonstration and tests."
    died = day(patient.get("deceasedDateTime"))
    if died or patient.get("deceasedBoolean") is True:
        yield f"The record says that this patient has died{f' ({died})' if died else ''}."
    if any(code(link.get("type")) == "replaced-by" for link in nodes(patient.get("link"))):
        yield "This patient's record was merged into another one: newer entries may be there."
    if patient.get("active") is False:
        yield "This patient's record is marked as no longer in use."
    if record.strangers:
        sent = counted(record.strangers, "entry", "entries")
        yield f"The record system also sent {sent} of somebody else; left out."
