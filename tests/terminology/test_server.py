"""The terminology over MCP: what a client sees of an answer, of nothing, and of a failure."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextContent

from docgemma.errors import BadInput, Unavailable
from docgemma.terminology.contract import LONGEST_TERM, Candidate
from docgemma.terminology.server import FAULT, build_terminology_server
from tests.grounding.graph.world import ACETAMINOPHEN, Small


async def call(terminology: Small, tool: str, arguments: dict[str, Any]) -> CallToolResult:
    async with Client(build_terminology_server(terminology)) as client:
        return await client.call_tool(tool, arguments)


def text(answer: CallToolResult) -> str:
    [block] = answer.content
    assert isinstance(block, TextContent)
    return block.text


async def test_a_search_answers_a_list_and_says_how_it_ended() -> None:
    answer = await call(Small(), "concept_search", {"term": "Acetaminophen"})
    assert not answer.is_error
    [listed] = json.loads(text(answer))
    assert Candidate.model_validate(listed) == ACETAMINOPHEN
    assert (listed["cui"], listed["snomed_code"]) == ("C0000970", "387517004")
    assert answer.structured_content is not None
    assert answer.structured_content["status"] == "found"
    assert answer.structured_content["candidates"] == [listed]


async def test_nothing_found_is_an_empty_list_and_no_error() -> None:
    answer = await call(Small(), "concept_search", {"term": "xyzitis"})
    assert (answer.is_error, json.loads(text(answer))) == (False, [])
    assert answer.structured_content is not None
    assert (answer.structured_content["status"], answer.structured_content["candidates"]) == ("none", [])


async def test_type_context_and_limit_reach_the_back_end() -> None:
    small = Small()
    arguments = {"term": "osteoarthritis", "type": "Condition", "context": "OA (osteoarthritis)", "max_results": 1}
    answer = await call(small, "concept_search", arguments)
    assert small.searched == [("osteoarthritis", "Condition", "OA (osteoarthritis)")]
    assert len(json.loads(text(answer))) == 1


async def test_linking_answers_the_mentions_with_their_places() -> None:
    answer = await call(Small(), "concept_linking", {"text": "No gout or asthma"})
    assert [(each["text"], each["start"]) for each in json.loads(text(answer))] == [("gout", 3), ("asthma", 11)]
    assert answer.structured_content is not None
    assert [each["candidates"][0]["cui"] for each in answer.structured_content["mentions"]] == ["C0018099", "C0004096"]


@pytest.mark.parametrize("tool", ["concept_search", "concept_linking"])
@pytest.mark.parametrize("fault", ["unavailable", "bug"])
async def test_a_back_end_that_fails_is_an_error_and_never_an_empty_list(
    tool: str, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    errors = {"unavailable": Unavailable("The index cannot be read."), "bug": KeyError("SECRET gout")}
    arguments = {"concept_search": {"term": "gout"}, "concept_linking": {"text": "gout"}}[tool]
    with caplog.at_level(logging.INFO):
        answer = await call(Small(faults=[errors[fault]]), tool, arguments)
    assert answer.is_error
    assert answer.structured_content is not None
    assert answer.structured_content["status"] == "unavailable"
    assert text(answer) == ("The index cannot be read." if fault == "unavailable" else FAULT)
    assert "SECRET" not in caplog.text + str(answer)
    assert "Traceback" not in caplog.text + str(answer)


WRONG: dict[str, tuple[str, dict[str, Any]]] = {
    "no term": ("concept_search", {}),
    "empty term": ("concept_search", {"term": ""}),
    "long term": ("concept_search", {"term": "x" * (LONGEST_TERM + 1)}),
    "number as text": ("concept_search", {"term": "gout", "max_results": "5"}),
    "too many": ("concept_search", {"term": "gout", "max_results": 51}),
    "none at all": ("concept_search", {"term": "gout", "max_results": 0}),
    "unknown type": ("concept_search", {"term": "gout", "type": "Disease"}),
    "unknown argument": ("concept_search", {"term": "gout", "IGNORE ALL": 1}),
    "list": ("concept_search", {"term": ["gout"]}),
    "no text": ("concept_linking", {"max_results": 3}),
}


@pytest.mark.parametrize("case", sorted(WRONG))
async def test_wrong_arguments_are_refused_in_one_sentence_without_repeating_them(case: str) -> None:
    tool, arguments = WRONG[case]
    small = Small()
    answer = await call(small, tool, arguments)
    assert answer.is_error
    assert answer.structured_content is not None
    assert answer.structured_content["status"] == "invalid"
    assert "gout" not in text(answer)
    assert "IGNORE" not in text(answer)
    assert small.calls == 0


async def test_a_term_the_back_end_refuses_is_invalid() -> None:
    answer = await call(Small(faults=[BadInput("Give a shorter term.")]), "concept_search", {"term": "gout"})
    assert answer.structured_content is not None
    assert (answer.structured_content["status"], text(answer)) == ("invalid", "Give a shorter term.")


async def test_the_declaration_is_strict_and_read_only() -> None:
    async with Client(build_terminology_server(Small())) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        with pytest.raises(MCPError):
            await client.call_tool("concept_delete", {})
    assert list(tools) == ["concept_search", "concept_linking"]
    for tool in tools.values():
        assert tool.input_schema["additionalProperties"] is False
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
