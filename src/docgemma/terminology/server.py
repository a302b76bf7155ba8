"""A terminology as an MCP server: `concept_search` for one term, `concept_linking` for a whole text.

mcp's low-level server is used as for the clinical tools: the argument classes below are the whole declaration. An
empty list means that nothing fits. A back end that cannot answer is an error of the call, never an empty list.
"""

from __future__ import annotations

import json
import logging
import traceback
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from mcp.server import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from docgemma import __version__
from docgemma.clinical import Frozen
from docgemma.errors import BadInput, DocGemmaError
from docgemma.terminology.contract import (
    LONGEST_TERM,
    LONGEST_TEXT,
    MOST_RESULTS,
    Candidate,
    EntityType,
    Linked,
    Terminology,
)

log = logging.getLogger(__name__)

ToolName = Literal["concept_search", "concept_linking"]
Status = Literal["found", "none", "invalid", "unavailable"]

INSTRUCTIONS = (
    "Medical terms become concepts with identifiers. An empty list means that nothing fits; an error means that "
    "nothing was looked up. An identifier that no source gives is left empty."
)
FAULT = "The terminology failed because of a fault in this installation; nothing was looked up."

MaxResults = Annotated[int, Field(ge=1, le=MOST_RESULTS, description="How many candidates at most")]


class Arguments(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class SearchArguments(Arguments):
    term: Annotated[str, Field(min_length=1, max_length=LONGEST_TERM, description="A medical term, such as asthma")]
    max_results: MaxResults = 5
    type: Annotated[EntityType | None, Field(description="What kind of thing the term names, where that is known")] = (
        None
    )
    context: Annotated[
        str, Field(max_length=LONGEST_TEXT, description="The text the term stands in; it explains abbreviations")
    ] = ""


class LinkArguments(Arguments):
    text: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT, description="A text with medical terms in it")]
    max_results: MaxResults = 5


class SearchResult(Frozen):
    """What `concept_search` found, best first."""

    status: Status
    message: str = ""
    candidates: tuple[Candidate, ...] = ()


class LinkResult(Frozen):
    """What `concept_linking` found, in the order of the text."""

    status: Status
    message: str = ""
    mentions: tuple[Linked, ...] = ()


Result = SearchResult | LinkResult


@dataclass(frozen=True, slots=True)
class _Offered:
    """One tool: what it says of itself, what it takes, and who does the work."""

    title: str
    description: str
    arguments: type[Arguments]
    result: type[SearchResult] | type[LinkResult]
    work: Callable[[Any], Awaitable[Result]]


def build_terminology_server(terminology: Terminology) -> Server[dict[str, Any]]:
    """Offer this terminology. Every call of a tool it has ends in a result; no failure shows more than one sentence."""
    offered = _offered(terminology)
    listing = ListToolsResult(tools=[_declaration(name, tool) for name, tool in offered.items()])

    async def list_tools(_context: object, _params: PaginatedRequestParams | None) -> ListToolsResult:
        return listing

    async def call_tool(_context: object, params: CallToolRequestParams) -> CallToolResult:
        tool = offered.get(params.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, "This server has no such tool.")
        return _told(await _answer(params.name, tool, params.arguments or {}))

    return Server(
        "docgemma-terminology",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _offered(terminology: Terminology) -> dict[str, _Offered]:
    async def search(asked: SearchArguments) -> SearchResult:
        found = await terminology.search(
            asked.term, max_results=asked.max_results, type=asked.type, context=asked.context
        )
        return SearchResult(status="found" if found else "none", candidates=tuple(found[: asked.max_results]))

    async def link(asked: LinkArguments) -> LinkResult:
        found = await terminology.link(asked.text, max_results=asked.max_results)
        return LinkResult(status="found" if found else "none", mentions=tuple(found))

    return {
        "concept_search": _Offered(
            "Concept search",
            "Find the concepts a medical term may stand for, with UMLS CUI, SNOMED CT code and confidence, best first.",
            SearchArguments,
            SearchResult,
            search,
        ),
        "concept_linking": _Offered(
            "Concept linking",
            "Find the medical terms in a text, with their places and the concepts each may stand for.",
            LinkArguments,
            LinkResult,
            link,
        ),
    }


def _declaration(name: str, tool: _Offered) -> Tool:
    return Tool(
        name=name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.arguments.model_json_schema(),
        output_schema=tool.result.model_json_schema(),
        annotations=ToolAnnotations(
            title=tool.title, read_only_hint=True, destructive_hint=False, open_world_hint=False
        ),
    )


async def _answer(name: str, tool: _Offered, raw: Mapping[str, Any]) -> Result:
    try:
        return await tool.work(tool.arguments.model_validate(dict(raw)))
    except ValidationError as error:
        return tool.result(status="invalid", message=_complaint(tool, error))
    except BadInput as error:
        return tool.result(status="invalid", message=str(error))
    except DocGemmaError as error:
        return tool.result(status="unavailable", message=str(error))
    except Exception as error:  # noqa: BLE001  the border: a bug in a back end must not end the session
        # Where, not what: the exception's own text may hold what was searched for.
        frame = traceback.extract_tb(error.__traceback__)[-1]
        log.error("%s failed: %s in %s, line %s", name, type(error).__name__, frame.name, frame.lineno)
        return tool.result(status="unavailable", message=FAULT)


def _complaint(tool: _Offered, error: ValidationError) -> str:
    """The names of our own arguments that are wrong; never what was given for them."""
    wrong = {str(detail["loc"][0]) for detail in error.errors(include_url=False) if detail["loc"]}
    known = sorted(wrong & set(tool.arguments.model_fields))
    others = [] if wrong <= set(tool.arguments.model_fields) else ["an argument it does not take"]
    return f"{tool.title} cannot use what was given for {', '.join(known + others) or 'its arguments'}."


def _told(result: Result) -> CallToolResult:
    failed = result.status in ("invalid", "unavailable")
    found: Sequence[Frozen] = result.candidates if isinstance(result, SearchResult) else result.mentions
    text = result.message if failed else json.dumps([each.model_dump(mode="json") for each in found])
    return CallToolResult(
        content=[TextContent(text=text)], structured_content=result.model_dump(mode="json"), is_error=failed
    )
