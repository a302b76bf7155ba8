"""What the model nodes of the decompose graph may answer: a request, its parts, and one call for each part.

As everywhere: the decision first, optional fields last, every string bounded. A call's arguments are a list of names
and values, for a map whose keys are open cannot be held to a schema by every engine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from docgemma.agent.aliases import OldName
from docgemma.agent.schemas import Decision
from docgemma.agent.understanding.needs import Need

Complexity = Literal["direct", "complex"]
Verdict = Literal["success", "needs_more_action", "needs_user_input", "error"]

MOST_SUBTASKS = 5
MOST_ARGUMENTS = 6
LONGEST_THOUGHT = 512
LONGEST_CONTEXT = 200

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


class Entry(BaseModel):
    """One of the things that an answer lists."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ComplexityClassification(Decision):
    """Whether a message needs anything from outside."""

    complexity: Complexity
    reasoning: Annotated[str, Field(max_length=200)] = Field(description="Brief justification")


class ThinkingOutput(BaseModel):
    """What the model thinks before it takes the request apart. No decision: nothing follows from it by itself."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    reasoning: Annotated[str, Field(max_length=LONGEST_THOUGHT)] = Field(description="Reasoning and train of thoughts.")


class Subtask(Entry):
    """One part of the request, as the model sees it."""

    intent: Annotated[str, Field(max_length=160)] = Field(description="Brief description")
    requires_tool: OldName | None = Field(description="Suggested tool, or null")
    context: Annotated[str, Field(max_length=LONGEST_CONTEXT)] = Field(description="Relevant extracted info")


class DecomposedIntent(Decision):
    """The request in parts, or a question without whose answer it cannot be taken apart."""

    requires_clarification: Literal[False, True]
    subtasks: Annotated[tuple[Subtask, ...], Field(max_length=MOST_SUBTASKS)]
    clarification_question: Annotated[str, Field(max_length=LONGEST_CONTEXT)] | None = Field(
        default=None, description="Only where clarification is required: one question to the clinician"
    )


class Argument(Entry):
    name: ArgumentName
    value: Annotated[str, Field(max_length=120)]


class PlannedCall(Decision):
    """The tool for one part, and what to tell it."""

    tool_name: OldName
    arguments: Annotated[tuple[Argument, ...], Field(max_length=MOST_ARGUMENTS)]
    reasoning: Annotated[str, Field(max_length=200)] = Field(description="Brief justification")

    def values(self) -> dict[str, str | list[str]]:
        """By name, the last word for each; drugs that are checked together one by one, however they were listed."""
        plain: dict[str, str | list[str]] = {one.name: one.value for one in self.arguments if one.name != "drug_names"}
        named = [drug for one in self.arguments if one.name == "drug_names" for drug in one.value.split(",")]
        together = [drug.strip() for drug in named if drug.strip()]
        return plain | ({"drug_names": together} if together else {})


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the request as the graph works on it. `need`: what it stands for, where a rule took the request apart.

    `settled`: the request goes on after the user's answer, and no model is asked how.
    """

    intent: str
    tool: OldName | None = None
    context: str = ""
    need: Need | None = None
    settled: bool = False
