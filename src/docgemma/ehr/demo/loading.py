"""The demonstration patients in and out of the embedded store. Nobody else's chart is touched."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from docgemma.ehr import fhir_json
from docgemma.ehr.contract import Resource
from docgemma.ehr.embedded.contract import Stored
from docgemma.ehr.embedded.storage.reading import Reading
from docgemma.ehr.embedded.storage.store import FhirStore
from docgemma.ehr.embedded.storage.unit import Counts, Unit
from docgemma.errors import Conflict

MRN_SYSTEM = "urn:docgemma:demo:mrn"
"""Marks a patient as ours: a real one that happens to have the same id carries another."""

_CLINIC = frozenset({"Organization", "Practitioner"})
"""What all charts refer to."""


def resources() -> Iterator[Resource]:
    """All demonstration resources, each read anew, in the order in which one refers to the other."""
    with files(__package__).joinpath("charts.ndjson").open(encoding="utf-8") as lines:
        for line in lines:
            yield fhir_json.loads(line)


@cache
def patients() -> tuple[Resource, ...]:
    """The Patient resources alone."""
    return tuple(each for each in resources() if each["resourceType"] == "Patient")


async def load(store: FhirStore) -> Counts:
    """All of them, in one transaction. Again, it changes nothing, and brings back what was removed or altered."""
    return await store.run(_load)


async def load_if_empty(store: FhirStore) -> bool:
    """Only into a store that nothing was ever written to: what a person imported or removed is theirs to decide."""

    def work(unit: Unit) -> bool:
        if unit.written:
            return False
        _load(unit)
        return True

    if await store.run(lambda unit: unit.written, write=False):  # the usual case waits for no other writer
        return False
    return await store.run(work)


async def remove(store: FhirStore) -> int:
    """Everything in the charts of the demonstration patients, also what was written into them since. How many."""
    return await store.run(_remove)


async def who(store: FhirStore) -> list[str]:
    """The ids of the demonstration patients that are there."""
    return await store.run(_ours, write=False)


async def present(store: FhirStore) -> int:
    """How many demonstration patients there are."""
    return len(await who(store))


def _load(unit: Unit) -> Counts:
    for person in patients():
        there = unit.read("Patient", person["id"])
        if there is not None and not there.deleted and not _is_demo(there):
            raise Conflict(
                f"Patient {person['id']} is in the store already and is not a demonstration patient. "
                "Nothing was loaded, so that this chart stays as it is."
            )
    return unit.put_many(resources())


def _remove(unit: Unit) -> int:
    chart = [stored for id_ in _ours(unit) for stored in unit.of_patient(id_)]
    clinic = (each for each in resources() if each["resourceType"] in _CLINIC)
    around = [unit.read(each["resourceType"], each["id"]) for each in clinic]
    gone = [*reversed(chart), *(each for each in around if each and not each.deleted and _is_tagged(each))]
    for stored in gone:
        unit.delete(stored.kind, stored.id)
    return len(gone)


def _ours(unit: Reading) -> list[str]:
    found = (unit.read("Patient", person["id"]) for person in patients())
    return [stored.id for stored in found if stored and not stored.deleted and _is_demo(stored)]


def _is_demo(stored: Stored) -> bool:
    """By the record number's system, which no other patient has; an id proves nothing."""
    given = fhir_json.loads(stored.body).get("identifier", [])
    return any(identifier.get("system") == MRN_SYSTEM for identifier in given)


def _is_tagged(stored: Stored) -> bool:
    tags = fhir_json.loads(stored.body).get("meta", {}).get("tag", [])
    return any(tag.get("code") == "HTEST" for tag in tags)
