"""Demonstration patients come and go without touching anybody else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from docgemma.ehr import demo
from docgemma.ehr.embedded.contract import Narrow
from docgemma.ehr.embedded.storage.store import FhirStore
from docgemma.ehr.embedded.storage.unit import Counts
from docgemma.errors import Conflict

ALL = sum(1 for _ in demo.resources())


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[FhirStore]:
    async with FhirStore(tmp_path / "charts.sqlite") as opened:
        yield opened


def somebody(id_: str) -> dict[str, object]:
    return {
        "resourceType": "Patient",
        "id": id_,
        "identifier": [{"system": "http://hospital.example/mrn", "value": "1"}],
        "name": [{"family": "Real"}],
    }


async def test_loading_twice_changes_nothing(store: FhirStore) -> None:
    assert await demo.load(store) == Counts(created=ALL)
    assert await demo.load(store) == Counts(unchanged=ALL)
    assert await demo.present(store) == 16


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        ("maria garcia", ["def-456", "ghi-789"]),
        ("john smith", ["abc-123"]),
        ("james wilson", ["jkl-012", "mno-345", "pqr-678"]),
        ("nguyen thi mai", ["stu-901", "vwx-234"]),
        ("marta kovacs", ["yza-567"]),
        ("jose hernandez", ["bcd-890"]),
        ("oluwaseun adeyemi", ["hij-246"]),
        ("sian ohara lloyd", ["nop-864"]),
    ],
)
async def test_they_are_found_by_their_names(store: FhirStore, words: str, ids: list[str]) -> None:
    await store.put_many(each for each in demo.resources() if each["resourceType"] == "Patient")
    narrow = [Narrow("name", (word,), prefix=True) for word in words.split()]
    assert await store.find("Patient", narrow) == ids


async def test_a_new_store_gets_them_once(store: FhirStore) -> None:
    assert await demo.load_if_empty(store)
    assert not await demo.load_if_empty(store)
    await demo.remove(store)
    assert not await demo.load_if_empty(store)
    assert await demo.present(store) == 0


async def test_a_store_with_anything_of_a_persons_own_gets_none(store: FhirStore) -> None:
    await store.create(somebody("p1"))
    await store.delete("Patient", "p1")
    assert not await demo.load_if_empty(store)


async def test_removing_takes_what_was_written_about_them_and_nothing_else(store: FhirStore) -> None:
    await store.create(somebody("p1"))
    await demo.load(store)
    await store.create(
        {"resourceType": "Basic", "id": "later", "code": {"text": "x"}, "subject": {"reference": "Patient/abc-123"}}
    )
    assert await demo.remove(store) == ALL + 1
    assert await store.counts() == {"Patient": 1}
    assert await demo.load(store) == Counts(created=ALL)


async def test_a_real_patient_with_such_an_id_is_neither_overwritten_nor_removed(store: FhirStore) -> None:
    await store.create(somebody("abc-123"))
    with pytest.raises(Conflict, match="abc-123 is in the store already"):
        await demo.load(store)
    assert await demo.remove(store) == 0
    assert await store.counts() == {"Patient": 1}
