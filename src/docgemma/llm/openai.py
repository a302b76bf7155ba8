"""Any OpenAI-compatible model server: vLLM, llama.cpp, Ollama, LM Studio."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping

from pydantic_core import from_json

from docgemma.errors import BadInput, ModelCannotSee, ModelOutputInvalid, ModelUnreachable
from docgemma.fetch.door import Door, FetchError
from docgemma.llm import wire
from docgemma.llm.asking import SHORT_PAUSE_S, Busy, ChatModel, Facts, Proof, now

_REPLY_BYTES = 4 * 1024 * 1024
_EVENT_BYTES = 2_048


class OpenAiModel(ChatModel):
    """A model behind HTTP. A second, faster one on the same server may make the decisions."""

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
        self._headers = _headers(api_key)
        proof = Proof(facts, f"constrained decoding: {self._url} {fast_model or model}")
        super().__init__(model, proof=proof, fast_model=fast_model, timeout_s=timeout_s)

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

    async def _answer(self, body: wire.Json, ends_at: float) -> wire.Completion:
        try:
            reply = await self._door.json(
                "POST",
                self._chat_url,
                json=body,
                headers=self._headers,
                deadline_s=ends_at - now(),
                max_bytes=_REPLY_BYTES,
            )
        except FetchError as error:
            raise _unreachable(error) from None
        if wire.refuses_images(body, reply.status, reply.body):
            raise ModelCannotSee("The model server does not take this image.")
        _check_status(reply.status, reply.headers)
        return wire.read_completion(reply.body)

    async def _events(
        self, body: wire.Json, ends_at: float, most_characters: int
    ) -> AsyncGenerator[wire.Completion, None]:
        """The server's events, or its one whole answer when it does not stream."""
        opening = self._door.stream_lines(
            "POST",
            self._chat_url,
            json=body,
            headers=self._headers,
            deadline_s=ends_at - now(),
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
                    raise Busy("The model server stopped in the middle of its answer.")
        except FetchError as error:
            raise _unreachable(error) from None


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
    return Busy(message) if error.kind in ("refused", "broken") else ModelUnreachable(message)


def _check_status(status: int, headers: Mapping[str, str]) -> None:
    if status == 200:
        if "html" in headers.get("content-type", ""):
            raise ModelUnreachable("The model URL answers with a web page. It should end in /v1.")
        return
    message = f"The model server answered with status {status}."
    if status != 429 and status < 500:
        raise ModelUnreachable(message)
    try:
        pause_s = max(float(headers.get("retry-after", SHORT_PAUSE_S)), 0.0)
    except ValueError:
        pause_s = SHORT_PAUSE_S
    raise Busy(message, pause_s)
