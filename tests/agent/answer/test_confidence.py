"""Confidence is a matter of what was looked up and how it ended."""

from __future__ import annotations

import pytest

from docgemma.agent.answer.confidence import confidence
from docgemma.agent.record import ToolCall
from docgemma.clinical import Confidence, Status, ToolResult
from docgemma.tools.results import ImageReport


def call(status: Status, drug: str = "warfarin") -> ToolCall:
    return ToolCall(tool="check_drug_safety", label="Drug Safety Report", args={"drug_name": drug}, status=status)


def rated(calls: list[ToolCall], *results: ToolResult, **flags: bool) -> Confidence:
    names = ("direct", "knowledge", "image", "marked", "dropped", "small_talk")
    settled = {name: flags.get(name, False) for name in names}
    return confidence(calls, results, **settled)


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        (["found"], "high"),
        (["none"], "high"),
        (["found", "none"], "high"),
        (["not_found"], "medium"),
        (["found", "not_found"], "medium"),
        (["invalid"], "medium"),
        (["unavailable"], "low"),
        (["found", "unavailable"], "low"),
        (["found", "proposed"], "high"),
        ([], "medium"),
    ],
)
def test_it_is_as_good_as_its_look_ups(statuses: list[Status], expected: Confidence) -> None:
    assert rated([call(status, f"drug {number}") for number, status in enumerate(statuses)]) == expected


@pytest.mark.parametrize("flag", ["marked", "dropped"])
def test_what_goes_beyond_the_sources_is_never_high(flag: str) -> None:
    assert rated([call("found")], **{flag: True}) == "medium"


def test_a_demonstration_pack_or_an_unchecked_pair_is_at_most_medium() -> None:
    assert rated([call("found")], ToolResult(status="found", demonstration=True)) == "medium"
    assert rated([call("found")], ToolResult(status="found", not_checked=("warfarin with x",))) == "medium"


def test_memory_and_images_are_low() -> None:
    assert rated([], direct=True) == "low"
    assert rated([], direct=True, knowledge=True) == "high"
    assert rated([call("found")], image=True) == "low"
    assert rated([call("found")], ImageReport(status="found", findings=("opacity",))) == "low"


def test_small_talk_is_high_while_it_is_small_talk() -> None:
    assert rated([], direct=True, small_talk=True) == "high"
    assert rated([], direct=True, small_talk=True, dropped=True) == "low"


def test_a_retry_that_succeeded_has_succeeded() -> None:
    assert rated([call("unavailable"), call("found")]) == "high"
    assert rated([call("unavailable"), call("found", "aspirin")]) == "low"
