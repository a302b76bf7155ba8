"""Call a tool by name. Whatever happens on the way, the caller gets one typed result."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import anyio
from mcp.server import Server
from mcp_types import CallToolResult
from pydantic import ValidationError

from docgemma.clinical import ENDS_AT_KEY, PURPOSE_KEY, WITHHELD_KEY, ErrorType, People, ToolResult, purpose, withheld
from docgemma.errors import Unavailable
from docgemma.fetch.privacy import reveals
from docgemma.store.opened import Opened
from docgemma.toolbox import faults
from docgemma.toolbox.clients import Clients, request
from docgemma.toolbox.pins import Declared, declarations
from docgemma.toolbox.remote import Remote, Wire, connect

log = logging.getLogger(__name__)

Route = Server[Any] | Remote

MAX_CHARACTERS = 1_000_000
"""The most text one result may carry. Beyond it something is wrong at the source, and a model could not read it."""


class Toolbox(Opened):
    """Routes each tool to the server in this process or to another one.

    Every tool not named in `reads` counts as a write: it goes to a remote server only with `allow_writes`. `extras`
    are arguments that a remote server need not know: one that does not declare them is called without. `patient` are
    the tools whose calls are about a patient; in any other call to a remote server nothing may say who it is about.
    """

    def __init__(
        self,
        routes: Mapping[str, Route],
        result_types: Mapping[str, type[ToolResult]],
        *,
        deadline_s: float = 10,
        reads: Collection[str] = (),
        extras: Mapping[str, Collection[str]] | None = None,
        patient: Collection[str] = (),
    ) -> None:
        self._routes = dict(routes)
        self._types = result_types
        self._deadline_s = deadline_s
        self._reads = frozenset(reads)
        self._extras = extras or {}
        self._patient = frozenset(patient)
        self._clients = Clients(self._routes.values())

    async def open(self) -> None:
        await self._clients.open()

    async def close(self) -> None:
        await self._clients.close()

    async def call(self, name: str, args: dict[str, Any], *, deadline_s: float | None = None) -> ToolResult:
        """Run one tool under a deadline. Only a cancelled turn leaves this without a result."""
        route = self._routes.get(name)
        if route is None:
            return self._unavailable(name, "not_configured")
        wire = Wire()
        limit = self._deadline_s if deadline_s is None else deadline_s
        try:
            with anyio.move_on_after(limit):
                return self._typed(name, await self._send(name, args, route, wire, limit))
        except faults.Refused as refusal:
            return self._unavailable(name, refusal.error_type, str(refusal))
        except Exception as error:  # noqa: BLE001  the border: another server can make the client raise anything
            kind = faults.error_type(error, wire)
            log.warning("tool %s is unavailable: %s (%s)", name, kind, type(error).__name__)
            return self._unavailable(name, kind)
        return self._unavailable(name, "timeout")

    async def _send(self, name: str, args: dict[str, Any], route: Route, wire: Wire, limit: float) -> CallToolResult:
        if isinstance(route, Server):
            return await request(self._clients.of(route), name, args, meta=_circumstances(limit))
        if name not in self._reads and not route.allow_writes:
            raise faults.Refused(faults.NO_WRITES)
        if route.pin is None:
            raise faults.Refused(faults.UNPINNED + faults.REPIN)
        if name not in self._patient and reveals(" ".join(_texts(args)), withheld.get(People())):
            raise faults.Refused(faults.SENTENCES["patient_data"], "patient_data")
        async with connect(route, wire, deadline_s=limit) as client:
            declared = (await declarations(client)).get(name)
            same = declared is not None and declared.pin == route.pin
            answer = await request(client, name, self._known(name, args, declared)) if same and declared else None
        if answer is None:
            raise faults.Refused(faults.CHANGED + faults.REPIN)
        return answer

    def _known(self, name: str, args: dict[str, Any], declared: Declared) -> dict[str, Any]:
        unknown = frozenset(self._extras.get(name, ())) - declared.arguments
        return {key: value for key, value in args.items() if key not in unknown}

    def _typed(self, name: str, answer: CallToolResult) -> ToolResult:
        if answer.is_error:
            return self._unavailable(name, "server_error")
        content = answer.structured_content
        if not isinstance(content, dict) or _characters(content) > MAX_CHARACTERS:
            return self._unavailable(name, "invalid_response")
        try:
            result = self._type(name).model_validate(content, extra="forbid")
        except ValidationError:
            return self._unavailable(name, "invalid_response")
        if result.status in ("written", "declined"):
            return self._unavailable(name, "invalid_response", faults.UNAPPROVED)
        if result.status == "proposed" and name in self._reads:
            return self._unavailable(name, "invalid_response")
        return result

    def _unavailable(self, name: str, kind: ErrorType, message: str = "") -> ToolResult:
        sent = kind not in ("not_configured", "rate_limit")
        unsure = faults.UNSURE if not message and sent and name not in self._reads else ""
        return self._type(name)(
            status="unavailable", error_type=kind, message=(message or faults.SENTENCES[kind]) + unsure
        )

    def _type(self, name: str) -> type[ToolResult]:
        return self._types.get(name, ToolResult)


async def pins(url: str, *, token: str | None = None, deadline_s: float = 10) -> dict[str, str]:
    """The present pin of every tool on that server, for a person to look at and put into the settings."""
    remote, wire = Remote(url, token=token), Wire()
    try:
        with anyio.fail_after(deadline_s):
            async with connect(remote, wire, deadline_s=deadline_s) as client:
                return {name: declared.pin for name, declared in (await declarations(client)).items()}
    except Exception as error:
        kind = faults.error_type(error, wire)
        raise Unavailable(f"The tool server does not list its tools ({kind}). Check its address and token.") from error


def _circumstances(limit: float) -> dict[str, Any]:
    """Who asks, about whom, and until when, for the tools of this process.

    They run in a task of their own, which knows nothing of the turn.
    """
    asker, people = purpose.get(None), withheld.get(None)
    return {
        ENDS_AT_KEY: asyncio.get_running_loop().time() + limit,
        **({PURPOSE_KEY: asker.model_dump()} if asker else {}),
        **({WITHHELD_KEY: people.model_dump()} if people else {}),
    }


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


def _characters(value: object) -> int:
    if isinstance(value, str):
        return 8 + len(value)
    if isinstance(value, dict):
        return sum(len(key) + _characters(item) for key, item in value.items())
    return sum(map(_characters, value)) if isinstance(value, list) else 8
