"""Who is in the embedded store: what a person needs to tell two patients apart, and no more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from docgemma.ehr import fhir_json
from docgemma.ehr.contract import Resource
from docgemma.ehr.embedded.storage.reading import Reading
from docgemma.ehr.embedded.storage.store import FhirStore
from docgemma.ehr.patients.person import person_of

_PAGE = 500


@dataclass(frozen=True, slots=True)
class Listed:
    """One patient. Of the record number only the end is shown; `fictional` is what the record says of itself."""

    id: str
    name: str
    born: str
    sex: str
    mrn_tail: str
    resources: int
    fictional: bool


async def patients(store: FhirStore, *, only: str | None = None) -> list[Listed]:
    """Everybody, in the order of their ids; or the one who has this id, if there is one."""

    def work(unit: Reading) -> list[Listed]:
        found = _everybody(unit) if only is None else _one(unit, only)
        return [_listed(patient, unit.chart_size(patient["id"])) for patient in found]

    return await store.run(work, write=False)


def _one(unit: Reading, id_: str) -> Iterator[Resource]:
    stored = unit.read("Patient", id_)
    if stored is not None and not stored.deleted:
        yield fhir_json.loads(stored.body)


def _everybody(unit: Reading) -> Iterator[Resource]:
    after = ""
    while page := unit.of_kind("Patient", after=after, limit=_PAGE):
        yield from (fhir_json.loads(each.body) for each in page)
        after = page[-1].id


def _listed(patient: Resource, resources: int) -> Listed:
    person = person_of(patient)
    return Listed(
        id=person.id,
        name=person.name,
        born=person.birth_date or "",
        sex=person.sex or "",
        mrn_tail=person.mrn_tail or "",
        resources=resources,
        fictional=person.fictional,
    )
