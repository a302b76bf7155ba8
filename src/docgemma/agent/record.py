"""The turn record: what every door shows, stores and replays. Its field names are a public contract."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from docgemma import __version__
from docgemma.clinical import Confidence, ErrorType, Option, Origin, Patient, Source, Status, TimelineStep
from docgemma.tools.results import ImageType

Outcome = Literal["answer", "ask_user", "approval", "unavailable"]


class Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ToolCall(Part):
    tool: str
    label: str
    args: dict[str, Any]
    status: Status
    error_type: ErrorType | None = None
    quality: str | None = None
    origin: Origin | None = None
    attempts: int = 1
    duration_ms: float = 0


class PendingCall(Part):
    """What a clarification interrupted: enough to go on once it is answered."""

    message: str = Field(description="The request that was interrupted, in the user's words")
    tool: str
    args: dict[str, Any] = Field(default_factory=dict)
    missing: tuple[str, ...] = ()
    unclear: str | None = Field(default=None, description="The value among args that the pick replaces")
    card: str = Field(default="", description="The card that this is about, where one waits or is being changed")


class Clarification(Part):
    reason: str
    question: str
    options: tuple[Option, ...] = ()
    pending: PendingCall | None = None


class Approval(Part):
    id: str
    tool: str
    args: dict[str, Any]
    checks: tuple[dict[str, Any], ...] = ()
    expires_at: str | None = None
    card: str = ""
    replaces: str = Field(default="", description="The card that this one takes the place of")
    sources: dict[str, str] = Field(default_factory=dict, description="Where each argument was taken from")


class Tokens(Part):
    prompt: int = 0
    completion: int = 0


class ConsultPart(Part):
    """How a consultation found its entries. DEMUC and CHU_DE_CON are the role's topic and subtopic."""

    role: str
    language: Literal["en", "vi"]
    demuc: str = ""
    chu_de_con: str = ""
    classification_confidence: Confidence | None = None
    retrieval_query: str = ""
    retrieval_query_reason: str = ""
    context_summary: str = ""
    selected_ids: tuple[str, ...] = ()
    urgent: str = Field(default="", description="What stands first where signs of an emergency were told")


class Findings(Part):
    """What a vision model says it saw, as far as code let it through. A hint: a specialist looks at the image itself.

    `boxes`: x0, y0, x1, y1 in the image's own pixels, and what was seen there. `confidence` is what the model says of
    itself; the answer's own confidence is low whatever stands here.
    """

    image_id: str
    prior_id: str = Field(default="", description="The earlier image that it was compared with")
    image_type: ImageType = "unknown"
    modality: str = "unknown"
    findings: tuple[str, ...] = ()
    impression: str = ""
    confidence: Confidence = "low"
    compared: bool = False
    boxes: tuple[tuple[float, float, float, float, str], ...] = ()


class Versions(Part):
    """What answered, as it was then: program, graph, model, and a hash over all prompts. Empty if not noted."""

    docgemma: str = ""
    graph: str = ""
    model: str = ""
    prompts: str = ""


class TurnRecord(Part):
    id: str
    turn_id: str
    session_id: str
    created_at: str
    graph: str = "routed"
    model: str
    query: str
    patient: Patient | None = None
    intent: Literal["DIRECT", "TOOL_NEEDED"] | None = None
    task_summary: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    outcome: Outcome
    clarification: Clarification | None = None
    approvals: tuple[Approval, ...] = ()
    approval: Approval | None = Field(default=None, description="The first of them")
    receipt: dict[str, Any] | None = None
    response: str = ""
    confidence: Confidence = "low"
    not_done: tuple[str, ...] = Field(default=(), description="What was asked for and this turn did not do")
    urgent: str | None = Field(default=None, description="What stands first where an emergency was told")
    notices: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    consult: ConsultPart | None = None
    findings: Findings | None = None
    sources: tuple[Source, ...] = ()
    timeline: tuple[TimelineStep, ...] = ()
    llm_calls: int = 0
    tokens: Tokens = Tokens()
    duration_ms: float = 0
    versions: Versions = Versions()

    @property
    def cards(self) -> tuple[Approval, ...]:
        """Every entry of this turn that waits or waited; a record of an older version has at most one."""
        return self.approvals or ((self.approval,) if self.approval else ())


def versions_of(model: str, graph: str = "routed") -> Versions:
    """Of the program that runs now."""
    return Versions(docgemma=__version__, graph=graph, model=model, prompts=prompts_version(graph))


@cache
def prompts_version(graph: str = "routed") -> str:
    """One hash over all prompts of a graph: it changes with any word a model is told. Read once a process."""
    found = hashlib.sha256()
    folder = files("docgemma.knowledge.consult" if graph == "consult" else "docgemma.agent").joinpath("prompts")
    for name in sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".md")):
        found.update(name.encode() + b"\0" + folder.joinpath(name).read_bytes() + b"\0")
    return found.hexdigest()[:16]
