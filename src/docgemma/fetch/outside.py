"""What third parties are asked: public services that know nothing of our patients and must learn nothing.

Every question is a GET. It is paced, tried twice at most, answered within the caller's time, and not sent at all when
it would tell whom it is about. Replies may come compressed, and are never larger than was agreed when unpacked.
"""

from __future__ import annotations

import asyncio
import logging
import zlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import SystemRandom

from docgemma.clinical import ErrorType, People, withheld
from docgemma.fetch.address import parts_of, with_params, within
from docgemma.fetch.door import Door, FetchError, Kind, Reply
from docgemma.fetch.pacing import DEFAULT, PUBLIC_SERVICES, Breaker, Ending, Manners, NoSlot, Pace, retry_after_s
from docgemma.fetch.privacy import reveals

ACCEPTED = "gzip"
_GZIP = 31
"""zlib's word for a gzip stream, header and checksum included."""


def unpacked(reply: Reply, max_bytes: int) -> Reply:
    """The reply with its body as it was meant. Any other encoding was not asked for and cannot be read."""
    encoding = _encoding(reply.headers)
    if not encoding:
        return reply
    if encoding != ACCEPTED:
        raise FetchError("broken")
    return Reply(reply.status, reply.headers, _gunzip(reply.body, max_bytes))


def _encoding(headers: Mapping[str, str]) -> str:
    named = headers.get("content-encoding", "").strip().lower()
    return "" if named == "identity" else named


def _gunzip(body: bytes, max_bytes: int) -> bytes:
    """One stream, whole and unspoilt. Unpacking stops at the limit: a few bytes can stand for gigabytes."""
    stream = zlib.decompressobj(_GZIP)
    try:
        plain = stream.decompress(body, max_bytes + 1)
    except zlib.error:
        raise FetchError("broken") from None
    if len(plain) > max_bytes:
        raise FetchError("too_large")
    if not stream.eof or stream.unused_data:
        raise FetchError("broken")
    return plain


_logger = logging.getLogger(__name__)

_MAX_BYTES = 8 * 1024 * 1024
_HEADERS = {"user-agent": "DocGemma", "accept-encoding": ACCEPTED}
_MOST_REDIRECTS = 3
_REDIRECTS = (301, 302, 303, 307, 308)
_FIRST_SHARE = 0.6
"""Of the time there is, for the first try: one that hangs leaves enough for a second that does not."""

_WORTH_SHARING_S = 1.0
"""Less than this is not cut in two: neither half would do."""

_LONGEST_PAUSE_S = 0.5
_LEAST_S = 0.1
"""With less time than this left, nothing new is begun."""

_FAIR_S = 0.25
"""Who was given less time than this and did not answer has not failed."""

_AGAIN: frozenset[Kind] = frozenset({"refused", "timeout", "broken", "busy", "failing"})
_FAILURES: frozenset[Kind] = frozenset({"refused", "timeout", "broken"})
_ERROR_TYPES: dict[Kind, ErrorType] = {
    "refused": "service_unavailable",
    "timeout": "timeout",
    "too_large": "invalid_response",
    "broken": "invalid_response",
    "busy": "rate_limit",
    "failing": "server_error",
    "redirected": "invalid_response",
    "resting": "service_unavailable",
    "patient_data": "patient_data",
}
_chance = SystemRandom()

Final = Callable[[Reply], bool]
"""Whether a reply with an error status is what the service has to say, and no fault that may pass."""


def error_type_of(error: FetchError) -> ErrorType:
    """What a failed question means for the look-up behind it."""
    return _ERROR_TYPES[error.kind]


def _never(reply: Reply) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class _Question:
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    ends_at: float
    max_bytes: int
    final: Final


@dataclass(frozen=True, slots=True)
class _Host:
    name: str
    pace: Pace
    breaker: Breaker
    at_once: asyncio.Semaphore


