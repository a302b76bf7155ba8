"""One request to a server: within the time and bytes that are left. A question is asked once more where that may help;
a write never is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from docgemma.ehr.client.outcomes import timed_out, unreachable
from docgemma.ehr.contract import Params
from docgemma.fetch.door import Door, FetchError, Reply

_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 2.0
_BUSY = (429, 503)


@dataclass(slots=True)
class Budget:
    """What one call may still use. All its requests share it."""

    ends_at: float
    bytes_left: int

    @classmethod
    def of(cls, seconds: float, most_bytes: int) -> Budget:
        return cls(asyncio.get_running_loop().time() + seconds, most_bytes)

    @property
    def seconds_left(self) -> float:
        return self.ends_at - asyncio.get_running_loop().time()

    def part(self, share: float) -> Budget:
        """A part to be spent on something that must not use up the whole."""
        some = Budget.of(self.seconds_left * share, int(self.bytes_left * share))
        self.bytes_left -= some.bytes_left
        return some


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked. With a form it is a POST: what stands in an address ends up in other people's logs.

    With a body it is a write, and goes through `tell`.
    """

    url: str
    form: Params | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes | None = field(default=None, repr=False)


Asked = Question | Callable[[], Question]
"""A question, or how to make one for each attempt: what is signed may be good only once."""


async def ask(door: Door, question: Asked, headers: Mapping[str, str], budget: Budget, most_bytes: int) -> Reply:
    """Any status is a reply. A connection that failed, and a server that is busy for a moment, is asked once more."""
    try:
        reply = await _once(door, question, headers, budget, most_bytes)
        pause_s = _wait_of(reply)
        if pause_s is None or pause_s >= budget.seconds_left:
            return reply
    except FetchError as error:
        if error.kind not in ("refused", "broken") or budget.seconds_left <= _PAUSE_S:
            raise unreachable(error) from None
        pause_s = _PAUSE_S
    await asyncio.sleep(pause_s)
    try:
        return await _once(door, question, headers, budget, most_bytes)
    except FetchError as error:
        raise unreachable(error) from None


async def tell(door: Door, write: Question, headers: Mapping[str, str], budget: Budget, most_bytes: int) -> Reply:
    """A write, sent once whatever comes of it.

    EhrError: there was no time left, and nothing was sent. FetchError: it may have arrived, unless it was "refused".
    """
    return await _once(door, write, headers, budget, most_bytes)


async def _once(door: Door, question: Asked, headers: Mapping[str, str], budget: Budget, most_bytes: int) -> Reply:
    left = budget.seconds_left
    if left <= 0:
        raise timed_out()
    asked = question if isinstance(question, Question) else question()
    method = "GET" if asked.form is None and asked.body is None else "POST"
    most = max(0, min(most_bytes, budget.bytes_left))
    sent = {**headers, **asked.headers}
    reply = await door.json(
        method, asked.url, form=asked.form, content=asked.body, headers=sent, deadline_s=left, max_bytes=most
    )
    budget.bytes_left -= len(reply.body)
    return reply


def _wait_of(reply: Reply) -> float | None:
    """How long a busy server wants to be left alone, None when asking again is of no use or too far off."""
    if reply.status not in _BUSY:
        return None
    said = reply.headers.get("retry-after", "").strip()
    if not said:
        return _PAUSE_S
    if not (said.isascii() and said.isdecimal() and len(said) < 6):
        return None
    return float(said) if float(said) <= _LONGEST_PAUSE_S else None
