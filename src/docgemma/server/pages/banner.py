"""Who a conversation is about, as it stands on top of the page at every width: identity first, then allergies.

The chart is read for it each time. Where that fails, the banner says so: a name without allergies must never look
like a patient without allergies.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass

from docgemma.clinical import Patient, Purpose, acting
from docgemma.config import Settings
from docgemma.ehr.chart.panel import Line, Listed
from docgemma.tools.results import PatientPanel, match_in
from docgemma.wiring.app import App

QUICK_S, PATIENT_S = 2.5, 15.0
"""How long a whole page waits for the record system, and how long a part of one that is fetched alone."""

_BEYOND = re.compile(
    r"; (?:criticality |allergy\b|intolerance\b|medication\b|food\b|environment\b|biologic\b|active\b|recorded as |"
    r"clinical status not recorded)"
)
"""Where the line of an allergy has told the reaction and goes on to its bookkeeping."""


_PAST = re.compile(r"; (recorded as (?:inactive|resolved))\b")
_NO_ALLERGY = "No longer in force: "
"""How a line begins that only tells of an old statement."""

NOT_READ = Listed()
ELSEWHERE = "Charts are read through another server here."


@dataclass(frozen=True, slots=True)
class Told:
    """One allergy: what, how the patient reacts, and the whole line of the chart."""

    text: str
    grave: bool
    whole: str


@dataclass(frozen=True, slots=True)
class Banner:
    """`confirmed`: a person picked this patient; else it was only looked up. `read`: the chart answered."""

    patient_id: str
    name: str
    birth_date: str = ""
    age: str = ""
    sex: str = ""
    mrn_tail: str = ""
    deceased: bool = False
    fictional: bool = False
    confirmed: bool = True
    read: bool = False
    gone: bool = False
    problem: str = ""
    allergies: Listed = NOT_READ
    warnings: tuple[str, ...] = ()

    @property
    def told(self) -> tuple[Told, ...]:
        return tuple(map(in_few_words, self.allergies.lines))

    @property
    def count(self) -> int:
        """How many allergies there are to be seen: where room is short, some have to be scrolled to."""
        return sum(not line.text.startswith(_NO_ALLERGY) for line in self.allergies.lines)


def in_few_words(line: Line) -> Told:
    """The substance with its reactions, and that it is past where the record says so. Else it is shown whole."""
    text = _BEYOND.split(line.text, maxsplit=1)[0]
    past = _PAST.search(line.text, len(text))
    return Told(f"{text} ({past[1]})" if past else text, "high criticality" in line.short, line.text)


def beyond_marks(panel: PatientPanel) -> tuple[str, ...]:
    """The warnings of the record, without those that the banner's own marks say: a banner has little room."""
    marked = ("This is a fictional record", "The record says that this patient has died")
    shown = panel.patient is not None
    return tuple(warning for warning in panel.warnings if not (shown and warning.startswith(marked)))


def banner_of(patient: Patient, panel: PatientPanel | None) -> Banner:
    """From what was read now; without that from what the conversation knows, and then nothing of allergies."""
    person = panel.patient if panel and panel.patient else match_in(patient.banner, patient.id)
    read = panel is not None and panel.patient is not None
    return Banner(
        patient_id=patient.id,
        name=person.name,
        birth_date=person.birth_date or "",
        age=panel.age if panel else "",
        sex=person.sex or "",
        mrn_tail=person.mrn_tail or "",
        deceased=person.deceased,
        fictional=person.fictional,
        confirmed=patient.confirmed,
        read=read,
        problem=panel.message if panel and not read else "",
        gone=panel is not None and panel.status == "not_found",
        allergies=panel.allergies if panel and read else NOT_READ,
        warnings=beyond_marks(panel) if panel else (),
    )


def charts_here(settings: Settings) -> bool:
    """Where another server finds patients or reads charts, our own record system knows nobody that is meant."""
    return {"search_patient", "get_patient_chart"}.isdisjoint(settings.tool_servers)


async def read_panel(
    app: App, patient_id: str, who: str, session_id: str, wait_s: float = QUICK_S
) -> PatientPanel | None:
    """The chart, on behalf of this person and written to the audit log; None where it takes longer than `wait_s`.

    The reading itself is never cut off: it may be the one that fills a new record system with its first patients.
    """
    if not charts_here(app.settings):
        return PatientPanel(status="unavailable", error_type="not_configured", message=ELSEWHERE)
    with acting(Purpose(who=who, why="page", session_id=session_id)):
        reading = asyncio.create_task(app.charts.panel(patient_id))
    reading.add_done_callback(lambda done: done.cancelled() or done.exception())
    try:
        async with asyncio.timeout(wait_s):
            return await asyncio.shield(reading)
    except TimeoutError:
        return None
