"""What an import takes, what it refuses, and that doing it again changes nothing."""

from __future__ import annotations

import asyncio
import gzip
import tempfile
import threading
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.ehr import fhir_json
from docgemma.ehr.contract import Resource
from docgemma.ehr.embedded.rest.app import FhirApp
from docgemma.ehr.embedded.storage.store import FhirStore
from docgemma.ehr.transfer.importing import Refused, Step, import_files
from tests.support import synthea
from tests.support.import_files import allergy, bundle, entry, held, person, write


@synthea.needs_synthea
async def test_real_bundles_arrive_whole_and_coming_again_changes_nothing(store: FhirStore) -> None:
    first = await import_files(store, [synthea.FOLDER])
    distinct = {(each["resourceType"], each["id"]) for each in synthea.resources()}
    assert (first.files, first.patients, first.created) == (25, 25, len(distinct))
    assert (first.updated, first.refused, first.dangling, first.orphans) == (0, [], 0, 0)
    assert await store.counts() == Counter(kind for kind, _ in distinct)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=FhirApp(store)), base_url="http://here") as peer:
        for given in synthea.bundles():
            resources = [each["resource"] for each in given["entry"]]
            (patient,) = (each["id"] for each in resources if each["resourceType"] == "Patient")
            answer = await peer.get(f"/fhir/Patient/{patient}/$everything?_count=1000")
            shown = [each["resource"]["resourceType"] for each in answer.json()["entry"]]
            assert Counter(shown) == Counter(each["resourceType"] for each in resources)
    before = await held(store)
    again = await import_files(store, [synthea.FOLDER])
    assert (again.created, again.updated, again.unchanged) == (0, 0, len(synthea.resources()))
    assert await held(store) == before


class TestForms:
    @pytest.mark.parametrize("kind", ["transaction", "batch", "collection", "searchset", "document"])
    async def test_bundles(self, store: FhirStore, folder: Path, kind: str) -> None:
        path = write(folder / "b.json", bundle(entry(person()), entry(allergy("latex", id="a1")), kind=kind))
        report = await import_files(store, [path])
        assert (report.created, report.patients, report.refused) == (2, 1, [])
        assert [each.id for each in await store.of_patient("p1")] == ["p1", "a1"]

    @pytest.mark.parametrize("kind", ["history", "message", "batch-response", "transaction-response", "banana", None])
    async def test_other_bundles_are_refused(self, store: FhirStore, folder: Path, kind: str | None) -> None:
        report = await import_files(store, [write(folder / "b.json", bundle(entry(person()), kind=kind or ""))])
        assert report.created == 0
        assert "bundle of this type is not imported" in report.refused[0].reason

    async def test_a_single_resource(self, store: FhirStore, folder: Path) -> None:
        assert (await import_files(store, [write(folder / "p.json", person())])).created == 1

    @pytest.mark.parametrize("name", ["charts.ndjson", "charts.jsonl", "CHARTS.NDJSON"])
    async def test_lines(self, store: FhirStore, folder: Path, name: str) -> None:
        path = write(folder / name, allergy("latex", id="a1"), person(), bundle(entry(person("p2"))))
        report = await import_files(store, [path])
        assert (report.created, report.patients, report.orphans) == (3, 2, 0)

    async def test_lines_with_blank_ones_a_mark_and_windows_ends(self, store: FhirStore, folder: Path) -> None:
        path = folder / "x.ndjson"
        lines = [write(folder / "t", each).read_bytes() for each in (person(), person("p2"))]
        path.write_bytes(b"\xef\xbb\xbf" + b"\r\n\r\n".join(lines) + b"\r\n")
        report = await import_files(store, [path])
        assert (report.created, report.refused) == (2, [])

    @pytest.mark.parametrize("name", ["x.json", "x.ndjson"])
    async def test_compressed(self, store: FhirStore, folder: Path, name: str) -> None:
        packed = folder / f"{name}.gz"
        packed.write_bytes(gzip.compress(write(folder / name, person()).read_bytes()))
        assert (await import_files(store, [packed])).created == 1

    async def test_a_search_that_has_more_pages_is_pointed_out(self, store: FhirStore, folder: Path) -> None:
        page = bundle(entry(person()), kind="searchset", link=[{"relation": "next", "url": "http://x/2"}])
        report = await import_files(store, [write(folder / "b.json", page)])
        assert report.created == 1
        assert "one page of a search" in report.refused[0].reason

    async def test_what_a_server_said_about_a_search_is_no_chart_data(self, store: FhirStore, folder: Path) -> None:
        outcome = {"resourceType": "OperationOutcome", "issue": [{"severity": "warning", "code": "processing"}]}
        said = entry(outcome, search={"mode": "outcome"})
        report = await import_files(store, [write(folder / "b.json", bundle(said, entry(person()), kind="searchset"))])
        assert (report.created, report.refused) == (1, [])

    async def test_requests_that_are_no_additions_are_not_carried_out(self, store: FhirStore, folder: Path) -> None:
        gone = {"request": {"method": "DELETE", "url": "Patient/p1"}}
        await import_files(store, [write(folder / "p.json", person())])
        report = await import_files(store, [write(folder / "b.json", bundle(gone))])
        assert "only adds and replaces" in report.refused[0].reason
        assert await store.counts() == {"Patient": 1}

    async def test_digits_are_kept(self, store: FhirStore, folder: Path) -> None:
        path = folder / "o.json"
        path.write_text(
            '{"resourceType":"Observation","id":"o1","status":"final","code":{"text":"INR"},'
            '"subject":{"reference":"Patient/p1"},"valueQuantity":{"value":2.50}}'
        )
        await import_files(store, [path])
        value = (await held(store))["Observation/o1"][1]["valueQuantity"]["value"]
        assert str(value) == "2.50" == str(Decimal("2.50"))


