"""The OpenAI chat protocol as bytes and dictionaries: what is asked, and what a reply may look like."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from pydantic_core import from_json

from docgemma.errors import ModelOutputInvalid, ModelUnreachable
from docgemma.fetch.address import base_address
from docgemma.llm.contract import Prompt, deciding_temperature
from docgemma.llm.gemma import alternate
from docgemma.llm.schema import json_schema

Json = dict[str, Any]

_REFUSED = frozenset({400, 413, 415, 422})
_ABOUT_IMAGES = (b"image input", b"image_url", b"mmproj", b"multimodal", b"multi-modal", b"vision")
_MOST_TOLD = 4_096


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer, or one piece of it."""

    text: str = ""
    finish: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0


def check_url(url: str, allow_http: bool = False) -> str:
    """The server's base address. Prompts carry patient data: off this machine they travel encrypted."""
    return base_address(
        url,
        what="model",
        example="http://127.0.0.1:8000/v1",
        setting="DOCGEMMA_ALLOW_HTTP_MODEL",
        because="prompts carry patient data",
        allow_http=allow_http,
    )


def decision_body(model: str, prompt: Prompt, schema: type[BaseModel], max_tokens: int) -> Json:
    return {
        "model": model,
        "messages": _messages(prompt),
        "temperature": deciding_temperature.get(),
        "max_tokens": max_tokens,
        "response_format": response_format(schema.__name__, json_schema(schema)),
    }


def text_body(model: str, prompt: Prompt, temperature: float, max_tokens: int) -> Json:
    return {
        "model": model,
        "messages": _messages(prompt),
        "temperature": temperature,
        "max_tokens": max_tokens,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def response_format(name: str, schema: Json) -> Json:
    """The one form that old and new servers understand; `guided_json` is silently ignored by newer ones."""
    return {"type": "json_schema", "json_schema": {"name": name, "schema": schema, "strict": True}}


def _messages(prompt: Prompt) -> list[Json]:
    messages: list[Json] = [{"role": turn.role, "content": turn.text} for turn in alternate(prompt.messages)]
    if prompt.images:
        last = next(message for message in reversed(messages) if message["role"] == "user")
        last["content"] = [
            {"type": "text", "text": last["content"]},
            *(
                {
                    "type": "image_url",
                    "image_url": {"url": f"data:{image.media_type};base64,{b64encode(image.data).decode()}"},
                }
                for image in prompt.images
            ),
        ]
    return messages


def refuses_images(asked: Json, status: int, reply: bytes) -> bool:
    """Whether the server turned the question down because of its images, and would take the same one in words.

    vLLM answers 400 for a model without eyes and for more images than it was started for; llama.cpp answers 500 and
    says why. Any other 5xx is a server in trouble.
    """
    with_images = any(isinstance(message["content"], list) for message in asked["messages"])
    if not with_images or status == 200:
        return False
    told = reply[:_MOST_TOLD].lower()
    return status in _REFUSED or (status >= 500 and any(word in told for word in _ABOUT_IMAGES))


def read_completion(body: bytes) -> Completion:
    """A whole reply. Anything but a text in the first choice is no answer."""
    choice, counted = _choice(body)
    message = choice.get("message")
    text = message.get("content") if isinstance(message, dict) else None
    if not isinstance(text, str):
        raise ModelOutputInvalid("The model server answered without a text.")
    return Completion(text, _finish(choice), *counted)


def read_piece(payload: str) -> Completion:
    """One server-sent event. The last one carries the usage and no choice."""
    choice, counted = _choice(payload.encode())
    delta = choice.get("delta")
    text = delta.get("content") if isinstance(delta, dict) else None
    return Completion(text if isinstance(text, str) else "", _finish(choice), *counted)


def _choice(body: bytes) -> tuple[Json, tuple[int, int]]:
    try:
        reply = from_json(body)
    except ValueError:
        raise ModelOutputInvalid("The model server's reply is not JSON.") from None
    if not isinstance(reply, dict):
        raise ModelOutputInvalid("The model server's reply is not an object.")
    if reply.get("error"):
        raise ModelUnreachable("The model server reported an error.")
    choices = reply.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else {}
    return choice if isinstance(choice, dict) else {}, _tokens(reply.get("usage"))


def _finish(choice: Json) -> str | None:
    finish = choice.get("finish_reason")
    return finish if isinstance(finish, str) else None


def _tokens(usage: object) -> tuple[int, int]:
    if not isinstance(usage, dict):
        return 0, 0
    counts = (usage.get("prompt_tokens"), usage.get("completion_tokens"))
    prompt, completion = (count if isinstance(count, int) and count > 0 else 0 for count in counts)
    return prompt, completion
