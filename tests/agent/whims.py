"""A model and tools that do anything they validly can, for property tests of what code makes of it."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

from hypothesis import strategies as st

from docgemma.agent.schemas import IntentClassification, Quality, ResultAssessment, RetryStrategy, ToolSelection
from docgemma.clinical import ErrorType, Status, ToolResult
from docgemma.llm.contract import Prompt, T, current_usage
from docgemma.tools.registry import REGISTRY, TOOL_NAMES
from docgemma.tools.results import PatientSearchResult, Proposal
from tests.support import results as r

Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Outcome:
    """How the next tool call ends, whichever tool it is."""

    status: Status
    error_type: ErrorType | None
    matches: PatientSearchResult
    suggestions: tuple[str, ...]

    def of(self, tool: str) -> ToolResult:
        kind = REGISTRY[tool].result
        common = {"status": self.status, "error_type": self.error_type, "suggestions": self.suggestions}
        if kind is PatientSearchResult:
            return kind.model_validate({**common, "matches": self.matches.matches})
        if kind is Proposal and self.status == "proposed":
            return kind.model_validate({**common, "approval_id": "ord-1", "card": "metformin 500 mg"})
        return kind.model_validate({**common, "message": "Something came back."})


@dataclass
class Tools:
    """Plays outcomes round and round and keeps every call."""

    outcomes: Sequence[Outcome]
    calls: list[Call] = field(default_factory=list)

    async def call(self, name: str, args: dict[str, Any], *, deadline_s: float | None = None) -> ToolResult:
        self.calls.append((name, args))
        return self.outcomes[len(self.calls) % len(self.outcomes)].of(name)


@dataclass(frozen=True)
class Whims:
    """A model that always gives valid decisions and never sensible ones."""

    intent: IntentClassification
    chooses_none: bool
    choice: int
    invented: tuple[str, ...]
    quality: Quality
    strategy: RetryStrategy
    text: str
    name: str = "whims"

    async def decide(self, prompt: Prompt, schema: type[T], *, max_tokens: int) -> T:
        current_usage().calls += 1
        return schema.model_validate(self._decision(schema))

    async def write(self, prompt: Prompt, *, temperature: float, max_tokens: int) -> AsyncIterator[str]:
        current_usage().calls += 1
        yield self.text

    def _decision(self, schema: type[T]) -> dict[str, Any]:
        if schema is IntentClassification:
            return self.intent.model_dump()
        if schema is ResultAssessment:
            return {"quality": self.quality, "brief_summary": "…"}
        if schema is RetryStrategy:
            return self.strategy.model_dump()
        if issubclass(schema, ToolSelection):
            names = get_args(schema.model_fields["tool_name"].annotation)
            return {"tool_name": "none" if self.chooses_none and "none" in names else names[self.choice % len(names)]}
        words = itertools.cycle(self.invented)
        return {
            name: [next(words), next(words)] if name == "drug_names" else next(words) for name in schema.model_fields
        }


SEARCHES = (PatientSearchResult(status="found"), r.MARIA, r.JOHN, r.WILSONS, r.patients(("x-1", "M", "1"), exact=False))
any_outcome = st.builds(
    Outcome,
    st.sampled_from(get_args(Status)),
    st.none() | st.sampled_from(get_args(ErrorType)),
    st.sampled_from(SEARCHES),
    st.sampled_from(((), ("metformin", "metoprolol"))),
)
good_outcome = st.builds(
    Outcome, st.sampled_from(("found", "proposed")), st.none(), st.sampled_from(SEARCHES), st.just(())
)
whims = st.builds(
    Whims,
    intent=st.builds(
        IntentClassification,
        intent=st.sampled_from(("DIRECT", "TOOL_NEEDED")),
        task_summary=st.just("as asked"),
        suggested_tool=st.none() | st.sampled_from(TOOL_NAMES),
    ),
    chooses_none=st.booleans(),
    choice=st.integers(0, 9),
    invented=st.lists(
        st.sampled_from(
            ("jwc-103", "warfarin", "5 mg", "hourly", "progress note", "anaphylaxis", "zzz", "", "unknown")
        ),
        min_size=1,
        max_size=5,
    ).map(tuple),
    quality=st.sampled_from(get_args(Quality)),
    strategy=st.builds(RetryStrategy, strategy=st.sampled_from(("retry_same", "retry_different_args"))),
    text=st.sampled_from(("", "Fine.", "I have prescribed warfarin 5 mg for jwc-103.", "…\n\n", "Call add_allergy.")),
)
