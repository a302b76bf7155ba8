"""What is exported and imported into an empty store is what was there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from docgemma.ehr import demo
from docgemma.ehr.embedded.storage.store import FhirStore
from docgemma.ehr.transfer.exporting import Listed, export, patients
from docgemma.ehr.transfer.importing import import_files
from docgemma.errors import UnknownId
from tests.support.import_files import allergy, held, person, write

NAUGHTY = Path(__file__).resolve().parents[4] / "shared" / "data" / "attacks" / "blns" / "blns.json"


class Lines:
    def __init__(self) -> None:
        self.found: list[tuple[str, str]] = []

    def write(self, kind: str, line: str) -> None:
        self.found.append((kind, line))

    def save(self, path: Path) -> Path:
        path.write_text("".join(f"{line}\n" for _, line in self.found), encoding="utf-8")
        return path


async def test_round_trip(store: FhirStore, tmp_path: Path) -> None:
    await demo.load(store)
    await store.create(person("odd", family='\u2028 \x85 \\u0041 " 𝔉 '))
    await store.create({"resourceType": "Provenance", "id": "v1", "target": [{"reference": "Patient/odd"}],
                        "recorded": "2026-01-01T00:00:00Z", "agent": [{"who": {"display": "x"}}]})  # fmt: skip
    lines = Lines()
    done = await export(store, lines.write)
    assert done == await store.counts()
    async with FhirStore(tmp_path / "other.sqlite") as other:
        report = await import_files(other, [lines.save(tmp_path / "all.ndjson")])
        assert (report.refused, report.dangling, report.orphans) == ([], 0, 0)
        assert await held(other) == await held(store)
        assert [each.kind for each in await other.of_patient("odd")] == ["Patient", "Provenance"]


@pytest.mark.skipif(not NAUGHTY.is_file(), reason="the attack strings are not beside the checkout")
async def test_naughty_strings_are_kept_as_they_are_or_refused(store: FhirStore, tmp_path: Path) -> None:
    strings = json.loads(NAUGHTY.read_text(encoding="utf-8"))
    names = [person(f"n{number}", family=text, mrn=str(number)) for number, text in enumerate(strings)]
    ids = [person(text, mrn=text or "none") for text in strings]
    report = await import_files(store, [write(tmp_path / "x.ndjson", *names, *ids)])
    assert report.created + report.unchanged + report.updated + len(report.refused) == 2 * len(strings)
    assert report.created > len(strings) * 0.8
    kept = {name: resource for name, (_, resource) in (await held(store)).items()}
    assert all(kept[name] in (*names, *ids) for name in kept)
    lines = Lines()
    await export(store, lines.write)
    async with FhirStore(tmp_path / "other.sqlite") as other:
        assert (await import_files(other, [lines.save(tmp_path / "all.ndjson")])).refused == []
        assert await held(other) == await held(store)


async def test_one_patient_with_what_the_chart_refers_to(store: FhirStore) -> None:
    await demo.load(store)
    lines = Lines()
    await export(store, lines.write, patient="mno-345")
    assert {kind for kind, _ in lines.found} >= {"Patient", "MedicationRequest", "Practitioner", "Organization"}
    assert not any("abc-123" in line for _, line in lines.found)


async def test_only_some_kinds(store: FhirStore) -> None:
    await demo.load(store)
    lines = Lines()
    assert list(await export(store, lines.write, kinds=["AllergyIntolerance"])) == ["AllergyIntolerance"]
    assert list(await export(store, lines.write, patient="mno-345", kinds=["AllergyIntolerance"])) == []


async def test_the_deleted_are_not_exported(store: FhirStore) -> None:
    await store.put_many([person(), allergy("latex", id="a1")])
    await store.delete("AllergyIntolerance", "a1")
    lines = Lines()
    assert await export(store, lines.write) == {"Patient": 1}


@pytest.mark.parametrize("id_", ["nobody", "", "../x", "' OR 1=1 --", "a\0"])
async def test_an_unknown_patient(store: FhirStore, id_: str) -> None:
    with pytest.raises(UnknownId):
        await export(store, Lines().write, patient=id_)


async def test_a_full_disk_is_not_blamed_on_the_store(store: FhirStore) -> None:
    await store.put_many([person()])

    def full(kind: str, line: str) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        await export(store, full)


async def test_the_list_of_patients(store: FhirStore) -> None:
    nameless = {"resourceType": "Patient", "id": "p2"}
    await store.put_many([person(mrn="abc-99812"), allergy("latex", id="a1"), nameless])
    assert await patients(store) == [
        Listed("p1", "Okafor", "1970-01-01", "", "9812", 2, False),
        Listed("p2", "No name recorded", "", "", "", 1, False),
    ]
