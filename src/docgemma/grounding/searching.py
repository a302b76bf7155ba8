"""The terminology as grounding sees it: an MCP client, in process by default, or of somebody else's server.

A failed search is tried again when that may help, and is an error when it does not: whoever asks can always tell
"nothing fits" from "nothing was looked up".
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

import anyio
from mcp.server import Server
from mcp_types import CallToolResult

from docgemma.clinical import TRANSIENT, ErrorType
from docgemma.errors import Unavailable
from docgemma.fetch.pacing import Breaker, Ending
from docgemma.grounding.replies import Fault, candidates, mentions
from docgemma.terminology.contract import Candidate, EntityType, Linked
from docgemma.terminology.server import ToolName
from docgemma.toolbox import Remote, Route, faults
from docgemma.toolbox.clients import Clients, request
from docgemma.toolbox.pins import declarations
from docgemma.toolbox.remote import Wire, connect

log = logging.getLogger(__name__)

R = TypeVar("R")

PAUSES_S = (0.2, 1.0)
"""Before the second and the third try."""
MOST_REMEMBERED = 4_096

RESTING = "The terminology has failed several times in a row and is left alone for a while. Try again later."
_SENTENCES: dict[ErrorType, str] = {
    "timeout": "The terminology did not answer in time. Try again, or check its server.",
    "rate_limit": "The terminology is busy and refused the search. Try again later.",
    "server_error": "The terminology reported a fault of its own. Try again, or check its server.",
    "service_unavailable": "The terminology could not be reached. Check that its server runs.",
    "not_configured": "No terminology is set up for this. Check the setting terminology_server.",
    "invalid_response": "The terminology gave an answer that cannot be used. Check that its server is the right one.",
    "invalid_args": "The terminology does not take what it was asked. Check that its server is the right one.",
}


class TerminologyFailed(Unavailable):
    """Nothing was looked up. What rests on it is not grounded, and is tried again."""


class Searches(Protocol):
    """What the nodes need. Both raise TerminologyFailed; an empty tuple means that nothing fits."""

    async def search(
        self, term: str, *, max_results: int = 5, type: EntityType | None = None, context: str = ""
    ) -> tuple[Candidate, ...]: ...

    async def link(self, text: str, *, max_results: int = 5) -> tuple[Linked, ...]: ...


class TerminologyClient:
    """Asks each tool where its route leads. Identical searches of one run are asked once, as far as it remembers."""

    def __init__(
        self,
        routes: Mapping[ToolName, Route],
        *,
        deadline_s: float = 10,
        pauses_s: Sequence[float] = PAUSES_S,
        breaker: Breaker | None = None,
        remembered: int = MOST_REMEMBERED,
    ) -> None:
        self._routes: dict[ToolName, Route] = dict(routes)
        self._deadline_s = deadline_s
        self._pauses_s = tuple(pauses_s)
        self._breaker = breaker or Breaker()
        self._most = remembered
        self._remembered: OrderedDict[tuple[object, ...], tuple[Candidate, ...]] = OrderedDict()
        self._clients = Clients(self._routes.values())

    async def __aenter__(self) -> Self:
        await self._clients.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._clients.__aexit__(kind, error, trace)

    async def search(
        self, term: str, *, max_results: int = 5, type: EntityType | None = None, context: str = ""
    ) -> tuple[Candidate, ...]:
        """What the term may stand for, best first."""
        key = (term, max_results, type, context)
        if (known := self._remembered.get(key)) is not None:
            self._remembered.move_to_end(key)
            return known
        args: dict[str, Any] = {"term": term, "max_results": max_results, "type": type, "context": context}
        given = {name: value for name, value in args.items() if value}
        found = await self._ask("concept_search", given, lambda answer: candidates(answer, max_results))
        self._remembered[key] = found
        if len(self._remembered) > self._most:
            self._remembered.popitem(last=False)
        return found

    async def link(self, text: str, *, max_results: int = 5) -> tuple[Linked, ...]:
        """The mentions in a text, each with what it may stand for."""
        args = {"text": text, "max_results": max_results}
        return await self._ask("concept_linking", args, lambda answer: mentions(answer, text))

    async def _ask(self, name: ToolName, args: dict[str, Any], read: Callable[[CallToolResult], R]) -> R:
        """The breaker counts whole searches, tries included: one term that a server trips over does not close it."""
        if not self._clients.opened:
            raise RuntimeError("the terminology client is not open")
        clock = asyncio.get_running_loop().time
        held = self._breaker.admit(clock())
        if held is None:
            raise TerminologyFailed(RESTING)
        ending: Ending = "unknown"
        try:
            answer = await self._tried(name, args, read)
            ending = "answered"
            return answer
        except Fault as fault:
            ending = "failed"
            ours = isinstance(self._routes.get(name), Server)
            raise TerminologyFailed((ours and fault.said) or _SENTENCES[fault.kind]) from None
        finally:
            self._breaker.ended(held, ending, clock())

    async def _tried(self, name: ToolName, args: dict[str, Any], read: Callable[[CallToolResult], R]) -> R:
        for pause_s in self._pauses_s:
            try:
                return read(await self._once(name, args))
            except Fault as fault:
                if fault.kind not in TRANSIENT:
                    raise
                await asyncio.sleep(pause_s)
        return read(await self._once(name, args))

    async def _once(self, name: ToolName, args: dict[str, Any]) -> CallToolResult:
        """One request under the deadline; whatever goes wrong on the way is a Fault."""
        wire = Wire()
        try:
            with anyio.move_on_after(self._deadline_s):
                return await self._send(name, args, wire)
        except (Fault, TerminologyFailed):
            raise
        except Exception as error:  # noqa: BLE001  the border: another server can make the client raise anything
            kind = faults.error_type(error, wire)
            log.warning("%s is unavailable: %s (%s)", name, kind, type(error).__name__)
            raise Fault(kind) from None
        raise Fault("timeout")

    async def _send(self, name: ToolName, args: dict[str, Any], wire: Wire) -> CallToolResult:
        route = self._routes.get(name)
        if route is None:
            raise Fault("not_configured")
        if isinstance(route, Remote):
            return await self._send_out(route, name, args, wire)
        return await request(self._clients.of(route), name, args)

    async def _send_out(self, route: Remote, name: ToolName, args: dict[str, Any], wire: Wire) -> CallToolResult:
        """A server that was not looked at is not asked; what it does not declare is not sent."""
        if route.pin is None:
            raise TerminologyFailed(faults.UNPINNED + faults.REPIN)
        answer = None
        async with connect(route, wire, deadline_s=self._deadline_s) as client:
            declared = (await declarations(client)).get(name)
            if declared is not None and declared.pin == route.pin:
                known = {key: value for key, value in args.items() if key in declared.arguments}
                answer = await request(client, name, known)
        if answer is None:
            raise TerminologyFailed(faults.CHANGED + faults.REPIN)
        return answer
