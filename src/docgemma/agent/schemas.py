"""What a model node may answer. Decision first, optional last, every string bounded."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, create_model

from docgemma.tools.registry import ToolName

Quality = Literal["success_rich", "success_partial", "no_results", "error_retryable", "error_fatal"]


class Decision(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


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


@cache
def tool_selection(candidates: tuple[str, ...]) -> type[ToolSelection]:
    """ToolSelection with only these names left open: candidates narrow the enum, never the prompt."""
    names = Literal[candidates]  # type: ignore[valid-type]
    return cast(type[ToolSelection], create_model("ToolSelection", __base__=ToolSelection, tool_name=(names, ...)))


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
