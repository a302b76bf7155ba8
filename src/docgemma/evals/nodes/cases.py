"""Cases for one question to the model: the moment in a turn at which it is asked, and what a careful reader answers."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import Field, ValidationError, model_validator

from docgemma.agent.schemas import Quality
from docgemma.agent.state import AttachedImage, State, ToolRun
from docgemma.agent.understanding.needs import needs
from docgemma.agent.understanding.reading import read
from docgemma.clinical import Frozen, Patient, ToolResult
from docgemma.evals.casefiles import BaseCase
from docgemma.evals.clinic import people
from docgemma.reader.loading import PACKAGED as READER
from docgemma.tools.registry import REGISTRY, RESULT_TYPES, TOOL_NAMES, ToolName

Kind = Literal["intent", "selection", "step", "arguments", "result", "retry", "plan", "sufficiency", "deferral"]
"""What is asked: the nodes of the product, and what the product never asks a model (plan, sufficiency, deferral)."""

CHOICES: dict[Kind, tuple[str, ...]] = {
    "intent": ("DIRECT", "TOOL_NEEDED"),
    "selection": TOOL_NAMES,
    "step": (*TOOL_NAMES, "none"),
    "result": get_args(Quality),
    "retry": ("retry_same", "retry_different_args"),
    "sufficiency": ("sufficient", "insufficient"),
    "deferral": ("retry_same", "retry_different_args", "ask_user", "skip_and_continue"),
}
"""What may be answered, and so what a case may expect. A plan and arguments are no choice out of few."""

FEWEST_RESULTS: dict[Kind, int] = {"step": 1, "result": 1, "retry": 1, "deferral": 1, "sufficiency": 1}
Value = str | tuple[str, ...] | None


class Came(Frozen):
    """One look-up of the turn and what came back, as the tool's own typed result."""

    tool: ToolName
    args: dict[str, str | tuple[str, ...]] = Field(default_factory=dict)
    result: dict[str, Any]

    @model_validator(mode="after")
    def _typed(self) -> Self:
        known = RESULT_TYPES[self.tool].model_fields
        if unknown := [name for name in self.result if name not in known]:
            raise ValueError(f"a result of {self.tool} has no '{unknown[0]}'")
        if unknown := [name for name in self.args if name not in REGISTRY[self.tool].call.model_fields]:
            raise ValueError(f"{self.tool} has no argument '{unknown[0]}'")
        try:
            self.typed()
        except ValidationError as error:
            place = ".".join(map(str, error.errors(include_url=False)[0]["loc"]))
            raise ValueError(f"this is no result of {self.tool}: '{place}' does not fit") from None
        return self

    def typed(self) -> ToolResult:
        return RESULT_TYPES[self.tool].model_validate(self.result)


class Case(BaseCase):
    """One question. `expect` is right; `acceptable` would be, too.

    `arguments`: what the tool is to be told; null for what nobody said, which must be left blank. `tries`: how often
    the failed look-up was tried already. `raw`: the error as a library words it, for the question that shows it so.
    """

    kind: Kind
    say: Annotated[str, Field(min_length=1, max_length=4_000)]
    patient: str | None = None
    image: bool = False
    tool: ToolName | None = None
    expect: str | None = None
    acceptable: tuple[str, ...] = ()
    arguments: dict[str, Value] = Field(default_factory=dict)
    plan: tuple[ToolName, ...] = ()
    results: tuple[Came, ...] = ()
    tries: Annotated[int, Field(ge=1, le=9)] = 1
    raw: str = ""
    probe: bool = Field(default=False, description="One of the few that are also asked tool by tool")

    @property
    def about(self) -> str:
        return self.say

    @property
    def tool_named(self) -> ToolName:
        """A case of arguments names its tool: its validator sees to that."""
        assert self.tool is not None
        return self.tool

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.patient is not None and self.patient not in {person.id for person in people()}:
            raise ValueError(f"there is no patient '{self.patient}' in the clinic")
        if len(self.results) < FEWEST_RESULTS.get(self.kind, 0):
            raise ValueError(f"a case of kind {self.kind} needs 'results'")
        if self.kind == "plan" and not self.plan:
            raise ValueError("a case of kind plan needs a 'plan'")
        if self.kind == "arguments" and not (self.tool and self.arguments):
            raise ValueError("a case of kind arguments needs a 'tool' and its 'arguments'")
        self._expectable()
        return self

    def _expectable(self) -> None:
        choices = CHOICES.get(self.kind, ())
        for name in (*([self.expect] if choices or self.expect else []), *self.acceptable):
            if name not in choices:
                raise ValueError(f"a case of kind {self.kind} cannot expect '{name}'")
        tool = self.expect if self.kind == "selection" else self.tool
        known = REGISTRY[tool].args.model_fields if tool else {}
        if unknown := [name for name in self.arguments if name not in known]:
            raise ValueError(f"{tool or 'no tool'} has no argument '{unknown[0]}' that a model fills in")


# ----------
# The moment of a turn that a case stands for, as the graph's own state: so that the product's own prompts fit it.


def state_of(case: Case) -> State:
    """What input_assembly and the look-ups of the case have left in the state. Nobody looks at an image here."""
    patient = _on_screen(case.patient)
    entities = replace(read(READER, case.say, on_screen=patient is not None), has_image=case.image)
    return {
        "message": case.say,
        "request": case.say,
        "task_summary": case.say,
        "entities": entities,
        "needs": needs(entities, has_image=case.image, patient_known=patient is not None),
        "runs": tuple(run_of(came, case.tries) for came in case.results),
        "pinned": patient,
        "image": AttachedImage(id="case") if case.image else None,
        "steps": len(case.results),
        "retries": case.tries - 1,
        "total_retries": case.tries - 1,
    }


def run_of(came: Came, attempts: int = 1) -> ToolRun:
    args: dict[str, Any] = {
        name: list(value) if isinstance(value, tuple) else value for name, value in came.args.items()
    }
    return ToolRun(came.tool, args, came.typed(), attempts=attempts)


def _on_screen(id_: str | None) -> Patient | None:
    found = next((person for person in people() if person.id == id_), None)
    return Patient(id=found.id, banner=found.match().banner()) if found else None
