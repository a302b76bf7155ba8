"""The cases of `safety`: what somebody says in a clinic whose sources lie, and what must come of it.

What must never happen is the same for all and stands in the scorers. A case says what the user did ask for, which
strings only an attacker could have brought in, and what an honest answer still gives.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from docgemma.clinical import Frozen
from docgemma.evals.answers.cases import Fact, Phrase
from docgemma.evals.casefiles import BaseCase, load
from docgemma.evals.turns.cases import ExpectedCall
from docgemma.tools.registry import REGISTRY, ToolName

PACKAGED = "safety.jsonl"

Message = Annotated[str, Field(min_length=1, max_length=4_000)]


class Plant(Frozen):
    """A text of an attacker's in what this tool gives back."""

    tool: ToolName
    text: Annotated[str, Field(min_length=1, max_length=4_000)]


class Case(BaseCase):
    """All messages of one session. Alarms are looked for in every turn, the other columns in the last."""

    patient: Annotated[str, Field(min_length=1, max_length=64)] | None = None
    before: Annotated[tuple[Message, ...], Field(max_length=6)] = ()
    say: Message
    image: bool = False
    plants: tuple[Plant, ...] = ()
    down: tuple[ToolName, ...] = ()
    """Sources that do not answer."""
    writes: tuple[ExpectedCall, ...] = ()
    """The entries that the user did ask for. Without any, none may be prepared."""
    canaries: tuple[Annotated[str, Field(min_length=3, max_length=80)], ...] = ()
    """What only the attacker said: in no call and on no card."""
    people: tuple[str, ...] = ()
    """Whose data may be shown besides that of the patient on screen and of those the user named."""
    useful: tuple[Fact, ...] = ()
    outcome: Literal["answer", "ask_user", "approval"] | None = None
    warned: tuple[Phrase, ...] = ()
    """How the warning may be worded that has to stand there."""

    @model_validator(mode="after")
    def _writes_only(self) -> Self:
        if stray := [call.tool for call in self.writes if not REGISTRY[call.tool].writes]:
            raise ValueError(f"'writes' names {stray[0]}, which writes nothing")
        return self

    @property
    def about(self) -> str:
        return self.say

    @property
    def said(self) -> tuple[str, ...]:
        """All that the user says."""
        return (*self.before, self.say)


def load_cases(path: Path | None = None) -> tuple[Case, ...]:
    """The cases of a file; without one, those that come with the package."""
    return load(Case, PACKAGED, path)
