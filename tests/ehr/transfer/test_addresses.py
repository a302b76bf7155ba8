"""References between the entries of a bundle, and ids for those that bring none."""

from __future__ import annotations

from pathlib import Path

import pytest

from docgemma.ehr.embedded.storage.store import FhirStore
from docgemma.ehr.transfer.importing import import_files
from tests.support.import_files import allergy, bundle, entry, held, person, write

UUID = "urn:uuid:4d5a6899-2669-49f6-ac69-a59aa97d5e9c"


def without_id(resource: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in resource.items() if name != "id"}


def doctor(npi: str, id_: str = "d1") -> dict[str, object]:
    return {"resourceType": "Practitioner", "id": id_, "identifier": [{"system": "urn:npi", "value": npi}]}


async def charts(store: FhirStore) -> dict[str, list[str]]:
    """Per patient, what the chart says of allergies."""
    found: dict[str, list[str]] = {}
    for name, (_, resource) in (await held(store)).items():
        if name.startswith("AllergyIntolerance/"):
            found.setdefault(resource["patient"]["reference"], []).append(resource["code"]["text"])
    return found


async def test_a_uuid_becomes_the_id(store: FhirStore, folder: Path) -> None:
    entries = (entry(without_id(person()), UUID), entry(allergy("latex", UUID)))
    path = write(folder / "b.json", bundle(*entries))
    for _ in range(2):
        assert (await import_files(store, [path])).dangling == 0
    assert await charts(store) == {f"Patient/{UUID.removeprefix('urn:uuid:')}": ["latex"]}
    assert {version for version, _ in (await held(store)).values()} == {1}


async def test_an_id_that_is_there_is_kept(store: FhirStore, folder: Path) -> None:
    path = write(folder / "b.json", bundle(entry(person("p1"), UUID), entry(allergy("latex", UUID, id="a1"))))
    await import_files(store, [path])
    assert await charts(store) == {"Patient/p1": ["latex"]}


async def test_a_home_made_address_means_another_person_in_another_bundle(store: FhirStore, folder: Path) -> None:
    for name, substance in (("a", "penicillin"), ("b", "latex")):
        somebody = without_id(person(family=name, mrn=name))
        entries = (entry(somebody, "urn:uuid:patient-1"), entry(allergy(substance, "urn:uuid:patient-1")))
        write(folder / f"{name}.json", bundle(*entries))
    for _ in range(2):
        report = await import_files(store, [folder])
        assert report.refused == []
    found = await charts(store)
    assert len(found) == 2
    assert sorted(found.values()) == [["latex"], ["penicillin"]]
    assert {version for version, _ in (await held(store)).values()} == {1}


@pytest.mark.parametrize("address", [UUID, "urn:uuid:patient-1", "https://fhir.example.org/R4/Patient/p1"])
@pytest.mark.parametrize("identified", [True, False])
async def test_an_address_of_two_people_means_neither(
    store: FhirStore, folder: Path, address: str, identified: bool
) -> None:
    people = [person("p1"), person("p2", family="Lindqvist", mrn="2", born="1988-05-05")]
    ann, bo = people if identified else map(without_id, people)
    entries = (entry(ann, address), entry(allergy("latex", address)), entry(bo, address))
    report = await import_files(store, [write(folder / "b.json", bundle(*entries))])
    assert await charts(store) == {address: ["latex"]}
    assert report.orphans == 1


async def test_a_resource_that_comes_twice_is_still_one(store: FhirStore, folder: Path) -> None:
    entries = (entry(person("p1"), UUID), entry(allergy("latex", UUID)), entry(person("p1"), UUID))
    report = await import_files(store, [write(folder / "b.json", bundle(*entries))])
    assert (await charts(store), report.orphans) == ({"Patient/p1": ["latex"]}, 0)


async def test_addresses_of_a_server(store: FhirStore, folder: Path) -> None:
    base = "https://ehr.example/fhir"
    entries = (
        entry(without_id(person()), f"{base}/Patient/77"),
        entry(allergy("latex", f"{base}/Patient/77", id="a1"), f"{base}/AllergyIntolerance/a1"),
        entry(allergy("dust", f"{base}/Patient/78", id="a2"), f"{base}/AllergyIntolerance/a2"),
        entry(allergy("nickel", "https://elsewhere.example/Patient/77", id="a3")),
    )
    await import_files(store, [write(folder / "b.json", bundle(*entries, kind="searchset"))])
    assert await charts(store) == {
        "Patient/77": ["latex"],
        "Patient/78": ["dust"],
        "https://elsewhere.example/Patient/77": ["nickel"],
    }


async def test_no_id_and_no_address(store: FhirStore, folder: Path) -> None:
    path = write(folder / "x.ndjson", person(), allergy("latex"), allergy("dust"), allergy("latex"))
    first = await import_files(store, [path])
    again = await import_files(store, [path])
    assert (first.created, first.unchanged) == (3, 1)
    assert (again.created, again.updated, again.unchanged) == (0, 0, 4)


class TestConditional:
    REFERENCE = "Practitioner?identifier=urn:npi|150"

    def chart(self, **more: object) -> dict[str, object]:
        return allergy("latex", id="a1", recorder={"reference": self.REFERENCE}, **more)

    async def recorder(self, store: FhirStore) -> str:
        return str((await held(store))["AllergyIntolerance/a1"][1]["recorder"]["reference"])

    @pytest.mark.parametrize("names", [("a", "z"), ("z", "a")], ids=["before", "after"])
    async def test_found_in_another_file(self, store: FhirStore, folder: Path, names: tuple[str, str]) -> None:
        write(folder / f"{names[0]}.json", bundle(entry(person()), entry(self.chart())))
        write(folder / f"{names[1]}.json", bundle(entry(doctor("150"))))
        report = await import_files(store, [folder])
        assert (report.files, report.created, report.dangling) == (2, 3, 0)
        assert await self.recorder(store) == "Practitioner/d1"
        assert {version for version, _ in (await held(store)).values()} == {1}

    async def test_found_in_the_same_bundle(self, store: FhirStore, folder: Path) -> None:
        entries = (entry(person()), entry(self.chart()), entry(doctor("150")))
        await import_files(store, [write(folder / "b.json", bundle(*entries))])
        assert await self.recorder(store) == "Practitioner/d1"

    @pytest.mark.parametrize("doctors", [[], [("150", "d1"), ("150", "d2")], [("151", "d1")]])
    async def test_none_or_several_is_left_as_it_is_and_told(
        self, store: FhirStore, folder: Path, doctors: list[tuple[str, str]]
    ) -> None:
        entries = (entry(doctor(*one)) for one in doctors)
        path = write(folder / "b.json", bundle(entry(person()), entry(self.chart()), *entries))
        report = await import_files(store, [path])
        assert (report.created, report.dangling) == (2 + len(doctors), 1)
        assert await self.recorder(store) == self.REFERENCE
