"""The fictional clinic with a source that fails once, as real ones do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from docgemma.clinical import ToolResult
from docgemma.evals.latency.cases import Fault
from docgemma.tools.registry import READS, REGISTRY, ToolName
from docgemma.tools.server import Handler


class Faults:
    """What the next look-up meets. One case runs at a time, so there is one at most."""

    def __init__(self) -> None:
        self._next: Fault | None = None

    def arm(self, fault: Fault | None) -> None:
        self._next = fault

    def handlers(self, clinic: Mapping[ToolName, Handler]) -> dict[ToolName, Handler]:
        """The same tools; a read fails when it is its turn to."""
        return {name: self._failing(name, handler) if name in READS else handler for name, handler in clinic.items()}

    def _failing(self, name: ToolName, handler: Handler) -> Handler:
        async def call(args: Any) -> ToolResult:
            fault, self._next = self._next, None
            if fault is None:
                return await handler(args)
            message = "The source did not answer."
            return REGISTRY[name].result(status="unavailable", error_type=fault, message=message)

        return call
