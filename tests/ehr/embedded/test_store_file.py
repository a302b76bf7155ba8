"""What the embedded store refuses, and what it is as a file."""

from __future__ import annotations

import sqlite3
import stat
from pathlib import Path
from typing import Any

import pytest

from docgemma.ehr.embedded.contract import FhirFault, Narrow
from docgemma.ehr.embedded.storage.store import FhirStore
from docgemma.errors import Unavailable
from tests.support.small_charts import charts, patient

Resource = dict[str, Any]


HOSTILE_IDS = ["", "a/b", "a b", "é", "x" * 65, "'; DROP TABLE versions; --", "\0", "\ud800", "a\n", "*", "%"]


class TestRefusals:
    @pytest.mark.parametrize("id_", HOSTILE_IDS)
    async def test_what_cannot_be_an_id_is_not_there(self, store: FhirStore, id_: str) -> None:
        await store.put_many(charts(2))
        assert await store.read("Patient", id_) is None
        assert await store.read(id_, "p-001") is None
        assert await store.version("Patient", id_, 1) is None
        assert await store.history("Patient", id_) == []
        assert await store.of_patient(id_) == []
        assert await store.delete("Patient", id_) is None
        assert await store.find(id_, [Narrow("name", ("a",))]) == []
        assert await store.find("Patient", [Narrow("identifier", (id_,))]) == []
        assert await store.of_patient("p-001", [id_]) == []
        assert await store.run(lambda unit: unit.of_kind(id_, limit=5), write=False) == []
        if id_:
            with pytest.raises(FhirFault) as caught:
                await store.create({"resourceType": "Patient", "id": id_})
            assert caught.value.status == 400

    @pytest.mark.parametrize(
        "resource",
        [
            {},
            {"resourceType": "patient"},
            {"resourceType": 7},
            {"resourceType": "Patient", "id": 7},
            {"resourceType": "Patient", "meta": []},
            {"resourceType": "Patient", "name": [{"family": "half \ud800"}]},
            {"resourceType": "Patient", "name": [{"family": "nul \0"}]},
            {"resourceType": "Patient", "meta": {"tag": [{"code": "\0"}]}},
            {"resourceType": "Patient", "nul \0": True},
            {"resourceType": "Observation", "valueQuantity": {"value": float("nan")}},
            {"resourceType": "Observation", "value": object},
        ],
        ids=repr,
    )
    async def test_what_is_no_resource_is_refused_without_repeating_it(
        self, store: FhirStore, resource: Resource
    ) -> None:
        with pytest.raises(FhirFault) as caught:
            await store.create(resource)
        assert caught.value.status == 400
        assert "half" not in str(caught.value)
        assert await store.counts() == {}

    async def test_bottomless_nesting_is_refused(self, store: FhirStore) -> None:
        deep: Resource = {}
        for _ in range(100_000):
            deep = {"extension": [deep]}
        with pytest.raises(FhirFault, match="JSON"):
            await store.create({"resourceType": "Patient", **deep})


class TestFile:
    async def test_only_the_owner_may_read_it(self, store: FhirStore, path: Path) -> None:
        await store.put_many(charts(2))
        assert {stat.S_IMODE(each.stat().st_mode) for each in path.parent.iterdir()} == {0o600}

    async def test_it_is_all_there_when_opened_again(self, path: Path) -> None:
        async with FhirStore(path) as store:
            await store.put_many(charts(20))
            before = await store.of_patient("p-005")
        assert [each.name for each in path.parent.iterdir()] == [path.name]
        async with FhirStore(path) as store:
            assert await store.of_patient("p-005") == before
            assert (await store.counts())["Patient"] == 20

    async def test_a_database_of_another_program_is_left_alone(self, path: Path) -> None:
        path.parent.mkdir()
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE cookies (name TEXT)")
        connection.close()
        with pytest.raises(Unavailable, match="not made by DocGemma"):
            await FhirStore(path).open()

    @pytest.mark.parametrize(
        ("damage", "word"),
        [
            ("PRAGMA user_version = 99", "newer"),
            ("PRAGMA user_version = 0", "not made by"),
            ("DROP TABLE members", "tables"),
            ("DROP INDEX versions_of_resource", "tables"),
            ("DELETE FROM totals", "totals"),
        ],
    )
    async def test_a_file_that_is_not_as_we_made_it_is_refused(self, path: Path, damage: str, word: str) -> None:
        async with FhirStore(path) as store:
            await store.put_many(charts(2))
        with sqlite3.connect(path) as connection:
            connection.execute(damage)
        connection.close()
        with pytest.raises((Unavailable, FhirFault), match=word):
            async with FhirStore(path):
                pass

    async def test_a_damaged_index_never_leads_to_another_patients_version(self, path: Path) -> None:
        async with FhirStore(path) as store:
            await store.put_many([patient(id_, "Okafor", id_) for id_ in ("p1", "p2", "p3")])
        data = path.read_bytes()
        # A row of the index over the versions as SQLite writes it: kind, id, version 1, and the place in `versions`.
        way = b"\x05\x1b\x11\x09\x01Patientp2"
        assert data.count(way + b"\x02") == 1
        path.write_bytes(data.replace(way + b"\x02", way + b"\x03"))
        async with FhirStore(path) as store:
            for look in (store.history("Patient", "p2"), store.version("Patient", "p2", 1)):
                with pytest.raises(FhirFault, match="damaged"):
                    await look

    @pytest.mark.parametrize(
        "loss",
        [
            "DELETE FROM members WHERE kind = 'AllergyIntolerance'",
            "DELETE FROM versions WHERE kind = 'AllergyIntolerance'",
            "DELETE FROM compartments WHERE place LIKE '%/AllergyIntolerance'",
            "UPDATE members SET patient = 'p-000' WHERE kind = 'AllergyIntolerance'",
            "UPDATE versions SET body = replace(body, 'substance', 'substitute')",
            "UPDATE compartments SET data = '1' || substr(data, 2) WHERE place = 'p-002/AllergyIntolerance'",
            "DELETE FROM compartments",
        ],
    )
    async def test_an_allergy_that_was_lost_never_looks_like_one_that_is_not_there(self, path: Path, loss: str) -> None:
        async with FhirStore(path) as store:
            await store.put_many(charts(3))
        with sqlite3.connect(path) as connection:
            connection.execute(loss)
        connection.close()
        async with FhirStore(path) as store:
            with pytest.raises(FhirFault, match=r"damaged.*[Rr]estore a backup") as caught:
                await store.of_patient("p-002", ["AllergyIntolerance"])
        assert caught.value.status == 500
        assert "substance" not in str(caught.value)
