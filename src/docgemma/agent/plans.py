"""What the model nodes of the triage graph may answer, and what code makes of it.

As everywhere: the decision first, optional fields last, every string bounded, and candidates narrow the enum alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Literal, cast

from pydantic import Field, create_model

from docgemma.agent.schemas import Decision
from docgemma.agent.understanding.needs import Need
from docgemma.tools.registry import ToolName

Route = Literal["direct", "lookup", "reasoning", "multi_step"]

MOST_SUBTASKS = 5
QUERY_LIMIT = 200
Query = Annotated[str, Field(max_length=QUERY_LIMIT)]
Words = Annotated[str, Field(max_length=160)]


@dataclass(frozen=True, slots=True)
class Subtask:
    """One part of a request. With a tool nobody has to be asked which; with a need, code planned it."""

    words: str
    tool: ToolName | None = None
    query: str = ""
    need: Need | None = None


class TriageDecision(Decision):
    """Which of four ways a message goes. Tool and query belong to a look-up alone."""

    route: Route
    tool: str | None = Field(default=None, description="For lookup: the one tool to use")
    query: Query | None = Field(default=None, description="For lookup: the drug, person, id or topic to look up")


@cache
def triage_decision(candidates: tuple[ToolName, ...]) -> type[TriageDecision]:
    """TriageDecision with only these tools left open."""
    described = Field(default=None, description="For lookup: the one tool to use")
    names = Literal[candidates] | None  # type: ignore[valid-type]
    narrowed = create_model("TriageDecision", __base__=TriageDecision, tool=(names, described))
    return cast(type[TriageDecision], narrowed)


class ToolNeeds(Decision):
    """What a chain of reasoning still has to look up. "none" is a choice: a slot that may be empty gets filled."""

    first_tool: str
    second_tool: str
    first_query: Query | None = Field(default=None, description="The drug, person, id or topic for the first tool")
    second_query: Query | None = Field(default=None, description="The drug, person, id or topic for the second tool")


@cache
def tool_needs(candidates: tuple[ToolName, ...]) -> type[ToolNeeds]:
    """ToolNeeds with only these tools left open, and none."""
    names = Literal[(*candidates, "none")]  # type: ignore[valid-type]
    narrowed = create_model("ToolNeeds", __base__=ToolNeeds, first_tool=(names, ...), second_tool=(names, ...))
    return cast(type[ToolNeeds], narrowed)


class IntentDecomposition(Decision):
    """The parts of a request. Their number is decided first: a model that only sees five slots fills five."""

    count: Literal[1, 2, 3, 4, 5]
    subtasks: Annotated[list[Words], Field(min_length=1, max_length=MOST_SUBTASKS)]


class ToolPlan(Decision):
    """The tool for one subtask, and what to look up with it."""

    tool_name: str
    query: Query = Field(description="The drug, person, id or topic to look up")


@cache
def tool_plan(candidates: tuple[ToolName, ...]) -> type[ToolPlan]:
    """ToolPlan with only these tools left open, and none for a subtask that needs no look-up."""
    names = Literal[(*candidates, "none")]  # type: ignore[valid-type]
    return cast(type[ToolPlan], create_model("ToolPlan", __base__=ToolPlan, tool_name=(names, ...)))


def subtasks_of(answer: IntentDecomposition, request: str) -> tuple[Subtask, ...]:
    """As many parts as were announced, each once. Blanks are none; without any the request is one part."""
    told = dict.fromkeys(" ".join(words.split()) for words in answer.subtasks[: answer.count])
    return tuple(Subtask(words) for words in told if words) or (Subtask(request),)


def by_need(needs: Sequence[Need]) -> tuple[Subtask, ...]:
    """One part for each look-up that the words of the request ask for: nobody is asked how to plan those."""
    return tuple(Subtask("", need.tool, need.subject or "", need) for need in needs[:MOST_SUBTASKS])
