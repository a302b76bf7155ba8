from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from docgemma.clinical import People, withheld
from docgemma.fetch.door import Reply
from docgemma.sources.cache import Asked, Cache
from docgemma.sources.contract import SourceError
from docgemma.sources.web import Answer, Mode, Web, object_in
from tests.sources.asking import asking, soon
from tests.support.fake_service import FakeService, Question, Said

PARAMS = (("name", "warfarin"),)


class Counter(FakeService):
    """Says how often it was asked; has nothing when told so."""

    empty = False

    def answer(self, question: Question) -> Said:
        return Said(404, b"none") if self.empty else Said(200, {"asked": self.count})


class Story:
    def __init__(self, fake: Counter, web: Web, url: str) -> None:
        self.fake, self.web, self.url = fake, web, url
        self.now = datetime(2026, 8, 1, 12, tzinfo=UTC)

    async def ask(self, params: tuple[tuple[str, str], ...] = PARAMS, key: str = "") -> Answer[int]:
        secrets = (("api_key", key),) if key else ()
        return await self.web.ask("The service", self.url, params, read=read, ends_at=soon(), secrets=secrets)


def read(reply: Reply) -> int | None:
    if reply.status == 404 and reply.body == b"none":
        return None
    found: int = object_in("The service", reply)["asked"]
    return found


@asynccontextmanager
async def story(folder: Path, mode: Mode = "auto") -> AsyncIterator[Story]:
    fake = Counter()
    told: list[Story] = []
    cache = Cache(folder / "cache.sqlite", clock=lambda: told[0].now)
    async with asking(fake, cache=cache, mode=mode, clock=lambda: told[0].now) as (web, url):
        told.append(Story(fake, web, url))
        yield told[0]
    await cache.close()


async def test_a_fresh_answer_is_not_asked_for_again(tmp_path: Path) -> None:
    async with story(tmp_path) as told:
        assert await told.ask() == Answer(1, "live", "2026-08-01")
        told.now += timedelta(hours=23)
        assert await told.ask() == Answer(1, "cache", "2026-08-01")
        told.now += timedelta(hours=2)
        assert await told.ask() == Answer(2, "live", "2026-08-02")
        assert await told.ask((("name", "heparin"),)) == Answer(3, "live", "2026-08-02")


async def test_another_key_is_the_same_question(tmp_path: Path) -> None:
    async with story(tmp_path) as told:
        await told.ask(key="one")
        await told.ask(key="two")
        assert told.fake.count == 1
        assert "api_key=one" in told.fake.questions[0].raw
    assert b"one" not in (tmp_path / "cache.sqlite").read_bytes().replace(b"none", b"")


@pytest.mark.parametrize("fault", [Said(500, b""), Said(200, b"<html>"), Said(200, b""), Said(429, b""), Said(200, [])])
async def test_a_failing_service_leaves_what_it_said_before_with_its_date(tmp_path: Path, fault: Said) -> None:
    async with story(tmp_path) as told:
        await told.ask()
        told.fake.always = fault
        told.now += timedelta(days=100)
        assert await told.ask() == Answer(1, "cache", "2026-08-01")
        told.now += timedelta(days=81)
        with pytest.raises(SourceError):
            await told.ask()


async def test_what_could_not_be_used_is_not_kept(tmp_path: Path) -> None:
    async with story(tmp_path) as told:
        told.fake.faults = [Said(200, b"<html>Sign in to the network</html>")]
        with pytest.raises(SourceError):
            await told.ask()
        assert (await told.ask()).origin == "live"


async def test_nothing_is_believed_for_an_hour_and_never_instead_of_an_answer(tmp_path: Path) -> None:
    async with story(tmp_path) as told:
        told.fake.empty = True
        assert await told.ask() == Answer(None, "live", "2026-08-01")
        told.now += timedelta(minutes=50)
        assert await told.ask() == Answer(None, "cache", "2026-08-01")
        assert told.fake.count == 1
        told.now += timedelta(minutes=11)
        told.fake.always = Said(503, b"")
        with pytest.raises(SourceError) as caught:
            await told.ask()
        assert caught.value.error_type == "server_error"


async def test_live_means_live(tmp_path: Path) -> None:
    async with story(tmp_path) as told:
        await told.ask()
    async with story(tmp_path, mode="live") as told:
        assert (await told.ask()).origin == "live"
        assert (await told.ask()).data == 2
        told.fake.always = Said(503, b"")
        with pytest.raises(SourceError):
            await told.ask()


async def test_a_kept_reply_that_cannot_be_read_any_more_is_asked_for(tmp_path: Path) -> None:
    async with story(tmp_path) as told:
        await told.web.ask("The service", told.url, PARAMS, read=lambda reply: 7, ends_at=soon())
        told.fake.faults = [Said(200, {"other": 1}), Said(200, {"asked": 5})]

        def strict(reply: Reply) -> int:
            raise SourceError("invalid_response", "Not in this version.")

        with pytest.raises(SourceError):
            await told.web.ask("The service", told.url, PARAMS, read=strict, ends_at=soon())
        assert told.fake.count == 2


async def test_a_question_about_a_patient_is_refused_even_where_an_old_answer_lies(tmp_path: Path) -> None:
    async with story(tmp_path) as told:
        await told.ask((("name", "Ann Lee"),))
        told.now += timedelta(days=2)
        token = withheld.set(People(names=("Ann Lee",)))
        try:
            with pytest.raises(SourceError) as caught:
                await told.ask((("name", "Ann Lee"),))
        finally:
            withheld.reset(token)
        assert caught.value.error_type == "patient_data"
        assert "Ann" not in str(caught.value)
        assert told.fake.count == 1


async def test_a_service_that_is_not_there(tmp_path: Path) -> None:
    async with story(tmp_path) as told:
        with pytest.raises(SourceError) as caught:
            await told.web.ask("The service", "http://127.0.0.1:9/x", read=read, ends_at=soon(1))
    assert caught.value.error_type == "service_unavailable"
    assert str(caught.value).startswith("The service gave no answer: the ")
    assert "127.0.0.1" not in str(caught.value)


class Stuck(Cache):
    """A file on a disk that does not come back."""

    async def keep(self, question: Asked, status: int, body: bytes, *, empty: bool = False) -> None:
        await asyncio.Event().wait()


async def test_an_answer_does_not_wait_for_being_kept(tmp_path: Path) -> None:
    cache = Stuck(tmp_path / "cache.sqlite")
    async with asking(Counter(), cache=cache) as (web, url), asyncio.timeout(30):
        answer = await web.ask("The service", url, PARAMS, read=read, ends_at=soon(1))
    await cache.close()
    assert (answer.data, answer.origin) == (1, "live")


async def test_a_long_reply_is_read_like_a_short_one(tmp_path: Path) -> None:
    async with story(tmp_path) as told:
        told.fake.always = Said(200, {"asked": 7, "filler": "x" * 200_000})
        assert (await told.ask()).data == 7
        assert (await told.ask()).origin == "cache"
        told.fake.always = Said(200, b"{" + b" " * 200_000)
        with pytest.raises(SourceError) as failure:
            await told.ask((("name", "heparin"),))
        assert failure.value.error_type == "invalid_response"
