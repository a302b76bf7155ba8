"""The cases of `answers`: a question, the findings it is answered from, and what a careful answer says of them.

The findings are part of the case, typed as the tools give them. So an answer is scored by what could be known, and two
models that are compared have read the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, ValidationError, field_validator, model_validator

from docgemma.clinical import ToolResult
from docgemma.evals.casefiles import BaseCase, load
from docgemma.tools.registry import REGISTRY, ToolName
from docgemma.tools.results import ImageReport

PACKAGED = "answers.jsonl"
MOST_WORDS = 160
"""What 256 tokens hold, about: an answer that needs more does not fit the product's own limit."""

Message = Annotated[str, Field(min_length=1, max_length=2_000)]
Phrase = Annotated[str, Field(min_length=2, max_length=120)]
Fact = Annotated[tuple[Phrase, ...], Field(min_length=1, max_length=12)]
"""One thing to say, in every wording that counts. `*` at the end of a word stands for any ending."""


class Case(BaseCase):
    """One question with its findings. Only the answer to `say` is scored."""

    patient: Annotated[str, Field(min_length=1, max_length=64)] | None = None
    before: Annotated[tuple[Message, ...], Field(max_length=4)] = ()
    say: Message
    context: Annotated[str, Field(max_length=400)] = ""
    """What intent_classify would hand on as task_summary: fixed, so that every model writes with the same one."""
    findings: Mapping[ToolName, tuple[dict[str, Any], ...]] = Field(min_length=1)
    facts: tuple[Fact, ...] = ()
    admits: tuple[Phrase, ...] = ()
    """How the answer may say what was not found or not available; one of them has to be there."""
    memory: tuple[Phrase, ...] = ()
    """What only somebody could say who answers from memory: nothing in the findings speaks of it."""
    never: tuple[Phrase, ...] = ()
    """What would do harm whoever says it: the opposite of a finding."""
    most_words: int = Field(default=MOST_WORDS, ge=10, le=1_000)

    @field_validator("findings", mode="before")
    @classmethod
    def _listed(cls, given: Any) -> Any:
        if not isinstance(given, Mapping):
            return given
        return {name: (steps,) if isinstance(steps, Mapping) else steps for name, steps in given.items()}

    @model_validator(mode="after")
    def _readable(self) -> Self:
        try:
            for name in self.findings:
                self.results(name)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            raise ValueError(
                f"'findings' of {name}: {'.'.join(map(str, first['loc']))} {first['msg'].lower()}"
            ) from None
        if not (self.facts or self.admits):
            raise ValueError("a case needs 'facts' or 'admits': else there is nothing to score")
        return self

    def results(self, name: ToolName) -> tuple[ToolResult, ...]:
        """What this tool answers, one call after the other."""
        return tuple(REGISTRY[name].result.model_validate(step, extra="forbid") for step in self.findings[name])

    @property
    def image(self) -> ImageReport | None:
        """What a vision model is taken to have seen, where the case has an image."""
        seen = self.results("analyze_medical_image") if "analyze_medical_image" in self.findings else ()
        return next((one for one in seen if isinstance(one, ImageReport)), None)

    @property
    def failing(self) -> bool:
        """Whether a look-up of the case gives nothing."""
        steps = [step for steps in self.findings.values() for step in steps]
        return any(step.get("status") in ("unavailable", "not_found", "invalid") for step in steps)

    @property
    def about(self) -> str:
        return self.say


def load_cases(path: Path | None = None) -> tuple[Case, ...]:
    """The cases of a file; without one, those that come with the package."""
    return load(Case, PACKAGED, path)
