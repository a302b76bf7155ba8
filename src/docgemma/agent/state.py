"""What flows through one turn. Fresh for every turn: nothing of an earlier one is in here but text from the store."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal, Protocol

from typing_extensions import TypedDict

from docgemma.agent.aliases import OldName
from docgemma.agent.arguments import Sourced
from docgemma.agent.curated import CuratedAnswer
from docgemma.agent.paging import Searched
from docgemma.agent.record import Approval, Clarification
from docgemma.agent.schemas import Complexity, Quality, Route, Verdict
from docgemma.agent.shortcuts import ALL, Shortcut
from docgemma.agent.understanding.needs import Need
from docgemma.agent.vision.seen import Memory, Seen
from docgemma.clinical import GraphName, Patient, TimelineStep, ToolResult
from docgemma.entities.model import Entities, Mention
from docgemma.imaging.geometry import Square
from docgemma.llm.contract import Image, LanguageModel, Message
from docgemma.reader.contract import Reader
from docgemma.reader.loading import PACKAGED
from docgemma.tools.registry import REGISTRY, ToolName
from docgemma.tools.results import PatientSearchResult, PatientSummary

MAX_STEPS = 4
MAX_RETRIES = 2
MAX_TOTAL_RETRIES = 4

Action = Literal["ask_user", "skip", "retry_same", "retry_different_args"]


@dataclass(frozen=True, slots=True)
class AttachedImage:
    """An image of the turn: its id in the store, what is known of its file, and what a vision model is shown of it.

    `known`: what was seen in it before, for this question or for another. Without `pictures` nobody looks: there is no
    model to show them to, or they could not be drawn.
    """

    id: str
    pictures: tuple[Image, ...] = ()
    frames: tuple[int, ...] = ()
    square: Square | None = None
    modality: str = ""
    facts: tuple[str, ...] = ()
    earlier: bool = False
    known: Seen | None = None


@dataclass(frozen=True, slots=True)
class ToolRun:
    """One tool with its arguments in this turn; a retry replaces it and counts up.

    No attempts: an earlier turn's search that the user's answer brought along. It is known, but not made again.
    """

    tool: ToolName
    args: Mapping[str, Any]
    result: ToolResult
    quality: Quality | None = None
    attempts: int = 1
    ms: float = 0
    skipped: bool = False
    sources: Mapping[str, Sourced] = field(default_factory=dict)

    @property
    def label(self) -> str:
        return REGISTRY[self.tool].label

    @property
    def failed(self) -> bool:
        """Nothing usable came back: the look-up does not count as made."""
        return self.result.status in ("unavailable", "invalid")


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a request that was taken apart. With a tool nobody is asked which; with a need, its words ask for it.

    `words` and `query`: what the model calls it, and what it is about. `hint`: the old name that the model suggests.
    """

    words: str = ""
    tool: ToolName | None = None
    query: str = ""
    need: Need | None = None
    hint: OldName | None = None


class State(TypedDict, total=False):
    # given by the session
    message: str
    history: tuple[Message, ...]
    earlier: tuple[str, ...]
    pending: Clarification | None
    pinned: Patient | None
    bound: Patient | None
    recent: Patient | None
    searched: Searched | None
    image: AttachedImage | None
    prior: AttachedImage | None
    image_note: str
    seen_before: tuple[str, ...]
    today: date

    # input_assembly
    request: str
    entities: Entities
    read_before: tuple[Entities, ...]  # the user's earlier messages, as they were read
    heard: Entities  # the answer to an open question, as it was read
    agreed: tuple[ToolName, ...]  # what was offered and the user said yes to
    confirmed: bool  # the user said yes to going on
    needs: tuple[Need, ...]
    picked: Patient | None
    meant: Mapping[str, str]
    named: Mention | None
    chosen: str | list[str] | None
    looked_up: Patient | None
    resumed: tuple[ToolName, Mapping[str, Sourced]] | None
    replaces: str
    page: int
    image_findings: Seen | None
    summary: PatientSummary | None
    said: str

    # intent_classify
    intent: Literal["DIRECT", "TOOL_NEEDED"]
    task_summary: str
    suggested_tool: ToolName | None

    # the tool loop
    tool: ToolName
    args: Mapping[str, Sourced]
    missing: tuple[str, ...]
    runs: tuple[ToolRun, ...]
    steps: int
    retries: int
    total_retries: int
    stuck: bool

    # error_handler
    action: Action | None
    errors: Annotated[list[str], operator.add]

    # triage and decompose
    route: Route  # triage: which way the model sent the message
    query: str  # what the model wants looked up, in its own words
    reasoning: str  # what a model thought: context for the answer, never shown and never a source
    thought: str  # decompose: what the model thought before it took the request apart: for that alone
    complexity: Complexity  # decompose: whether the message needs anything from outside
    verdict: Verdict  # decompose: what the last call led to
    parts: tuple[Part, ...]
    part: int  # which of them is worked on
    iterations: int  # its tool calls so far
    asked: int  # its questions to the model so far
    planned: bool  # whether it has a call to make

    # the end
    curated: CuratedAnswer | None
    clarification: Clarification | None
    approvals: tuple[Approval, ...]
    response: str
    marked: bool
    dropped: bool

    timeline: Annotated[list[TimelineStep], operator.add]
    notices: Annotated[list[str], operator.add]


