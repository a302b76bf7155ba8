"""The cases of an eval: what a clinician says, and what a careful assistant does with it. Read strictly, line by line.

A misspelt key would silently leave a field unscored, so every unknown one is refused with its place in the file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from docgemma.agent.questions import FIELDS
from docgemma.clinical import Frozen
from docgemma.errors import BadInput, UnknownId
from docgemma.tools.registry import REGISTRY, ToolName

PACKAGED = "agent.jsonl"

Split = Literal["dev", "held"]
Reason = Literal[
    "multiple_patient_matches", "confirm_patient", "switch_patient", "ambiguous_drug_name", "unclear_amount"
]
Name = Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[\w.:-]+$")]
Message = Annotated[str, Field(min_length=1, max_length=20_000)]


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
        return self


class Case(Frozen):
    """One message, perhaps after earlier ones of the same session. Only the last, `say`, is scored."""

    id: Name
    kind: Annotated[str, Field(pattern=r"^[a-z][a-z_]{0,39}$")]
    voice: str = ""
    patient: Annotated[str, Field(min_length=1, max_length=64)] | None = None
    before: Annotated[tuple[Message, ...], Field(max_length=8)] = ()
    say: Message
    image: bool = False
    expect: Expectation

    @property
    def split(self) -> Split:
        """A third is held out, by the id alone: a case stays where it is when others come or go."""
        return "held" if int(hashlib.sha256(self.id.encode()).hexdigest(), 16) % 3 == 0 else "dev"


def load_cases(path: Path | None = None) -> tuple[Case, ...]:
    """The cases of a file; without one, those that come with the package."""
    try:
        if path is None:
            return parse_cases(files("docgemma.evals").joinpath("cases", PACKAGED).read_text("utf-8"), PACKAGED)
        return parse_cases(path.read_text(encoding="utf-8"), path.name)
    except UnicodeDecodeError:
        raise BadInput(f"{path.name if path else PACKAGED} is not UTF-8 text.") from None
    except OSError as error:
        name = path.name if path else PACKAGED
        raise BadInput(f"{name} cannot be read: {error.strerror}. Name a file of cases with --cases FILE.") from None


def parse_cases(text: str, name: str) -> tuple[Case, ...]:
    """One case a line; the first mistake is told with its line."""
    found: dict[str, Case] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        case = _case(line, f"{name}, line {number}")
        if case.id in found:
            raise BadInput(f"{name}, line {number}: the id '{case.id}' was already used by an earlier line.")
        found[case.id] = case
    if not found:
        raise BadInput(f"{name} holds no cases.")
    return tuple(found.values())


def select(
    cases: Sequence[Case],
    *,
    kinds: Collection[str] = (),
    ids: Collection[str] = (),
    split: Split | None = None,
    limit: int | None = None,
) -> tuple[Case, ...]:
    """Those that all filters leave. A filter that names nothing there is a mistake, not an empty answer."""
    for id_ in ids:
        if id_ not in {case.id for case in cases}:
            raise UnknownId(f"There is no case '{id_}'.")
    known = {case.kind: None for case in cases}
    for kind in kinds:
        if kind not in known:
            raise BadInput(f"There is no case of kind '{kind}'. The kinds are: {', '.join(known)}.")
    kept = tuple(
        case
        for case in cases
        if (not ids or case.id in ids) and (not kinds or case.kind in kinds) and (split is None or case.split == split)
    )
    if not kept:
        raise BadInput("No case fits all the filters.")
    return kept[:limit]


def call_text(tool: str, args: Mapping[str, Any]) -> str:
    """One call on one line, as a person reads it."""
    return f"{tool}({', '.join(f'{name}={_value(value)}' for name, value in args.items())})"


def _value(value: object) -> str:
    return " + ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _case(line: str, place: str) -> Case:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        raise BadInput(f"{place}: this is not valid JSON.") from None
    try:
        return Case.model_validate(data)
    except ValidationError as error:
        raise BadInput(f"{place}: {_explained(error)}.") from None


def _explained(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    key = ".".join(map(str, first["loc"]))
    reason = first["msg"].removeprefix("Value error, ")
    match first["type"]:
        case "missing":
            return f"'{key}' is missing"
        case "extra_forbidden":
            return f"'{key}' is not a key of a case"
        case "value_error":
            return reason
        case _:
            return f"'{key}' cannot be used: {reason[0].lower()}{reason[1:]}" if key else reason
