"""What the agent knows of a language model: it decides within a schema, or it writes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar

from pydantic import BaseModel

T = TypeVar("T", bound=BaseModel)

STOPPED_EARLY = "The model stopped before its answer was complete."


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Image:
    """Pixels for a vision model, with their true media type."""

    media_type: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Prompt:
    """A rendered question. `variables` stay structured so that the node's rule can answer it too."""

    name: str
    variables: Mapping[str, Any] = field(default_factory=dict)
    messages: tuple[Message, ...] = ()
    images: tuple[Image, ...] = ()


class LanguageModel(Protocol):
    """One back end. Raises ModelError when it has nothing usable to give."""

    @property
    def name(self) -> str: ...

    async def decide(self, prompt: Prompt, schema: type[T], *, max_tokens: int) -> T:
        """Temperature 0, constrained to the schema, validated."""
        ...

    def write(self, prompt: Prompt, *, temperature: float, max_tokens: int) -> AsyncIterator[str]:
        """Free text in pieces, already without thinking and control tokens."""
        ...


@dataclass(slots=True)
class Usage:
    """What one turn asked of the model. Mutable: every back end counts into the turn it serves."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    answered_by: Literal["model", "code"] = "model"  # unknown counts as a model: its text is checked
    unreachable: bool = False  # once seen, the rest of the turn goes to the rules at once
    notices: list[str] = field(default_factory=list)

    def notice(self, text: str) -> None:
        """Say once what went wrong with the model in this turn."""
        if text not in self.notices:
            self.notices.append(text)


usage: ContextVar[Usage] = ContextVar("usage")
"""The running turn's usage. The session sets a fresh one; a call outside a turn makes its own."""


deciding_temperature: ContextVar[float] = ContextVar("deciding_temperature", default=0.0)
"""How warm a decision is made. Nothing in the product sets it; an eval does, to show what warmth costs."""


def current_usage() -> Usage:
    """The turn's usage, or a throw-away one outside a turn."""
    found = usage.get(None)
    return found if found is not None else Usage()
