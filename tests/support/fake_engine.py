"""An engine without a model: each request is answered by the next line of its script, in the engine's own thread."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from docgemma.llm.engine import Hear

Json = dict[str, Any]
READING = "reading"
"""A prompt that has no end: the engine goes on until it is stopped."""
Event = bytes | str
Reply = list[Event] | BaseException | Callable[[Hear], None] | str
"""Events, an error to raise, or something to do with whoever listens."""

PROGRESS = b'{"choices":[{"delta":{"role":"assistant","content":null}}],"prompt_progress":{"total":9,"processed":1}}'


def said(*pieces: str, finish: str | None = "stop") -> list[Event]:
    """An answer as llama.cpp streams it: progress, text, the reason it ended, the count."""
    texts = [{"choices": [{"delta": {"content": piece}}]} for piece in pieces]
    ends = [{"choices": [{"delta": {}, "finish_reason": finish}]}] if finish else []
    counted = {"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 10}}
    return [PROGRESS, *(json.dumps(event).encode() for event in (*texts, *ends, counted))]


class FakeEngine:
    """Keeps what it was asked, and whether it was left to finish."""

    def __init__(self, *replies: Reply, constrains: bool = True) -> None:
        self.asked: list[Json] = []
        self.stopped = threading.Event()
        self.closed = threading.Event()
        self._replies: Iterator[Reply] = iter(replies)
        self._constrains = constrains

    def ask(self, body: bytes, hear: Hear) -> None:
        request = json.loads(body)
        if request.get("response_format", {}).get("json_schema", {}).get("name") == "self_test":
            reply: Reply = said('{"word":"qzvexal"}' if self._constrains else "Green.")
        else:
            self.asked.append(request)
            found = next(self._replies, None)
            # Not StopIteration: a future does not take it, and whoever waits for the answer waits for ever.
            assert found is not None, "the engine was asked more often than its script says"
            reply = found
        if isinstance(reply, BaseException):
            raise reply
        if callable(reply):
            reply(hear)
            return
        for event in [reply] if isinstance(reply, str) else reply:
            if self._stops(event, hear):
                self.stopped.set()
                return

    def close(self) -> None:
        self.closed.set()

    @staticmethod
    def _stops(event: Event, hear: Hear) -> bool:
        if isinstance(event, bytes):
            return hear(event)
        while not hear(PROGRESS):
            time.sleep(0.001)
        return True
