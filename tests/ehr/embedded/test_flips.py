"""Damaged bytes: each answer is the one from before the damage, or a refusal. Never another one.

`DOCGEMMA_FLIPS=1000` runs more of them.
"""

from __future__ import annotations

import asyncio
import os
import random
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from docgemma.ehr.embedded.contract import Narrow
from docgemma.ehr.embedded.storage.store import FhirStore
from docgemma.ehr.embedded.storage.unit import Unit
from docgemma.errors import DocGemmaError
from tests.support.small_charts import allergy, charts, patient

RUNS = int(os.environ.get("DOCGEMMA_FLIPS", "70"))
PATIENTS = 40
PAGE = 4096
REFUSED = "refused"
NOW = datetime(2026, 3, 1, tzinfo=UTC)

Look = Callable[[Unit], Any]


def looks() -> dict[str, Look]:
    """What a clinician's questions come down to."""
    some: dict[str, Look] = {
        "counts": lambda unit: unit.counts(),
        "everyone": lambda unit: unit.of_kind("Patient", limit=1000),
        "some of everyone": lambda unit: unit.of_kind("Patient", after="p-01", limit=7),
        "all changes": lambda unit: unit.changes(limit=10_000),
        "a stranger": lambda unit: (unit.read("Patient", "nobody"), unit.of_patient("nobody")),
    }
    for word in ("ng", "smith", "marta", "castaneda", "zz", ""):
        some[f"name {word}"] = named(word)
    for number in range(0, PATIENTS, 3):
        some |= about(f"p-{number:03}")
    return some


def named(word: str) -> Look:
    return lambda unit: unit.find("Patient", [Narrow("name", (word,), prefix=True)])


def about(id_: str) -> dict[str, Look]:
    return {
        f"read {id_}": lambda unit: unit.read("Patient", id_),
        f"chart {id_}": lambda unit: unit.of_patient(id_),
        f"allergies {id_}": lambda unit: unit.of_patient(id_, ["AllergyIntolerance"]),
        f"history {id_}": lambda unit: unit.history("Patient", id_),
        f"first {id_}": lambda unit: unit.version("Patient", id_, 1),
        f"mrn {id_}": lambda unit: unit.find("Patient", [Narrow("identifier", (f"|MRN-{id_}",))]),
        f"referred {id_}": lambda unit: unit.referred(id_, unit.of_patient(id_)),
    }


LOOKS = looks()


async def fill(path: Path) -> None:
    def change(unit: Unit) -> None:
        for number in range(300):  # their index entries leave free pages behind
            unit.delete("Patient", f"gone-{number}")
        for number in range(0, PATIENTS, 2):
            unit.update(patient(f"p-{number:03}", f"Newname{number}", "Zoé"))

    async with FhirStore(path, clock=lambda: NOW) as store:
        await store.put_many(charts(PATIENTS))
        await store.put_many(patient(f"gone-{number}", f"Vanished{number}", "Y" * 90) for number in range(300))
        await store.run(change)


def write(unit: Unit) -> None:
    """What a clinician might do next."""
    unit.put_many(allergy(f"new-{number}", "p-003", "latex") for number in range(40))
    unit.put_many(patient(f"new-{number}", f"Arrived{number}", "Ng" + "x" * 90) for number in range(60))
    unit.delete("Observation", "p-006-o1")
    unit.update(patient("p-009", "Married", "Ana"))


@dataclass(frozen=True, slots=True)
class Outcome:
    before: dict[str, Any]
    after: dict[str, Any]
    wrote: bool


async def ask(store: FhirStore) -> dict[str, Any]:
    answers: dict[str, Any] = {}
    for name, look in LOOKS.items():
        try:
            answers[name] = await store.run(look, write=False)
        except DocGemmaError:
            answers[name] = REFUSED
    return answers


async def live_through(path: Path) -> Outcome:
    """Open, ask, write, ask again."""
    refused = dict.fromkeys(LOOKS, REFUSED)
    try:
        async with FhirStore(path, clock=lambda: NOW) as store:
            before = await ask(store)
            try:
                await store.run(write)
                wrote = True
            except DocGemmaError:
                wrote = False
            return Outcome(before, await ask(store), wrote)
    except DocGemmaError:
        return Outcome(refused, refused, wrote=False)


