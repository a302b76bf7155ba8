"""A case as a conversation with the agent: the user's model, and nothing else of the user's.

One application serves all cases at once. A tool call says on whose behalf it is made, down to the turn: by that each
case has tools of its own. A variable of the case's task would not do: tools run in the server's task, which was there
before any case.
"""

from __future__ import annotations

import io
import tempfile
import time
from abc import abstractmethod
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from PIL import Image

from docgemma.agent.events import OnEvent
from docgemma.agent.record import TurnRecord
from docgemma.agent.session import Question, Sessions
from docgemma.agent.state import Charts
from docgemma.clinical import ToolResult, holding, purpose
from docgemma.config import Settings
from docgemma.evals.casefiles import SpokenCase
from docgemma.evals.clinic import Play
from docgemma.evals.suite import Bench, Difference, Outcome, Suite, Variant, Verdict
from docgemma.llm.contract import LanguageModel, Prompt
from docgemma.llm.rules import DID_NOT_FIT, INSTEAD, WROTE_NOTHING
from docgemma.tools.arguments import Arguments
from docgemma.tools.registry import TOOL_NAMES, ToolName
from docgemma.tools.server import Handler
from docgemma.wiring.app import App, open_app
from docgemma.wiring.knowledge import embedder_folder

S = TypeVar("S", bound=SpokenCase)
OWNER = "eval"
NOT_OURS: dict[str, Any] = {"database_url": None, "tool_servers": {}, "fhir_url": None, "qdrant_url": None}
NOTHING = TurnRecord(id="", turn_id="", session_id="", created_at="", model="", query="", outcome="answer")
"""A turn in which nothing happened: what a scorer says of it shows what the case asks of a turn."""

Around = Callable[[LanguageModel], LanguageModel]


@asynccontextmanager
async def open_apart(
    settings: Settings,
    variant: Variant,
    *,
    tools: Mapping[ToolName, Handler] | None = None,
    around: Around | None = None,
    who: Charts | None = None,
) -> AsyncIterator[App]:
    """The agent with this variant's graph, in a temporary folder that is deleted afterwards.

    Neither a configured database nor a configured tool server is used: an eval never touches anybody's data.
    """
    with tempfile.TemporaryDirectory(prefix="docgemma-eval-") as folder:
        kept = {"embedder": embedder_folder(settings), "graph": variant.graph, "home": Path(folder)}
        async with open_app(settings.model_copy(update=kept | NOT_OURS), tools=tools, around=around, who=who) as app:
            await app.prepare()  # one that cannot be loaded ends the run, or rules would be scored in its place
            yield app


@dataclass(frozen=True, slots=True)
class Called:
    """One call as the tool got it, and what it gave back."""

    tool: ToolName
    args: dict[str, Any]
    result: ToolResult


@dataclass(slots=True)
class Take:
    """What happens while one case runs: every call, what the model wrote before anybody checked it, and how long the
    last turn took.

    `play` answers the calls. `earlier`: who answers those of the messages before the last, whose calls then do not
    count for the case.
    """

    play: Play
    case: SpokenCase | None = None
    earlier: Play | None = None
    calls: list[Called] = field(default_factory=list)
    raw: str = ""
    cut: bool = False
    prompt: Prompt | None = None
    began: float = 0.0
    waited_ms: float = 0.0


running: ContextVar[Take] = ContextVar("running")
"""The take of the case that runs in this task."""


class Stage:
    """Hands each call to the take it belongs to."""

    def __init__(self) -> None:
        self._takes: dict[str, Take] = {}

    @contextmanager
    def turn(self, take: Take) -> Iterator[str]:
        """The id of a turn whose calls belong to this take."""
        turn_id = uuid4().hex
        self._takes[turn_id] = take
        take.raw = ""
        try:
            with holding(running, take):
                yield turn_id
        finally:
            del self._takes[turn_id]

    def handlers(self) -> dict[ToolName, Handler]:
        return {name: self._handler(name) for name in TOOL_NAMES}

    def _handler(self, name: ToolName) -> Handler:
        async def play(arguments: Arguments) -> ToolResult:
            take = self._takes[purpose.get().turn_id]
            result = await take.play(name, arguments)
            take.calls.append(Called(name, arguments.model_dump(exclude_none=True), result))
            return result

        return play


async def converse(
    sessions: Sessions, stage: Stage, take: Take, case: SpokenCase, *, listen: OnEvent | None = None
) -> tuple[TurnRecord, ...]:
    """All messages in one session of their own, with the record of each. The last is the one that is scored."""
    records: list[TurnRecord] = []
    before = Take(take.earlier) if take.earlier else take
    for place, message in enumerate((*case.before, case.say)):
        last = place == len(case.before)
        with stage.turn(take if last else before) as turn_id:
            question = Question(
                message,
                session_id=records[-1].session_id if records else None,
                patient_id=case.patient,
                image=picture() if place in case.pictures else None,
                id=case.id if last else None,
                owner=OWNER,
                turn_id=turn_id,
            )
            take.began = time.perf_counter()
            records.append(await sessions.ask(question, listen if last else None))
            take.waited_ms = (time.perf_counter() - take.began) * 1000
    return tuple(records)


def picture() -> bytes:
    """A picture that shows nothing: what is scored is whether somebody was asked to look at it."""
    data = io.BytesIO()
    Image.linear_gradient("L").save(data, "PNG")
    return data.getvalue()


def of_record(record: TurnRecord, verdicts: Mapping[str, Verdict], **more: Any) -> Outcome:
    """What a turn cost, its scores by column, and every miss in words.

    A model that failed and a rule that answered in its place are noted: a score of such a turn is not the model's.
    """
    return Outcome(
        scores={column: float(verdict.score) for column, verdict in verdicts.items()},
        differences=tuple(
            Difference(column=column, expected=verdict.expected, got=verdict.got)
            for column, verdict in verdicts.items()
            if not verdict.passed
        ),
        rule_instead=any(one.endswith(INSTEAD) or one in (DID_NOT_FIT, WROTE_NOTHING) for one in record.notices),
        llm_calls=record.llm_calls,
        tokens=record.tokens,
        duration_ms=record.duration_ms,
        record=record,
        **more,
    )


class SpokenSuite(Suite[S]):
    """A suite whose cases are conversations: how a case's tools answer, and what its turns are worth."""

    who: Charts | None = None
    """Who an id or a record number is, where the suite's tools know patients."""

    @abstractmethod
    def take(self, case: S) -> Take:
        """How the tools answer in this case."""

    @abstractmethod
    def scored(self, case: S, take: Take, records: tuple[TurnRecord, ...], variant: Variant) -> Outcome:
        """The outcome of a case whose turns are over."""

    def between(self, model: LanguageModel, variant: Variant) -> LanguageModel:
        """What asks the model for the agent; the model itself, unless a suite fixes some of what is asked."""
        return model

    @asynccontextmanager
    async def open(
        self, settings: Settings, variant: Variant, instead: LanguageModel | None = None
    ) -> AsyncIterator[Bench[S]]:
        """`instead`: another model in the place of the configured one."""
        stage, chosen = Stage(), self.configured(settings, variant)

        def around(model: LanguageModel) -> LanguageModel:
            return self.between(instead or model, variant)

        async def run(case: S) -> Outcome:
            take = self.take(case)
            return self.scored(case, take, await converse(app.sessions, stage, take, case), variant)

        async with open_apart(chosen, variant, tools=stage.handlers(), around=around, who=self.who) as app:
            yield Bench(app.model_name, run)
