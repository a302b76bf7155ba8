"""From whatever went wrong to the one word the agent acts on, and one plain sentence for the user.

What a foreign server says about its own failure is never passed on: it is untrusted text.
"""

from __future__ import annotations

from collections.abc import Iterator

import httpx2
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, INTERNAL_ERROR, REQUEST_TIMEOUT

from docgemma.clinical import ErrorType
from docgemma.toolbox.remote import Wire

SENTENCES: dict[ErrorType, str] = {
    "timeout": "The source did not answer in time; nothing was checked.",
    "rate_limit": "The source is busy and refused the request; nothing was checked.",
    "server_error": "The source reported a fault of its own; nothing was checked.",
    "service_unavailable": "The source could not be reached; nothing was checked.",
    "not_configured": "No source is set up for this; nothing was checked.",
    "invalid_response": "The source gave an answer that cannot be used; nothing was checked.",
    "patient_data": "The question holds a patient's name, id or birth date, so it was not sent; nothing was checked.",
}
UNSURE = " Whether an order was prepared is not known: look at the pending orders first."
UNAPPROVED = "The source reports a chart entry that nobody approved here. Check the chart before anything else."
UNPINNED = "The server for this tool is not pinned, so it was not used. "
CHANGED = "The server's description of this tool has changed since it was pinned, so it was not used. "
REPIN = "Run `docgemma doctor` to see its present description and set the pin in tool_servers or terminology_server."
NO_WRITES = "Chart entries may not be sent to this server; set allow_writes in tool_servers to permit it."


class Refused(Exception):
    """We do not call this server: the reason is ours and may be shown."""

    def __init__(self, sentence: str, error_type: ErrorType = "not_configured") -> None:
        super().__init__(sentence)
        self.error_type: ErrorType = error_type


def error_type(error: Exception, wire: Wire) -> ErrorType:
    """The kind of failure: what HTTP said first, then what MCP said."""
    if wire.oversized:
        return "invalid_response"
    if (by_status := _by_status(wire.status)) is not None:
        return by_status
    kinds = [_kind(cause) for cause in _causes(error)]
    return next((kind for kind in kinds if kind != "invalid_response"), "invalid_response")


def _by_status(status: int) -> ErrorType | None:
    if status == 429:
        return "rate_limit"
    if status in (401, 403, 404, 502, 503, 504):
        return "service_unavailable"
    return "server_error" if status >= 500 else None


def _kind(error: BaseException) -> ErrorType:
    if isinstance(error, MCPError):
        codes: dict[int, ErrorType] = {
            REQUEST_TIMEOUT: "timeout",
            CONNECTION_CLOSED: "service_unavailable",
            INTERNAL_ERROR: "server_error",
        }
        return codes.get(error.code, "invalid_response")
    if isinstance(error, httpx2.TimeoutException | TimeoutError):
        return "timeout"
    return "service_unavailable" if isinstance(error, httpx2.TransportError | OSError) else "invalid_response"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The MCP client runs in task groups, so the true cause may lie several groups deep."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _causes(inner)
    else:
        yield error
