"""Any OpenAI-compatible model server: vLLM, llama.cpp, Ollama, LM Studio."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing

from pydantic_core import from_json

from docgemma.errors import BadInput, ModelCannotSee, ModelError, ModelOutputInvalid, ModelUnreachable
from docgemma.fetch.door import Door, FetchError
from docgemma.llm import wire
from docgemma.llm.contract import STOPPED_EARLY, Prompt, T, current_usage
from docgemma.llm.gemma import ThinkingFilter
from docgemma.llm.parse import parse_object
from docgemma.llm.proof import UNCONSTRAINED, Facts, Proof, question

_REPLY_BYTES = 4 * 1024 * 1024
_LONGEST_PAUSE_S = 3.0
_SHORT_PAUSE_S = 0.1
_CHARACTERS_PER_TOKEN = 8
_EVENT_BYTES = 2_048


class _Busy(ModelUnreachable):
    """Down for the moment: one more try after `pause_s` may succeed."""

    def __init__(self, message: str, pause_s: float = _SHORT_PAUSE_S) -> None:
        super().__init__(message)
        self.pause_s = pause_s


class OpenAiModel:
    """Decides with `response_format: json_schema`, writes as a stream. At most two requests for either.

    Whatever the server promises, each decision is validated here. `timeout_s` covers a whole call, retry included.
    """

    def __init__(
        self,
        door: Door,
        url: str,
        model: str,
        *,
        facts: Facts,
        fast_model: str | None = None,
        api_key: str | None = None,
        timeout_s: float = 60.0,
        allow_http: bool = False,
    ) -> None:
        self._door = door
        self._url = wire.check_url(url, allow_http)
        self._chat_url = f"{self._url}/chat/completions"
        self._model = model
        self._deciding_model = fast_model or model
        self._headers = _headers(api_key)
        self._timeout_s = timeout_s
        self._proof = Proof(facts, f"constrained decoding: {self._url} {self._deciding_model}")

    @property
    def name(self) -> str:
        return self._model

    async def decide(self, prompt: Prompt, schema: type[T], *, max_tokens: int) -> T:
        ends_at = _now() + self._timeout_s
        if not await self._proof.constrained(lambda: self._try_constraint(ends_at)):
            current_usage().notice(UNCONSTRAINED)
        # The faster model decides on words; an image is for the one that was chosen for its eyes.
        model = self._model if prompt.images else self._deciding_model
        body = wire.decision_body(model, prompt, schema, max_tokens)
        try:
            return parse_object(await self._complete(body, ends_at), schema)
        except ModelError as failure:
            await self._pause_before_retry(failure, ends_at)
        return parse_object(await self._complete({**body, "max_tokens": 2 * max_tokens}, ends_at), schema)

    async def write(self, prompt: Prompt, *, temperature: float, max_tokens: int) -> AsyncIterator[str]:
        ends_at = _now() + self._timeout_s
        for budget, is_last in ((max_tokens, False), (2 * max_tokens, True)):
            body = wire.text_body(self._model, prompt, temperature, budget)
            written = False
            try:
                async with aclosing(self._pieces(body, ends_at, budget * _CHARACTERS_PER_TOKEN)) as pieces:
                    async for piece in pieces:
                        written = True
                        yield piece
                if written:
                    return
                raise ModelOutputInvalid("The model wrote nothing that can be shown.")
            except ModelError as failure:
                if written or is_last:
                    raise
                await self._pause_before_retry(failure, ends_at)

    async def self_test(self) -> bool:
        """Does the server hold the model to a schema? Asked anew each time, for `doctor`."""
        return await self._try_constraint(_now() + self._timeout_s)

    async def models(self) -> list[str]:
        """The names the server offers."""
        try:
            reply = await self._door.json(
                "GET", f"{self._url}/models", headers=self._headers, deadline_s=self._timeout_s, max_bytes=_REPLY_BYTES
            )
        except FetchError as error:
            raise _unreachable(error) from None
        _check_status(reply.status, reply.headers)
        try:
            listed = from_json(reply.body)
            return [str(entry["id"]) for entry in listed["data"]]
        except (ValueError, KeyError, TypeError):
            raise ModelOutputInvalid("The model server's list of models cannot be read.") from None

    async def _try_constraint(self, ends_at: float) -> bool:
        body, fits = question(self._deciding_model)
        try:
            return fits(await self._complete(body, ends_at, counted=False))
        except ModelOutputInvalid:
            return False

    async def _complete(self, body: wire.Json, ends_at: float, *, counted: bool = True) -> str:
        """One request, one whole answer."""
        if counted:
            current_usage().calls += 1
        try:
            reply = await self._door.json(
                "POST",
                self._chat_url,
                json=body,
                headers=self._headers,
                deadline_s=ends_at - _now(),
                max_bytes=_REPLY_BYTES,
            )
        except FetchError as error:
            raise _unreachable(error) from None
        if wire.refuses_images(body, reply.status, reply.body):
            raise ModelCannotSee("The model server does not take this image.")
        _check_status(reply.status, reply.headers)
        completion = wire.read_completion(reply.body)
        if counted:
            _count(completion)
        return completion.text

    async def _pieces(self, body: wire.Json, ends_at: float, most_characters: int) -> AsyncGenerator[str, None]:
        """One request, its visible text as it arrives."""
        visible = ThinkingFilter()
        received = 0
        cut = False
        async with aclosing(self._events(body, ends_at, most_characters)) as events:
            async for event in events:
                _count(event)
                if shown := visible.feed(event.text[: most_characters - received]):
                    yield shown
                received += len(event.text)
                cut = cut or event.finish == "length" or received > most_characters
                if received > most_characters or visible.ended:
                    break
        if shown := visible.flush():
            yield shown
        if cut and visible.started:
            current_usage().notice(STOPPED_EARLY)

    async def _events(
        self, body: wire.Json, ends_at: float, most_characters: int
    ) -> AsyncGenerator[wire.Completion, None]:
        """The server's events, or its one whole answer when it does not stream."""
        current_usage().calls += 1
        opening = self._door.stream_lines(
            "POST",
            self._chat_url,
            json=body,
            headers=self._headers,
            deadline_s=ends_at - _now(),
            max_bytes=_REPLY_BYTES + most_characters * _EVENT_BYTES,
        )
        try:
            async with opening as lines:
                _check_status(lines.status, lines.headers)
                if "event-stream" not in lines.headers.get("content-type", ""):
                    yield wire.read_completion(await lines.body())
                    return
                finished = False
                async for line in lines:
                    payload = line[5:].strip() if line.startswith("data:") else ""
                    if payload == "[DONE]":
                        await lines.finish()
                        return
                    if payload:
                        piece = wire.read_piece(payload)
                        finished = finished or piece.finish is not None
                        yield piece
                if not finished:
                    raise _Busy("The model server stopped in the middle of its answer.")
        except FetchError as error:
            raise _unreachable(error) from None

    async def _pause_before_retry(self, failure: ModelError, ends_at: float) -> None:
        """Returns when a second request makes sense; else the failure stands."""
        pause_s = failure.pause_s if isinstance(failure, _Busy) else 0.0
        down = isinstance(failure, ModelUnreachable) and not isinstance(failure, _Busy)
        hopeless = down or isinstance(failure, ModelCannotSee)
        if hopeless or pause_s > _LONGEST_PAUSE_S or _now() + pause_s >= ends_at:
            raise failure
        await asyncio.sleep(pause_s)


