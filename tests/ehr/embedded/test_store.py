"""The embedded store as its users see it: versions, charts, the index, and what it refuses."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from docgemma.ehr import fhir_json
from docgemma.ehr.embedded.contract import FhirFault, IndexEntry, Narrow
from docgemma.ehr.embedded.storage.store import FhirStore
from docgemma.ehr.embedded.storage.unit import Counts, Unit
from tests.support.small_charts import allergy, charts, note, patient

Resource = dict[str, Any]


def ids(found: list[Any]) -> list[str]:
    return [each.id for each in found]


async def names(store: FhirStore, prefix: str) -> list[str]:
    return await store.find("Patient", [Narrow("name", (prefix,), prefix=True)])


class TestWriting:
    async def test_a_resource_comes_back_with_its_version_and_time_in_meta(self, store: FhirStore) -> None:
        given = {**patient("p1", "Okafor", "Chidi"), "meta": {"tag": [{"code": "HTEST"}], "versionId": "77"}}
        saved = await store.create(given)
        stored = await store.read("Patient", "p1")
        assert saved.how == "created"
        assert stored == saved.stored
        assert (stored.version, stored.etag, stored.updated) == (1, 'W/"1"', "2026-03-01T12:00:02.000Z")
        body = json.loads(stored.body)
        assert body["meta"] == {"versionId": "1", "lastUpdated": stored.updated, "tag": [{"code": "HTEST"}]}
        assert {**body, "meta": given["meta"]} == given

    async def test_a_resource_without_an_id_gets_one(self, store: FhirStore) -> None:
        made = {(await store.create({"resourceType": "Organization", "name": "Ward"})).stored.id for _ in range(3)}
        assert len(made) == 3
        assert await store.counts() == {"Organization": 3}

    async def test_numbers_keep_their_digits_and_text_its_characters(self, store: FhirStore) -> None:
        given = {
            "resourceType": "Observation",
            "id": "o1",
            "valueQuantity": {"value": Decimal("7.50")},
            "note": [{"text": 'Nguyễn "said"\\u0000 \u2028 🫀\n'}],
        }
        await store.create(given)
        stored = await store.read("Observation", "o1")
        assert stored is not None
        assert '"value":7.50' in stored.body
        assert fhir_json.loads(stored.body)["note"] == given["note"]

    async def test_an_id_that_is_taken_cannot_be_created_again(self, store: FhirStore) -> None:
        await store.create(patient("p1", "Okafor", "Chidi"))
        with pytest.raises(FhirFault, match="already") as caught:
            await store.create(patient("p1", "Somebody", "Else"))
        assert caught.value.status == 409

    async def test_an_update_makes_a_version_and_the_first_one_makes_the_resource(self, store: FhirStore) -> None:
        first = await store.update(patient("p1", "Okafor", "Chidi"))
        second = await store.update(patient("p1", "Okafor", "Chidi B."))
        assert [(each.how, each.stored.version) for each in (first, second)] == [("created", 1), ("updated", 2)]

    @pytest.mark.parametrize(
        "again",
        [
            patient("p1", "Okafor", "Chidi"),
            dict(reversed(patient("p1", "Okafor", "Chidi").items())),
            {**patient("p1", "Okafor", "Chidi"), "meta": {"versionId": "9", "lastUpdated": "2001-01-01T00:00:00Z"}},
            {**patient("p1", "Okafor", "Chidi"), "meta": {}},
        ],
        ids=["the same", "other order", "their version", "empty meta"],
    )
    async def test_an_update_that_says_nothing_new_makes_no_version(self, store: FhirStore, again: Resource) -> None:
        first = await store.create(patient("p1", "Okafor", "Chidi"))
        saved = await store.update(again)
        assert (saved.how, saved.stored) == ("unchanged", first.stored)
        assert len(await store.history("Patient", "p1")) == 1

    async def test_another_digit_is_something_new(self, store: FhirStore) -> None:
        one = {"resourceType": "Observation", "id": "o", "valueQuantity": {"value": Decimal("7.5")}}
        await store.create(one)
        saved = await store.update({**one, "valueQuantity": {"value": Decimal("7.50")}})
        assert saved.how == "updated"

    async def test_a_stale_version_is_refused(self, store: FhirStore) -> None:
        await store.create(patient("p1", "Okafor", "Chidi"))
        await store.update(patient("p1", "Okafor", "C."), if_match=1)
        for work in (
            lambda unit: unit.update(patient("p1", "Okafor", "D."), if_match=1),
            lambda unit: unit.update(patient("p2", "Okafor", "D."), if_match=1),
            lambda unit: unit.delete("Patient", "p1", if_match=1),
        ):
            with pytest.raises(FhirFault) as caught:
                await store.run(work)
            assert caught.value.status == 412
        assert (await store.history("Patient", "p1"))[0].version == 2

    async def test_all_of_a_transaction_or_nothing(self, store: FhirStore) -> None:
        def work(unit: Unit) -> None:
            unit.create(patient("p1", "Okafor", "Chidi"))
            unit.create(allergy("a1", "p1", "latex"))
            assert unit.exists("Patient", "p1")
            assert ids(unit.of_patient("p1")) == ["p1", "a1"]
            assert unit.find("Patient", [Narrow("name", ("okafor",))]) == ["p1"]
            unit.create(patient("p1", "Okafor", "Chidi"))

        with pytest.raises(FhirFault, match="already"):
            await store.run(work)
        assert await store.counts() == {}
        assert await store.read("Patient", "p1") is None
        assert await names(store, "ok") == []
        assert await store.of_patient("p1") == []

    async def test_a_transaction_for_reading_cannot_write(self, store: FhirStore) -> None:
        with pytest.raises(RuntimeError):
            await store.run(lambda unit: unit.create(patient("p1", "Okafor", "Chidi")), write=False)
        assert await store.counts() == {}


class TestHistory:
    async def test_newest_first_and_the_deletion_too(self, store: FhirStore) -> None:
        for given in ("A", "B", "C"):
            await store.update(patient("p1", "Okafor", given))
        await store.delete("Patient", "p1")
        history = await store.history("Patient", "p1")
        assert [(each.version, each.deleted) for each in history] == [(4, True), (3, False), (2, False), (1, False)]
        assert [json.loads(each.body)["name"][0]["given"][0] for each in history[1:]] == ["C", "B", "A"]
        assert history == sorted(history, key=lambda each: each.updated, reverse=True)

    async def test_what_is_deleted_is_gone_but_its_versions_are_not(self, store: FhirStore) -> None:
        await store.create(patient("p1", "Okafor", "Chidi"))
        await store.create(allergy("a1", "p1", "latex"))
        gone = await store.delete("AllergyIntolerance", "a1")
        assert gone is not None
        assert (gone.deleted, gone.body, gone.patient) == (True, "", "p1")
        assert await store.delete("AllergyIntolerance", "a1") == gone
        assert await store.read("AllergyIntolerance", "a1") == gone
        assert ids(await store.of_patient("p1")) == ["p1"]
        assert await store.counts() == {"Patient": 1}
        first = await store.version("AllergyIntolerance", "a1", 1)
        assert first is not None
        assert "latex" in first.body

    async def test_what_was_deleted_can_come_back(self, store: FhirStore) -> None:
        await store.create(patient("p1", "Okafor", "Chidi"))
        await store.delete("Patient", "p1")
        assert await names(store, "okafor") == []
        back = await store.update(patient("p1", "Okafor", "Chidi"))
        assert (back.how, back.stored.version) == ("created", 3)
        assert await names(store, "okafor") == ["p1"]

    async def test_what_never_was_has_no_history(self, store: FhirStore) -> None:
        await store.create(patient("p1", "Okafor", "Chidi"))
        assert await store.history("Patient", "p2") == []
        assert await store.delete("Patient", "p2") is None
        assert [await store.version("Patient", "p1", number) for number in (-1, 0, 2, 10**30)] == [None] * 4

    async def test_changes_of_a_kind_page_by_page(self, store: FhirStore) -> None:
        await store.put_many(charts(30))
        await store.update(patient("p-004", "New", "Name"))

        def pages(unit: Unit) -> list[str]:
            found: list[str] = []
            before: int | None = None
            while page := unit.changes("Patient", before=before, limit=7):
                found += [stored.etag + stored.id for _, stored in page]
                before = page[-1][0]
            return found

        assert await store.run(pages, write=False) == [
            'W/"2"p-004',
            *(f'W/"1"p-{number:03}' for number in range(29, -1, -1)),
        ]


class TestCharts:
    async def test_a_chart_is_the_patient_and_what_is_about_them(self, store: FhirStore) -> None:
        await store.put_many(charts(5))
        chart = await store.of_patient("p-002")
        assert ids(chart) == [
            "p-002", "p-002-a0", "p-002-a1", *(f"p-002-o{number}" for number in range(6)), "p-002-n",
        ]  # fmt: skip
        assert {each.patient for each in chart} == {"p-002"}
        assert ids(await store.of_patient("p-002", ["AllergyIntolerance"])) == ["p-002-a0", "p-002-a1"]
        assert await store.of_patient("p-000", ["AllergyIntolerance"]) == []
        assert await store.of_patient("p-002", []) == []
        assert await store.of_patient("p-777") == []

    async def test_what_moves_to_another_patient_leaves_the_first_chart(self, store: FhirStore) -> None:
        await store.put_many([patient("p1", "A", "A"), patient("p2", "B", "B"), allergy("a", "p1", "latex")])
        await store.update(allergy("a", "p2", "latex"))
        assert ids(await store.of_patient("p1")) == ["p1"]
        assert ids(await store.of_patient("p2")) == ["p2", "a"]

    async def test_a_provenance_lies_in_the_chart_of_its_target(self, store: FhirStore) -> None:
        provenance = {"resourceType": "Provenance", "id": "pv", "target": [{"reference": "AllergyIntolerance/a"}]}
        await store.put_many([provenance, patient("p1", "A", "A"), allergy("a", "p1", "latex")])
        assert ids(await store.of_patient("p1")) == ["p1", "a", "pv"]

    async def test_what_a_chart_refers_to_comes_once_and_never_from_another_chart(self, store: FhirStore) -> None:
        pump = {"resourceType": "Device", "id": "pump", "patient": {"reference": "Patient/p2"}}
        using = {**note("n", "p1", "uses it"), "basedOn": [{"reference": "Device/pump"}]}
        doctor = {"resourceType": "Practitioner", "id": "doc-1"}
        everything = [patient("p1", "A", "A"), patient("p2", "B", "B"), pump, using, doctor]
        await store.put_many([*everything, allergy("a1", "p1", "latex"), allergy("a2", "p1", "nuts")])
        found = await store.run(lambda unit: unit.referred("p1", unit.of_patient("p1")), write=False)
        assert ids(found) == ["doc-1"]

    async def test_a_kind_page_by_page(self, store: FhirStore) -> None:
        await store.put_many(charts(25))
        for number in range(5, 15):
            await store.delete("Patient", f"p-{number:03}")

        def pages(unit: Unit) -> list[list[str]]:
            found = [ids(unit.of_kind("Patient", limit=4))]
            while len(found[-1]) == 4:
                found.append(ids(unit.of_kind("Patient", after=found[-1][-1], limit=4)))
            return found

        found = await store.run(pages, write=False)
        assert [id_ for page in found for id_ in page] == [f"p-{number:03}" for number in (*range(5), *range(15, 25))]
        assert [len(page) for page in found] == [4, 4, 4, 3]


class TestIndex:
    async def test_found_by_what_it_is_called_now(self, store: FhirStore) -> None:
        await store.create(patient("p1", "Nguyễn", "Márta", mrn="77-1"))
        assert await names(store, "mar") == ["p1"]
        await store.update(patient("p1", "Nguyễn", "Anna", mrn="77-1"))
        assert await names(store, "mar") == []
        assert await names(store, "nguy") == ["p1"]
        assert await store.find("Patient", [Narrow("identifier", ("|77-1", "|none"))]) == ["p1"]
        assert await store.find("Observation", [Narrow("identifier", ("|77-1",))]) == []

    async def test_every_condition_must_hold_and_any_of_its_values(self, store: FhirStore) -> None:
        await store.put_many(
            [patient("p1", "Smith", "Ana"), patient("p2", "Smith", "Ben"), patient("p3", "Zorn", "Ana")]
        )
        smith = Narrow("name", ("smi",), prefix=True)
        for narrow, expected in (
            ([smith], ["p1", "p2"]),
            ([smith, Narrow("name", ("ana",))], ["p1"]),
            ([smith, Narrow("name", ("ana", "ben"))], ["p1", "p2"]),
            ([Narrow("name", ("zo", "b"), prefix=True)], ["p2", "p3"]),
            ([Narrow("name", ("smi",))], []),
            ([Narrow("name", ("",), prefix=True)], ["p1", "p2", "p3"]),
            ([Narrow("name", ())], []),
            ([], []),
        ):
            assert await store.find("Patient", narrow) == expected

    async def test_too_many_values_are_refused(self, store: FhirStore) -> None:
        with pytest.raises(FhirFault, match="at most"):
            await store.find("Patient", [Narrow("name", tuple(map(str, range(1000))))])

    async def test_a_new_way_to_index_reaches_what_is_there_already(self, path: Path) -> None:
        async with FhirStore(path) as store:
            await store.put_many(charts(3))
            await store.delete("Patient", "p-001")

        def by_id(resource: Resource) -> list[IndexEntry]:
            return [IndexEntry("name", "x" + resource["id"])]

        async with FhirStore(path, entries=by_id, edition=999) as store:
            assert await names(store, "xp") == ["p-000", "p-002"]
            assert await names(store, "adeyemi") == []
            await store.delete("Patient", "p-000")
            assert await names(store, "xp") == ["p-002"]


class TestBulk:
    async def test_again_changes_nothing(self, store: FhirStore) -> None:
        everything = list(charts(40))
        assert await store.put_many(everything) == Counts(created=len(everything))
        written = await store.run(lambda unit: unit.written, write=False)
        assert await store.put_many(everything) == Counts(unchanged=len(everything))
        assert await store.run(lambda unit: unit.written, write=False) == written == len(everything)

    async def test_the_same_resource_twice_is_two_versions(self, store: FhirStore) -> None:
        counts = await store.put_many([patient("p1", "Old", "A"), patient("p1", "New", "A"), patient("p1", "New", "A")])
        assert counts == Counts(created=1, updated=1, unchanged=1)
        assert await names(store, "new") == ["p1"]
        assert await names(store, "old") == []

    async def test_one_bad_resource_and_nothing_is_written(self, store: FhirStore) -> None:
        with pytest.raises(FhirFault):
            await store.put_many([*charts(60), {"resourceType": "Patient", "id": "no/such id"}])
        assert await store.counts() == {}
        assert await store.run(lambda unit: unit.written, write=False) == 0
