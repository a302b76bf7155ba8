"""The client: tried again when it helps, an error when it does not, and never an empty list in place of one."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp.server import Server
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import CallToolRequestParams, CallToolResult, ImageContent, ListToolsResult, TextContent, Tool

from docgemma.errors import Unavailable
from docgemma.fetch.pacing import Breaker
from docgemma.grounding.searching import RESTING, TerminologyClient, TerminologyFailed
from docgemma.terminology.contract import Candidate
from docgemma.toolbox import Remote
from docgemma.toolbox.pins import pin_of
from tests.grounding.graph.world import ASTHMA, GOUT, Small, client
from tests.support.http import serving

DOWN = Unavailable("The index cannot be read.")
GOUT_AS_TEXT = {"snomed_code": "190828008", "display": "gout", "cui": "C0018099", "ontology": "X", "confidence": 0.9}


async def test_a_failure_that_passes_is_not_noticed() -> None:
    small = Small(faults=[DOWN, DOWN])
    async with client(small) as opened:
        assert await opened.search("gout") == (GOUT,)
    assert small.calls == 3


async def test_a_failure_that_stays_is_an_error_with_the_back_end_s_sentence() -> None:
    async with client(Small(dies_after=0)) as opened:
        with pytest.raises(TerminologyFailed, match=r"The terminology is gone\."):
            await opened.search("gout")
        with pytest.raises(TerminologyFailed):
            await opened.link("gout")


async def test_arguments_that_are_refused_are_not_sent_again() -> None:
    small = Small()
    async with client(small) as opened:
        with pytest.raises(TerminologyFailed):
            await opened.search("x" * 400)
    assert small.calls == 0


async def test_a_terminology_that_keeps_failing_is_left_alone() -> None:
    small = Small(dies_after=0)
    async with client(small, breaker=Breaker(failures=2, rest_s=1000)) as opened:
        for _ in range(2):
            with pytest.raises(TerminologyFailed, match="gone"):
                await opened.search("gout")
        with pytest.raises(TerminologyFailed, match=RESTING):
            await opened.search("gout")
    assert small.calls == 6


async def test_the_same_search_is_made_once_and_memory_is_bounded() -> None:
    small = Small()
    async with client(small, remembered=2) as opened:
        for term in ("gout", "gout", "asthma", "gout", "heparin", "asthma"):
            await opened.search(term)
        await opened.search("gout", type="Condition")
    assert [term for term, _, _ in small.searched] == ["gout", "asthma", "heparin", "asthma", "gout"]


Answer = Callable[[CallToolRequestParams], CallToolResult]


def foreign(answer: Answer, arguments: tuple[str, ...] = ("term", "max_results")) -> Server[Any]:
    """Somebody else's UMLS server: it knows a term and a number, and answers in text."""

    async def listing(_context: object, _params: object) -> ListToolsResult:
        return ListToolsResult(tools=[tool(arguments)])

    async def call(_context: object, params: CallToolRequestParams) -> CallToolResult:
        return answer(params)

    return Server("umls", on_list_tools=listing, on_call_tool=call)


def tool(arguments: tuple[str, ...]) -> Tool:
    properties = {name: {"type": "string"} for name in arguments}
    return Tool(name="concept_search", input_schema={"type": "object", "properties": properties})


def texts(*blocks: object) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(text=each if isinstance(each, str) else json.dumps(each)) for each in blocks]
    )


async def asked(answer: CallToolResult, *, most: int = 5) -> tuple[Candidate, ...]:
    async with TerminologyClient({"concept_search": foreign(lambda _: answer)}, pauses_s=()) as opened:
        return await opened.search("gout", max_results=most)


READABLE: dict[str, CallToolResult] = {
    "a list in one block": texts([GOUT_AS_TEXT]),
    "a block each": texts(GOUT_AS_TEXT),
    "an object with a list": texts({"status": "found", "candidates": [GOUT_AS_TEXT]}),
    "structured": CallToolResult(content=[], structured_content={"result": [GOUT_AS_TEXT]}),
    "with rubbish beside it": texts([GOUT_AS_TEXT, {"display": 7}, "x", None, {**GOUT_AS_TEXT, "confidence": 7}]),
    "with fields of its own": texts([{**GOUT_AS_TEXT, "semantic_types": ["T047"], "ids": {"MSH": "D006073"}}]),
}


@pytest.mark.parametrize("case", sorted(READABLE))
async def test_a_foreign_server_s_list_is_read(case: str) -> None:
    [found] = await asked(READABLE[case])
    assert (found.cui, found.snomed_code, found.display, found.type) == ("C0018099", "190828008", "gout", None)


EMPTY = {
    "a list": texts([]),
    "no block": CallToolResult(content=[]),
    "structured": CallToolResult(content=[], structured_content={"status": "none", "candidates": []}),
}


