"""Looking a drug up in a pack."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from docgemma.sources.contract import Labels, SourceError
from docgemma.sources.pack.labels.database import MOST
from docgemma.sources.pack.manifest import FILE, places
from docgemma.sources.pack.reader import open_packs
from tests.sources.asking import soon
from tests.sources.pack_files import ask, built, database_of, shelf
from tests.support.labels import record


def brands(found: Labels | None) -> list[str]:
    return [] if found is None else [label.brands[0] if label.brands else label.title for label in found.labels]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    records = [
        record("warfarin sodium", brand="Coumadin", substances=["warfarin"], original=True),
        record("amoxicillin and clavulanate potassium", brand="Augmentin", substances=["amoxicillin", "clavulanate"]),
        record("amoxicillin", brand="Moxatag"),
        record("diphenhydramine HCl, phenylephrine HCl", brand="Night Time", substances=["diphenhydramine"]),
        record("haloperidol", brand="Haldol Decanoate", harmonised=False),
        record("éphedrine", brand="Ephed’rin®"),
    ]
    built(tmp_path / "packs", records)
    return tmp_path / "packs"


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("warfarin", ["Coumadin"]),
        ("WARFARIN SODIUM", ["Coumadin"]),
        ("  coumadin ", ["Coumadin"]),
        ("sodium warfarin", ["Coumadin"]),
        ("amoxicillin", ["Moxatag", "Augmentin"]),
        ("clavulanate potassium", ["Augmentin"]),
        ("amoxicillin/clavulanate", ["Augmentin"]),
        ("Diphenhydramine-HCl", ["Night Time"]),
        ("haloperidol", ["Haldol Decanoate haloperidol haloperidol"]),
        ("haldol decanoate", ["Haldol Decanoate haloperidol haloperidol"]),
        ("decanoate haldol", []),
        ("lactose monohydrate", []),
        ("lactose", []),
        ("warfarin and ibuprofen", []),
        ("warf", []),
        ("", []),
        (" \n -- ", []),
        ("word " * 500, []),
        ("a\0b", []),
        ("\ud800", []),
        ("' OR 1=1 --", []),
        ("ÉPHEDRINE", ["Ephed’rin®"]),
        ("Ephed’rin®", ["Ephed’rin®"]),
    ],
)
async def test_names_lead_to_labels_as_they_do_on_openfda(folder: Path, asked: str, expected: list[str]) -> None:
    assert brands(await ask(folder, asked)) == expected


async def test_an_answer_says_what_it_is_and_how_old(folder: Path) -> None:
    found = await ask(folder, "warfarin")
    assert found is not None
    assert (found.source, found.origin, found.data_date) == ("openFDA pack of 2026-08-11", "pack", "2026-08-11")
    assert (found.demonstration, found.total) == (False, 1)
    (label,) = found.labels
    assert label.full and label.original and label.effective == "2024-01-31"
    assert label.sections["contraindications"] == ("4 CONTRAINDICATIONS Known allergy to warfarin sodium.",)
    assert label.url is not None and label.set_id in label.url


async def test_the_best_come_first_and_the_rest_is_counted(tmp_path: Path) -> None:
    records = [
        record("alpha", brand=f"B{day}", effective=f"2020{month:02}{day}") for month in (1, 2) for day in range(10, 20)
    ]
    for number, made in enumerate(records):
        made["set_id"] = made["set_id"][:-4] + f"{number:04}"
    built(tmp_path / "packs", [*records, record("alpha and beta", substances=["alpha", "beta"])], keep=0)
    found = await ask(tmp_path / "packs", "alpha")
    assert found is not None
    assert (len(found.labels), found.total) == (MOST, 21)
    assert brands(found)[:2] == ["B19", "B18"]


async def test_only_the_newest_pack_answers(tmp_path: Path) -> None:
    folder = tmp_path / "packs"
    built(folder, [record("alpha"), record("gone")])
    built(folder, [record("alpha")], updated="2026-09-01")
    found = await ask(folder, "alpha")
    assert found is not None and found.data_date == "2026-09-01"
    assert await ask(folder, "gone") is None


async def test_a_pack_is_asked_often_and_by_several_at_once(folder: Path) -> None:
    import asyncio

    (pack,) = open_packs(folder)
    found = await asyncio.gather(*(pack.labels(drug, ends_at=soon()) for drug in ["warfarin", "x"] * 50))
    assert [one is not None for one in found] == [True, False] * 50
    await pack.close()
    assert await pack.labels("warfarin", ends_at=soon()) is not None  # opened anew
    await pack.close()


async def test_it_is_done_by_the_time_it_was_given(folder: Path) -> None:
    (pack,) = open_packs(folder)
    with pytest.raises(SourceError) as caught:
        await pack.labels("warfarin", ends_at=soon(-1))
    assert caught.value.error_type == "timeout"
    await pack.close()


def test_no_folder_and_no_packs(tmp_path: Path) -> None:
    assert open_packs(tmp_path / "nowhere") == ()
    (tmp_path / "packs" / "openfda-latest").mkdir(parents=True)
    (tmp_path / "packs" / "openfda-2026-01-01").write_text("a file")
    assert open_packs(tmp_path / "packs") == ()


async def test_a_folder_that_cannot_be_looked_into_is_not_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / "packs").symlink_to(tmp_path / "packs")
    (closed,) = open_packs(tmp_path / "packs")
    with pytest.raises(SourceError, match="cannot be read"):
        await closed.labels("warfarin", ends_at=soon())
    await closed.close()


class TestUnusable:
    """Each of these is an error with what to do about it, never an answer of none."""

    async def refused(self, folder: Path) -> str:
        with pytest.raises(SourceError) as caught:
            await ask(folder, "warfarin")
        assert caught.value.error_type == "not_configured"
        return str(caught.value)

    async def test_no_description(self, folder: Path) -> None:
        (places(folder, "openfda")[0].folder / FILE).unlink()
        assert "docgemma pack build" in await self.refused(folder)

    async def test_no_database(self, folder: Path) -> None:
        (places(folder, "openfda")[0].folder / "labels.sqlite").unlink()
        assert "cannot be opened" in await self.refused(folder)
        assert not (places(folder, "openfda")[0].folder / "labels.sqlite").exists()

    async def test_a_newer_format(self, folder: Path) -> None:
        from docgemma.seal import DESCRIBED
        from docgemma.sources.pack.manifest import _sealed

        file = places(folder, "openfda")[0].folder / FILE
        values = {**json.loads(file.read_bytes()), "format": 2, "new": "field"}
        del values["seal"]
        file.write_text(json.dumps({**values, "seal": DESCRIBED.of(_sealed(values))}))
        assert "this version of DocGemma does not read" in await self.refused(folder)

    async def test_somebody_elses_database(self, folder: Path) -> None:
        file = places(folder, "openfda")[0].folder / "labels.sqlite"
        file.unlink()
        with sqlite3.connect(file) as other:
            other.execute("CREATE TABLE term (word TEXT)")
        other.close()
        assert "not made by DocGemma" in await self.refused(folder)

    async def test_a_renamed_folder(self, folder: Path) -> None:
        places(folder, "openfda")[0].folder.rename(folder / "openfda-2027-01-01")
        assert "renamed" in await self.refused(folder)

    async def test_descriptions_that_are_none(self, folder: Path) -> None:
        file = places(folder, "openfda")[0].folder / FILE
        for text in ("", "[]", "null", "{", "{}", '{"kind": "openfda"}', "[" * 100_000):
            file.write_text(text)
            assert "docgemma pack verify" in await self.refused(folder)

    async def test_a_damaged_newest_pack_does_not_pass_for_the_older_one(self, folder: Path) -> None:
        new = built(folder, shelf(5), updated="2026-09-01")
        database_of(new).write_bytes(b"nothing")
        assert "2026-09-01" in await self.refused(folder)
        shutil.rmtree(new.place.folder)
        assert await ask(folder, "warfarin") is not None