def wrong(answers: dict[str, Any], truth: dict[str, Any]) -> list[str]:
    return [name for name, answer in answers.items() if answer not in (truth[name], REFUSED)]


def places(data: bytes) -> dict[str, list[int]]:
    """Where damage does most: each kind of place gets its share, however small it is in the file."""
    pages = range(PAGE, len(data), PAGE)
    return {
        "header": list(range(100)),
        "tables": list(range(100, PAGE)),
        "inner pages": [page + byte for page in pages if data[page] in (2, 5) for byte in _used(data, page)],
        "index pages": [page + byte for page in pages if data[page] == 10 for byte in _used(data, page)],
        "page heads": [page + byte for page in pages for byte in range(64)],
        "free pages": [page + byte for page in _free_pages(data) for byte in range(64)],
        "anywhere": list(range(len(data))),
    }


def _used(data: bytes, page: int) -> list[int]:
    return [byte for byte in range(PAGE) if data[page + byte]]


def _free_pages(data: bytes) -> list[int]:
    """The pages that only list free pages: a wrong number there makes SQLite write over pages in use."""
    found = []
    trunk = int.from_bytes(data[32:36], "big")
    while trunk:
        found.append((trunk - 1) * PAGE)
        trunk = int.from_bytes(data[found[-1] : found[-1] + 4], "big")
    return found


def flipped(data: bytes, spots: list[list[int]], seed: int) -> bytes:
    """One byte in every other run, up to eight in the others; a bit, or the whole byte."""
    draw = random.Random(seed)
    chosen = spots[seed % len(spots)]
    damaged = bytearray(data)
    for _ in range(1 if draw.random() < 0.5 else draw.randint(2, 8)):
        damaged[draw.choice(chosen)] ^= 1 << draw.randrange(8) if draw.random() < 0.5 else draw.randint(1, 255)
    return bytes(damaged)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("charts") / "charts.sqlite"
    asyncio.run(fill(path))
    data = path.read_bytes()
    assert all(places(data).values()), "the store is too small to be damaged everywhere"
    return data


@pytest.fixture(scope="module")
def truth(whole: bytes, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    path = tmp_path_factory.mktemp("truth") / "charts.sqlite"
    path.write_bytes(whole)
    outcome = asyncio.run(live_through(path))
    assert outcome.wrote
    assert REFUSED not in outcome.before.values()
    return outcome


async def test_a_damaged_file_gives_the_truth_or_nothing(whole: bytes, truth: Outcome, tmp_path: Path) -> None:
    path = tmp_path / "charts.sqlite"
    spots, refused = list(places(whole).values()), 0
    for seed in range(RUNS):
        for each in tmp_path.iterdir():
            each.unlink()
        path.write_bytes(flipped(whole, spots, seed))
        outcome = await live_through(path)
        assert not wrong(outcome.before, truth.before), seed
        assert not wrong(outcome.after, truth.after if outcome.wrote else truth.before), seed
        refused += REFUSED in outcome.before.values()
    assert refused > RUNS / 10, "the damage hits nothing that is read"


def test_without_the_checks_the_same_damage_does_give_wrong_answers(whole: bytes, tmp_path: Path) -> None:
    """Otherwise the test above would prove nothing: SQLite alone reads damaged names and lost rows without a word."""
    question = "SELECT place FROM entries WHERE place >= 'Patient' ORDER BY place"

    def plain(data: bytes) -> list[tuple[str]] | str:
        path = tmp_path / "charts.sqlite"
        path.write_bytes(data)
        try:
            connection = sqlite3.connect(path)
            try:
                return connection.execute(question).fetchall()
            finally:
                connection.close()
        except (sqlite3.Error, UnicodeDecodeError):
            return REFUSED

    expected, spots = plain(whole), list(places(whole).values())
    assert sum(plain(flipped(whole, spots, seed)) not in (expected, REFUSED) for seed in range(200)) > 0
