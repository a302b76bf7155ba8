"""A GGUF file in this process, asked as a server would be.

One thread owns the engine. Questions wait for it in the order they came, the event loop never does. A question that
nobody waits for any more stops the engine at its next token, or at the next batch of its prompt.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, suppress

from pydantic_core import to_json

from docgemma.errors import ModelCannotSee, ModelError, ModelUnreachable, Unavailable
from docgemma.llm import wire
from docgemma.llm.asking import Busy, ChatModel, Proof
from docgemma.llm.contract import Prompt
from docgemma.llm.engine import Engine

CANNOT_SEE = "A model that is run from a GGUF file in this process does not look at images."
TOO_LONG = "The question is longer than the model's context. Raise DOCGEMMA_GGUF_CONTEXT."
TOO_SLOW = "The model took too long."
BROKE_OFF = "The model stopped in the middle of its answer."
_OVERFLOW = b"exceed_context_size_error"


class LlamaCppModel(ChatModel):
    """Loads on first use, or when `load` is called. Whoever made it closes it."""

    def __init__(self, load: Callable[[], Engine], name: str, *, proof: Proof, timeout_s: float = 60.0) -> None:
        super().__init__(name, proof=proof, timeout_s=timeout_s)
        self._load = load
        self._engine: Engine | None = None
        self._failure: Unavailable | None = None
        self._loading = asyncio.Lock()
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="llamacpp")
        self._warming: asyncio.Task[None] | None = None
        self._asking: set[threading.Event] = set()

    async def load(self) -> None:
        """Have the model in memory. Unavailable when that fails; it is not tried again."""
        async with self._loading:
            if self._engine is None and self._failure is None:
                try:
                    self._engine = await asyncio.get_running_loop().run_in_executor(self._worker, self._load)
                except Unavailable as failure:
                    self._failure = failure
        if self._failure is not None:
            raise self._failure

    def warm(self, prompts: Sequence[Prompt]) -> None:
        """Read these prompts while nobody asks anything, so that the first question finds its beginning read."""
        self._give_way()
        self._warming = asyncio.create_task(self._read(prompts))

    async def close(self) -> None:
        """Stop what is running and give the memory back."""
        self._give_way()
        for stopped in self._asking:
            stopped.set()
        engine, self._engine = self._engine, None
        self._failure = self._failure or Unavailable("The model was closed.")
        if engine is not None:
            await asyncio.get_running_loop().run_in_executor(self._worker, engine.close)
        self._worker.shutdown(wait=False)

    async def _ready(self, prompt: Prompt | None = None) -> None:
        if prompt is not None and prompt.images:
            raise ModelCannotSee(CANNOT_SEE)
        try:
            await self.load()
        except Unavailable as failure:
            raise ModelUnreachable(str(failure)) from None

    async def _answer(self, body: wire.Json, ends_at: float) -> wire.Completion:
        """In events too: only between two of them can the engine be stopped."""
        text, finish, read, written = "", None, 0, 0
        async with aclosing(self._events(body, ends_at, 0)) as events:
            async for event in events:
                text += event.text
                finish = event.finish or finish
                read, written = read + event.prompt_tokens, written + event.completion_tokens
        return wire.Completion(text, finish, read, written)

    async def _events(
        self, body: wire.Json, ends_at: float, most_characters: int
    ) -> AsyncGenerator[wire.Completion, None]:
        self._give_way()
        async with aclosing(self._asked(body, ends_at)) as events:
            async for event in events:
                yield event

    async def _asked(self, body: wire.Json, ends_at: float) -> AsyncGenerator[wire.Completion, None]:
        """The engine's events, carried from its thread to this loop."""
        loop, engine = asyncio.get_running_loop(), self._engine
        if engine is None:
            raise ModelUnreachable("The model was closed.")
        heard: asyncio.Queue[bytes | None] = asyncio.Queue()
        stopped = threading.Event()

        def tell(event: bytes | None) -> None:
            with suppress(RuntimeError):  # the loop ended before the engine noticed
                loop.call_soon_threadsafe(heard.put_nowait, event)

        def hear(event: bytes) -> bool:
            tell(event)
            return stopped.is_set()

        def work() -> None:
            try:
                if not stopped.is_set():
                    engine.ask(to_json(_streamed(body)), hear)
            except StopIteration as ended:  # no future takes this one, and whoever waits for it would wait for ever
                raise RuntimeError("the engine ended its events early") from ended
            finally:
                tell(None)

        working = loop.run_in_executor(self._worker, work)
        self._asking.add(stopped)
        finished = False
        try:
            while (event := await _before(ends_at, heard)) is not None:
                piece = _read_event(event)
                finished = finished or piece.finish is not None
                yield piece
            await working
            if not finished:
                raise Busy(BROKE_OFF)
        finally:
            stopped.set()
            self._asking.discard(stopped)
            working.add_done_callback(_forget)
            working.cancel()

    async def _read(self, prompts: Sequence[Prompt]) -> None:
        for prompt in prompts:
            body = wire.text_body(self._model, prompt, 0, max_tokens=1)
            with suppress(ModelError):  # whoever asks in earnest is told
                async with aclosing(self._asked(body, float("inf"))) as events:
                    async for _ in events:
                        pass

    def _give_way(self) -> None:
        """A question does not wait for what is only read in advance."""
        if self._warming is not None:
            self._warming.cancel()
            self._warming = None


async def _before(ends_at: float, heard: asyncio.Queue[bytes | None]) -> bytes | None:
    try:
        async with asyncio.timeout_at(ends_at if ends_at != float("inf") else None):
            return await heard.get()
    except TimeoutError:
        raise ModelUnreachable(TOO_SLOW) from None


def _streamed(body: wire.Json) -> wire.Json:
    """As the engine is to answer it: in events, also while it reads the prompt, and with the tokens counted."""
    return {**body, "stream": True, "stream_options": {"include_usage": True}, "return_progress": True}


def _read_event(event: bytes) -> wire.Completion:
    try:
        return wire.read_piece(event.decode("utf-8", "replace"))
    except ModelUnreachable:
        raise ModelUnreachable(TOO_LONG if _OVERFLOW in event else "The engine reported an error.") from None


def _forget(ended: asyncio.Future[None]) -> None:
    """Look at how it ended, so that a failure after the question was given up is not reported as lost."""
    if not ended.cancelled():
        ended.exception()
