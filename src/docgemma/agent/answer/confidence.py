"""How far an answer can be relied on: computed from what was looked up, never asked of a model."""

from __future__ import annotations

import json
from collections.abc import Sequence

from docgemma.agent.record import ToolCall
from docgemma.clinical import Confidence, Status, ToolResult
from docgemma.tools.results import ImageReport, LiteratureResult, TrialsResult

_SETTLED: frozenset[Status] = frozenset({"found", "none", "written"})
_WRITES: frozenset[Status] = frozenset({"proposed", "written", "declined"})


def confidence(
    calls: Sequence[ToolCall],
    results: Sequence[ToolResult],
    *,
    direct: bool,
    knowledge: bool,
    image: bool,
    marked: bool,
    dropped: bool,
    small_talk: bool,
) -> Confidence:
    """`knowledge` says that a curated entry carries the answer, `image` that findings of an image do.

    What published articles say is known from their abstracts, and what a search did not find may be called otherwise:
    neither is a full source.
    """
    if small_talk and not (marked or dropped):
        return "high"
    statuses = _statuses(calls, results)
    if "unavailable" in statuses or image or any(isinstance(result, ImageReport) for result in results):
        return "low"
    if direct and not knowledge:
        return "low"
    if marked or dropped or any(_in_part(result) for result in results):
        return "medium"
    look_ups = [status for status in statuses if status not in _WRITES or status == "written"]
    settled = all(status in _SETTLED for status in look_ups) and bool(look_ups or knowledge)
    return "high" if settled else "medium"


def _in_part(result: ToolResult) -> bool:
    """Not all that there is to read was read, or it may not be right."""
    unfound = isinstance(result, TrialsResult) and result.status == "none"
    return isinstance(result, LiteratureResult) or unfound or result.demonstration or bool(result.not_checked)


def _statuses(calls: Sequence[ToolCall], results: Sequence[ToolResult]) -> list[Status]:
    """How each look-up ended. One that failed and then succeeded with the same question has succeeded."""
    if not calls:
        return [result.status for result in results]
    last = {(call.tool, json.dumps(call.args, sort_keys=True, default=str)): call.status for call in calls}
    return list(last.values())
