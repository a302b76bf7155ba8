"""What third parties are asked, how often, and what becomes of their faults. Time is virtual: nothing sleeps."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

import httpx2
import pytest

from docgemma.clinical import TRANSIENT
from docgemma.fetch.door import FetchError, Kind, Reply
from docgemma.fetch.outside import error_type_of
from docgemma.fetch.pacing import Manners
from tests.fetch.timed_service import URL, Answer, Service, after, reply
from tests.support.virtual_time import now, run_virtually


def _run(
    service: Service, *, time_s: float = 10, times: int = 1, final: Callable[[Reply], bool] = lambda reply: False
) -> tuple[Reply | Kind, float]:
    """What the last of so many questions in a row gave, and how long that one took."""

    async def main() -> tuple[Reply | Kind, float]:
        outside = service.outside()
        for _ in range(times):
            began = now()
            try:
                got: Reply | Kind = await outside.get(URL, ends_at=began + time_s, final=final)
            except FetchError as error:
                got = error.kind
        return got, now() - began

    return run_virtually(main())


def test_asks_politely_and_hands_over_the_reply() -> None:
    service = Service(reply(200, b'{"results": []}'))

    async def main() -> None:
        params = [("search", 'brand:"A+B" AND x'), ("limit", "1"), ("limit", "2")]
        got = await service.outside().get(f"{URL}?a=b#c", params, secrets=[("api_key", "s3&t")], ends_at=now() + 10)
        assert (got.status, got.body) == (200, b'{"results": []}')

    run_virtually(main())
    (sent,) = service.seen
    assert sent.method == "GET"
    assert sent.url.query == b"a=b&search=brand%3A%22A%2BB%22%20AND%20x&limit=1&limit=2&api_key=s3%26t"
    assert sent.headers["user-agent"] == "DocGemma"
    assert sent.headers["accept-encoding"] == "gzip"


def test_half_a_character_does_no_harm() -> None:
    service = Service(reply())
    run_virtually(_asked(service, [("search", "warf\ud800arin")]))
    assert service.seen[0].url.query == b"search=warf%3Farin"


async def _asked(service: Service, params: list[tuple[str, str]]) -> None:
    await service.outside().get(URL, params, ends_at=now() + 10)


@pytest.mark.parametrize(
    "fault",
    [
        reply(500),
        reply(503),
        reply(429),
        httpx2.ConnectError("no"),
        httpx2.ReadError("reset"),
        httpx2.RemoteProtocolError("cut"),
        after(100),
        reply(200, b"x", content_encoding="gzip"),
    ],
)
def test_a_fault_that_passes_is_not_noticed(fault: Answer) -> None:
    service = Service(fault, reply(200, b"good"))
    got, took = _run(service)
    assert isinstance(got, Reply) and got.body == b"good"
    assert took < 10


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (reply(500), "failing"),
        (reply(503), "failing"),
        (reply(429), "busy"),
        (httpx2.ConnectError("no"), "refused"),
        (httpx2.ReadError("reset"), "broken"),
        (after(100), "timeout"),
        (reply(200, b"x", content_encoding="gzip"), "broken"),
    ],
)
def test_a_fault_that_stays_is_told_after_two_tries_and_in_time(fault: Answer, kind: Kind) -> None:
    service = Service(fault)
    got, took = _run(service)
    assert got == kind
    assert len(service.seen) == 2
    assert took <= 10


@pytest.mark.parametrize("status", [200, 204, 304, 400, 403, 404, 418])
def test_any_other_status_is_a_reply_at_once(status: int) -> None:
    service = Service(reply(status))
    got, _ = _run(service)
    assert isinstance(got, Reply) and got.status == status
    assert len(service.seen) == 1


def test_what_a_service_has_to_say_is_a_reply_whatever_its_status() -> None:
    service = Service(reply(500, b"[parse_exception]"))
    got, _ = _run(service, times=5, final=lambda reply: b"parse_exception" in reply.body)
    assert isinstance(got, Reply) and got.status == 500
    assert len(service.seen) == 5  # neither asked twice nor left alone


def test_a_reply_that_is_too_large_is_not_asked_for_again() -> None:
    service = Service(reply(200, b"x" * 101))

    async def main() -> None:
        with pytest.raises(FetchError) as failure:
            await service.outside().get(URL, ends_at=now() + 10, max_bytes=100)
        assert failure.value.kind == "too_large"

    run_virtually(main())
    assert len(service.seen) == 1


def test_the_first_try_leaves_time_for_a_second_that_needs_some() -> None:
    got, took = _run(Service(after(100), after(3, reply(200, b"late"))))
    assert isinstance(got, Reply) and got.body == b"late"
    assert took < 10


def test_a_slow_service_is_waited_for() -> None:
    service = Service(after(5.5, reply(200, b"slow")))
    got, _ = _run(service)
    assert isinstance(got, Reply) and len(service.seen) == 1


def test_little_time_is_not_cut_in_two() -> None:
    service = Service(after(0.8))
    got, _ = _run(service, time_s=0.9)
    assert isinstance(got, Reply) and len(service.seen) == 1


@pytest.mark.parametrize("time_s", [0.0, -5.0])
def test_without_time_nothing_is_sent(time_s: float) -> None:
    service = Service(reply())
    assert _run(service, time_s=time_s) == ("timeout", 0)
    assert service.seen == []


@pytest.mark.parametrize("status", [429, 503])
def test_waits_as_long_as_it_is_asked_to(status: int) -> None:
    service = Service(reply(status, retry_after="4"), reply())
    got, _ = _run(service)
    assert isinstance(got, Reply)
    assert service.times[1] - service.times[0] >= 4


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("said", ["60", "Wed, 21 Oct 2026 07:29:00 GMT"])
def test_a_wish_that_is_too_long_is_granted_by_not_asking(status: int, said: str) -> None:
    service = Service(reply(status, retry_after=said, date="Wed, 21 Oct 2026 07:28:00 GMT"), reply())

    async def main() -> None:
        outside = service.outside()
        for _ in range(3):
            began = now()
            with pytest.raises(FetchError) as failure:
                await outside.get(URL, ends_at=now() + 10)
            assert (failure.value.kind, now()) == ("busy", began)
        assert len(service.seen) == 1
        await asyncio.sleep(55)
        assert (await outside.get(URL, ends_at=now() + 10)).status == 200

    run_virtually(main())
    assert service.times[1] - service.times[0] >= 60


def test_another_host_is_none_the_worse_for_it() -> None:
    service = Service(reply(429, retry_after="60"), reply())

    async def main() -> None:
        outside = service.outside()
        with pytest.raises(FetchError):
            await outside.get(URL, ends_at=now() + 10)
        assert (await outside.get("https://other.example.test/", ends_at=now() + 10)).status == 200

    run_virtually(main())


def test_follows_a_redirect_within_the_same_server() -> None:
    service = Service(reply(301, location="/v2/label.json?x=1"), reply(302, location="next"), reply(200, b"there"))
    got, _ = _run(service)
    assert isinstance(got, Reply) and got.body == b"there"
    assert [str(sent.url) for sent in service.seen][1:] == [
        "https://api.example.test/v2/label.json?x=1",
        "https://api.example.test/v2/next",
    ]


@pytest.mark.parametrize(
    "target",
    [
        "https://elsewhere.test/drug/label.json",
        "//elsewhere.test/",
        "http://api.example.test/drug/label.json",
        "https://api.example.test:8443/drug/label.json",
        "https://api.example.test@elsewhere.test/",
        "https://who@api.example.test/",
        "https://[::1/",
        "file:///etc/hosts",
    ],
)
def test_follows_no_redirect_elsewhere(target: str) -> None:
    service = Service(reply(302, location=target))
    assert _run(service)[0] == "redirected"
    assert len(service.seen) == 1


def test_does_not_go_round_and_round() -> None:
    service = Service(reply(302, location="/drug/label.json"))
    assert _run(service)[0] == "redirected"
    assert len(service.seen) == 4


def test_a_service_that_keeps_failing_is_left_alone_then_tried_by_one() -> None:
    service = Service(*[reply(500)] * 3, after(1, reply(200)))

    async def main() -> None:
        outside = service.outside()
        kinds = []
        for _ in range(4):
            with pytest.raises(FetchError) as failure:
                await outside.get(URL, ends_at=now() + 10)
            kinds.append(failure.value.kind)
        assert kinds == ["failing", "failing", "resting", "resting"]
        assert len(service.seen) == 3
        await asyncio.sleep(31)
        got = await asyncio.gather(*(outside.get(URL, ends_at=now() + 10) for _ in range(3)), return_exceptions=True)
        assert [isinstance(one, Reply) for one in got] == [True, False, False]
        assert len(service.seen) == 4
        assert (await outside.get(URL, ends_at=now() + 10)).status == 200

    run_virtually(main())


def test_a_probe_that_its_caller_gave_up_does_not_shut_the_service_out() -> None:
    service = Service(*[reply(500)] * 3, after(5), reply())

    async def main() -> None:
        outside = service.outside()
        for _ in range(2):
            with pytest.raises(FetchError):
                await outside.get(URL, ends_at=now() + 10)
        await asyncio.sleep(31)
        probe = asyncio.create_task(outside.get(URL, ends_at=now() + 10))
        await asyncio.sleep(1)
        probe.cancel()
        await asyncio.sleep(0)
        assert (await outside.get(URL, ends_at=now() + 10)).status == 200

    run_virtually(main())


@pytest.mark.parametrize("harmless", [reply(404), reply(429), reply(302, location="https://elsewhere.test/")])
def test_what_is_no_failure_of_the_service_does_not_make_it_rest(harmless: httpx2.Response) -> None:
    service = Service(*[harmless] * 8, reply(200, b"still asked"))
    got, _ = _run(service, times=9)
    assert isinstance(got, Reply)


def test_who_was_given_next_to_no_time_has_not_failed() -> None:
    service = Service(*[after(1)] * 5, reply())

    async def main() -> None:
        outside = service.outside()
        for _ in range(5):
            with pytest.raises(FetchError):
                await outside.get(URL, ends_at=now() + 0.2)
        assert (await outside.get(URL, ends_at=now() + 10)).status == 200

    run_virtually(main())


def test_many_at_once_are_paced_and_only_a_few_at_a_time() -> None:
    service = Service(after(2))

    async def main() -> None:
        outside = service.outside(Manners(per_minute=600, burst=5, at_once=3))
        got = await asyncio.gather(*(outside.get(URL, ends_at=now() + 100) for _ in range(12)))
        assert [one.status for one in got] == [200] * 12

    run_virtually(main())
    assert service.most_at_once == 3


def test_what_cannot_be_asked_in_time_is_busy_at_once() -> None:
    service = Service(reply())

    async def main() -> None:
        outside = service.outside(Manners(per_minute=1, burst=1))
        await outside.get(URL, ends_at=now() + 10)
        began = now()
        with pytest.raises(FetchError) as failure:
            await outside.get(URL, ends_at=now() + 10)
        assert (failure.value.kind, now()) == ("busy", began)

    run_virtually(main())


def test_waiting_for_others_ends_with_the_callers_time() -> None:
    service = Service(after(100))

    async def main() -> None:
        outside = service.outside(Manners(per_minute=600, at_once=1))
        first = asyncio.create_task(outside.get(URL, ends_at=now() + 300))
        await asyncio.sleep(1)
        began = now()
        with pytest.raises(FetchError) as failure:
            await outside.get(URL, ends_at=began + 5)
        assert failure.value.kind == "timeout" and now() - began <= 5
        assert (await first).status == 200

    run_virtually(main())


def test_every_kind_means_something_for_the_look_up() -> None:
    kinds: dict[Kind, str] = {
        "timeout": "timeout",
        "busy": "rate_limit",
        "failing": "server_error",
        "refused": "service_unavailable",
        "resting": "service_unavailable",
        "too_large": "invalid_response",
        "broken": "invalid_response",
        "redirected": "invalid_response",
        "patient_data": "patient_data",
    }
    assert {kind: error_type_of(FetchError(kind)) for kind in kinds} == kinds
    assert error_type_of(FetchError("patient_data")) not in TRANSIENT


def test_logs_and_errors_tell_the_host_and_nothing_of_the_question(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    service = Service(reply(500), reply(302, location="https://elsewhere.test/s3cret"))

    async def main() -> None:
        outside = service.outside()
        with pytest.raises(FetchError) as failure:
            await outside.get(
                f"{URL}/s3cret", [("q", "s3cret")], headers={"x-key": "s3cret"}, secrets=[("k", "s3cret")],
                ends_at=now() + 10,
            )  # fmt: skip
        assert "s3cret" not in str(failure.value) and failure.value.__cause__ is None

    run_virtually(main())
    assert "api.example.test: status 500" in caplog.text
    assert "s3cret" not in caplog.text
