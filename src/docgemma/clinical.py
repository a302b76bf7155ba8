"""Values that every layer shares: how a look-up ended, where its data came from, what it rests on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any, Literal, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field

T = TypeVar("T")

Status = Literal["found", "none", "not_found", "unavailable", "invalid", "proposed", "written", "declined"]
"""How a look-up ended. `none` means: looked everywhere it had to, nothing there. Unknown is never `none`."""

GraphName = Literal["routed", "triage", "decompose"]
"""The graphs that can answer a clinician. `routed` is the product; the others are measured against it."""
GRAPHS: tuple[GraphName, ...] = get_args(GraphName)

Origin = Literal["live", "cache", "pack", "ehr", "model"]
Confidence = Literal["high", "medium", "low"]
SourceKind = Literal["label", "article", "trial", "chart", "knowledge", "image"]

ErrorType = Literal[
    "timeout",
    "rate_limit",
    "server_error",
    "service_unavailable",
    "not_configured",
    "invalid_response",
    "invalid_args",
    "patient_data",
    "missing_required_args",
    "multiple_patient_matches",
    "another_patient",
    "contradicting_identity",
    "confirm_request",
    "ambiguous_drug_name",
    "unclear_amount",
    "drug_not_in_database",
    "not_found",
]


TRANSIENT: frozenset[ErrorType] = frozenset(
    {"timeout", "rate_limit", "server_error", "service_unavailable", "invalid_response"}
)
"""What may pass by itself: worth one more try of a look-up, never of a write."""


class Frozen(BaseModel):
    """A record that nobody changes after it was made."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Source(Frozen):
    """One thing an answer rests on, with the words it rests on."""

    id: str = ""
    kind: SourceKind
    title: str
    url: str | None = None
    date: str | None = None
    quote: str | None = None


By = Literal["code", "model", "tool", "person"]


class TimelineStep(Frozen):
    """One thing that happened, in clinical words. `by` says who did it."""

    step: str
    label: str
    detail: str = ""
    by: By = "code"
    ms: float = 0


class ToolResult(BaseModel):
    """What every clinical tool returns. Subclasses add the typed data and say how it reads."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    status: Status
    error_type: ErrorType | None = None
    message: str = Field(default="", description="One plain sentence when the status needs explaining")
    origin: Origin | None = None
    data_date: str | None = None
    demonstration: bool = Field(default=False, description="From the starter pack: not reviewed by a clinician")
    sources: tuple[Source, ...] = ()
    warnings: tuple[str, ...] = Field(default=(), description="Always shown beside the answer")
    not_checked: tuple[str, ...] = Field(default=(), description="What could not be checked, always shown")
    flagged: int = Field(default=0, description="Passages left out because they read like orders to a program")
    missing: tuple[str, ...] = Field(default=(), description="Argument names that are needed and absent")
    suggestions: tuple[str, ...] = Field(default=(), description="What may have been meant")

    def text(self) -> str:
        """The findings as a clinician would read them, without tool names."""
        return self.message

    def options(self) -> tuple[Option, ...]:
        """What the user may pick from when the result is ambiguous."""
        return tuple(Option(label=name, value=name) for name in self.suggestions)


class Option(Frozen):
    """One thing a clarification offers: what the user reads, and what picking it means."""

    label: str
    value: str
    facts: dict[str, Any] = Field(default_factory=dict, description="Name, birth date and so on, to answer by")


class Patient(Frozen):
    """Who the session is about. The banner is what a person checks before trusting an answer.

    `confirmed`: given or picked by a person. One that was only looked up serves reads; an entry needs the pick.
    """

    id: str
    banner: str = ""
    confirmed: bool = Field(default=True, exclude=True)


class Purpose(Frozen):
    """Who reads a chart, and why: what every entry of the audit log starts from."""

    who: str
    why: str = Field(description="`turn`, or the command that reads")
    session_id: str = ""
    turn_id: str = ""
    graph: str = Field(default="", description="The graph that reads, where one does")


purpose: ContextVar[Purpose] = ContextVar("purpose")
"""Set by the door or the session before any chart is read. A read without it is a bug, not an anonymous read."""


@contextmanager
def holding(variable: ContextVar[T], value: T) -> Iterator[None]:
    """The variable with this value for a while."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


def acting(on_behalf: Purpose) -> AbstractContextManager[None]:
    """Read charts as this person for a while."""
    return holding(purpose, on_behalf)


PURPOSE_KEY = "docgemma/purpose"
WITHHELD_KEY = "docgemma/withheld"
ENDS_AT_KEY = "docgemma/ends-at"
"""Under which these travel with a tool call inside this process. What an outside caller puts there is never read."""


class People(Frozen):
    """What would tell an outsider whom a turn is about: names in full, ids, birth dates as YYYY-MM-DD."""

    names: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    birth_dates: tuple[str, ...] = ()


withheld: ContextVar[People] = ContextVar("withheld")
"""Whom the present turn is about. Nothing of it may be part of what a public service is asked."""

ends_at: ContextVar[float] = ContextVar("ends_at")
"""When the caller stops waiting, as a time of the running loop: who has a second best answer gives it before."""
