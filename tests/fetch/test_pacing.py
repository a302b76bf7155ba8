"""How often a host is asked, in which order, and for how long it is left alone."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.fetch.pacing import PUBLIC_SERVICES, Manners, NoSlot, Pace, retry_after_s
from tests.support.virtual_time import now, run_virtually

FAR = 10_000.0


async def _times(pace: Pace, count: int) -> list[float]:
    """When each of so many requests at once was let through, in the order they asked."""
    began = now()

    async def one() -> float:
        await pace.slot(now() + FAR)
        return round(now() - began, 6)

    return list(await asyncio.gather(*(one() for _ in range(count))))


def test_a_few_go_at_once_and_the_rest_at_the_pace_in_the_order_they_came() -> None:
    async def main() -> None:
        assert await _times(Pace(Manners(per_minute=60, burst=3)), 6) == [0, 0, 0, 1, 2, 3]

    run_virtually(main())


def test_a_quiet_time_saves_up_no_more_than_the_burst() -> None:
    async def main() -> None:
        pace = Pace(Manners(per_minute=60, burst=2))
        await _times(pace, 2)
        await asyncio.sleep(500)
        assert await _times(pace, 3) == [0, 0, 1]

    run_virtually(main())


@given(st.floats(1, 2000), st.integers(1, 30), st.lists(st.floats(0, 20), max_size=40))
def test_no_minute_sees_more_than_it_may(per_minute: float, burst: int, arrivals: list[float]) -> None:
    async def main() -> None:
        pace, passed = Pace(Manners(per_minute, burst)), []

        async def one(after: float) -> None:
            await asyncio.sleep(after)
            await pace.slot(now() + FAR)
            passed.append(now())

        await asyncio.gather(*map(one, arrivals))
        for place, start in enumerate(passed):
            assert sum(time < start + 60 for time in passed[place:]) <= burst + per_minute + 1

    run_virtually(main())


def test_who_cannot_be_served_in_time_is_told_at_once_and_takes_nobodys_slot() -> None:
    async def main() -> None:
        pace = Pace(Manners(per_minute=60, burst=1))
        await pace.slot(now() + FAR)
        waiting = asyncio.create_task(_times(pace, 2))
        await asyncio.sleep(0.1)
        before = now()
        with pytest.raises(NoSlot):
            await pace.slot(now() + 2.5)  # the third from here comes in three seconds
        assert now() == before
        assert await waiting == [1, 2]

    run_virtually(main())


def test_who_stops_waiting_loses_nobody_a_slot() -> None:
    async def main() -> None:
        pace = Pace(Manners(per_minute=60, burst=1))
        await pace.slot(now() + FAR)
        began = now()
        leaving = [asyncio.create_task(pace.slot(now() + FAR)) for _ in range(3)]
        staying = asyncio.create_task(_times(pace, 2))
        await asyncio.sleep(0.5)
        for task in leaving:
            task.cancel()
        assert await staying == [1, 2]
        assert now() - began == pytest.approx(2)

    run_virtually(main())


def test_a_host_that_asked_to_be_left_alone_is() -> None:
    async def main() -> None:
        pace = Pace(Manners(per_minute=60, burst=2))
        pace.hold(now() + 40)
        pace.hold(now() + 5)  # an earlier, longer wish stands
        with pytest.raises(NoSlot):
            await pace.slot(now() + 39)
        assert await _times(pace, 3) == [40, 40, 41]

    run_virtually(main())


def test_a_wish_that_comes_while_waiting_is_noticed_when_the_slot_would_have_come() -> None:
    async def main() -> None:
        pace = Pace(Manners(per_minute=6, burst=1))
        await pace.slot(now() + FAR)
        began = now()
        waiting = asyncio.create_task(pace.slot(now() + 30))
        await asyncio.sleep(1)
        pace.hold(now() + 600)
        with pytest.raises(NoSlot):
            await waiting
        assert now() - began == pytest.approx(10)

    run_virtually(main())


def test_who_waits_while_the_host_asks_to_be_left_alone_does_not_wait_beyond_its_time() -> None:
    async def main() -> None:
        pace = Pace(Manners(per_minute=6, burst=1))
        await pace.slot(now() + FAR)
        patient = asyncio.create_task(pace.slot(now() + FAR))
        hasty = asyncio.create_task(pace.slot(now() + 30))
        await asyncio.sleep(1)
        began = now()
        pace.hold(now() + 600)
        with pytest.raises(NoSlot):
            await hasty
        assert now() - began <= 30
        await patient
        assert now() - began >= 600

    run_virtually(main())


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("7", 7),
        (" 0 ", 0),
        ("99999999999999", 86_400),
        ("Wed, 21 Oct 2026 07:28:30 GMT", 30),
        ("Wed, 21 Oct 2026 07:20:00 GMT", 0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 86_400),
        ("", None),
        ("-5", None),
        ("1.5", None),
        ("soon", None),
        ("٣", None),
        ("Wed, 99 Oct 2026 07:28:30 GMT", None),
    ],
)
def test_reads_how_long_a_server_wants_to_be_left_alone(said: str, seconds: float | None) -> None:
    assert retry_after_s({"retry-after": said, "date": "Wed, 21 Oct 2026 07:28:00 GMT"}) == seconds


def test_a_date_is_read_by_this_clock_when_the_server_does_not_tell_its_own() -> None:
    wanted = format_datetime(datetime.now(UTC) + timedelta(hours=3), usegmt=True)
    seconds = retry_after_s({"retry-after": wanted})
    assert seconds is not None and 10_000 < seconds <= 10_800


@given(st.text(max_size=40), st.text(max_size=40))
def test_no_header_is_too_strange(said: str, date: str) -> None:
    seconds = retry_after_s({"retry-after": said, "date": date})
    assert seconds is None or 0 <= seconds <= 86_400


@pytest.mark.parametrize("wrong", [{"per_minute": 0}, {"per_minute": 1, "burst": 0}, {"per_minute": 1, "at_once": 0}])
def test_manners_that_let_nothing_through_are_none(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="at least one"):
        Manners(**wrong)


@pytest.mark.parametrize(
    ("host", "requests", "seconds"),
    [("api.fda.gov", 240, 60), ("rxnav.nlm.nih.gov", 20, 1), ("eutils.ncbi.nlm.nih.gov", 3, 1)],
)
def test_known_services_are_never_asked_for_more_than_they_allow(host: str, requests: int, seconds: int) -> None:
    manners = PUBLIC_SERVICES[host]
    assert manners.burst + manners.per_minute / 60 * seconds <= requests