@pytest.mark.parametrize("case", sorted(EMPTY))
async def test_an_empty_list_is_empty(case: str) -> None:
    assert await asked(EMPTY[case]) == ()


UNREADABLE = {
    "prose": texts("No API key."),
    "an error in the text": texts({"error": "quota exceeded"}),
    "an error": CallToolResult(content=[], is_error=True),
    "an error with candidates": CallToolResult(
        content=[], structured_content={"candidates": [GOUT_AS_TEXT]}, is_error=True
    ),
    "unavailable": CallToolResult(content=[], structured_content={"status": "unavailable", "candidates": []}),
    "a strange status": texts({"status": "failed", "candidates": []}),
    "a number": texts("7"),
    "nothing but rubbish": texts([{"name": "gout"}]),
    "an image": CallToolResult(content=[ImageContent(data="", mime_type="image/png")]),
    "far too long": texts([{**GOUT_AS_TEXT, "matched": "x" * 2_000_000}]),
    "deep": texts("[" * 100_000),
}


@pytest.mark.parametrize("case", sorted(UNREADABLE))
async def test_an_answer_that_cannot_be_read_is_an_error(case: str) -> None:
    with pytest.raises(TerminologyFailed):
        await asked(UNREADABLE[case])


async def test_only_what_may_pass_by_itself_is_tried_again() -> None:
    for status, times in (("invalid", 1), ("unavailable", 3)):
        seen: list[str] = []

        def answer(params: CallToolRequestParams, seen: list[str] = seen, status: str = status) -> CallToolResult:
            seen.append(params.name)
            return CallToolResult(content=[], structured_content={"status": status}, is_error=True)

        async with TerminologyClient({"concept_search": foreign(answer)}, pauses_s=(0, 0)) as opened:
            with pytest.raises(TerminologyFailed):
                await opened.search("gout")
        assert len(seen) == times


async def test_identifiers_and_names_of_a_foreign_server_are_checked() -> None:
    odd = {**GOUT_AS_TEXT, "cui": "C1; DROP", "snomed_code": "x", "display": "gout\n\n" + "a" * 999, "type": "Disease"}
    [found] = await asked(texts([odd]))
    assert (found.cui, found.snomed_code, found.type) == (None, None, None)
    assert "\n" not in found.display
    assert len(found.display) == 300
    assert len(await asked(texts([GOUT_AS_TEXT] * 9), most=2)) == 2


@asynccontextmanager
async def over_http(server: Server[Any]) -> AsyncIterator[str]:
    app = server.streamable_http_app(
        host="127.0.0.1",
        stateless_http=True,
        json_response=True,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    async with serving(app) as url:
        yield f"{url}/mcp"


async def test_a_pinned_server_elsewhere_is_asked_only_what_it_takes() -> None:
    seen: list[dict[str, Any]] = []

    def answer(params: CallToolRequestParams) -> CallToolResult:
        seen.append(dict(params.arguments or {}))
        return texts([GOUT_AS_TEXT])

    async with over_http(foreign(answer)) as url:
        remote = Remote(url, pin=pin_of(tool(("term", "max_results"))))
        async with TerminologyClient({"concept_search": remote}, pauses_s=()) as opened:
            [found] = await opened.search("gout", type="Condition", context="secret context")
            assert found.cui == "C0018099"
            with pytest.raises(TerminologyFailed, match="No terminology is set up"):
                await opened.link("gout")
        assert seen == [{"term": "gout", "max_results": 5}]
        for pin in (None, "0" * 64):
            async with TerminologyClient({"concept_search": Remote(url, pin=pin)}, pauses_s=()) as opened:
                with pytest.raises(TerminologyFailed, match="was not used"):
                    await opened.search("gout")
        assert len(seen) == 1


async def test_a_server_that_is_not_there_is_an_error() -> None:
    async with TerminologyClient({"concept_search": Remote("http://127.0.0.1:9/mcp", pin="0" * 64)}, pauses_s=()) as it:
        with pytest.raises(TerminologyFailed, match="could not be reached"):
            await it.search("gout")


async def test_a_slow_server_is_given_up() -> None:
    import asyncio

    class Slow(Small):
        async def search(self, *_: Any, **__: Any) -> Any:
            await asyncio.Event().wait()

    async with client(Slow(), deadline_s=0.02) as opened:
        with pytest.raises(TerminologyFailed, match="in time"):
            await opened.search("gout")


async def test_mentions_that_do_not_stand_in_the_text_are_refused() -> None:
    for start, end, words in ((0, 4, "gout"), (-4, 4, "gout"), (3, 99, "gout"), (3, 7, "GOUT")):
        mention = {"text": words, "start": start, "end": end, "candidates": [ASTHMA.model_dump()]}
        server = foreign(lambda _, mention=mention: texts([mention]))  # type: ignore[misc]
        async with TerminologyClient({"concept_linking": server}, pauses_s=()) as opened:
            with pytest.raises(TerminologyFailed):
                await opened.link("No gout")
