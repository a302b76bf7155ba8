"""Bytes flip on the disks of clinics. What is no longer what was stored is never given out as an answer."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest

from docgemma.errors import DocGemmaError, Unavailable
from docgemma.knowledge.library.library import Imported, Library, open_library
from docgemma.knowledge.library.rows import TEXTS
from tests.knowledge.library.conftest import Sql
from tests.knowledge.library.entries import bring, current, entry, many

FULL = entry("b", "Take 5 mL.", url="https://example.org/b", reviewed="2025-01-02", subtopic="Uống nước")


@pytest.mark.parametrize("column", [*(name for name in TEXTS if name not in ("id", "language")), "digest"])
async def test_a_changed_letter_of_any_column_takes_the_entry_out_and_leaves_the_others(
    library: Library, sql: Sql, column: str, caplog: pytest.LogCaptureFixture
) -> None:
    await bring(library, [entry("a"), FULL, entry("c")])
    await sql(f"UPDATE knowledge_entries SET {column} = {column} || '0' WHERE id = 'b'")
    assert list(await library.entries(["a", "b", "c"])) == ["a", "c"]
    assert list(await current(library)) == ["a", "c"]
    assert "damaged entries of the knowledge base are left out: 1." in caplog.text
    assert "5 mL" not in caplog.text
    assert await library.damaged() == ("b",)
    (row,) = await library.history("b")
    assert (row.entry, row.state) == (None, "current")


async def test_a_demonstration_text_cannot_become_own_knowledge_by_a_bit(library: Library, sql: Sql) -> None:
    await bring(library, [entry("a", demonstration=True)])
    for value in (0, 7):
        await sql("UPDATE knowledge_entries SET demonstration = ?", value)
        assert await library.entries(["a"]) == {}


async def test_importing_it_again_heals_a_damaged_entry(library: Library, sql: Sql) -> None:
    await bring(library, [entry("a"), FULL])
    await sql("UPDATE knowledge_entries SET answer = 'Take 9 mL.' WHERE id = 'b'")
    assert await bring(library, [entry("a"), FULL]) == Imported(generation=2, changed=1, unchanged=1)
    assert (await library.entries(["b"]))["b"] == FULL
    assert await library.damaged() == ("b (version 1)",)


async def test_a_staged_row_that_was_damaged_is_staged_again(library: Library, sql: Sql) -> None:
    dead = await library.begin_import(by="lan")
    await library.stage(dead, [entry("a"), FULL])
    await library.abandon_import(dead)
    await sql("UPDATE knowledge_entries SET answer = 'Take 9 mL.' WHERE id = 'b'")
    await bring(library, [entry("a"), FULL])
    assert await library.entries(["b"]) == {"b": FULL}
    assert await library.damaged() == ()


async def test_a_staged_row_that_is_lost_stops_the_import_and_changes_nothing(library: Library, sql: Sql) -> None:
    await bring(library, [entry("a", "Old.")])
    import_id = await library.begin_import(by="lan")
    await library.stage(import_id, [entry("a", "New."), entry("b")])
    await sql("DELETE FROM knowledge_entries WHERE id = 'b'")
    with pytest.raises(Unavailable, match="Run the import again: nothing was changed"):
        await library.finish_import(import_id)
    assert (await current(library), await library.generation()) == ({"a": "Old."}, 1)


async def test_a_flipped_byte_that_is_no_letter_is_one_damaged_row_and_not_a_dead_library(tmp_path: Path) -> None:
    """SQLite only: PostgreSQL takes no text that is none, and has checksums of its own for the rest."""
    path, tried = tmp_path / "knowledge.sqlite", 0
    async with open_library(str(path)) as library:
        await bring(library, [entry("a"), FULL, entry("c")])
        with sqlite3.connect(path, isolation_level=None) as raw:
            raw.text_factory = bytes
            for column in (*TEXTS, "digest", "state"):
                (before,) = raw.execute(f"SELECT {column} FROM knowledge_entries WHERE rowid = 2").fetchone()
                for place in {0, len(before) // 2, len(before) - 1}:
                    damaged = bytearray(before)
                    damaged[place] ^= 0x80
                    change = f"UPDATE knowledge_entries SET {column} = CAST(? AS TEXT) WHERE rowid = 2"
                    raw.execute(change, (bytes(damaged),))
                    tried += 1
                    assert list(await library.entries(["a", "b", "c"])) == ["a", "c"], (column, place)
                    assert list(await current(library)) == ["a", "c"], (column, place)
                    assert len(await library.damaged()) == 1, (column, place)
                    assert [topic.name for topic in await library.topics("nurse", "en")] == ["Fluids"]
                    assert await library.counts()
                    raw.execute(change, (before,))
        raw.close()
        assert await library.damaged() == ()
    assert tried > 30


async def test_a_damaged_file_gives_out_what_was_stored_or_nothing(tmp_path: Path) -> None:
    """Bytes of the file itself, indexes included. What was withdrawn or replaced does not come back either."""
    path = tmp_path / "knowledge.sqlite"
    async with open_library(str(path)) as library:
        await bring(library, [*many(12, "Old."), entry("w")])
        await bring(library, many(6, "New."))
        await library.withdraw("w", by="lan", reason="wrong")
        right = await current(library)
    whole, chosen, told, lost = path.read_bytes(), random.Random(5), 0, 0
    body = [place for place in range(len(whole)) if whole[place]]
    for number in range(200):
        damaged = bytearray(whole)
        damaged[chosen.choice(body)] ^= 1 << chosen.randrange(8)
        other = tmp_path / f"{number}.sqlite"
        other.write_bytes(damaged)
        try:
            async with open_library(str(other)) as library:
                found = {each.id: each.answer for each in (await library.entries([*right, "w"])).values()}
                assert found.items() <= right.items()
                lost += found != right
                told += bool(await library.damaged())
        except DocGemmaError:
            told += 1
    assert lost > 10
    assert told >= lost


async def test_an_index_that_brings_back_a_withdrawn_row_is_not_believed(tmp_path: Path) -> None:
    """The row says withdrawn, the index says current: the row counts."""
    path = tmp_path / "knowledge.sqlite"
    async with open_library(str(path)) as library:
        await bring(library, [entry("a"), entry("b")])
    raw = sqlite3.connect(path, isolation_level=None)
    (index,) = raw.execute("SELECT sql FROM sqlite_master WHERE name = 'knowledge_current'").fetchone()
    raw.execute("PRAGMA writable_schema = ON")
    raw.execute(
        "UPDATE sqlite_master SET sql = replace(sql, '''current''', '''other''') WHERE name = 'knowledge_current'"
    )
    raw.close()
    raw = sqlite3.connect(path, isolation_level=None)
    raw.execute("UPDATE knowledge_entries SET state = 'withdrawn' WHERE id = 'a'")
    raw.execute("PRAGMA writable_schema = ON")
    raw.execute("UPDATE sqlite_master SET sql = ? WHERE name = 'knowledge_current'", (index,))
    raw.close()
    async with open_library(str(path)) as library:
        assert list(await library.entries(["a", "b"])) == ["b"]
        assert list(await current(library)) == ["b"]
        with pytest.raises(Unavailable, match="The knowledge base is damaged"):
            await library.damaged()


async def test_a_file_that_is_no_library_is_said_to_be_none(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.sqlite"
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(Unavailable, match=r"^The knowledge base .* is damaged"):
        async with open_library(str(path)):
            pass
