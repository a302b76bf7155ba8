"""The cases of the suite `latency`: a few messages for each path through a graph, and the path that they take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from docgemma.clinical import TRANSIENT, Frozen
from docgemma.evals.casefiles import BaseCase, load
from docgemma.tools.registry import ToolName

PACKAGED = "latency.jsonl"

Route = Literal[
    "greeting",
    "direct",
    "single_tool",
    "two_tools",
    "three_tools",
    "ask_user",
    "write_card",
    "error_retry",
    "image",
    "follow_up",
]
Fault = Literal["timeout", "rate_limit", "server_error", "service_unavailable"]
Message = Annotated[str, Field(min_length=1, max_length=4_000)]


class Way(Frozen):
    """What shows that a turn took its path. A turn that leaves out a look-up is fast for the wrong reason."""

    tools: tuple[ToolName, ...] = ()
    outcome: Literal["answer", "ask_user", "approval"] = "answer"


class LatencyCase(BaseCase):
    """One message, perhaps after earlier ones. `fault`: how the first look-up of the turn fails, once."""

    kind: Route
    patient: Annotated[str, Field(min_length=1, max_length=64)] | None = None
    before: Annotated[tuple[Message, ...], Field(max_length=8)] = ()
    say: Message
    image: bool = False
    fault: Fault | None = None
    way: Way

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.kind == "error_retry") != (self.fault is not None):
            raise ValueError("'fault' stands with the kind error_retry, and with no other")
        if self.fault is not None and self.fault not in TRANSIENT:
            raise ValueError(f"a look-up is not tried again after '{self.fault}'")
        if (self.kind == "image") != self.image:
            raise ValueError("'image' stands with the kind image, and with no other")
        if (self.kind == "follow_up") != bool(self.before):
            raise ValueError("'before' stands with the kind follow_up, and with no other")
        return self

    @property
    def about(self) -> str:
        return self.say


def load_cases(path: Path | None = None) -> tuple[LatencyCase, ...]:
    """The cases of a file; without one, those that come with the package."""
    return load(LatencyCase, PACKAGED, path)
