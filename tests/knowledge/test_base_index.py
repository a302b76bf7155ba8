"""The index under the knowledge base: gone, damaged, behind, of another make; and the vectors kept beside it."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from docgemma.embed import Embedder
from docgemma.errors import Conflict, Unavailable
from docgemma.knowledge.base import NO_INDEX, STALE, KnowledgeBase
from docgemma.knowledge.entry import Entry
from docgemma.knowledge.index.contract import Document, Scope, Version
from docgemma.knowledge.index.edge import EdgeIndex
from docgemma.knowledge.library.library import Library
from docgemma.knowledge.search.searching import BOTH, WORDS, document
from docgemma.store.sqlite import SqliteDatabase
from tests.knowledge.worker import NURSE, WOUNDS, Letters, base_of, entry, ids, rows, stored

ENTRIES = [entry(number) for number in range(12)]
ALL = {each.id for each in ENTRIES}
LARGE = 5


@pytest.fixture
async def home(tmp_path: Path) -> Path:
    """A base that was filled and closed."""
    async with base_of(tmp_path) as base:
        await base.ingest(rows(ENTRIES), by="tests")
    return tmp_path


async def found(base: KnowledgeBase) -> tuple[set[str], tuple[str, ...]]:
    told = await base.search(WOUNDS, NURSE, limit=50)
    return set(ids(told)), told.notices


async def version(home: Path) -> Version | None:
    index = EdgeIndex(home / "index")
    try:
        return await index.version()
    finally:
        await index.close()


async def built(home: Path, entries: Sequence[Entry], of: Version) -> None:
    """An index as another program or another day would have left it."""

    async def handed() -> AsyncIterator[Sequence[Document]]:
        yield [document(each, None) for each in entries]

    index = EdgeIndex(home / "index")
    await index.build(of, handed())
    await index.close()


def gone(home: Path) -> None:
    shutil.rmtree(home / "index")


def cut(home: Path) -> None:
    largest = max((home / "index").glob("v-*/shard/**/*"), key=lambda path: path.stat().st_size)
    os.truncate(largest, largest.stat().st_size - 100)


def emptied(home: Path) -> None:
    shutil.rmtree(next((home / "index").glob("v-*")))


def misnamed(home: Path) -> None:
    (home / "index" / "CURRENT").write_text("../../elsewhere")


def undescribed(home: Path) -> None:
    next((home / "index").glob("v-*/manifest.json")).write_text("{}")


HARMS = pytest.mark.parametrize("harm", [gone, cut, emptied, misnamed, undescribed], ids=lambda harm: harm.__name__)
Harm = Callable[[Path], None]


class TestOutOfOrder:
    @HARMS
    async def test_a_small_base_gets_a_new_one_and_nobody_notices(self, home: Path, harm: Harm) -> None:
        harm(home)
        async with base_of(home) as base:
            assert await found(base) == (ALL, ())
        assert await version(home) is not None

    @HARMS
    async def test_also_while_it_is_open(self, home: Path, harm: Harm) -> None:
        async with base_of(home) as base:
            assert await found(base) == (ALL, ())
            await base._indexing._index.close()  # what is mapped into memory would go on answering
            harm(home)
            assert await found(base) == (ALL, ())

    @HARMS
    async def test_of_a_large_base_it_is_told_with_what_to_do(self, home: Path, harm: Harm) -> None:
        harm(home)
        async with base_of(home, small=LARGE) as base:
            with pytest.raises(Unavailable) as told:
                await found(base)
            assert str(told.value) == NO_INDEX
            assert len(await base.entries(sorted(ALL))) == len(ALL)
            assert (await base.info()).entries == len(ALL)
            await base.reindex()
            assert await found(base) == (ALL, ())

    async def test_a_folder_that_cannot_be_used_is_told(self, home: Path) -> None:
        gone(home)
        (home / "index").write_text("no folder")
        async with base_of(home) as base:
            with pytest.raises(Unavailable, match="Check that it is a folder"):
                await found(base)
            assert (await base.topics("nurse", "en"))[0].entries == len(ALL)


class TestBehind:
    async def test_a_small_base_gets_a_new_one_when_it_is_opened(self, home: Path) -> None:
        async with base_of(home) as base:
            await stored(base.library, [entry("new")])
        async with base_of(home) as base:
            assert await found(base) == (ALL | {"e-new"}, ())

    async def test_of_a_large_base_it_is_told_until_it_is_built(self, home: Path) -> None:
        async with base_of(home, small=LARGE) as base:
            await stored(base.library, [entry("new")])
            assert await found(base) == (ALL, (STALE,))
            async with base_of(home) as other:
                await other.reindex()
            assert await found(base) == (ALL | {"e-new"}, ())

    async def test_one_that_stays_open_leaves_it_to_whoever_changed_the_entries(self, home: Path) -> None:
        async with base_of(home) as base, base_of(home) as other:
            assert await found(base) == (ALL, ())
            await stored(other.library, [entry("new")])
            before = await version(home)
            assert await found(base) == (ALL, (STALE,))
            assert await version(home) == before
            await other.reindex()
            assert await found(base) == (ALL | {"e-new"}, ())

    async def test_one_that_stays_open_builds_it_when_nobody_else_did(self, home: Path) -> None:
        async with base_of(home, grace_s=0.0) as base, base_of(home) as other:
            assert await found(base) == (ALL, ())
            await stored(other.library, [entry("new")])
            assert await found(base) == (ALL | {"e-new"}, ())

    async def test_an_index_of_an_older_layout_is_built_anew_or_told(self, home: Path) -> None:
        now = await version(home)
        assert now is not None
        await built(home, ENTRIES, Version(now.generation, "", 0, len(ENTRIES), "words-0"))
        async with base_of(home, small=LARGE) as base:
            assert (await found(base))[1] == (STALE,)
        async with base_of(home) as base:
            assert await found(base) == (ALL, ())
        assert await version(home) == now

    async def test_opening_again_builds_nothing(self, home: Path) -> None:
        folders = sorted(path.name for path in (home / "index").iterdir())
        for _ in range(2):
            async with base_of(home) as base:
                assert await found(base) == (ALL, ())
        assert sorted(path.name for path in (home / "index").iterdir()) == folders


async def test_an_ingest_waits_for_the_end_of_another_build(home: Path) -> None:
    """Somebody who asks may be building the index of the entries before: what was stored is indexed all the same."""
    before, started, go = await version(home), asyncio.Event(), asyncio.Event()
    assert before is not None

    async def slowly() -> AsyncIterator[Sequence[Document]]:
        yield [document(each, None) for each in ENTRIES]
        started.set()
        await go.wait()

    class Refused(EdgeIndex):
        """Lets the other one end once it was sent away."""

        async def build(self, version: Version, documents: AsyncIterator[Sequence[Document]]) -> None:
            try:
                await super().build(version, documents)
            except Conflict:
                go.set()
                raise

    async with base_of(home, index=Refused(home / "index")) as base:
        other = EdgeIndex(home / "index")
        building = asyncio.create_task(other.build(before, slowly()))
        await started.wait()
        done = await base.ingest(rows([entry("new")]), by="tests")
        assert (done.new, go.is_set()) == (1, True)
        await building
        await other.close()
        assert await found(base) == (ALL | {"e-new"}, ())


async def test_many_who_notice_the_damage_at_once_mend_it_once(home: Path) -> None:
    async with base_of(home) as base:
        assert await found(base) == (ALL, ())
        await base._indexing._index.close()
        cut(home)
        assert await asyncio.gather(*(found(base) for _ in range(5))) == [(ALL, ())] * 5
        assert base._mendings == 1


async def test_a_damaged_entry_is_left_out_and_the_others_are_found(home: Path) -> None:
    with sqlite3.connect(home / "knowledge.sqlite") as file:
        file.execute("UPDATE knowledge_entries SET answer = 'Do nothing.' WHERE id = 'e-3'")
    file.close()
    gone(home)
    async with base_of(home) as base:
        assert await found(base) == (ALL - {"e-3"}, ())
        assert (await base.reindex()).entries == len(ALL) - 1
        assert await base.library.damaged() == ("e-3",)


async def test_an_entry_that_is_withdrawn_in_the_middle_of_a_build_is_not_in_it(home: Path) -> None:
    class Changing(Library):
        async def counts(self) -> dict[tuple[str, str], int]:
            before = await super().counts()
            if await self.entries(["e-3"]):
                await self.withdraw("e-3", by="tests", reason="wrong")
            return before

    async with base_of(home, library=Changing(SqliteDatabase(home / "knowledge.sqlite"))) as base:
        made = await base.reindex()
        assert (made.entries, made.generation) == (len(ALL) - 1, await base.library.generation())
        assert await found(base) == (ALL - {"e-3"}, ())


class TestEmbedder:
    async def test_one_that_was_installed_later_is_used_from_then_on(self, home: Path) -> None:
        async with base_of(home, Letters(), small=LARGE) as base:
            told = await base.search(WOUNDS, NURSE)
            assert (told.by, told.notices) == (WORDS, (STALE,))
        async with base_of(home, Letters()) as base:
            told = await base.search(WOUNDS, NURSE)
            assert (told.by, told.notices) == (BOTH, ())
            assert (await base.info()).embedder == "letters"

    async def test_who_has_none_uses_the_index_of_those_who_have_one(self, home: Path) -> None:
        async with base_of(home, Letters()) as base:
            await base.reindex()
        before = await version(home)
        async with base_of(home) as base:
            told = await base.search(WOUNDS, NURSE, limit=50)
            assert (told.by, told.notices, set(ids(told))) == (WORDS, (), ALL)
        assert await version(home) == before

    @pytest.mark.parametrize("dimensions", [16, 24], ids=["same length", "longer"])
    async def test_meanings_of_another_one_are_never_compared(self, home: Path, dimensions: int) -> None:
        async with base_of(home, Letters()) as base:
            await base.reindex()
        async with base_of(home, Letters("others", dimensions), small=LARGE) as base:
            told = await base.search(WOUNDS, NURSE)
            assert (told.by, told.notices) == (WORDS, (STALE,))
        async with base_of(home, Letters("others", dimensions)) as base:
            assert (await base.search(WOUNDS, NURSE)).by == BOTH

    async def test_one_that_cannot_be_loaded_leaves_the_words(self, home: Path) -> None:
        def load() -> Embedder | None:
            raise Unavailable("The sentence embedder is damaged.")

        async with base_of(home, load=load) as base:
            told = await base.search(WOUNDS, NURSE, limit=50)
            assert (told.by, told.notices, set(ids(told))) == (WORDS, (), ALL)
            assert (await base.info()).embedder == ""

    async def test_only_languages_that_it_understands_are_worked_out(self, tmp_path: Path) -> None:
        embedder = Letters()
        async with base_of(tmp_path, embedder) as base:
            await base.ingest(rows([entry("a"), entry("b", language="vi"), entry("c")]), by="tests")
            assert len(embedder.texts) == 2
            assert ids(await base.search("wound b", Scope(("nurse",), "vi"))) == ["e-b"]
            assert (await base.search(WOUNDS, NURSE)).by == BOTH


class TestVectors:
    async def hits(self, home: Path) -> tuple[list[tuple[str, float]], int]:
        """What a new index finds, and how many vectors had to be worked out for it."""
        embedder = Letters()
        async with base_of(home, embedder) as base:
            await base.reindex()
            made = len(embedder.texts)
            told = await base.search(WOUNDS, NURSE, limit=50)
            assert told.by == BOTH
            return [(each.entry.id, round(each.relevance, 6)) for each in told.found], made

    async def test_what_was_worked_out_before_is_not_again(self, home: Path) -> None:
        first, second = await self.hits(home), await self.hits(home)
        assert (first[1], second[1]) == (len(ALL), 0)
        assert first[0] == second[0]

    async def test_only_what_is_new_is_worked_out(self, home: Path) -> None:
        await self.hits(home)
        embedder = Letters()
        async with base_of(home, embedder) as base:
            await base.ingest(rows([*ENTRIES, entry("new")]), by="tests")
            assert len(embedder.texts) == 1

    async def test_they_are_worked_out_before_the_entries_are_current(self, home: Path) -> None:
        """It takes long, and until the index is built new entries are not found."""
        embedder, made = Letters(), list[tuple[str, int]]()
        async with base_of(home, embedder) as base:
            new = [entry(number, 2) for number in range(600)]
            await base.ingest(rows(new), by="tests", on_progress=lambda at, *_: made.append((at, len(embedder.texts))))
            assert list(dict.fromkeys(at for at, _ in made)) == ["reading", "embedding", "storing", "indexing"]
            assert {count for at, count in made if at in ("storing", "indexing")} == {len(new)}

    async def test_an_ingest_that_was_stopped_goes_on_where_it_was(self, home: Path) -> None:
        embedder, new = Letters(), [entry(number, 2) for number in range(600)]
        async with base_of(home, embedder) as base:
            generation = await base.library.generation()

            def stop(at: str, _done: int, _of: int | None) -> None:
                if at == "embedding":
                    asyncio.current_task().cancel()  # type: ignore[union-attr]

            with pytest.raises(asyncio.CancelledError):
                await asyncio.create_task(base.ingest(rows(new), by="tests", on_progress=stop))
            assert await base.library.generation() == generation
            before = len(embedder.texts)
            assert 0 < before < len(new)
            assert (await base.ingest(rows(new), by="tests")).rows == len(new)
            assert len(embedder.texts) == len(new)

    @pytest.mark.parametrize("harm", ["garbage", "cut", "folder", "other table", "gone"])
    async def test_a_cache_that_cannot_be_used_does_no_harm(self, home: Path, harm: str) -> None:
        first, _ = await self.hits(home)
        file = home / "vectors.sqlite"
        if harm == "garbage":
            file.write_bytes(b"not a database" * 100)
        elif harm == "cut":
            os.truncate(file, file.stat().st_size // 2)
        else:
            file.unlink()
        if harm == "folder":
            file.mkdir()
        elif harm == "other table":
            self.changed(home, "CREATE TABLE vectors (name TEXT)")
        assert (await self.hits(home))[0] == first

    @pytest.mark.parametrize(
        "value",
        [b"", b"\xff" * 32, b"\x00" * 32, b"\x00\x7c" * 16, b"\x00\x3c" * 16, 7, "text"],
        ids=["empty", "no numbers", "zeros", "infinite", "too long", "a number", "a text"],
    )
    async def test_a_damaged_vector_is_worked_out_anew(self, home: Path, value: Any) -> None:
        first, _ = await self.hits(home)
        self.changed(home, "UPDATE vectors SET vector = ? WHERE rowid IN (1, 2, 3)", value)
        assert await self.hits(home) == (first, 3)
        assert await self.hits(home) == (first, 0)

    def changed(self, home: Path, sql: str, *values: Any) -> None:
        with sqlite3.connect(home / "vectors.sqlite") as file:
            file.execute(sql, values)
        file.close()
