"""The fictional clinic with sources that fail, each case with its own, while one application serves all cases.

A tool call says on whose behalf it is made, down to the turn. A variable of the case's task would not do: the tools run
in the server's task, which was there before any case. Nothing waits: a source that is too slow says so at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal
from uuid import uuid4

from docgemma.clinical import ErrorType, ToolResult, purpose
from docgemma.tools.registry import REGISTRY, ToolName
from docgemma.tools.server import Handler

Fault = Literal["timeout", "unavailable", "not_found", "none", "slow_then_ok", "garbage"]

ERRORS: dict[Fault, ErrorType] = {
    "timeout": "timeout",
    "slow_then_ok": "timeout",
    "unavailable": "service_unavailable",
    "garbage": "invalid_response",
}
"""What a source that was not heard is told apart by."""

SAYS: dict[Fault, str] = {
    "timeout": "The {label} did not answer in time; nothing was {done}.",
    "slow_then_ok": "The {label} did not answer in time; nothing was {done}.",
    "unavailable": "The {label} cannot be reached; nothing was {done}.",
    "garbage": "The {label} gave an answer that could not be read; nothing was {done}.",
    "not_found": "The {label} has no entry for this.",
    "none": "The {label} was read in full and holds nothing on this.",
}

_DRUGS: frozenset[ToolName] = frozenset({"check_drug_safety", "check_drug_interactions", "prescribe_medication"})


class Faults:
    """Which tools fail in which turn. What is not named there answers as the clinic does."""

    def __init__(self) -> None:
        self._turns: dict[str, dict[ToolName, Fault]] = {}

    @contextmanager
    def turn(self, faults: Mapping[ToolName, Fault]) -> Iterator[str]:
        """The id of a turn in which these tools fail."""
        turn_id = uuid4().hex
        self._turns[turn_id] = dict(faults)
        try:
            yield turn_id
        finally:
            del self._turns[turn_id]

    def handlers(self, clinic: Mapping[ToolName, Handler]) -> dict[ToolName, Handler]:
        return {name: self._failing(name, handler) for name, handler in clinic.items()}

    def _failing(self, name: ToolName, handler: Handler) -> Handler:
        async def call(arguments: Any) -> ToolResult:
            faults = self._turns.get(purpose.get().turn_id, {})
            fault = faults.get(name)
            if fault is None:
                return await handler(arguments)
            if fault == "slow_then_ok":
                del faults[name]
            return failed(name, fault)

        return call


def failed(name: ToolName, fault: Fault) -> ToolResult:
    """What the tool gives back. `none` is what a source says that was heard; all else but `not_found` was not."""
    tool = REGISTRY[name]
    message = SAYS[fault].format(label=tool.label, done="prepared" if tool.writes else "checked")
    if fault == "none":
        return tool.result(status="none", message=message)
    if fault == "not_found":
        unknown: ErrorType = "drug_not_in_database" if name in _DRUGS else "not_found"
        return tool.result(status="not_found", error_type=unknown, message=message)
    return tool.result(status="unavailable", error_type=ERRORS[fault], message=message)
