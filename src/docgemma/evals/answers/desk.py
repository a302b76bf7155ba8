"""The ten tools as one case wants them, for one application that serves all cases at once.

A tool call says on whose behalf it is made, down to the turn: by that each case finds its own findings.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from docgemma.clinical import ToolResult, holding, purpose
from docgemma.evals.answers.cases import Case
from docgemma.llm.contract import Prompt
from docgemma.tools.arguments import Arguments
from docgemma.tools.registry import REGISTRY, TOOL_NAMES, ToolName
from docgemma.tools.server import Handler

Play = Callable[[ToolName, Arguments], Awaitable[ToolResult]]


@dataclass(frozen=True, slots=True)
class Called:
    """One call as the tool got it, and what it gave back."""

    tool: ToolName
    args: dict[str, Any]
    result: ToolResult


@dataclass(slots=True)
class Take:
    """What happens while one case runs: every call, and what the model wrote before anybody checked it."""

    play: Play
    case: Case | None = None
    calls: list[Called] = field(default_factory=list)
    raw: str = ""
    cut: bool = False
    prompt: Prompt | None = None


running: ContextVar[Take] = ContextVar("running")
"""The take of the case that runs in this task."""


class Desk:
    """Hands each call to the take it belongs to."""

    def __init__(self) -> None:
        self._takes: dict[str, Take] = {}

    @contextmanager
    def turn(self, take: Take) -> Iterator[str]:
        """The id of a turn whose calls belong to this take."""
        turn_id = uuid4().hex
        self._takes[turn_id] = take
        try:
            with holding(running, take):
                yield turn_id
        finally:
            del self._takes[turn_id]

    def handlers(self) -> dict[ToolName, Handler]:
        return {name: self._handler(name) for name in TOOL_NAMES}

    def _handler(self, name: ToolName) -> Handler:
        async def play(arguments: Arguments) -> ToolResult:
            take = self._takes[purpose.get().turn_id]
            result = await take.play(name, arguments)
            take.calls.append(Called(name, arguments.model_dump(exclude_none=True), result))
            return result

        return play


def findings_of(case: Case) -> Play:
    """The findings of the case: by drug or patient where they name one, else in their order, the last again and again.

    A tool that the case knows nothing of is not set up: it can neither help nor mislead.
    """
    asked: dict[ToolName, int] = {}

    async def play(name: ToolName, arguments: Arguments) -> ToolResult:
        if name not in case.findings:
            message = f"The {REGISTRY[name].label} is not set up on this system."
            return REGISTRY[name].result(status="unavailable", error_type="not_configured", message=message)
        results = case.results(name)
        place = asked[name] = asked.get(name, -1) + 1
        wanted = {str(value).casefold() for value in arguments.model_dump(exclude_none=True).values()}
        about = [result for result in results if _subject(result) in wanted]
        return about[0] if about else results[min(place, len(results) - 1)]

    return play


def _subject(result: ToolResult) -> str:
    return str(getattr(result, "drug", "") or getattr(result, "patient_id", "")).casefold()
