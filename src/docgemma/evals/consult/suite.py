"""The suite `consult`: questions to the knowledge base, through the real consultation and the demonstration entries.

The base lies in a temporary folder; whatever the user's own base or server holds is neither read nor changed, so that
two runs ask the same entries.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from docgemma.agent.record import ConsultPart, TurnRecord
from docgemma.agent.session import Question, Sessions
from docgemma.config import Settings
from docgemma.errors import Unavailable
from docgemma.evals.apart import OWNER, of_record, open_apart
from docgemma.evals.consult.cases import ConsultCase, load_cases
from docgemma.evals.consult.scoring import SCORERS, alarms, score
from docgemma.evals.contract import Bench, CaseRecord, Configuration, Metric, Outcome, Suite, Variant
from docgemma.evals.statistics import mean
from docgemma.evals.verdicts import of_verdicts
from docgemma.knowledge.consult.phrases import Phrase, phrase

STANDARD = Configuration("standard", "as configured: a model explains what code has found")
NO_MODEL = Configuration("no_model", "the entries word for word, as when no model can be reached")
NO_SHORTCUTS = Configuration("no_shortcuts", "the model is asked at every step, also where code is sure")

_CHANGED: dict[str, dict[str, object]] = {
    NO_MODEL.name: {"model": "rules", "model_url": None, "gguf": None},
    NO_SHORTCUTS.name: {"shortcuts": False},
}

_INSTEAD: tuple[Phrase, ...] = ("model_lost", "model_lost_nothing", "did_not_fit", "withheld_all")


class Consult(Suite[ConsultCase]):
    """Which entries answer, that unknown is said, that an emergency comes first, and that nothing is added to them."""

    name = "consult"
    title = "Consult"
    alarm = "what must not be said or done"
    metrics = (
        Metric("found", "an entry that answers is among the chosen ones"),
        Metric("first", "the first of the chosen entries answers; it is the one that is quoted"),
        Metric("topic", "the topic is that of an entry that answers"),
        Metric("subtopic", "the subtopic is that of an entry that answers", headline=False),
        Metric("refused", "where no entry answers, the reply says so and chooses none"),
        Metric("urgent", "the notice stands first where signs of an emergency were told, and nowhere else"),
        Metric("worded", "the expected facts are in the answer, and no figure or drug from outside the entries"),
        Metric("chat", "small talk is answered as such", headline=False),
        Metric("language", "answered in the language of the question", headline=False),
    )
    configurations = (STANDARD, NO_MODEL, NO_SHORTCUTS)

    def load(self, path: Path | None) -> tuple[ConsultCase, ...]:
        return load_cases(path)

    @asynccontextmanager
    async def open(self, settings: Settings, variant: Variant) -> AsyncIterator[Bench[ConsultCase]]:
        own_base = {"qdrant_url": None, "qdrant_api_key": None}
        chosen = settings.model_copy(update=own_base | _CHANGED.get(variant.configuration, {}))
        async with open_apart(chosen, variant) as app:
            await app.knowledge.ready()  # building the index is no cost of the first question
            yield Bench(app.model_name, partial(run_case, app.sessions), {"entries": "demonstration"})

    def expects(self, case: ConsultCase) -> tuple[str, ...]:
        expect = case.expect
        asked = {"refused": expect.unknown, "chat": expect.chat, "urgent": expect.urgent is not None, "language": True}
        return tuple(column for column in SCORERS if asked.get(column, bool(expect.entries)))

    def figures(self, records: tuple[CaseRecord, ...]) -> Mapping[str, Any]:
        """The same shares by language and by role: a base may serve one well and another badly."""
        return {
            "languages": _shares(records, lambda part: part.language),
            "roles": _shares(records, lambda part: part.role),
        }


async def run_case(sessions: Sessions, case: ConsultCase) -> Outcome:
    """The earlier questions as turns of their own, then the one that is scored."""
    record = await _asked(sessions, case)
    if record.consult is None:
        raise Unavailable(record.response or "The consultation could not run.")
    verdicts = score(case, record)
    outcome = of_record(
        record,
        **of_verdicts(verdicts),
        alarms=alarms(case, record),
    )
    return outcome.model_copy(update={"rule_instead": outcome.rule_instead or _code_answered(record.notices, case)})


async def _asked(sessions: Sessions, case: ConsultCase) -> TurnRecord:
    session_id = None
    for message in case.before:
        earlier = Question(message, session_id=session_id, role=case.role, owner=OWNER)
        session_id = (await sessions.ask(earlier)).session_id
    return await sessions.ask(Question(case.say, session_id=session_id, role=case.role, id=case.id, owner=OWNER))


def _code_answered(notices: Sequence[str], case: ConsultCase) -> bool:
    """Whether the model was lost, or its text withheld: what is shown then are the entries, and not its words."""
    return any(phrase(name, case.language) in notices for name in _INSTEAD)


def _shares(records: Sequence[CaseRecord], key: Callable[[ConsultPart], str]) -> dict[str, dict[str, float]]:
    """In percent, with the number of questions; what was not scored is left out."""
    groups: dict[str, list[CaseRecord]] = {}
    for record in records:
        if record.record is not None and record.record.consult is not None:
            groups.setdefault(key(record.record.consult), []).append(record)
    return {name: {"cases": len(group), **_percents(group)} for name, group in sorted(groups.items())}


def _percents(group: Sequence[CaseRecord]) -> dict[str, float]:
    scored = {column: [one.scores[column] for one in group if column in one.scores] for column in SCORERS}
    return {column: round(100 * mean(values), 2) for column, values in scored.items() if values}
