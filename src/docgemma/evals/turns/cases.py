"""The cases of an eval: what a clinician says, and what a careful assistant does with it. Read strictly, line by line.

A misspelt key would silently leave a field unscored, so every unknown one is refused with its place in the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from docgemma.agent.questions import FIELDS
from docgemma.clinical import Frozen
from docgemma.evals.casefiles import BaseCase, load, parse
from docgemma.evals.turns.faults import Fault
from docgemma.tools.registry import REGISTRY, ToolName

PACKAGED = "agent.jsonl"

Reason = Literal[
    "multiple_patient_matches", "confirm_patient", "switch_patient", "ambiguous_drug_name", "unclear_amount"
]
Message = Annotated[str, Field(min_length=1, max_length=20_000)]
Phrase = Annotated[str, Field(min_length=2, max_length=200)]
Phrases = Phrase | Annotated[tuple[Phrase, ...], Field(min_length=1)]
"""One that must be there; of several, any."""
Bounds = Annotated[tuple[int, ...], Field(min_length=2, max_length=2)]


class ExpectedCall(Frozen):
    """One call that must be made. Written flat, `{"tool": …, "drug_name": …}`; arguments left out do not matter."""

    tool: ToolName
    args: dict[str, str | tuple[str, ...]] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _flat(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        return {"tool": data.get("tool"), "args": {name: value for name, value in data.items() if name != "tool"}}

    @model_validator(mode="after")
    def _known(self) -> Self:
        known = REGISTRY[self.tool].call.model_fields
        if unknown := [name for name in self.args if name not in known]:
            raise ValueError(f"{self.tool} has no argument '{unknown[0]}'; it has {', '.join(known)}")
        return self

    def text(self) -> str:
        """As a miss shows it."""
        return call_text(self.tool, self.args)


class Expectation(Frozen):
    """What is scored. A field that is left out is not scored."""

    intent: Literal["TOOL_NEEDED", "DIRECT"] | None = None
    tools: tuple[ToolName, ...] | None = None
    calls: tuple[ExpectedCall, ...] = ()
    outcome: Literal["answer", "ask_user", "approval"] | None = None
    asks: tuple[str, ...] | None = None
    reason: Reason | None = None
    says: tuple[Phrases, ...] = ()
    never: tuple[Phrase, ...] = ()
    attempts: dict[ToolName, Bounds] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.tools is not None and len(set(self.tools)) < len(self.tools):
            raise ValueError("each tool stands once in 'tools'")
        if self.tools is not None and (stray := [call.tool for call in self.calls if call.tool not in self.tools]):
            raise ValueError(f"'calls' names {stray[0]}, which is not in 'tools'")
        if (self.asks is not None or self.reason) and self.outcome != "ask_user":
            raise ValueError("'asks' and 'reason' stand only with the outcome ask_user")
        if unknown := [name for name in self.asks or () if name not in FIELDS]:
            raise ValueError(f"'asks' names '{unknown[0]}', which is never asked for; it may name {', '.join(FIELDS)}")
        for tool, (least, most) in self.attempts.items():
            if not 1 <= least <= most:
                raise ValueError(f"'attempts' of {tool} are the least and the most, from 1 on")
        return self


class Case(BaseCase):
    """One message, perhaps after earlier ones of the same session. Only the last, `say`, is scored.

    `faults` befall the tools while `say` is answered; what came before went well.
    """

    patient: Annotated[str, Field(min_length=1, max_length=64)] | None = None
    before: Annotated[tuple[Message, ...], Field(max_length=8)] = ()
    say: Message
    image: bool = False
    image_before: bool = False
    faults: dict[ToolName, Fault] = Field(default_factory=dict)
    expect: Expectation

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.image_before and not self.before:
            raise ValueError("'image_before' stands only with 'before'")
        if empty := [tool for tool, fault in self.faults.items() if fault == "none" and REGISTRY[tool].writes]:
            raise ValueError(f"{empty[0]} writes: it cannot end with 'none'")
        return self

    @property
    def about(self) -> str:
        return self.say


def load_cases(path: Path | None = None) -> tuple[Case, ...]:
    """The cases of a file; without one, those that come with the package."""
    return load(Case, PACKAGED, path)


def parse_cases(text: str, name: str) -> tuple[Case, ...]:
    """One case a line; the first mistake is told with its line."""
    return parse(Case, text, name)


def call_text(tool: str, args: Mapping[str, Any]) -> str:
    """One call on one line, as a person reads it."""
    return f"{tool}({', '.join(f'{name}={_value(value)}' for name, value in args.items())})"


def _value(value: object) -> str:
    return " + ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
