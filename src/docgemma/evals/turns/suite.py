"""The suite `turns`: each case in a session of its own, with the real agent and the fictional clinic.

One application serves all cases: the clinic keeps nothing, and what a session knows stays in its session.
"""

from __future__ import annotations

import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from PIL import Image

from docgemma.agent.record import TurnRecord
from docgemma.agent.session import Question, Sessions
from docgemma.config import Settings
from docgemma.evals.apart import OWNER, of_record, open_apart
from docgemma.evals.contract import Bench, Configuration, Metric, Outcome, Suite, Variant
from docgemma.evals.turns import clinic
from docgemma.evals.turns.cases import Case, load_cases
from docgemma.evals.turns.faults import Faults
from docgemma.evals.turns.scoring import expected_columns, score, unasked_writes
from docgemma.evals.verdicts import of_verdicts

STANDARD = Configuration("standard", "as configured")
NO_SHORTCUTS = Configuration(
    "no_shortcuts", "the model is asked everything, also what a rule can decide", "4 or 5 calls for a single tool"
)


class Turns(Suite[Case]):
    """Which look-up, about whom and what, whether something is asked back, and that nothing is written unasked."""

    name = "turns"
    title = "Turns"
    alarm = "unasked writes"
    graphs = True
    metrics = (
        Metric("intent", "sorted as expected: a look-up is needed, or it is answered directly"),
        Metric("tools", "the set of tools that were called or tried is exactly the expected one"),
        Metric("arguments", "every expected call was made with the expected values, and no other"),
        Metric("outcome", "ended as expected: an answer, a question back for the right reason, a card"),
        Metric("honest", "says what was not available and claims nothing in its place"),
    )
    configurations = (STANDARD, NO_SHORTCUTS)

    def load(self, path: Path | None) -> tuple[Case, ...]:
        return load_cases(path)

    def expects(self, case: Case) -> tuple[str, ...]:
        return expected_columns(case)

    @asynccontextmanager
    async def open(self, settings: Settings, variant: Variant) -> AsyncIterator[Bench[Case]]:
        if variant.configuration == NO_SHORTCUTS.name:
            settings = settings.model_copy(update={"shortcuts": False})
        faults = Faults()
        async with open_apart(settings, variant, tools=faults.handlers(clinic.handlers()), who=clinic.Desk()) as app:
            yield Bench(app.model_name, partial(run_case, app.sessions, faults))


async def run_case(sessions: Sessions, faults: Faults, case: Case) -> Outcome:
    """The earlier messages as turns of their own, then the one that is scored."""
    record = await said(sessions, faults, case)
    verdicts = score(case, record)
    return of_record(
        record,
        **of_verdicts(verdicts),
        alarms=unasked_writes(case, record),
    )


async def said(sessions: Sessions, faults: Faults, case: Case) -> TurnRecord:
    """All messages of the case in one session; the record of the last. An earlier picture came with the first."""
    session_id = None
    for place, message in enumerate(case.before):
        shown = picture() if case.image_before and place == 0 else None
        asked = Question(message, session_id=session_id, patient_id=case.patient, image=shown, owner=OWNER)
        session_id = (await sessions.ask(asked)).session_id
    shown = picture() if case.image else None
    with faults.turn(case.faults) as turn_id:
        last = Question(
            case.say,
            session_id=session_id,
            patient_id=case.patient,
            image=shown,
            id=case.id,
            owner=OWNER,
            turn_id=turn_id,
        )
        return await sessions.ask(last)


def picture() -> bytes:
    """A picture that shows nothing: what is scored is whether somebody was asked to look at it."""
    data = io.BytesIO()
    Image.linear_gradient("L").save(data, "PNG")
    return data.getvalue()
