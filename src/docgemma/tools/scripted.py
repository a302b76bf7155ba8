"""The ten tools with answers written beforehand: for tests and evals, over the same declarations and the same MCP path.

Shipped in the package, so that an eval is data and anybody can run it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mcp.server import Server
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from docgemma.clinical import ToolResult
from docgemma.errors import BadInput, Unavailable
from docgemma.tools.arguments import Arguments
from docgemma.tools.registry import REGISTRY, TOOL_NAMES, Tool, ToolName
from docgemma.tools.server import Handler, build_server


@dataclass(frozen=True, slots=True)
class Slow:
    """Answers only after a while; the caller's deadline may cut it off before."""

    seconds: float
    then: ToolResult | None = None


class Timeout:
    """Answers at once what a caller gets whose deadline has passed."""


Step = ToolResult | Slow | Timeout | type[Timeout] | Exception
Script = Sequence[Step] | Callable[[dict[str, Any]], Step]


class ScriptRanOut(BaseException):
    """A tool was called more often than its script foresees.

    Not an Exception, as with pytest's own failures: no border may turn it into an ordinary tool answer.
    """


class ScriptedTools:
    """Plays each tool's script step by step and keeps every call.

    A tool without a script, or past its end, gives `default`; without one the run fails loudly.
    """

    def __init__(self, scripts: Mapping[str, Script], *, default: Step | None = None) -> None:
        unknown = sorted(set(scripts) - set(TOOL_NAMES))
        if unknown:
            raise BadInput(f"The script names tools that do not exist: {', '.join(unknown)}.")
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self._default = default
        self._functions = {name: script for name, script in scripts.items() if callable(script)}
        self._steps: dict[str, Iterator[Step]] = {
            name: iter(script) for name, script in scripts.items() if not callable(script)
        }

    @classmethod
    def from_json(cls, path: Path) -> ScriptedTools:
        """Read scripts from a file: `{"tool": [{"status": "found", ...}, {"fault": "timeout"}, ...]}`."""
        try:
            return cls.from_data(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError) as error:
            raise BadInput(f"The tool script {path.name} cannot be read, or is not JSON.") from error

    @classmethod
    def from_data(cls, scripts: object) -> ScriptedTools:
        """The same from data already read, such as one case of an eval."""
        try:
            steps = _SCRIPTS.validate_python(scripts)
            return cls({name: [_step(REGISTRY[name], step) for step in listed] for name, listed in steps.items()})
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"]))
            raise BadInput(f"The tool script is wrong at {where or 'its start'}: {first['msg']}.") from error

    def server(self, names: Sequence[ToolName] = TOOL_NAMES) -> Server[dict[str, Any]]:
        """The scripted tools as an MCP server."""
        return build_server(self.handlers(), names=names)

    def handlers(self) -> dict[ToolName, Handler]:
        return {name: self._handler(REGISTRY[name]) for name in TOOL_NAMES}

    def _handler(self, tool: Tool) -> Handler:
        async def play(arguments: Arguments) -> ToolResult:
            given = arguments.model_dump(exclude_none=True)
            self.calls.append((tool.name, given))
            return await _perform(tool, self._next(tool.name, given))

        return play

    def _next(self, name: str, given: dict[str, Any]) -> Step:
        if name in self._functions:
            return self._functions[name](given)
        step = next(self._steps.get(name, iter(())), self._default)
        if step is None:
            count = sum(called == name for called, _ in self.calls)
            raise ScriptRanOut(f"The script has no answer for call {count} of {name}.")
        return step


async def _perform(tool: Tool, step: Step) -> ToolResult:
    if isinstance(step, Exception):
        raise step
    if isinstance(step, Slow):
        await asyncio.sleep(step.seconds)
        step = step.then or Timeout()
    if isinstance(step, ToolResult):
        # A plain ToolResult may stand for any tool's: most faults carry no data of their own.
        return step if isinstance(step, tool.result) else tool.result.model_validate(step.model_dump())
    return tool.result(status="unavailable", error_type="timeout", message="The source did not answer in time.")


class Fault(BaseModel):
    """A step of the JSON form that is not a result."""

    model_config = ConfigDict(extra="forbid")

    fault: Literal["timeout", "slow", "unavailable", "crash"]
    seconds: float = Field(default=0, ge=0)
    then: dict[str, Any] | None = None
    message: str = "The source is not available."


_SCRIPTS = TypeAdapter(dict[ToolName, list[dict[str, Any]]])


def _step(tool: Tool, step: Mapping[str, Any]) -> Step:
    if "fault" not in step:
        return tool.result.model_validate(step, extra="forbid")
    fault = Fault.model_validate(step)
    match fault.fault:
        case "timeout":
            return Timeout()
        case "slow":
            return Slow(fault.seconds, tool.result.model_validate(fault.then, extra="forbid") if fault.then else None)
        case "unavailable":
            return Unavailable(fault.message)
        case "crash":
            return RuntimeError("scripted crash")