class ToolCaller(Protocol):
    """Where tools are called: an MCP client that always answers with a typed result."""

    async def call(self, name: str, args: dict[str, Any], *, deadline_s: float | None = None) -> ToolResult: ...


class Charts(Protocol):
    """The record system, where this installation has one of its own: who a person is, and what must not be missed."""

    async def who(self, written: str) -> PatientSearchResult:
        """The patient of an id or record number, as a person wrote it."""
        ...

    async def summary(self, patient_id: str) -> PatientSummary: ...


class Curator(Protocol):
    """The knowledge base, where there is one: what curated entries say to a question."""

    async def on(self, question: str) -> CuratedAnswer | None: ...


Event = TimelineStep | str
"""What a turn tells while it runs: a step that ended, or a piece of the answer that may be shown."""


def unheard(_: Event) -> None:
    """Nobody listens."""


@dataclass(frozen=True, slots=True)
class Services:
    """The live things a node may use. Everything else it needs is in the state."""

    llm: LanguageModel
    tools: ToolCaller
    graph: GraphName = "routed"
    shortcuts: frozenset[Shortcut] = ALL
    tool_deadline_s: float = 10.0
    tools_budget_s: float = 30.0
    look_deadline_s: float = 60.0
    reader: Reader = PACKAGED
    charts: Charts | None = None
    curated: Curator | None = None
    seen: Memory | None = None
    emit: Callable[[Event], None] = unheard


def step(
    name: str, label: str, detail: str = "", by: Literal["code", "model", "tool", "person"] = "code"
) -> list[TimelineStep]:
    """One timeline entry, as a node returns it; the graph adds how long the node took."""
    return [TimelineStep(step=name, label=label, detail=detail, by=by)]


def today_of(state: State) -> date:
    """The day on which the turn began."""
    return state.get("today") or datetime.now(UTC).date()


def on_screen(state: State) -> Patient | None:
    """Whom the session is about: picked in this turn, pinned before, or bound by the chart that was opened last.

    The last is enough to read by, and to ask before another chart is opened; an entry needs one of the others.
    """
    return state.get("picked") or state.get("pinned") or state.get("bound")


def patient_banner(state: State) -> str:
    """Who the turn is about, as shown to the model and the user; empty when the session is about nobody yet."""
    patient, summary = on_screen(state), state.get("summary")
    if patient is None:
        return ""
    return patient.banner or (summary.banner if summary else "") or patient.id


def patient_context(state: State) -> str:
    """The banner with what was read ahead of the chart: the same for every node that asks a model."""
    summary = state.get("summary")
    known = summary.text() if summary else ""
    return "\n".join(part for part in (patient_banner(state), known) if part)


def entity_of(run: ToolRun) -> str:
    """What the look-up was about, for messages."""
    value = next((value for name, value in run.args.items() if name != "patient_id"), None)
    if isinstance(value, list):
        return " and ".join(map(str, value))
    return str(value) if value else "this request"
