"""The suite `latency`: calls, tokens and seconds by path, each case alone, in the fictional clinic.

Cases run one after the other whatever was asked for: two at once would share the model, and measure that. The clinic
answers at once, so the seconds are the model's and our own; what real sources add is in `tool_ms` of real turns.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from docgemma.agent.events import TextEvent, TurnEvent
from docgemma.agent.record import TurnRecord
from docgemma.agent.session import Question, Sessions
from docgemma.clinical import GraphName
from docgemma.config import Settings
from docgemma.evals.apart import OWNER, of_record, open_apart
from docgemma.evals.contract import Bench, CaseRecord, Configuration, Metric, Outcome, Suite, Variant
from docgemma.evals.latency.budgets import budget
from docgemma.evals.latency.cases import LatencyCase, load_cases
from docgemma.evals.latency.faults import Faults
from docgemma.evals.latency.measuring import by_path, calls_met, counts_of, path_taken
from docgemma.evals.turns import clinic
from docgemma.evals.turns.suite import picture
from docgemma.evals.verdicts import of_verdicts

STANDARD = Configuration("standard", "as configured")
NO_SHORTCUTS = Configuration(
    "no_shortcuts", "the model is asked everything, also what a rule can decide", "2 calls direct, 4 a single tool, 4+N"
)
_WARM_UP = ("hello", "What is asthma?", "Check FDA warnings for dofetilide")


class Latency(Suite[LatencyCase]):
    """What a turn costs on each path: whether its calls stay within what was promised, and where its time goes."""

    name = "latency"
    title = "Latency"
    metrics = (
        Metric("calls_met", "no more model calls than this graph may take on this path; rules make none"),
        Metric("path", "the turn took the path it stands for, so that its time says something about it"),
    )
    configurations = (STANDARD, NO_SHORTCUTS)
    graphs = True

    def load(self, path: Path | None) -> tuple[LatencyCase, ...]:
        return load_cases(path)

    @asynccontextmanager
    async def open(self, settings: Settings, variant: Variant) -> AsyncIterator[Bench[LatencyCase]]:
        shortcuts = settings.shortcuts and variant.configuration != NO_SHORTCUTS.name
        faults = Faults()
        chosen = settings.model_copy(update={"shortcuts": shortcuts})
        async with open_apart(chosen, variant, tools=faults.handlers(clinic.handlers())) as app:
            for (
                message
            ) in _WARM_UP:  # dictionaries, the model's first load and its cached prompts are no cost of a case
                await app.sessions.ask(Question(message, owner=OWNER))
            graph = app.settings.graph
            yield Bench(app.model_name, partial(run_case, Clock(app.sessions, faults, graph, shortcuts)))

    def figures(self, records: tuple[CaseRecord, ...]) -> Mapping[str, Any]:
        return {"paths": by_path(records)}


class Clock:
    """Runs one case at a time, and listens for the first piece of its answer."""

    def __init__(self, sessions: Sessions, faults: Faults, graph: GraphName, shortcuts: bool) -> None:
        self.graph, self.shortcuts = graph, shortcuts
        self._sessions, self._faults = sessions, faults
        self._alone = asyncio.Lock()

    async def timed(self, case: LatencyCase) -> tuple[TurnRecord, float, float | None]:
        """The record of the last message, its milliseconds from asking to having it, and those to its first text."""
        async with self._alone:
            session_id = None
            for message in case.before:
                earlier = Question(message, session_id=session_id, patient_id=case.patient, owner=OWNER)
                session_id = (await self._sessions.ask(earlier)).session_id
            image = picture() if case.image else None
            last = Question(
                case.say, session_id=session_id, patient_id=case.patient, image=image, id=case.id, owner=OWNER
            )
            heard: list[float] = []

            def listen(event: TurnEvent) -> None:
                if isinstance(event, TextEvent):
                    heard.append(time.perf_counter())

            self._faults.arm(case.fault)
            began = time.perf_counter()
            try:
                record = await self._sessions.ask(last, listen)
            finally:
                self._faults.arm(None)
            ended = time.perf_counter()
        return record, (ended - began) * 1000, (heard[0] - began) * 1000 if heard else None


async def run_case(clock: Clock, case: LatencyCase) -> Outcome:
    """What the turn cost, whether that is within its budget, and whether it took the path that it is a case of."""
    record, waited_ms, first_text_ms = await clock.timed(case)
    most = budget(clock.graph, case.kind, shortcuts=clock.shortcuts)
    verdicts = {"calls_met": calls_met(record, most), "path": path_taken(case, record)}
    return of_record(
        record,
        **of_verdicts(verdicts),
        counts=counts_of(record, waited_ms, first_text_ms, most=most),
    )
