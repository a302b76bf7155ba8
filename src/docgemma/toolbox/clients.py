"""Clients of the MCP servers in this process, and the one way a tool is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import AsyncExitStack
from typing import Any

from mcp import Client
from mcp.server import Server
from mcp_types import CallToolRequest, CallToolRequestParams, CallToolResult

from docgemma.store.opened import Opened


class Clients(Opened):
    """One client for each server, open for as long as the block lasts.

    A task of their own holds them: mcp wants a client closed by the very task that opened it.
    """

    def __init__(self, servers: Iterable[object]) -> None:
        self._servers = [server for server in servers if isinstance(server, Server)]
        self._clients: dict[int, Client] = {}
        self._closing = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None

    async def open(self) -> None:
        opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._keeper = asyncio.create_task(self._keep_open(opened), name="mcp clients")
        try:
            await opened
        except BaseException:  # also when cancelled: nobody will close what was half opened
            self._keeper.cancel()
            raise

    async def close(self) -> None:
        self._closing.set()
        if self._keeper is not None:
            await self._keeper

    async def _keep_open(self, opened: asyncio.Future[None]) -> None:
        try:
            async with AsyncExitStack() as stack:
                for server in self._servers:
                    if id(server) not in self._clients:
                        self._clients[id(server)] = await stack.enter_async_context(Client(server))
                opened.set_result(None)
                await self._closing.wait()
                self._clients.clear()
        except BaseException as error:
            if opened.done():
                raise
            opened.set_exception(error)

    @property
    def opened(self) -> bool:
        return self._keeper is not None

    def of(self, server: Server[Any]) -> Client:
        found = self._clients.get(id(server))
        if found is None:
            raise RuntimeError("the MCP clients are not open")
        return found


async def request(
    client: Client, name: str, args: dict[str, Any], meta: dict[str, Any] | None = None
) -> CallToolResult:
    """One plain tools/call.

    `Client.call_tool` would also check the answer with jsonschema, which takes longer than the whole call and asks
    less than our own result types do; and it would answer a server's questions, which no clinical tool may ask.
    """
    asked = CallToolRequest(params=CallToolRequestParams(name=name, arguments=args, _meta=meta))
    return await client.session.send_request(asked, CallToolResult)
