"""The registry as an MCP server. Every call ends in the tool's typed result: never in a protocol error.

mcp's low-level server is used on purpose: the registry already is the declaration, and nothing is derived twice.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import Any

from mcp.server import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp_types import Tool as Declaration

from docgemma import __version__
from docgemma.clinical import (
    ENDS_AT_KEY,
    PURPOSE_KEY,
    WITHHELD_KEY,
    ErrorType,
    People,
    Purpose,
    Status,
    ToolResult,
    acting,
    ends_at,
    holding,
    purpose,
    withheld,
)
from docgemma.errors import BadInput, DocGemmaError, ModelOutputInvalid, UnknownId
from docgemma.tools.arguments import Arguments
from docgemma.tools.checking import check_arguments
from docgemma.tools.registry import REGISTRY, TOOL_NAMES, Tool, ToolName

log = logging.getLogger(__name__)

Handler = Callable[[Any], Awaitable[ToolResult]]
"""What does a tool's work: it gets the validated arguments (`tool.call`) and returns the tool's own result type."""

INSTRUCTIONS = (
    "Clinical look-ups. A status of `unavailable` means that nothing was checked, never that nothing was found. "
    "Chart entries are only proposed: a person approves them in DocGemma."
)


def build_server(
    handlers: Mapping[ToolName, Handler],
    *,
    names: Collection[ToolName] = TOOL_NAMES,
    on_behalf: Purpose | None = None,
) -> Server[dict[str, Any]]:
    """Offer these tools, in the registry's order. A tool without a handler is a mistake found here, not in a call.

    `on_behalf` is who asks, for a server that others call: without it the caller is this process and says so itself.
    """
    offered: dict[str, tuple[Tool, Handler]] = {
        tool.name: (tool, handlers[tool.name]) for tool in REGISTRY.values() if tool.name in names
    }

    async def list_tools(_context: object, _params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[declaration(tool) for tool, _ in offered.values()])

    async def call_tool(_context: object, params: CallToolRequestParams) -> CallToolResult:
        if params.name not in offered:
            raise MCPError(INVALID_PARAMS, "This server has no such tool.")
        tool, handler = offered[params.name]
        with acting(on_behalf) if on_behalf else _circumstances(params.meta or {}):
            result = await _answer(tool, handler, params.arguments or {})
        return CallToolResult(
            content=[TextContent(text=readable(result))],
            structured_content=result.model_dump(mode="json", exclude_defaults=True),
        )

    return Server(
        "docgemma",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


@contextmanager
def _circumstances(said: Mapping[str, Any]) -> Iterator[None]:
    """Who asks, about whom, and until when, as a caller in this process says."""
    with ExitStack() as held:
        if PURPOSE_KEY in said:
            held.enter_context(holding(purpose, Purpose.model_validate(said[PURPOSE_KEY])))
        if WITHHELD_KEY in said:
            held.enter_context(holding(withheld, People.model_validate(said[WITHHELD_KEY])))
        if ENDS_AT_KEY in said:
            held.enter_context(holding(ends_at, float(said[ENDS_AT_KEY])))
        yield


@cache
def declaration(tool: Tool) -> Declaration:
    """The tool as MCP clients see it. Its schemas take long to write: only when somebody lists them, and once."""
    return Declaration(
        name=tool.name,
        title=tool.label,
        description=tool.description,
        input_schema=tool.call.model_json_schema(),
        output_schema=tool.result.model_json_schema(),
        annotations=ToolAnnotations(
            title=tool.label,
            read_only_hint=not tool.writes,
            destructive_hint=False,
            open_world_hint=tool.open_world,
        ),
    )


def readable(result: ToolResult) -> str:
    """The result for clients that read text only: the findings, and all that must never be left out."""
    lines = [
        result.text(),
        *(f"Warning: {line}" for line in result.warnings),
        *(f"Not checked: {line}" for line in result.not_checked),
    ]
    if result.flagged:
        lines.append(f"Left out because it reads like an instruction to a program: {result.flagged} passage(s).")
    if result.demonstration:
        lines.append("Demonstration data, not reviewed by a clinician.")
    return "\n".join(line for line in lines if line)


async def _answer(tool: Tool, handler: Handler, raw: Mapping[str, Any]) -> ToolResult:
    arguments = check_arguments(tool, raw)
    if not isinstance(arguments, Arguments):
        return arguments
    try:
        result = await handler(arguments)
        if not isinstance(result, tool.result):
            raise TypeError(f"{tool.name} answered with {type(result).__name__}")
    except DocGemmaError as error:
        status, error_type = _kind(error)
        return tool.result(status=status, error_type=error_type, message=str(error))
    except Exception as error:  # noqa: BLE001  the border: a bug in one tool must not end the turn
        # Where, not what: the exception's own text and the arguments may hold patient data.
        frame = traceback.extract_tb(error.__traceback__)[-1]
        log.error("tool %s failed: %s in %s, line %s", tool.name, type(error).__name__, frame.name, frame.lineno)
        return tool.result(
            status="unavailable",
            error_type="server_error",
            message=f"The {tool.label} failed because of a fault in this installation; nothing was checked.",
        )
    return result


def _kind(error: DocGemmaError) -> tuple[Status, ErrorType]:
    match error:
        case BadInput():
            return "invalid", "invalid_args"
        case UnknownId():
            return "not_found", "not_found"
        case ModelOutputInvalid():
            return "unavailable", "invalid_response"
        case _:
            return "unavailable", "service_unavailable"
