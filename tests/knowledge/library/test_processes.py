"""Several processes on one library, and what is left when one of them is killed."""

from __future__ import annotations

from contextlib import ExitStack, suppress

import pytest

from docgemma.errors import Conflict
from docgemma.knowledge.library.library import Imported, Library, open_library
from docgemma.knowledge.roles import SHIPPED
from tests.knowledge.library.entries import bring, current, many
from tests.knowledge.library.worker import BATCH, SIZE
from tests.store.test_processes import Process, assert_succeeded, kill_dead, line, start_together, worker

MODULE = "tests.knowledge.library.worker"


async def test_an_import_killed_between_batches_can_be_run_again_at_once(address: str) -> None:
    async with open_library(address) as library:
        await bring(library, many(10, "Old."), batch=10)
        with worker(address, "hang", "New.", module=MODULE) as process:
            assert [line(process) for _ in range(3)] == ["ready", "staged", "staged"]
            with pytest.raises(Conflict, match="Another import"):
                await library.begin_import(by="lan")
            kill_dead(process)
            assert set((await current(library)).values()) == {"Old."}

            import_id = await library.begin_import(by="lan")
            await library.stage(import_id, many(SIZE, "New."))
        written_again = "SELECT COUNT(*) AS rows FROM knowledge_entries WHERE state = 'staged' AND import_id = ?"
        row = await library._database.run(lambda cursor: cursor.row(written_again, (import_id,)))
        assert row == {"rows": SIZE - 2 * BATCH}
        assert await library.finish_import(import_id) == Imported(generation=2, new=SIZE - 10, changed=10)
        assert await current(library) == {each.id: "New." for each in many(SIZE)}


async def test_what_a_killed_import_left_is_gone_after_another_one(address: str) -> None:
    async with open_library(address) as library:
        with worker(address, "hang", "Dead.", module=MODULE) as process:
            assert [line(process) for _ in range(3)] == ["ready", "staged", "staged"]
            kill_dead(process)
            assert await bring(library, many(5, "Alive.")) == Imported(generation=1, new=5)
        assert await current(library) == {each.id: "Alive." for each in many(5)}
        staged = "SELECT id FROM knowledge_entries WHERE state = 'staged'"
        assert await library._database.run(lambda cursor: cursor.rows(staged)) == []


async def editions_seen(library: Library, importers: list[Process]) -> set[str]:
    """What a reader sees while others import: a look that shows two editions, or half of one, is a mixture."""
    asked, seen = [each.id for each in many(SIZE)], set()
    while any(importer.poll() is None for importer in importers):
        found = await library.entries(asked)
        texts = {each.answer for each in found.values()}
        assert (len(texts), len(found)) in ((0, 0), (1, SIZE)), (texts, len(found))
        one_by_one: dict[str, str] = {}
        with suppress(Conflict):
            one_by_one = await current(library)
        assert len(set(one_by_one.values())) <= 1
        seen |= texts
    return seen


async def test_two_importers_and_a_reader_never_mix_two_imports(address: str) -> None:
    async with open_library(address) as library:
        with ExitStack() as stack:
            both = [stack.enter_context(worker(address, "race", name, module=MODULE)) for name in ("a", "b")]
            start_together(both)
            seen = await editions_seen(library, both)
            assert_succeeded(both)
        assert len(seen) > 1
        assert await library.generation() == 16
        rows = await library.history("e00000")
        assert sorted(row.added_by for row in rows) == sorted(f"{name}{number}" for name in "ab" for number in range(8))
        for each in many(SIZE):
            assert [row.entry and row.entry.answer for row in await library.history(each.id)] == [
                row.added_by for row in rows
            ]


async def test_processes_that_start_together_on_an_empty_library_all_succeed(address: str) -> None:
    with ExitStack() as stack:
        starters = [stack.enter_context(worker(address, "open", module=MODULE)) for _ in range(4)]
        start_together(starters)
        assert_succeeded(starters)
    async with open_library(address) as library:
        assert await library.roles() == SHIPPED
