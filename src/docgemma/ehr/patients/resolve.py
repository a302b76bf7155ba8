"""The patient behind an id as people write it. An id fits in whole or not at all."""

from __future__ import annotations

from docgemma.ehr.contract import Ehr, EhrError, Resource
from docgemma.ehr.patients.identifiers import Held, held, identifier_queries, ids_written, logical_ids
from docgemma.ehr.patients.match import Fit
from docgemma.ehr.patients.wanted import Candidate, Search, candidate, note_held, note_state, ranked

_MOST = 50


async def by_id(ehr: Ehr, written: str) -> Search:
    """Who is stored under this id or has this record number. Both are looked at: one number may mean two people.

    Text that is no id finds nobody. Raises EhrError when the server gives no usable answer.
    """
    meant = ids_written(written)
    found: dict[str, Candidate] = {}
    for id_ in logical_ids(meant):
        patient = await ehr.read("Patient", id_)
        if patient is not None and (patient.get("resourceType"), patient.get("id")) == ("Patient", id_):
            found[id_] = _stored(patient)
    complete = await _by_number(ehr, meant, found)
    return ranked(found.values(), complete=complete)


async def _by_number(ehr: Ehr, meant: tuple[str, ...], found: dict[str, Candidate]) -> bool:
    """Adds who has the number; whether all who do are there."""
    refusal: EhrError | None = None
    for params in identifier_queries(meant):
        try:
            hits = await ehr.search("Patient", params, most=_MOST)
        except EhrError as error:
            if error.error_type != "invalid_args":
                raise
            refusal = error
            continue
        for patient in hits.resources:
            how = held(patient, meant)
            if how is not None:
                found.setdefault(str(patient.get("id")), _numbered(patient, how))
        if hits.resources or await ehr.folds_names():
            return hits.complete and refusal is None
    if refusal is not None and not found:
        raise refusal
    return refusal is None


def _stored(patient: Resource) -> Candidate:
    fit = Fit()
    note_state(fit, patient)
    return candidate(fit, patient)


def _numbered(patient: Resource, how: Held) -> Candidate:
    fit = Fit()
    note_held(fit, how)
    note_state(fit, patient)
    return candidate(fit, patient)
