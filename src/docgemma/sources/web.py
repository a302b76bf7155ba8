"""Asking a public service, with what it said before as the second best.

A reply is kept only when whoever asked could use it. A kept one is used without asking while it is fresh, and of any
age, with its date, while the service fails. That a service had nothing is believed for an hour and never longer:
yesterday's "nothing" would reassure somebody today.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, Literal, TypeVar

from docgemma.fetch.door import FetchError, Reply
from docgemma.fetch.outside import Outside, error_type_of
from docgemma.sources.cache import Asked, Cache, Kept, asked
from docgemma.sources.contract import SourceError

T = TypeVar("T")
Mode = Literal["auto", "live"]

DAY_S = 24 * 3600.0
"""Labels and names change from one day to the next at most, and a thousand questions a day are few."""

_EMPTY_S = 3600.0
_MAX_BYTES = 16 * 1024 * 1024
_LONG_BYTES = 64 * 1024
"""Longer replies are read in a thread: others wait for the loop."""


_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """What a service said. `data` None: it has nothing. `date` is the day it said so."""

    data: T | None
    origin: Literal["live", "cache"]
    date: str

    @property
    def kept_on(self) -> str | None:
        """The day of a reply that was kept; None for one that came just now."""
        return self.date if self.origin == "cache" else None


class Web:
    """The public services, asked through the one door. In mode `live` nothing is kept, and nothing kept is used."""

    def __init__(
        self,
        outside: Outside,
        cache: Cache | None = None,
        *,
        mode: Mode = "auto",
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._outside = outside
        self._cache = cache if mode == "auto" else None
        self._clock = clock

    async def ask(
        self,
        service: str,
        url: str,
        params: Sequence[tuple[str, str]] = (),
        *,
        read: Callable[[Reply], T | None],
        ends_at: float,
        secrets: Sequence[tuple[str, str]] = (),
        fresh_s: float = DAY_S,
        final: Callable[[Reply], bool] = lambda reply: False,
        max_bytes: int = _MAX_BYTES,
    ) -> Answer[T]:
        """What `read` makes of the reply: data, None for "has nothing", or SourceError for what cannot be used.

        `final` marks error replies that asking again will not change. Raises SourceError.
        """
        question = asked(url, params)
        kept = None if self._cache is None else await self._cache.find(question)
        if kept is not None and self._is_fresh(kept, fresh_s):
            answer = await _reread(kept, read)
            if answer is not None:
                return answer
        try:
            reply = await self._outside.get(
                url, params, secrets=secrets, ends_at=ends_at, max_bytes=max_bytes, final=final
            )
            data = await _apart(read, reply)
        except FetchError as error:
            failure = SourceError(error_type_of(error), _without_answer(service, error))
        except SourceError as error:
            failure = error
        else:
            with suppress(TimeoutError):  # a file that is slow to write to takes no answer away
                async with asyncio.timeout_at(ends_at):
                    await self._keep(question, reply, empty=data is None)
            return Answer(data, "live", self._clock().astimezone(UTC).date().isoformat())
        if kept is not None and not kept.empty and failure.error_type != "patient_data":
            answer = await _reread(kept, read)
            if answer is not None:
                _log.info("%s failed (%s): its reply of %s is used.", service, failure.error_type, answer.date)
                return answer
        raise failure

    async def _keep(self, question: Asked, reply: Reply, *, empty: bool) -> None:
        if self._cache is not None:
            await self._cache.keep(question, reply.status, reply.body, empty=empty)

    def _is_fresh(self, kept: Kept, fresh_s: float) -> bool:
        limit = min(fresh_s, _EMPTY_S) if kept.empty else fresh_s
        return self._clock() - kept.stored_at < timedelta(seconds=limit)


async def whichever(*questions: Awaitable[T]) -> list[T | None]:
    """The answers in order, None for a question that failed. When all failed, the first failure is raised, and at once
    what is no failure of a service.
    """
    answers = await asyncio.gather(*questions, return_exceptions=True)
    failures = [answer for answer in answers if isinstance(answer, BaseException)]
    for failure in failures:
        if len(failures) == len(answers) or not isinstance(failure, SourceError):
            raise failure
    return [None if isinstance(answer, BaseException) else answer for answer in answers]


def _without_answer(service: str, error: FetchError) -> str:
    reason = str(error)
    if error.kind == "patient_data":
        return reason
    return f"{service} gave no answer: {reason[:1].lower()}{reason[1:]}"


async def _apart(read: Callable[[Reply], T | None], reply: Reply) -> T | None:
    return read(reply) if len(reply.body) <= _LONG_BYTES else await asyncio.to_thread(read, reply)


async def _reread(kept: Kept, read: Callable[[Reply], T | None]) -> Answer[T] | None:
    """A kept reply read again; None when this version of the program cannot use it any more."""
    try:
        data = await _apart(read, Reply(kept.status, {}, kept.body))
    except SourceError:
        return None
    if (data is None) is not kept.empty:
        return None
    return Answer(data, "cache", kept.stored_at.astimezone(UTC).date().isoformat())


def is_final(reply: Reply) -> bool:
    """An error that asking again will not change."""
    return 400 <= reply.status < 500 and reply.status != 429


def accept(service: str, reply: Reply) -> None:
    """Refuse every status but 200, each as what it is."""
    if reply.status == 200:
        return
    if reply.status == 429:
        raise SourceError("rate_limit", f"{service} takes no more questions for now. Try again later.")
    if reply.status >= 500:
        raise SourceError("server_error", f"{service} has a fault at the moment. Try again later.")
    raise unusable(service)


def unusable(service: str) -> SourceError:
    return SourceError("invalid_response", f"{service} gave an answer that cannot be read. Try again later.")


def object_in(service: str, reply: Reply) -> dict[str, Any]:
    """The JSON object of a good reply. An empty, cut or other body is a failure, never "nothing found"."""
    accept(service, reply)
    found = json_in(reply)
    if not isinstance(found, dict):
        raise unusable(service)
    return found


def json_in(reply: Reply) -> Any:
    """The body as JSON, None when it is something else."""
    try:
        return json.loads(reply.body)
    except (ValueError, RecursionError):
        return None
