"""Who is in the embedded store: what a person needs to tell two patients apart, and no more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from docgemma.ehr import fhir_json
from docgemma.ehr.contract import Resource
from docgemma.ehr.embedded.reading import Reading
from docgemma.ehr.embedded.store import FhirStore

_PAGE = 500
_TAIL = 4


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


async def patients(store: FhirStore) -> list[Listed]:
    """Everybody, in the order of their ids."""

    def work(unit: Reading) -> list[Listed]:
        return [_listed(patient, unit.chart_size(patient["id"])) for patient in _everybody(unit)]

    return await store.run(work, write=False)


def _everybody(unit: Reading) -> Iterator[Resource]:
    after = ""
    while page := unit.of_kind("Patient", after=after, limit=_PAGE):
        yield from (fhir_json.loads(each.body) for each in page)
        after = page[-1].id


def _listed(patient: Resource, resources: int) -> Listed:
    return Listed(
        id=patient["id"],
        name=_name(patient),
        born=patient.get("birthDate", ""),
        sex=patient.get("gender", ""),
        mrn_tail=_mrn(patient)[-_TAIL:],
        resources=resources,
        fictional=any(tag.get("code") == "HTEST" for tag in patient.get("meta", {}).get("tag", ())),
    )


def _name(patient: Resource) -> str:
    names = patient.get("name", [])
    first = next((name for name in names if name.get("use") == "official"), names[0] if names else {})
    if "text" in first:
        return str(first["text"])
    parts = (*first.get("given", ()), first.get("family", ""), *first.get("suffix", ()))
    return " ".join(part for part in parts if part)


def _mrn(patient: Resource) -> str:
    """The medical record number, or else the first identifier there is."""
    given = patient.get("identifier", [])
    marked = [
        each for each in given if any(code.get("code") == "MR" for code in each.get("type", {}).get("coding", ()))
    ]
    return next((str(each["value"]) for each in (*marked, *given) if "value" in each), "")
