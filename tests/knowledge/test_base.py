"""The knowledge base as one thing: what comes in, what is found, and what nobody may see."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from docgemma.errors import Unavailable, UnknownId
from docgemma.knowledge.base import KnowledgeBase
from docgemma.knowledge.entry import Language
from docgemma.knowledge.index.contract import Scope
from docgemma.knowledge.ingesting import BadRows, Ingested
from docgemma.knowledge.library.library import Library
from docgemma.knowledge.reading.contract import Problem, Row
from docgemma.knowledge.roles import SHIPPED
from docgemma.store.sqlite import SqliteDatabase
from tests.knowledge.worker import NURSE, WOUNDS, base_of, entry, ids, library_of, rows, stored, versions

SUGAR = Scope(("patient_diabetes",), "en")
ROLES = tuple(role.id for role in SHIPPED)


@pytest.fixture
async def base(tmp_path: Path) -> AsyncIterator[KnowledgeBase]:
    async with base_of(tmp_path) as opened:
        yield opened


async def state(base: KnowledgeBase) -> tuple[int, object, list[str]]:
    """What a person could notice a change by."""
    info = await base.info()
    return info.generation, info.index, ids(await base.search(WOUNDS, NURSE, limit=50))


async def taken(base: KnowledgeBase, *numbers: int, version: int = 1, **how: bool) -> Ingested:
    return await base.ingest(rows(entry(number, version) for number in numbers), by="tests", **how)


async def test_a_new_base_answers_from_the_demonstration_entries(base: KnowledgeBase) -> None:
    found = await base.search("What is HbA1c?", SUGAR)
    assert all(each.entry.demonstration and each.entry.role == "patient_diabetes" for each in found.found)
    assert found.fitting
    info = await base.info()
    assert (info.entries, info.demonstration, info.embedder) == (490, True, "")
    assert info.index is not None
    assert (info.index.entries, info.index.generation) == (490, info.generation)


async def test_nothing_is_written_before_the_first_question(tmp_path: Path) -> None:
    async with base_of(tmp_path):
        pass
    assert not list(tmp_path.iterdir())


async def test_who_only_looks_at_roles_or_topics_waits_for_no_index(base: KnowledgeBase, tmp_path: Path) -> None:
    assert [role.id for role in await base.roles()] == list(ROLES)
    assert (await base.role("nurse")).audience == "professional"
    assert await base.topics("nurse", "vi")
    assert not (tmp_path / "index").exists()
    with pytest.raises(UnknownId, match="no role 'plumber'"):
        await base.role("plumber")


async def test_own_knowledge_takes_the_place_of_all_demonstration_entries(base: KnowledgeBase) -> None:
    await base.search("What is HbA1c?", SUGAR)
    done = await taken(base, 1, 2)
    assert (done.rows, done.new, done.demonstration_out) == (2, 2, 490)
    assert not (await base.search("What is HbA1c?", SUGAR)).found
    info = await base.info()
    assert (info.entries, info.demonstration) == (2, False)


async def test_own_knowledge_on_a_new_base_never_meets_the_demonstration(base: KnowledgeBase) -> None:
    done = await taken(base, 1)
    assert (done.new, done.demonstration_out) == (1, 0)
    assert (await base.info()).entries == 1


async def test_the_demonstration_can_be_brought_back(base: KnowledgeBase) -> None:
    await base.search("What is HbA1c?", SUGAR)
    await taken(base, 1)
    done = await base.load_demonstration("tests")
    assert (done.rows, done.brought_back) == (490, 490)
    assert (await base.search("What is HbA1c?", SUGAR)).fitting
    info = await base.info()
    assert (info.entries, info.demonstration) == (491, True)


async def test_demonstration_entries_never_come_in_beside_own_ones_by_themselves(tmp_path: Path) -> None:
    """A process found an empty base; before it can fill it, another one brings own knowledge."""

    class Overtaken(Library):
        async def begin_import(self, *, by: str, origin: str = "") -> str:
            if by == "docgemma":
                async with library_of(tmp_path) as other:
                    await stored(other, [entry(1)])
            return await super().begin_import(by=by, origin=origin)

    library = Overtaken(SqliteDatabase(tmp_path / "knowledge.sqlite"))
    async with base_of(tmp_path, library=library) as base:
        assert ids(await base.search(WOUNDS, NURSE)) == ["e-1"]
        info = await base.info()
        assert (info.entries, info.demonstration) == (1, False)


class TestBadRows:
    BAD = Problem("handbook.jsonl", 7, "The answer is empty.")

    async def test_one_of_them_keeps_all_out(self, base: KnowledgeBase) -> None:
        await taken(base, 1)
        before = await state(base)
        with pytest.raises(BadRows, match=r"^1 row cannot be taken, and nothing was changed\.$") as told:
            await base.ingest(rows([entry(1, 2), entry(2), self.BAD]), by="tests")
        assert told.value.problems == (self.BAD,)
        assert await state(base) == before

    async def test_they_can_be_left_out(self, base: KnowledgeBase) -> None:
        done = await base.ingest(rows([entry(1), self.BAD, entry(2)]), by="tests", skip_bad=True)
        assert (done.rows, done.new, done.skipped) == (2, 2, 1)
        assert set(ids(await base.search(WOUNDS, NURSE))) == {"e-1", "e-2"}

    async def test_all_are_counted_and_the_first_are_told(self, base: KnowledgeBase) -> None:
        many = [Problem("handbook.jsonl", number, "The answer is empty.") for number in range(1_234)]
        with pytest.raises(BadRows, match=r"^1,234 rows cannot") as told:
            await base.ingest(rows(many), by="tests")
        assert (told.value.count, len(told.value.problems)) == (1_234, 20)

    async def test_a_role_that_nobody_knows_changes_nothing(self, base: KnowledgeBase) -> None:
        await taken(base, 1)
        before = await state(base)
        with pytest.raises(Exception, match="no role 'plumber'"):
            await base.ingest(rows([entry(2), entry(3, role="plumber")]), by="tests")
        assert await state(base) == before
        assert (await taken(base, 2)).new == 1

    async def test_what_was_checked_is_what_is_stored_whatever_becomes_of_the_files(self, base: KnowledgeBase) -> None:
        files = iter([[entry(2), entry(3)], [self.BAD]])

        def changing() -> Iterator[Row | Problem]:
            return rows(next(files))()

        assert (await base.ingest(changing, by="tests")).new == 2
        assert await base.entries(["e-2", "e-3"]) == {"e-2": entry(2), "e-3": entry(3)}

    async def test_letters_of_all_kinds_come_through_as_they_are(self, base: KnowledgeBase) -> None:
        odd = entry("odd", answer='Đường huyết ↓ < 3,9 mmol/L\u2028dòng hai "x" \\ \t 𝛼 e\u0301')
        await base.ingest(rows([odd]), by="tests")
        assert await base.entries(["e-odd"]) == {"e-odd": odd}

    async def test_a_folder_without_room_for_them_is_told(self, tmp_path: Path) -> None:
        async with base_of(tmp_path) as base:
            base._folder = tmp_path / "knowledge.sqlite"
            await base.library.open()
            with pytest.raises(Unavailable, match="nothing was changed"):
                await taken(base, 1)
            assert await base.library.generation() == 0


async def test_a_trial_changes_nothing(base: KnowledgeBase) -> None:
    await taken(base, 1)
    before = await state(base)
    done = await taken(base, 1, 2, version=2, dry_run=True)
    assert (done.rows, done.new, done.changed) == (2, 0, 0)
    assert await state(base) == before


async def test_the_same_again_changes_nothing(base: KnowledgeBase) -> None:
    await taken(base, 1, 2)
    before = await state(base)
    done = await taken(base, 1, 2)
    assert (done.rows, done.unchanged, done.new, done.changed) == (2, 2, 0, 0)
    assert await state(base) == before


async def test_a_changed_entry_shows_its_new_text(base: KnowledgeBase) -> None:
    await taken(base, 1, 2)
    done = await taken(base, 1, version=2)
    assert (done.changed, done.new) == (1, 0)
    told = {each.entry.id: each.entry for each in (await base.search(WOUNDS, NURSE)).found}
    assert (told["e-1"], told["e-2"]) == (entry(1, 2), entry(2, 1))
    assert await base.entries(["e-1"]) == {"e-1": entry(1, 2)}


async def test_what_a_full_handbook_lacks_is_withdrawn_for_its_own_readers_only(base: KnowledgeBase) -> None:
    kept = entry(9, role="general_practitioner")
    await base.ingest(rows([entry(1), entry(2), kept]), by="tests")
    done = await taken(base, 1, withdraw_missing=True)
    assert (done.unchanged, done.withdrawn) == (1, 1)
    assert ids(await base.search(WOUNDS, NURSE)) == ["e-1"]
    assert ids(await base.search(WOUNDS, Scope(("general_practitioner",), "en"))) == ["e-9"]


async def test_a_base_without_any_entry_finds_nothing_and_says_nothing(base: KnowledgeBase) -> None:
    await taken(base, 1)
    await base.library.withdraw("e-1", by="tests", reason="wrong")
    await base.reindex()
    found = await base.search(WOUNDS, NURSE)
    assert (found.found, found.notices) == ((), ())


async def test_what_is_withdrawn_is_gone_at_once_for_whoever_has_the_base_open(
    base: KnowledgeBase, tmp_path: Path
) -> None:
    await taken(base, 1, 2)
    async with base_of(tmp_path) as other:
        assert set(ids(await other.search(WOUNDS, NURSE))) == {"e-1", "e-2"}
        index = (await other.info()).index
        await base.library.withdraw("e-1", by="tests", reason="wrong")
        assert ids(await other.search(WOUNDS, NURSE)) == ["e-2"]
        assert await other.entries(["e-1"]) == {}
        assert (await other.info()).index == index


@pytest.mark.parametrize("phase", ["reading", "storing", "indexing"])
async def test_an_ingest_that_is_stopped_can_be_run_again(tmp_path: Path, phase: str) -> None:
    """Until it ends, the base is as before; once all is stored, it is as after."""
    loop, count = asyncio.get_running_loop(), 2_300
    async with base_of(tmp_path) as base:
        await taken(base, 1)
        before = await base.library.generation()
        task: list[asyncio.Task[Ingested]] = []

        def stop(at: str, _done: int, _of: int | None) -> None:
            if at == phase:
                loop.call_soon_threadsafe(task[0].cancel)

        many = rows(entry(number, 2) for number in range(count))
        task.append(asyncio.create_task(base.ingest(many, by="tests", on_progress=stop)))
        with pytest.raises(asyncio.CancelledError):
            await task[0]
        async with base_of(tmp_path, small=0) as other:
            found = await other.search("wound of kind 1", NURSE)
            stopped_late = phase == "indexing"
            assert await other.library.generation() == before + stopped_late
            assert versions(found) == [2 if stopped_late else 1]
            done = await other.ingest(many, by="tests")
            expected = (0, 0, count) if stopped_late else (count - 1, 1, 0)
            assert (done.new, done.changed, done.unchanged) == expected
            found = await other.search("wound of kind 2299", NURSE)
            assert ids(found)[0] == "e-2299"
            assert not found.notices


async def test_a_damaged_library_is_told_in_one_sentence(tmp_path: Path) -> None:
    async with base_of(tmp_path) as base:
        await taken(base, 1)
    file = tmp_path / "knowledge.sqlite"
    file.write_bytes(b"not a database" * 100)
    async with base_of(tmp_path) as base:
        questions: list[Callable[[], object]] = [
            lambda: base.search(WOUNDS, NURSE),
            lambda: base.entries(["e-1"]),
            base.info,
            base.reindex,
            lambda: taken(base, 2),
        ]
        for each in questions:
            with pytest.raises(Unavailable, match=r"^The knowledge base .* is damaged or was not made by DocGemma\."):
                await each()  # type: ignore[misc]


def test_no_scope_ever_finds_what_was_written_for_others(tmp_path: Path) -> None:
    """Also where the index is older: half of the entries were moved to another role or language after it was built."""
    kinds = [(role, language) for role in ROLES for language in get_args(Language)]
    first = [entry(number, role=role, language=language) for number, (role, language) in enumerate(kinds * 3)]
    moved = [
        entry(number, role=kinds[(number + 5) % len(kinds)][0], language=kinds[(number + 2) % len(kinds)][1])
        for number in range(0, len(first), 2)
    ]
    now = {each.id: each for each in (*first, *moved)}
    scopes = st.builds(
        Scope,
        roles=st.lists(st.sampled_from([*ROLES, "plumber", ""]), max_size=3).map(tuple),
        language=st.sampled_from(get_args(Language)),
        topic=st.sampled_from(["", "Wounds", "Falls"]),
        subtopic=st.sampled_from(["", "Dressing", "Other"]),
    )

    async def opened() -> KnowledgeBase:
        async with base_of(tmp_path) as base:
            await base.ingest(rows(first), by="tests")
            for each in moved:
                await base.library.withdraw(each.id, by="tests", reason="it is for others")
            await stored(base.library, moved)
        return base_of(tmp_path, small=0)

    with asyncio.Runner() as runner:
        base = runner.run(opened())
        seen: set[str] = set()

        @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
        @given(scope=scopes, question=st.sampled_from([WOUNDS, "wound of kind 7", "vết thương kind 3", "version"]))
        def check(scope: Scope, question: str) -> None:
            found = runner.run(base.search(question, scope, limit=30))
            for each in found.found:
                assert each.entry == now[each.entry.id]
                assert each.entry.role in scope.roles
                assert each.entry.language == scope.language
                seen.add(each.entry.id)

        check()
        runner.run(base.close())
    assert seen
