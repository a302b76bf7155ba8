"""The suite `turns`: each case in a session of its own, with the real agent and the fictional clinic.

One application serves all cases: the clinic keeps nothing, and what a session knows stays in its session. Its store is
a temporary folder, and neither a configured database nor a configured tool server is used: an eval never touches
anybody's data.
"""

from __future__ import annotations

import asyncio
import io
import logging
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from docgemma.agent.record import TurnRecord
from docgemma.agent.session import Question, Sessions
from docgemma.config import Settings
from docgemma.errors import DocGemmaError
from docgemma.evals.turns import clinic
from docgemma.evals.turns.cases import Case
from docgemma.evals.turns.scoring import Column, Verdict, failed, score, unasked_writes
from docgemma.wiring.app import open_app
from docgemma.wiring.knowledge import embedder_folder

OWNER = "eval"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Result:
    """One case, run and scored. `record` is None when the turn could not be run at all; `error` says why."""

    case: Case
    record: TurnRecord | None
    error: str
    verdicts: dict[Column, Verdict]
    unasked: tuple[str, ...]

    @property
    def missed(self) -> bool:
        return bool(self.unasked or self.error) or not all(verdict.passed for verdict in self.verdicts.values())


@dataclass(frozen=True, slots=True)
class Run:
    """All results in the order of the cases, and what the run cost this machine."""

    model: str
    results: tuple[Result, ...]
    turns: int
    cpu_ms: float
    seconds: float


async def run_turns(
    settings: Settings, cases: Iterable[Case], *, concurrency: int = 1, heard: Callable[[Result], None] | None = None
) -> Run:
    """Run the cases, and tell each result as soon as it is there."""
    listed = tuple(cases)
    room = asyncio.Semaphore(concurrency)
    with tempfile.TemporaryDirectory(prefix="docgemma-eval-") as folder:
        async with open_app(_apart(settings, Path(folder)), tools=clinic.handlers()) as app:

            async def one(case: Case) -> Result:
                async with room:
                    result = await run_case(app.sessions, case)
                if heard is not None:
                    heard(result)
                return result

            cpu, clock = time.process_time(), time.perf_counter()
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(one(case)) for case in listed]
            return Run(
                model=app.model_name,
                results=tuple(task.result() for task in tasks),
                turns=sum(1 + len(case.before) for case in listed),
                cpu_ms=(time.process_time() - cpu) * 1000,
                seconds=time.perf_counter() - clock,
            )


async def run_case(sessions: Sessions, case: Case) -> Result:
    """The earlier messages as turns of their own, then the one that is scored. No case may end the run."""
    try:
        session_id = None
        for message in case.before:
            asked = Question(message, session_id=session_id, patient_id=case.patient, owner=OWNER)
            session_id = (await sessions.ask(asked)).session_id
        picture = _picture() if case.image else None
        last = Question(
            case.say, session_id=session_id, patient_id=case.patient, image=picture, id=case.id, owner=OWNER
        )
        record = await sessions.ask(last)
    except DocGemmaError as error:
        return Result(case, None, str(error), failed(case, str(error)), ())
    except Exception as error:  # a border: a bug met by one case of hundreds is told in its place
        log.exception("case %s met a bug", case.id)
        told = f"An unexpected error ({type(error).__name__}). This is a bug."
        return Result(case, None, told, failed(case, told), ())
    return Result(case, record, "", score(case, record), unasked_writes(case, record))


def _apart(settings: Settings, home: Path) -> Settings:
    """The same model and the same embedder, and nothing else of the user's."""
    kept = {"embedder": embedder_folder(settings)}
    return settings.model_copy(update=kept | {"home": home, "database_url": None, "tool_servers": {}})


def _picture() -> bytes:
    """A picture that shows nothing: what is scored is whether somebody was asked to look at it."""
    data = io.BytesIO()
    Image.linear_gradient("L").save(data, "PNG")
    return data.getvalue()