class TestRefusals:
    async def test_a_broken_resource_is_named_and_the_rest_is_taken(self, store: FhirStore, folder: Path) -> None:
        path = write(folder / "b.json", bundle(entry(person()), entry(person("p2") | {"gender": "M"}), entry({})))
        report = await import_files(store, [path])
        assert report.created == 1
        assert [(each.file, each.place) for each in report.refused] == [("b.json", "entry 2"), ("b.json", "entry 3")]
        assert "Patient.gender" in report.refused[0].reason
        assert "Okafor" not in str(report.refused)

    async def test_strict_takes_nothing_of_that_file(self, store: FhirStore, folder: Path) -> None:
        write(folder / "a.json", person("p0"))
        write(folder / "b.ndjson", person(), person("p2") | {"gender": "M"})
        report = await import_files(store, [folder], strict=True)
        assert (report.files, report.created) == (1, 1)
        assert [each.place for each in report.refused] == ["line 2", ""]
        assert list(await held(store)) == ["Patient/p0"]

    @pytest.mark.parametrize(
        "resource",
        [
            {"resourceType": "MedicationOrder", "id": "1"},
            {"resourceType": "Patient", "id": "1", "animal": {}},
            {"resourceType": "Encounter", "id": "1", "status": "in-progress", "class": [{"text": "AMB"}]},
            {"resourceType": "AllergyIntolerance", "id": "1", "subject": {"reference": "Patient/p1"}},
            {"resourceType": "Patient", "id": "not an id"},
            {"resourceType": "Patient", "id": "1", "name": [{"family": "a\0b"}]},
            {"resourceType": "Parameters", "id": "1"},
        ],
        ids=["DSTU2 kind", "STU3 element", "R5 shape", "no patient", "bad id", "NUL", "no chart data"],
    )  # fmt: skip
    async def test_what_is_not_r4_chart_data(self, store: FhirStore, folder: Path, resource: dict[str, object]) -> None:
        report = await import_files(store, [write(folder / "x.ndjson", resource, person())])
        assert (report.created, [each.place for each in report.refused]) == (1, ["line 1"])

    @pytest.mark.parametrize(
        "data",
        [
            b"",
            b"{",
            b"[]",
            b"null",
            b"\xff\xfe{\x00}\x00",
            b'{"a":NaN}',
            b'{"a":"\\ud800"}',
            b"[" * 100_000,
            b"PK\x03\x04",
        ],
    )
    async def test_files_that_are_no_fhir(self, store: FhirStore, folder: Path, data: bytes) -> None:
        (folder / "a.json").write_bytes(data)
        (folder / "b.ndjson").write_bytes(data)
        write(folder / "c.json", person())
        report = await import_files(store, [folder])
        assert report.created == 1
        assert {each.file for each in report.refused} == ({"a.json", "b.ndjson"} if data else {"a.json"})

    async def test_a_compressed_file_that_is_cut_off_leaves_nothing(self, store: FhirStore, folder: Path) -> None:
        lines = write(folder / "x.ndjson", *(person(f"p{n}", mrn=str(n)) for n in range(2000))).read_bytes()
        (folder / "y.ndjson.gz").write_bytes(gzip.compress(lines)[:-200])
        report = await import_files(store, [folder / "y.ndjson.gz"])
        assert report.refused == [Refused("y.ndjson.gz", "", "The compressed file is damaged or cut off.")]
        assert await store.counts() == {}

    async def test_a_line_that_is_too_long_is_passed_over(
        self, store: FhirStore, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("docgemma.ehr.transfer.files.LONGEST_LINE", 1000)
        path = write(folder / "x.ndjson", person(), person("p2", family="x" * 5000), person("p3"))
        report = await import_files(store, [path])
        assert (report.created, [each.place for each in report.refused]) == (2, ["line 2"])

    @pytest.mark.parametrize("name", ["x.json", "x.json.gz"])
    async def test_a_document_that_is_too_large_is_refused(
        self, store: FhirStore, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
    ) -> None:
        monkeypatch.setattr("docgemma.ehr.transfer.files.MOST_BYTES", 1000)
        data = fhir_json.dumps(person(family="x" * 5000)).encode()
        (folder / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        report = await import_files(store, [folder / name])
        assert (report.created, report.files, [each.place for each in report.refused]) == (0, 0, [""])
        assert "larger than" in report.refused[0].reason

    async def test_a_bundle_of_too_many_entries_is_refused_in_one_line(
        self, store: FhirStore, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("docgemma.ehr.transfer.files.MOST_ENTRIES", 3)
        report = await import_files(store, [write(folder / "x.json", bundle(*(entry(person()) for _ in range(4))))])
        assert (report.created, [each.place for each in report.refused]) == (0, [""])
        assert "more than 3 entries" in report.refused[0].reason


def coded(code: str, display: str) -> Resource:
    return {"coding": [{"system": "urn:test:drugs", "code": code, "display": display}]}


class TestOtherPeoplesIds:
    """Two record systems that count from 1 must not lose entries to each other."""

    async def test_an_entry_of_another_patient_is_not_overwritten(self, store: FhirStore, folder: Path) -> None:
        await import_files(store, [write(folder / "a.ndjson", person(), allergy("penicillin", id="1"))])
        other = write(folder / "b.ndjson", person("p2", mrn="2"), allergy("dust", "Patient/p2", id="1"))
        report = await import_files(store, [other])
        assert [each.place for each in report.refused] == ["line 2"]
        assert "another patient" in report.refused[0].reason
        assert [each.kind for each in await store.of_patient("p1")] == ["Patient", "AllergyIntolerance"]

    async def test_also_within_one_file(self, store: FhirStore, folder: Path) -> None:
        path = write(
            folder / "a.ndjson",
            person(),
            person("p2"),
            allergy("penicillin", id="1"),
            allergy("dust", "Patient/p2", id="1"),
        )
        report = await import_files(store, [path])
        assert [each.place for each in report.refused] == ["line 4"]

    @pytest.mark.parametrize(
        ("other", "same"),
        [
            ({"family": "Okafor-Bello"}, True),
            ({"born": "1970-01-02"}, True),
            ({"mrn": "77"}, True),
            ({"born": "1988-05-05", "mrn": "77"}, False),
            ({"family": "Lindqvist", "born": "1988-05-05"}, False),
            ({"family": "Lindqvist", "born": "1988-05-05", "mrn": "77"}, False),
        ],
    )
    async def test_a_person_is_corrected_but_not_replaced(
        self, store: FhirStore, folder: Path, other: dict[str, str], same: bool
    ) -> None:
        await import_files(store, [write(folder / "a.json", person())])
        report = await import_files(store, [write(folder / "b.json", person(**other))])
        assert (report.updated == 1, report.refused == []) == (same, same)


class TestWhatIsMissing:
    @pytest.mark.parametrize("other", [{}, {"gender": "female"}])
    async def test_a_person_without_a_name_replaces_nobody(
        self, store: FhirStore, folder: Path, other: dict[str, str]
    ) -> None:
        await import_files(store, [write(folder / "a.json", person())])
        report = await import_files(store, [write(folder / "b.json", {"resourceType": "Patient", "id": "p1"} | other)])
        assert len(report.refused) == 1
        assert (await held(store))["Patient/p1"] == (1, person())

    @pytest.mark.parametrize(
        ("before", "after", "same"),
        [
            ({"code": {"text": "Warfarin 5 mg"}}, {"code": {"text": "Paracetamol 500 mg"}}, False),
            ({"code": {"text": "Warfarin 5 mg"}}, {"code": {"text": "warfarin 5 MG"}, "status": "active"}, True),
            ({"code": coded("D1", "Warfarin")}, {"code": coded("D1", "Warfarin sodium")}, True),
            ({"code": coded("D1", "Warfarin")}, {"code": coded("D2", "Paracetamol")}, False),
            ({"code": {"text": "Warfarin"}}, {"status": "active"}, True),
        ],
    )
    async def test_a_drug_does_not_become_another_one_in_the_charts_that_refer_to_it(
        self, store: FhirStore, folder: Path, before: Resource, after: Resource, same: bool
    ) -> None:
        drug = {"resourceType": "Medication", "id": "1"}
        await import_files(store, [write(folder / "a.json", drug | before)])
        report = await import_files(store, [write(folder / "b.json", drug | after)])
        assert (report.updated == 1, report.refused == []) == (same, same)
        assert (await held(store))["Medication/1"][1] == drug | (after if same else before)

    async def test_a_clinician_is_renamed_but_not_replaced(self, store: FhirStore, folder: Path) -> None:
        def clinician(family: str, number: str) -> Resource:
            return person("1", family=family, mrn=number) | {"resourceType": "Practitioner"}

        await import_files(store, [write(folder / "a.json", clinician("Okafor", "1"))])
        assert not (await import_files(store, [write(folder / "b.json", clinician("Bello", "1"))])).refused
        assert (await import_files(store, [write(folder / "c.json", clinician("Lindqvist", "77"))])).refused

    async def test_entries_without_their_patient_are_counted(self, store: FhirStore, folder: Path) -> None:
        path = write(
            folder / "x.ndjson", allergy("latex", id="a1"), allergy("dust", "https://other/Patient/9", id="a2")
        )
        report = await import_files(store, [path])
        assert (report.created, report.orphans, report.dangling) == (2, 2, 1)

    async def test_a_later_file_may_bring_them(self, store: FhirStore, folder: Path) -> None:
        write(folder / "a.ndjson", allergy("latex", id="a1"))
        write(folder / "b.ndjson", person())
        report = await import_files(store, [folder])
        assert (report.orphans, report.dangling) == (0, 0)


async def test_progress_counts_resources_and_bytes(store: FhirStore, folder: Path) -> None:
    path = write(folder / "x.ndjson", *(person(f"p{n}", mrn=str(n)) for n in range(3)))
    steps: list[Step] = []
    await import_files(store, [path], steps.append)
    assert steps[-1] == Step(3, path.stat().st_size, path.stat().st_size)
    assert [step.done for step in steps] == sorted(step.done for step in steps)


async def test_an_import_that_is_interrupted_leaves_its_file_out(store: FhirStore, folder: Path) -> None:
    path = write(folder / "x.ndjson", *(person(f"p{n}", mrn=str(n)) for n in range(1200)))
    begun, go_on = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def hold(step: Step) -> None:
        loop.call_soon_threadsafe(begun.set)
        go_on.wait(30)

    task = asyncio.create_task(import_files(store, [path], hold))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    go_on.set()
    assert await store.counts() == {}


def pieces() -> st.SearchStrategy[Any]:
    """JSON that looks like FHIR in places and is wrong in others."""
    names = st.sampled_from(
        [
            "resourceType", "id", "identifier", "subject", "patient", "reference", "entry", "resource", "fullUrl",
            "type", "request", "method", "meta", "system", "value", "link", "search",
        ]
    )  # fmt: skip
    words = st.sampled_from(
        [
            "Patient", "Bundle", "Provenance", "AllergyIntolerance", "transaction", "urn:uuid:1",
            "Patient?identifier=a|b", "Patient/1", "https://x.example/Patient/1", "#c", "POST", "é",
        ]
    )  # fmt: skip
    leaves = st.one_of(st.none(), st.booleans(), st.integers(-9, 9), words, st.text(max_size=5))
    return st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=5), max_leaves=15
    )


@settings(max_examples=60, deadline=None)
@given(
    st.lists(pieces(), max_size=6),
    st.lists(st.dictionaries(st.sampled_from(["resource", "fullUrl"]), pieces()), max_size=4),
)
def test_any_json_is_taken_or_refused(values: list[Any], entries: list[Any]) -> None:
    async def work(folder: Path) -> None:
        path = write(folder / "x.ndjson", *values, bundle(*entries), person())
        async with FhirStore(folder / "charts.sqlite") as store:
            report = await import_files(store, [path])
            assert report.created + report.unchanged + report.updated >= 1
            assert (await store.counts())["Patient"] >= 1

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(work(Path(folder)))
