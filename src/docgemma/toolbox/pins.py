"""Pins: the hash of what a remote tool says of itself.

A tool's description and schema steer the model, so a server that changes them can steer it elsewhere. A pinned tool
is used only while both are, byte for byte, what a person has looked at.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from mcp import Client
from mcp_types import Tool

from docgemma.seal import CONTENT

PAGES = 20
"""A listing longer than this is not one: a paginator without an end must not hold a turn."""


def pin_of(tool: Tool) -> str:
    """sha256 of the tool's name, description and input schema, independent of key order."""
    said = {"name": tool.name, "description": tool.description or "", "input_schema": tool.input_schema}
    return CONTENT.of(json.dumps(said, sort_keys=True, ensure_ascii=False, separators=(",", ":")))


@dataclass(frozen=True, slots=True)
class Declared:
    """What a server says of one of its tools: the pin, and which arguments it takes."""

    pin: str
    arguments: frozenset[str]


async def declarations(client: Client) -> dict[str, Declared]:
    """Every tool this server offers right now."""
    found: dict[str, Declared] = {}
    cursor: str | None = None
    for _ in range(PAGES):
        page = await client.list_tools(cursor=cursor, cache_mode="bypass")
        found.update((tool.name, Declared(pin_of(tool), _arguments(tool))) for tool in page.tools)
        cursor = page.next_cursor
        if cursor is None:
            break
    return found


def _arguments(tool: Tool) -> frozenset[str]:
    properties = tool.input_schema.get("properties")
    return frozenset(properties) if isinstance(properties, dict) else frozenset()
