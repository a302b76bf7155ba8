"""What a model node may answer. Decision first, optional last, every string bounded."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, create_model

from docgemma.agent.aliases import OldName
from docgemma.tools.registry import ToolName

Quality = Literal["success_rich", "success_partial", "no_results", "error_retryable", "error_fatal"]
Route = Literal["direct", "lookup", "reasoning", "multi_step"]
Complexity = Literal["direct", "complex"]
Verdict = Literal["success", "needs_more_action", "needs_user_input", "error"]

MOST_PARTS = 5
LONGEST_THOUGHT = 512
QUERY_LIMIT = 200
Query = Annotated[str, Field(max_length=QUERY_LIMIT)]
Words = Annotated[str, Field(max_length=160)]
Why = Annotated[str, Field(max_length=200)]


class Listed(BaseModel):
    """One of the things that an answer lists, or a text that decides nothing by itself."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Decision(Listed):
    """What the way on depends on: the first field is what is decided."""


D = TypeVar("D", bound=Decision)


def narrowed(schema: type[D], names: tuple[str, ...], *fields: str) -> type[D]:
    """The schema with only these names left open in its fields: candidates narrow the enum, never the prompt."""
    made: type[D] = _narrowed(schema, names, fields)
    return made


@cache
def _narrowed(schema: type[Decision], names: tuple[str, ...], fields: tuple[str, ...]) -> Any:
    some: Any = Literal[names]
    told = {name: schema.model_fields[name] for name in fields}
    own: dict[str, Any] = {name: (some if info.is_required() else some | None, info) for name, info in told.items()}
    return create_model(schema.__name__, __base__=schema, **own)


# ----------
# routed


class IntentClassification(Decision):
    """Classify user intent. Fields are ordered critical-first."""

    intent: Literal["DIRECT", "TOOL_NEEDED"]
    task_summary: Annotated[str, Field(max_length=400)] = Field(
        description="Brief clinical summary of the user's request (~50 words max)"
    )
    suggested_tool: ToolName | None = Field(
        default=None, description="If TOOL_NEEDED, which tool is most likely relevant"
    )


class ToolSelection(Decision):
    """Select the appropriate tool. Single field — no nullable distractors."""

    tool_name: str


def tool_selection(candidates: tuple[str, ...]) -> type[ToolSelection]:
    """ToolSelection with only these names left open."""
    return narrowed(ToolSelection, candidates, "tool_name")


class ResultAssessment(Decision):
    """Classify tool result quality. Classification field FIRST."""

    quality: Quality
    brief_summary: Annotated[str, Field(max_length=300)] = Field(
        description="1-2 sentence summary of what the tool returned"
    )


class RetryStrategy(Decision):
    """Choose retry approach. Strategy field FIRST."""

    strategy: Literal["retry_same", "retry_different_args"]
    reasoning: Annotated[str, Field(max_length=100)] | None = Field(
        default=None, description="Brief explanation of retry rationale"
    )


# ----------
# triage


class TriageDecision(Decision):
    """Which of four ways a message goes. Tool and query belong to a look-up alone."""

    route: Route
    tool: str | None = Field(default=None, description="For lookup: the one tool to use")
    query: Query | None = Field(default=None, description="For lookup: the drug, person, id or topic to look up")


class ToolNeeds(Decision):
    """What a chain of reasoning still has to look up. "none" is a choice: a slot that may be empty gets filled."""

    first_tool: str
    second_tool: str
    first_query: Query | None = Field(default=None, description="The drug, person, id or topic for the first tool")
    second_query: Query | None = Field(default=None, description="The drug, person, id or topic for the second tool")


class IntentDecomposition(Decision):
    """The parts of a request. Their number is decided first: a model that only sees five slots fills five."""

    count: Literal[1, 2, 3, 4, 5]
    subtasks: Annotated[list[Words], Field(min_length=1, max_length=MOST_PARTS)]


class ToolPlan(Decision):
    """The tool for one part, and what to look up with it."""

    tool_name: str
    query: Query = Field(description="The drug, person, id or topic to look up")


# ----------
# decompose


class ComplexityClassification(Decision):
    """Whether a message needs anything from outside."""

    complexity: Complexity
    reasoning: Why = Field(description="Brief justification")


class ThinkingOutput(Listed):
    """What the model thinks before it takes the request apart."""

    reasoning: Annotated[str, Field(max_length=LONGEST_THOUGHT)] = Field(description="Reasoning and train of thoughts.")


class Subtask(Listed):
    """One part of the request, as the model sees it."""

    intent: Words = Field(description="Brief description")
    requires_tool: OldName | None = Field(description="Suggested tool, or null")
    context: Query = Field(description="Relevant extracted info")


class DecomposedIntent(Decision):
    """The request in parts, or a question without whose answer it cannot be taken apart."""

    requires_clarification: Literal[False, True]
    subtasks: Annotated[tuple[Subtask, ...], Field(max_length=MOST_PARTS)]
    clarification_question: Query | None = Field(
        default=None, description="Only where clarification is required: one question to the clinician"
    )


ArgumentName = Literal[
    "patient",
    "drug_name",
    "drug_names",
    "query",
    "condition",
    "status",
    "medication_name",
    "dosage",
    "frequency",
    "substance",
    "reaction",
    "severity",
    "note_type",
]


class Argument(Listed):
    name: ArgumentName
    value: Annotated[str, Field(max_length=120)]


class PlannedCall(Decision):
    """The tool for one part, and what to tell it: a map whose keys are open no schema could hold every engine to."""

    tool_name: OldName
    arguments: Annotated[tuple[Argument, ...], Field(max_length=6)]
    reasoning: Why = Field(description="Brief justification")

    def values(self) -> dict[str, str | list[str]]:
        """By name, the last word for each; drugs that are checked together one by one, however they were listed."""
        plain: dict[str, str | list[str]] = {one.name: one.value for one in self.arguments if one.name != "drug_names"}
        named = [drug for one in self.arguments if one.name == "drug_names" for drug in one.value.split(",")]
        together = [drug.strip() for drug in named if drug.strip()]
        return plain | ({"drug_names": together} if together else {})
