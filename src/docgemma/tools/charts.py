"""The record system as the tools need it: find a person, read a chart for a question, know what must not be missed.

Each answer is a typed result. Where the record system, or the audit log before it, gives no answer, that is said.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import TypeVar

from docgemma.clinical import ErrorType, Source, ToolResult
from docgemma.ehr.chart.model import Projection
from docgemma.ehr.chart.panel import READ, panel
from docgemma.ehr.chart.projection import project
from docgemma.ehr.chart.summary import summarise
from docgemma.ehr.contract import VITAL, Ehr, EhrError
from docgemma.ehr.patients.person import Person, person_of
from docgemma.ehr.patients.resolve import by_id
from docgemma.ehr.patients.search import find
from docgemma.ehr.patients.wanted import Search
from docgemma.errors import Unavailable
from docgemma.tools import arguments as a
from docgemma.tools import results as r

R = TypeVar("R", bound=ToolResult)

MOST_QUOTES = 3
NOBODY = "No patient is registered by this name."
NO_SUCH_ID = "No patient has this id or record number."
NOTHING_READ = "Allergies, medications, problems, laboratory results and vital signs were not read."
NOT_ALL = "The record system returned only part of its patients, so somebody may be missing here."


def utc_today() -> date:
    return datetime.now(UTC).date()


class Charts:
    """Reads through one `Ehr`. Budget is about tokens: what a small model can read beside everything else."""

    def __init__(self, ehr: Ehr, *, today: Callable[[], date] = utc_today, budget: int = 1500) -> None:
        self._ehr = ehr
        self._today = today
        self._budget = budget

    async def search(self, args: a.PatientSearchCall) -> r.PatientSearchResult:
        """Everybody the words may mean. Which of several it is, only the user knows."""
        try:
            found = await find(self._ehr, args.name, birth_date=args.birth_date)
        except Unavailable as error:
            return _unavailable(r.PatientSearchResult, error)
        return _matches(found, NOBODY)

    async def who(self, written: str) -> r.PatientSearchResult:
        """The patient of an id or record number, as a person wrote it."""
        try:
            found = await by_id(self._ehr, written)
        except Unavailable as error:
            return _unavailable(r.PatientSearchResult, error)
        return _matches(found, NO_SUCH_ID)

    async def chart(self, args: a.PatientChartCall) -> r.PatientChart:
        """The part of the record that the question is about; allergies, medications and problems always."""
        try:
            patient_id = args.patient_id
            if not args.resolved:
                found = await by_id(self._ehr, patient_id)
                if len(found.matches) != 1:
                    return _no_single(found)
                patient_id = found.matches[0].person.id
            record = await self._ehr.record(patient_id)
        except Unavailable as error:
            return _unavailable(r.PatientChart, error)
        if record is None:
            return _no_single(Search())
        person = person_of(record.patient)
        shown = project(record, args.question or "", today=self._today(), budget=self._budget)
        banner = match_of(person).banner()
        return r.PatientChart(
            status="found",
            origin="ehr",
            data_date=shown.data_date,
            demonstration=person.fictional,
            patient_id=person.id,
            banner=banner,
            sections=tuple(r.ChartSection(title=part.title, entries=part.entries) for part in shown.sections),
            omitted=shown.omitted,
            warnings=shown.warnings,
            not_checked=shown.not_checked,
            sources=_sources(banner, shown),
        )

    async def summary(self, patient_id: str) -> r.PatientSummary:
        """What every step of a turn about this patient should know."""
        try:
            record = await self._ehr.record(patient_id, VITAL)
        except Unavailable as error:
            return _unavailable(r.PatientSummary, error)
        if record is None:
            return r.PatientSummary(status="not_found", error_type="not_found", origin="ehr", message=NO_SUCH_ID)
        known, person = summarise(record, today=self._today()), person_of(record.patient)
        return r.PatientSummary(
            status="found",
            origin="ehr",
            demonstration=person.fictional,
            patient_id=person.id,
            banner=match_of(person).banner(),
            allergies=known.allergies,
            medications=known.medications,
            problems=known.problems,
            brief=known.text(),
            alerts=known.briefs[0].short if known.briefs else known.allergies,
            not_checked=known.not_checked,
            warnings=known.warnings,
        )

    async def panel(self, patient_id: str) -> r.PatientPanel:
        """What a page shows beside a conversation: the lists that are never cut, and measured values as series."""
        try:
            record = await self._ehr.record(patient_id, READ)
        except Unavailable as error:
            return _unavailable(r.PatientPanel, error).model_copy(update={"not_checked": (NOTHING_READ,)})
        if record is None:
            return r.PatientPanel(
                status="not_found",
                error_type="not_found",
                origin="ehr",
                message=NO_SUCH_ID,
                not_checked=(NOTHING_READ,),
            )
        shown, person = panel(record, today=self._today()), person_of(record.patient)
        return r.PatientPanel(
            status="found",
            origin="ehr",
            data_date=shown.data_date,
            demonstration=person.fictional,
            patient=match_of(person),
            age=shown.age,
            allergies=shown.allergies,
            medications=shown.medications,
            problems=shown.problems,
            labs=shown.labs,
            vitals=shown.vitals,
            computed=shown.computed,
            not_checked=shown.not_checked,
            warnings=shown.warnings,
        )


def _sources(banner: str, shown: Projection) -> tuple[Source, ...]:
    """The record, and the first lines of what was asked for, each under its own entry and date."""
    first = shown.sections[0].title if shown.sections else ""
    asked = [quote for quote in shown.quotes if quote.title == first and quote.reference][:MOST_QUOTES]
    return (
        Source(kind="chart", title=f"Patient record of {banner}", date=shown.data_date),
        *(
            Source(kind="chart", title=f"{quote.title}, {quote.reference}", date=quote.date or None, quote=quote.text)
            for quote in asked
        ),
    )


def match_of(person: Person, *, exact: bool = True, note: str = "") -> r.PatientMatch:
    """A person as the tools show one: with two identifiers, and never the whole record number."""
    return r.PatientMatch(
        patient_id=person.id,
        name=person.name,
        birth_date=person.birth_date,
        sex=person.sex,
        mrn_tail=person.mrn_tail,
        exact=exact,
        deceased=person.deceased,
        fictional=person.fictional,
        note=note,
    )


def _matches(found: Search, nobody: str) -> r.PatientSearchResult:
    """Where somebody may be missing, nobody is the only one: then the user confirms even an exact match."""
    gaps = () if found.complete else (NOT_ALL,)
    if not found.matches:
        message = nobody if found.complete else f"{nobody} {NOT_ALL}"
        return r.PatientSearchResult(
            status="not_found", error_type="not_found", origin="ehr", message=message, not_checked=gaps
        )
    return r.PatientSearchResult(
        status="found",
        origin="ehr",
        matches=tuple(
            match_of(match.person, exact=match.exact and found.complete, note=match.note) for match in found.matches
        ),
        error_type="multiple_patient_matches" if len(found.matches) > 1 else None,
        demonstration=any(match.person.fictional for match in found.matches),
        not_checked=(*gaps, *([f"{found.more} further patients of a similar name"] if found.more else [])),
    )


def _no_single(found: Search) -> r.PatientChart:
    if not found.matches:
        return r.PatientChart(status="not_found", error_type="not_found", origin="ehr", message=NO_SUCH_ID)
    return r.PatientChart(
        status="invalid",
        error_type="multiple_patient_matches",
        origin="ehr",
        message="Several patients have this record number.",
        candidates=tuple(match_of(match.person) for match in found.matches),
    )


def _unavailable(kind: type[R], error: Unavailable) -> R:
    error_type: ErrorType = error.error_type if isinstance(error, EhrError) else "service_unavailable"
    return kind(status="unavailable", error_type=error_type, message=str(error))