class Outside:
    """The way out for look-ups. Keep one per process: it remembers how each host is doing."""

    def __init__(self, door: Door, *, manners: Mapping[str, Manners] | None = None, default: Manners = DEFAULT) -> None:
        self._door = door
        self._manners = PUBLIC_SERVICES if manners is None else manners
        self._default = default
        self._hosts: dict[str, _Host] = {}

    async def get(
        self,
        url: str,
        params: Sequence[tuple[str, str]] = (),
        *,
        headers: Mapping[str, str] | None = None,
        secrets: Sequence[tuple[str, str]] = (),
        ends_at: float,
        max_bytes: int = _MAX_BYTES,
        final: Final = _never,
    ) -> Reply:
        """A reply by `ends_at` (loop time), or FetchError. Any status but 429 and 5xx is one, and so is a `final` one.

        `secrets` are sent as parameters too, and show up nowhere else.
        """
        _keep_private(url, params, headers or {})
        address = with_params(url, (*params, *secrets))
        question = _Question(address, {**_HEADERS, **(headers or {})}, ends_at, max_bytes, final)
        host = self._host(url)
        try:
            return await self._try(host, question, first=True)
        except NoSlot:
            raise
        except FetchError as error:
            failure = error
        if failure.kind not in _AGAIN or not await _paused(host, ends_at):
            wants_rest = failure.kind == "failing" and host.pace.held_until > _now()
            raise (FetchError("busy") if wants_rest else failure) from None
        try:
            return await self._try(host, question, first=False)
        except FetchError as error:
            # Not being let through a second time says less than what went wrong the first time.
            raise (failure if error.kind in ("busy", "resting") else error) from None

    async def _try(self, host: _Host, question: _Question, *, first: bool) -> Reply:
        """One try, with the redirects it takes. What is no reply to build on is raised."""
        url = question.url
        for _ in range(1 + _MOST_REDIRECTS):
            reply = await self._exchange(host, question, url, first=first)
            target = reply.headers.get("location", "") if reply.status in _REDIRECTS else ""
            if not target:
                return reply
            url = within(url, target)
            _keep_private(url, (), {})
        raise FetchError("redirected")

    async def _exchange(self, host: _Host, question: _Question, url: str, *, first: bool) -> Reply:
        if host.breaker.resting(_now()):
            raise FetchError("resting")
        await host.pace.slot(question.ends_at - _LEAST_S)
        async with _place(host, question.ends_at):
            began = _now()
            held = host.breaker.admit(began)
            if held is None:
                raise FetchError("resting")
            ending: Ending = "unknown"
            time_s = _share(question.ends_at - began, first=first)
            try:
                reply = await self._ask(question, url, time_s)
                considered = reply.status < 400 or question.final(reply)
                ending = "failed" if reply.status >= 500 and not considered else "answered"
                _logger.debug("%s: status %d after %d ms", host.name, reply.status, (_now() - began) * 1000)
            except FetchError as error:
                unfair = error.kind == "timeout" and time_s < _FAIR_S
                ending = "unknown" if unfair else "failed" if error.kind in _FAILURES else "answered"
                _logger.debug("%s: %s after %d ms", host.name, error.kind, (_now() - began) * 1000)
                raise
            finally:
                # Also when the caller gave up: a probe that nobody ends would keep the service shut for ever.
                if host.breaker.ended(held, ending, _now()):
                    _logger.info("%s failed several times in a row and is left alone for a while", host.name)
        return reply if considered else _usable(host, reply)

    async def _ask(self, question: _Question, url: str, time_s: float) -> Reply:
        if time_s <= 0:
            raise FetchError("timeout")
        reply = await self._door.json(
            "GET", url, headers=question.headers, deadline_s=time_s, max_bytes=question.max_bytes
        )
        return unpacked(reply, question.max_bytes)

    def _host(self, url: str) -> _Host:
        parts = parts_of(url)
        name = parts.hostname or ""
        key = f"{parts.scheme}://{name}:{parts.port}"
        if key not in self._hosts:
            manners = self._manners.get(name, self._default)
            self._hosts[key] = _Host(name, Pace(manners), Breaker(), asyncio.Semaphore(manners.at_once))
        return self._hosts[key]


@asynccontextmanager
async def _place(host: _Host, ends_at: float) -> AsyncIterator[None]:
    """One of the few requests that a host is sent at once; waiting for it ends with the caller's time."""
    try:
        async with asyncio.timeout_at(ends_at):
            await host.at_once.acquire()
    except TimeoutError:
        raise FetchError("timeout") from None
    try:
        yield
    finally:
        host.at_once.release()


def _keep_private(url: str, params: Sequence[tuple[str, str]], headers: Mapping[str, str]) -> None:
    """Everything that would be sent is read as one text: half a name may stand in each of two parameters."""
    parts = parts_of(url)
    sent = (parts.path, parts.query, *(part for pair in params for part in pair), *headers.values())
    if reveals(" & ".join(sent), withheld.get(People())):
        raise FetchError("patient_data")


def _usable(host: _Host, reply: Reply) -> Reply:
    """An error that will not pass is a reply. A wish to be left alone is kept, whoever asks next."""
    if reply.status < 500 and reply.status != 429:
        return reply
    wish_s = retry_after_s(reply.headers)
    if wish_s is not None:
        host.pace.hold(_now() + wish_s)
    raise FetchError("busy" if reply.status == 429 else "failing")


async def _paused(host: _Host, ends_at: float) -> bool:
    """Wait before the second try, for as long as the host asks or a moment by chance. False: there shall be none."""
    now = _now()
    if host.breaker.resting(now):
        return False
    longest_s = min(_LONGEST_PAUSE_S, max(0.0, ends_at - now) / 4)
    wakes_at = max(now + _chance.uniform(0, longest_s), host.pace.held_until)
    if wakes_at + _LEAST_S >= ends_at:
        return False
    await asyncio.sleep(wakes_at - now)
    return True


def _share(left_s: float, *, first: bool) -> float:
    return left_s * _FIRST_SHARE if first and left_s > _WORTH_SHARING_S else left_s


def _now() -> float:
    return asyncio.get_running_loop().time()
