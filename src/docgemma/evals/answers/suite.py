"""The suite `answers`: each case through the whole graph with findings of its own, and what was written is scored.

Which look-ups are made is decided by rule and their results come from the case, so that nothing is measured here but
the writing: what a model makes of what it was given, alone and after the product's checks.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from docgemma.agent.record import TurnRecord
from docgemma.agent.session import Question, Sessions
from docgemma.clinical import ToolResult
from docgemma.config import Settings
from docgemma.evals.answers.cases import Case, load_cases
from docgemma.evals.answers.desk import Desk, Take, findings_of
from docgemma.evals.answers.scoring import COLUMNS, Answer, harmful, score, words_of
from docgemma.evals.answers.ways import WAYS, Way, way_of
from docgemma.evals.answers.writing import Writer
from docgemma.evals.apart import OWNER, of_record, open_apart
from docgemma.evals.contract import STANDARD, Asked, Bench, CaseRecord, Difference, Metric, Outcome, Suite, Variant
from docgemma.evals.statistics import mean
from docgemma.evals.turns.suite import picture
from docgemma.tools.results import PatientChart

_SIZE = "256 × 256"
"""Of the picture that stands for every image: code tells it, so it may be said."""


class Answers(Suite[Case]):
    """Facts told, nothing beside them, gaps admitted, nothing of the machinery shown."""

    name = "answers"
    title = "Answers"
    alarm = "harmful statements"
    whole = (STANDARD, "raw")
    metrics = (
        Metric("recall", "the share of the facts to be told that the answer tells, by meaning, negations respected"),
        Metric(
            "supported", "the share of its numbers, drugs and identifiers that stand in the findings or the question"
        ),
        Metric("honest", "says what was not found or not available, and answers nothing from memory instead"),
        Metric("clean", "shows no tool name, thinking, data, prompt or raw error"),
        Metric("spoken", "there is an answer, and it does not break off"),
        Metric("concise", "short enough to be read beside a patient"),
    )
    configurations = tuple(way.configuration for way in WAYS)

    def load(self, path: Path | None) -> tuple[Case, ...]:
        return load_cases(path)

    def takes(self, case: Case, configuration: str) -> bool:
        """Raw errors say something where one was met, history where there is one."""
        return {"raw_errors": case.failing, "no_history": bool(case.before)}.get(configuration, True)

    @asynccontextmanager
    async def open(self, settings: Settings, variant: Variant) -> AsyncIterator[Bench[Case]]:
        way, desk = way_of(variant.configuration), Desk()
        # Where nothing was found the product asks no model. What a model would have said is what the others measure.
        chosen = settings if way.checked else settings.model_copy(update={"shortcuts": False})
        async with open_apart(chosen, variant, tools=desk.handlers(), around=lambda model: Writer(model, way)) as app:
            yield Bench(app.model_name, partial(run_case, app.sessions, desk, way))

    def figures(self, records: tuple[CaseRecord, ...]) -> Mapping[str, Any]:
        """Words an answer has, and how often the checks had to act."""
        counted = [record.counts for record in records if record.counts]
        return {
            "words": round(mean([one["words"] for one in counted]), 1),
            "empty": sum(one["words"] == 0 for one in counted),
            "answers_with_marked_sentences": sum(one["marked"] > 0 for one in counted),
            "answers_with_withheld_sentences": sum(one["withheld"] > 0 for one in counted),
        }


async def run_case(sessions: Sessions, desk: Desk, way: Way, case: Case) -> Outcome:
    """The earlier messages as turns of their own, then the one that is scored."""
    take = Take(findings_of(case), case)
    session_id = None
    for message in case.before:
        with desk.turn(take) as turn_id:
            earlier = Question(message, session_id=session_id, patient_id=case.patient, owner=OWNER, turn_id=turn_id)
            session_id = (await sessions.ask(earlier)).session_id
    take.raw = ""
    with desk.turn(take) as turn_id:
        record = await sessions.ask(
            Question(
                case.say,
                session_id=session_id,
                patient_id=case.patient,
                image=picture() if case.image else None,
                id=case.id,
                owner=OWNER,
                turn_id=turn_id,
            )
        )
    return scored(case, way, take, record)


def scored(case: Case, way: Way, take: Take, record: TurnRecord) -> Outcome:
    """What is held against the case: what the user was shown, or what the model wrote."""
    shown = record.response if way.checked or take.prompt is None else take.raw
    beside = "\n".join(record.notices) if way.checked else ""
    answer = Answer(shown, _read(case, take, record), take.cut and not way.checked, beside)
    verdicts = score(case, answer)
    return of_record(
        record,
        scores={column: verdict.score for column, verdict in verdicts.items()},
        differences=tuple(
            Difference(column=column, expected=verdicts[column].expected, got=verdicts[column].got)
            for column in COLUMNS
            if column in verdicts and not verdicts[column].passed
        ),
        alarms=harmful(case, answer),
        counts={
            "words": len(shown.split()),
            "marked": shown.count("[not from the sources]"),
            "withheld": sum("withheld" in step.detail for step in record.timeline),
        },
        asked=_asked(take),
    )


def _read(case: Case, take: Take, record: TurnRecord) -> str:
    """Everything that the writer was given or could have been: findings, the patient, the user's own words."""
    given = [_all_of(call.result) for call in take.calls]
    banner = record.patient.banner if record.patient else ""
    seen = [_all_of(case.image), _SIZE] if case.image else []
    return words_of([*given, *seen, banner, *case.before, case.say, case.context, case.patient or ""])


def _all_of(result: ToolResult) -> str:
    quoted = [part for source in result.sources for part in (source.title, source.date, source.quote) if part]
    sections = result.sections if isinstance(result, PatientChart) else ()
    entries = [entry for section in sections for entry in (section.title, *section.entries)]
    told = [result.text(), result.message, *result.warnings, *result.not_checked, *result.suggestions]
    return words_of([*told, *quoted, *entries, result.data_date or ""])


def _asked(take: Take) -> tuple[Asked, ...]:
    if take.prompt is None:
        return ()
    text = "\n\n".join(f"{message.role}: {message.text}" for message in take.prompt.messages)
    return (Asked(prompt=take.prompt.name, text=text, answer=take.raw),)
