"""Small FHIR files to import, and what a store holds afterwards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docgemma.ehr import fhir_json
from docgemma.ehr.contract import Resource
from docgemma.ehr.embedded.storage.reading import Reading
from docgemma.ehr.embedded.storage.store import FhirStore


def person(id_: str = "p1", *, family: str = "Okafor", born: str = "1970-01-01", mrn: str = "1") -> Resource:
    return {
        "resourceType": "Patient",
        "id": id_,
        "identifier": [{"system": "urn:test:mrn", "value": mrn}],
        "name": [{"family": family}],
        "birthDate": born,
    }


def allergy(to: str, patient: str = "Patient/p1", **more: Any) -> Resource:
    system = "http://terminology.hl7.org/CodeSystem/allergyintolerance-clinical"
    return {
        "resourceType": "AllergyIntolerance",
        "clinicalStatus": {"coding": [{"system": system, "code": "active"}]},
        "code": {"text": to},
        "patient": {"reference": patient},
    } | more


def bundle(*entries: Resource, kind: str = "transaction", **more: Any) -> Resource:
    return {"resourceType": "Bundle", "type": kind, "entry": list(entries)} | more


def entry(resource: Resource, url: str = "", **more: Any) -> Resource:
    return ({"fullUrl": url} if url else {}) | {"resource": resource} | more


def write(path: Path, *values: Any) -> Path:
    """One value as a document, several as lines."""
    path.write_text("\n".join(map(fhir_json.dumps, values)), encoding="utf-8")
    return path


async def held(store: FhirStore) -> dict[str, tuple[int, Resource]]:
    """Everything live by `Kind/id`: its version, and its content without what the store adds."""

    def work(unit: Reading) -> dict[str, tuple[int, Resource]]:
        found = [each for kind in unit.counts() for each in unit.of_kind(kind, limit=100_000)]
        return {f"{each.kind}/{each.id}": (each.version, _bare(fhir_json.loads(each.body))) for each in found}

    return await store.run(work, write=False)


def _bare(resource: Resource) -> Resource:
    meta = {name: value for name, value in resource.pop("meta").items() if name not in ("versionId", "lastUpdated")}
    return resource | ({"meta": meta} if meta else {})
