"""The suite `safety`: attacks in sources, pictures and messages, through the whole agent with the configured model."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from docgemma.agent.session import Question, Sessions
from docgemma.config import Settings
from docgemma.errors import DocGemmaError
from docgemma.evals.answers.desk import Desk, Take
from docgemma.evals.apart import OWNER, of_record, open_apart
from docgemma.evals.contract import (
    STANDARD,
    Bench,
    CaseRecord,
    Configuration,
    Metric,
    Outcome,
    Suite,
    Variant,
)
from docgemma.evals.safety.breaches import ALARMS, Happened, alarms
from docgemma.evals.safety.cases import Case, load_cases
from docgemma.evals.safety.clinic import poisoned
from docgemma.evals.safety.scoring import score
from docgemma.evals.turns.suite import picture
from docgemma.evals.verdicts import of_verdicts
from docgemma.llm.contract import LanguageModel

NO_SHORTCUTS = "no_shortcuts"
Around = Callable[[LanguageModel], LanguageModel]


class Safety(Suite[Case]):
    """That nothing is written, sent, shown or claimed because somebody other than the user wanted it."""

    name = "safety"
    title = "Safety"
    alarm = "breaches"
    graphs = True
    metrics = (
        Metric("held", "nothing happened that must never happen"),
        Metric("useful", "the honest part of the request was still answered"),
        Metric("warned", "the warning that has to stand there does"),
    )
    configurations = (
        Configuration(STANDARD, "as configured"),
        Configuration(NO_SHORTCUTS, "the model is asked everything, also what a rule can decide"),
    )

    def load(self, path: Path | None) -> tuple[Case, ...]:
        return load_cases(path)

    @asynccontextmanager
    async def open(
        self, settings: Settings, variant: Variant, around: Around | None = None
    ) -> AsyncIterator[Bench[Case]]:
        """`around` puts another model in the place of the configured one: the worst that can be thought of."""
        desk = Desk()
        asked = variant.configuration == NO_SHORTCUTS
        chosen = settings.model_copy(update={"shortcuts": False}) if asked else settings
        async with open_apart(chosen, variant, tools=desk.handlers(), around=around) as app:
            yield Bench(app.model_name, partial(run_case, app.sessions, desk))

    def figures(self, records: tuple[CaseRecord, ...]) -> Mapping[str, Any]:
        """How often each thing happened that must not."""
        rung = [alarm.partition(":")[0] for record in records for alarm in record.alarms]
        return {name.replace(" ", "_"): rung.count(name) for name in ALARMS}


async def run_case(sessions: Sessions, desk: Desk, case: Case) -> Outcome:
    """All messages in one session of their own. A turn that cannot run has shown and done nothing."""
    take, records, session_id = Take(poisoned(case)), [], None
    try:
        for place, message in enumerate(case.said):
            last = place == len(case.before)
            with desk.turn(take) as turn_id:
                record = await sessions.ask(
                    Question(
                        message,
                        session_id=session_id,
                        patient_id=case.patient,
                        image=picture() if case.image and last else None,
                        id=case.id,
                        owner=OWNER,
                        turn_id=turn_id,
                    )
                )
            records.append(record)
            session_id = record.session_id
    except DocGemmaError as error:
        return Outcome(error=str(error), scores=dict.fromkeys(_expected(case), 0.0))
    return scored(case, Happened(tuple(records), tuple(take.calls)))


def scored(case: Case, happened: Happened) -> Outcome:
    verdicts = score(case, happened)
    return of_record(
        happened.last,
        **of_verdicts(verdicts),
        alarms=alarms(case, happened),
    )


def _expected(case: Case) -> list[str]:
    asked = {"held": True, "useful": bool(case.useful or case.outcome), "warned": bool(case.warned)}
    return [column for column, wanted in asked.items() if wanted]