def _now() -> float:
    return asyncio.get_running_loop().time()


def _count(completion: wire.Completion) -> None:
    usage = current_usage()
    usage.prompt_tokens += completion.prompt_tokens
    usage.completion_tokens += completion.completion_tokens


def _headers(api_key: str | None) -> dict[str, str]:
    if not api_key:
        return {}
    if not (api_key.isascii() and api_key.isprintable()):
        raise BadInput("The model server's API key contains characters that cannot be sent.")
    return {"authorization": f"Bearer {api_key}"}


_WHY = {
    "refused": "The model server could not be reached.",
    "timeout": "The model server took too long.",
    "too_large": "The model server sent too much.",
}


def _unreachable(error: FetchError) -> ModelUnreachable:
    message = _WHY.get(error.kind, "The model server gave no usable reply.")
    return _Busy(message) if error.kind in ("refused", "broken") else ModelUnreachable(message)


def _check_status(status: int, headers: Mapping[str, str]) -> None:
    if status == 200:
        if "html" in headers.get("content-type", ""):
            raise ModelUnreachable("The model URL answers with a web page. It should end in /v1.")
        return
    message = f"The model server answered with status {status}."
    if status != 429 and status < 500:
        raise ModelUnreachable(message)
    try:
        pause_s = max(float(headers.get("retry-after", _SHORT_PAUSE_S)), 0.0)
    except ValueError:
        pause_s = _SHORT_PAUSE_S
    raise _Busy(message, pause_s)
