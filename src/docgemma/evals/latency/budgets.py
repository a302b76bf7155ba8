"""How many model calls a path may take, by graph: what the specifications promise, counted as the graphs are built.

Version 3 says "4 calls" for a single tool and lists five: intent, selection, arguments, judging, answer. Five is what
holds without shortcuts, and at most three with them; each further tool may then take one more. Version 2 has a table
by route, and version 1 none: there it is counted from its nodes. A picture costs one look more in every graph.
"""

from __future__ import annotations

from docgemma.clinical import GraphName
from docgemma.evals.latency.cases import Route

_TOOLS: dict[Route, int] = {"two_tools": 2, "three_tools": 3}
_ANSWERED: frozenset[Route] = frozenset({"greeting", "direct"})
_BY_CODE: frozenset[Route] = frozenset({"ask_user", "write_card"})
"""Ends in a question or a card, which code words: no call for the answer."""


def budget(graph: GraphName, path: Route, *, shortcuts: bool) -> int:
    """The most calls that a turn on this path may take."""
    look = 1 if path == "image" else 0
    tools = _TOOLS.get(path, 1)
    match graph:
        case "triage":
            return _triage(path, tools) + look
        case "decompose":
            return (2 if path in _ANSWERED else 4 + tools) + look
        case "routed":
            return (_with_shortcuts(path, tools) if shortcuts else _in_full(path, tools)) + look


def _in_full(path: Route, tools: int) -> int:
    """Intent, three calls a tool, answer; a retry is decided on and judged once more."""
    if path in _ANSWERED:
        return 2
    return 2 + 3 * tools + 2 * (path == "error_retry") - (path in _BY_CODE)


def _with_shortcuts(path: Route, tools: int) -> int:
    if path in _ANSWERED:
        return 1 if path == "greeting" else 2
    return 3 + (tools - 1) + 2 * (path == "error_retry")  # how to try again, and other words for it


def _triage(path: Route, tools: int) -> int:
    """DIRECT 2; LOOKUP 2, or 3 where arguments are mended; MULTI_STEP at most 3 + 3N. Its retries are code."""
    if path in _ANSWERED:
        return 2
    return 3 if tools == 1 else 3 + 3 * tools
