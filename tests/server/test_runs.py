"""Runs: told completely and in order to everybody who watches, wherever they watch from, however they lose touch."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from docgemma.errors import BadInput, Conflict, Unavailable, UnknownId
from docgemma.store.sessions import open_store
from tests.server.paced import OWNER, SENTENCES, PacedModel, kinds, process, question, text_of, told


@pytest.fixture
def model() -> PacedModel:
    return PacedModel()


async def test_a_run_goes_on_by_itself_and_tells_everything_in_order(tmp_path: Path, model: PacedModel) -> None:
    async with process(tmp_path, model) as (runs, on):
        run = await runs.start(question())
        assert (run.state, (await on.store.get_turn(run.id)).status) == ("running", "running")
        model.let()
        events = await told(runs, run)
        record = (await on.store.get_turn(run.id)).record
    assert [event.number for event in events] == list(range(1, len(events) + 1))
    assert events[0].kind == "begun"
    assert events[0].body == {"session_id": run.session_id, "turn_id": run.id}
    assert (events[-1].kind, events[-1].body) == ("done", {"turn_id": run.id})
    assert record is not None
    assert text_of(events).strip() == record["response"].strip()
    assert [event.body["label"] for event in events if event.kind == "step"] == [
        step["label"] for step in record["timeline"]
    ]


async def test_coming_back_at_any_place_loses_and_repeats_nothing(tmp_path: Path, model: PacedModel) -> None:
    """Each reader leaves after a number of events and comes back with the last number it saw, during and after."""
    async with process(tmp_path, model) as (runs, _):
        run = await runs.start(question())
        readers = []

        async def coming_and_going(every: int) -> list[int | None]:
            heard: list[int | None] = []
            while True:
                news = await told(runs, run, after=heard[-1] or 0 if heard else 0, upto=every)
                heard += [event.number for event in news]
                if news[-1].is_last:
                    return heard

        readers = [asyncio.create_task(coming_and_going(every)) for every in (1, 2, 3, 5, 100)]
        for _ in SENTENCES:
            await asyncio.sleep(0.01)
            model.let(1)
        whole = [event.number for event in await told(runs, run)]
        assert [await reader for reader in readers] == [whole] * len(readers)
        finished = await runs.info(run.id, OWNER)
        assert finished.state == "done"
        for seen in range(len(whole)):
            assert [event.number for event in await told(runs, finished, after=seen)] == whole[seen:]


async def test_a_reader_that_never_reads_holds_nobody_up(tmp_path: Path, model: PacedModel) -> None:
    async with process(tmp_path, model) as (runs, _):
        run = await runs.start(question())
        async with runs.watching(run) as asleep:
            model.let()
            events = await told(runs, run)
            assert events[-1].kind == "done"
            assert [event.number for event in asleep.take()] == [event.number for event in events]


async def test_what_was_told_is_stored_already(tmp_path: Path, model: PacedModel) -> None:
    async with process(tmp_path, model) as (runs, _):
        run = await runs.start(question())
        model.let()
        async with runs.watching(run) as reader:
            async for event in reader:
                with sqlite3.connect(tmp_path / "sessions.sqlite") as other:
                    row = other.execute("SELECT MAX(number) FROM events WHERE run_id = ?", (run.id,)).fetchone()
                assert row[0] >= (event.number or 0)


class TestSentTwice:
    async def test_a_double_click_is_one_run(self, tmp_path: Path, model: PacedModel) -> None:
        async with process(tmp_path, model) as (runs, on):
            both = await asyncio.gather(*(runs.start(question(turn_id="click-1")) for _ in range(5)))
            assert len({(run.id, run.session_id) for run in both}) == 1
            model.let()
            await told(runs, both[0])
            again = await runs.start(question(turn_id="click-1"))
            assert (again.id, again.session_id, again.state) == ("click-1", both[0].session_id, "done")
            assert len(await on.store.list_sessions(OWNER)) == 1
            assert len(await on.store.turns(again.session_id)) == 1

    async def test_also_when_two_processes_get_it(self, tmp_path: Path, model: PacedModel) -> None:
        async with process(tmp_path, model) as (one, on), process(tmp_path, model) as (two, _):
            both = await asyncio.gather(*(runs.start(question(turn_id="click-1")) for runs in (one, two)))
            assert len({(run.id, run.session_id) for run in both}) == 1
            model.let()
            assert kinds(await told(one, both[0])) == kinds(await told(two, both[1]))
            assert len(await on.store.list_sessions(OWNER)) == 1

    async def test_an_id_of_another_question_or_person_is_refused(self, tmp_path: Path, model: PacedModel) -> None:
        async with process(tmp_path, model) as (runs, on):
            await runs.start(question(turn_id="mine"))
            other = await on.store.create_session(OWNER)
            for changed in ({"owner": "dr.roe"}, {"session_id": other.id}, {"text": "And now?"}, {"role": "nurse"}):
                with pytest.raises(Conflict, match="mine"):
                    await runs.start(question(turn_id="mine", **changed))


class TestRefused:
    async def test_a_busy_session_is_refused_at_once(self, tmp_path: Path, model: PacedModel) -> None:
        async with process(tmp_path, model) as (runs, on):
            run = await runs.start(question())
            with pytest.raises(Conflict, match="still answering"):
                await runs.start(question(session_id=run.session_id))
            assert len(await on.store.turns(run.session_id)) == 1

    @pytest.mark.parametrize("text", ["", "  ", "a\x00b", "x" * 20_001], ids=["empty", "blank", "binary", "long"])
    async def test_what_cannot_be_asked_leaves_nothing_behind(
        self, tmp_path: Path, model: PacedModel, text: str
    ) -> None:
        async with process(tmp_path, model) as (runs, on):
            with pytest.raises(BadInput):
                await runs.start(question(text))
            assert await on.store.list_sessions(OWNER) == ()

    async def test_another_persons_session_image_or_run_is_unknown(self, tmp_path: Path, model: PacedModel) -> None:
        async with process(tmp_path, model) as (runs, on):
            theirs = await on.store.create_session("dr.roe")
            image = await on.store.put_image(theirs.id, "image/png", b"pixels", width=1, height=1)
            with pytest.raises(UnknownId):
                await runs.start(question(session_id=theirs.id))
            mine = await on.store.create_session(OWNER)
            with pytest.raises(UnknownId, match="no image"):
                await runs.start(question(session_id=mine.id, image_id=image))
            run = await runs.start(question())
            for asked in (run.id, "nowhere"):
                with pytest.raises(UnknownId, match=f"There is no run {asked}."):
                    await runs.info(asked, "dr.roe")
            with pytest.raises(UnknownId):
                await runs.stop(run.id, "dr.roe")

    async def test_where_nothing_can_be_stored_nothing_begins(self, tmp_path: Path, model: PacedModel) -> None:
        async with process(tmp_path, model) as (runs, _):
            with sqlite3.connect(tmp_path / "sessions.sqlite") as other:
                other.execute("ALTER TABLE turns RENAME TO lost")
            with pytest.raises(Unavailable, match="damaged"):
                await runs.start(question())


class TestStopped:
    async def test_it_says_so_and_frees_the_session(self, tmp_path: Path, model: PacedModel) -> None:
        async with process(tmp_path, model) as (runs, on):
            run = await runs.start(question())
            model.let(1)
            await told(runs, run, upto=3)
            await runs.stop(run.id, OWNER)
            assert (await told(runs, run))[-1].kind == "stopped"
            assert (await runs.info(run.id, OWNER)).state == "stopped"
            assert (await on.store.get_turn(run.id)).status == "interrupted"
            model.let()
            after = await runs.start(question("And how is it treated?", session_id=run.session_id))
            assert (await told(runs, after))[-1].kind == "done"

    async def test_and_runs_again_under_its_own_id(self, tmp_path: Path, model: PacedModel) -> None:
        async with process(tmp_path, model) as (runs, on):
            run = await runs.start(question())
            await runs.stop(run.id, OWNER)
            first = await told(runs, run)
            again, twice = await asyncio.gather(*(runs.retry(run.session_id, OWNER) for _ in range(2)))
            assert again.id == twice.id == run.id
            model.let()
            events = await told(runs, again, after=first[-1].number or 0)
            assert [event.number for event in events][:1] == [(first[-1].number or 0) + 1]
            assert (events[0].kind, events[-1].kind) == ("begun", "done")
            assert kinds(await told(runs, again)) == kinds(events), "what the first try told is void"
            assert [turn.status for turn in await on.store.turns(run.session_id)] == ["done"]
            with pytest.raises(BadInput, match="nothing to run again"):
                await runs.retry(run.session_id, OWNER)
            with pytest.raises(UnknownId):
                await runs.retry(run.session_id, "dr.roe")

    async def test_after_its_end_nothing_changes(self, tmp_path: Path, model: PacedModel) -> None:
        async with process(tmp_path, model) as (runs, _):
            model.let()
            run = await runs.start(question())
            await told(runs, run)
            assert (await runs.stop(run.id, OWNER)).state == "done"
            assert (await runs.info(run.id, OWNER)).state == "done"


class TestAnotherProcess:
    async def test_follows_and_stops(self, tmp_path: Path, model: PacedModel) -> None:
        async with process(tmp_path, model) as (one, _), process(tmp_path, model) as (two, _):
            run = await one.start(question())
            seen = await two.info(run.id, OWNER)
            follower = asyncio.create_task(told(two, seen))
            model.let(2)
            mine = await told(one, run, upto=5)
            await two.stop(run.id, OWNER)
            theirs = await follower
            assert [event.number for event in theirs[:5]] == [event.number for event in mine]
            assert theirs == await told(one, run)
            assert theirs[-1].kind == "stopped"

    async def test_that_is_shut_down_leaves_a_turn_to_run_again(self, tmp_path: Path, model: PacedModel) -> None:
        async with process(tmp_path, model) as (two, on):
            async with process(tmp_path, model) as (one, _):
                run = await one.start(question())
                follower = asyncio.create_task(told(two, run))
                watcher = asyncio.create_task(told(one, run))
                await asyncio.sleep(0.05)
            assert not (await watcher)[-1].is_last, "its own readers come back to whoever is there next"
            assert (await on.store.get_turn(run.id)).status == "interrupted"
            assert (await follower)[-1].kind == "interrupted"
            assert (await two.info(run.id, OWNER)).state == "interrupted"
            assert (await told(two, await two.info(run.id, OWNER)))[-1].kind == "interrupted"
            model.let()
            again = await two.retry(run.session_id, OWNER)
            assert (again.id, kinds(await told(two, again))[-1]) == (run.id, "done")


async def test_a_run_whose_events_are_gone_is_told_by_its_turn(tmp_path: Path, model: PacedModel) -> None:
    async with process(tmp_path, model) as (runs, _):
        model.let()
        run = await runs.start(question())
        await told(runs, run)
        async with open_store(str(tmp_path / "sessions.sqlite")) as store:
            await store.database.run(lambda cursor: [cursor.execute(f"DELETE FROM {t}") for t in ("events", "runs")])
        known = await runs.info(run.id, OWNER)
        assert (known.session_id, known.state) == (run.session_id, "done")
        assert [(event.number, event.kind) for event in await told(runs, known)] == [(None, "done")]


async def test_events_that_cannot_be_stored_end_the_run_with_a_reason(tmp_path: Path, model: PacedModel) -> None:
    async with process(tmp_path, model) as (runs, _):
        run = await runs.start(question())
        bystander = await runs.start(question())
        await told(runs, run, upto=3)
        with sqlite3.connect(tmp_path / "sessions.sqlite") as other:  # another process has taken the run over
            sql = "INSERT INTO events VALUES (?, ?, 'step', '{}') ON CONFLICT DO NOTHING"
            other.executemany(sql, [(run.id, number) for number in range(4, 12)])
        model.let(2 * len(SENTENCES))
        events = await told(runs, run)
        assert (events[-1].number, events[-1].kind) == (None, "failed")
        assert "another process" in events[-1].body["error"]
        assert (await told(runs, bystander))[-1].kind == "done"
