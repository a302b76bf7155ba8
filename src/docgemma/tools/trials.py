"""The trial search as the tool gives it: what the register lists, in its own words, and what was not searched for.

"None" is said only when a register answered and counts none. Whether somebody may take part nobody here decides.
"""

from __future__ import annotations

import asyncio

from docgemma.clinical import ends_at
from docgemma.reader.contract import Reader
from docgemma.sources.contract import SourceError
from docgemma.sources.literature.people import refuse_names, without_names
from docgemma.sources.openfda.texts import plain
from docgemma.sources.row import Heard, Row
from docgemma.sources.trials.contract import Sought, Studies, Study, TrialSource
from docgemma.sources.trials.fitting import fits, sites_at
from docgemma.sources.trials.sought import Understood, sought_in
from docgemma.tools import arguments as a
from docgemma.tools import results as r
from docgemma.tools.trial_words import Cleaner, searched_in_words, source_of, trial_of

SHARE = 0.9
"""Of the time that the caller waits: the rest is for handing the answer over."""

FULL = 5
"""Trials of a page that are told in full; of the others title, status and limits."""

ELIGIBILITY = (
    "Eligibility is decided by the trial's team: only the registered limits of age and sex were compared, "
    "not the criteria."
)
OFFLINE = "To search without internet: build a pack with `docgemma pack build ctgov`."
HOW_TO_BUILD = "Allow live sources, or build a pack of trials: `docgemma pack build ctgov`."


class Trials:
    """A search over the registers of this installation. `deadline_s` holds where the caller names no time."""

    def __init__(self, row: Row[TrialSource], reader: Reader, *, deadline_s: float = 10) -> None:
        self._row = row
        self._reader = reader
        self._deadline_s = deadline_s

    async def find(self, args: a.ClinicalTrialsCall) -> r.TrialsResult:
        """One page of the trials that fit what was asked."""
        try:
            understood = await asyncio.to_thread(_understood, args, self._reader)
        except SourceError as refused:
            return _not_searched(Understood(Sought(plain(args.condition))), refused)
        sought = understood.sought
        if not sought.condition and not sought.intervention:
            return r.TrialsResult(
                status="invalid",
                error_type="missing_required_args",
                message="Trials of what? Name a condition or a treatment.",
                missing=("condition",),
                warnings=understood.notes,
            )
        if not self._row:
            return _not_searched(
                understood, SourceError("not_configured", f"No trial register is set up. {HOW_TO_BUILD}")
            )

        async def ask(source: TrialSource, until: float) -> Studies | None:
            return await source.search(sought, ends_at=until)

        heard = await self._row.first(ask, ends_at=self._until())
        return await asyncio.to_thread(_result, understood, heard, has_pack=self._row.has_pack)

    def _until(self) -> float:
        now = asyncio.get_running_loop().time()
        return now + (ends_at.get(now + self._deadline_s) - now) * SHARE


def _understood(args: a.ClinicalTrialsCall, reader: Reader) -> Understood:
    """Raises SourceError where the words would tell who the patient is."""
    question = without_names(args.question or "")
    refuse_names(args.condition, args.intervention or "", args.place or "", question)
    return sought_in(
        plain(args.condition),
        args.status,
        question,
        reader=reader,
        intervention=plain(args.intervention or "") or None,
        place=plain(args.place or "") or None,
        age=args.age,
        sex=args.sex,
        phase=args.phase,
        page=args.page,
    )


def _result(understood: Understood, heard: Heard[Studies], *, has_pack: bool) -> r.TrialsResult:
    found = heard.answer
    if found is None and heard.failures:
        return _not_searched(understood, heard.failures[0], hint="" if has_pack else OFFLINE)
    if found is None:
        return _none(understood, heard)
    fitting = tuple(study for study in found.studies if fits(study, understood.sought))
    if not fitting:
        unfit = SourceError("invalid_response", f"{found.source} answered with trials that do not fit the question.")
        return _not_searched(understood, unfit)
    return _found(understood, heard, found, fitting)


def _found(understood: Understood, heard: Heard[Studies], found: Studies, studies: tuple[Study, ...]) -> r.TrialsResult:
    sought, cleaner = understood.sought, Cleaner()
    trials = tuple(trial_of(study, sought, cleaner, brief=at >= FULL) for at, study in enumerate(studies))
    return r.TrialsResult(
        status="found",
        origin=found.origin,
        data_date=found.data_date,
        trials=trials,
        total=found.total,
        page=sought.page,
        more=found.more,
        searched=searched_in_words(sought),
        sources=tuple(source_of(study, cleaner) for study in studies),
        warnings=(*understood.notes, *_renumbered(sought, studies), *_eligibility(sought)),
        not_checked=(*_unheard(heard, found), *_elsewhere(sought, studies)),
        flagged=cleaner.count,
    )


def _none(understood: Understood, heard: Heard[Studies]) -> r.TrialsResult:
    """The filters are named: without them there may be trials."""
    sought = understood.sought
    limits = {
        "status": sought.statuses,
        "phase": sought.phases,
        "place": sought.place,
        "sex": sought.sex,
        "age": sought.age_years is not None,
    }
    *others, last = ["", *(name for name, limit in limits.items() if limit)]
    named = f"{', '.join(others[1:])} or {last}" if others[1:] else last
    wider = f" Trials of another {named} were not looked for." if named else ""
    searched = searched_in_words(sought)
    listed = " and ".join(heard.asked)
    message = f"{listed} lists no trials for: {searched}.{wider}"
    if sought.page > 1:
        message = f"{listed} has no page {sought.page} of this search: {searched}. The pages before it hold all trials."
    return r.TrialsResult(
        status="none",
        message=message,
        total=0 if sought.page == 1 else None,
        page=sought.page,
        searched=searched,
        warnings=understood.notes,
    )


def _not_searched(understood: Understood, failure: SourceError, hint: str = "") -> r.TrialsResult:
    searched = searched_in_words(understood.sought)
    wrong = failure.error_type == "invalid_args"
    hint = "" if failure.error_type == "patient_data" else hint
    return r.TrialsResult(
        status="invalid" if wrong else "unavailable",
        error_type=failure.error_type,
        message=str(failure) if wrong else f"Trials were not searched: {failure} {hint}".rstrip(),
        searched=searched,
        warnings=understood.notes,
        not_checked=() if wrong else (f"Registered trials: {searched}",),
    )


def _eligibility(sought: Sought) -> tuple[str, ...]:
    """Said where something was compared: without an age or a sex nothing was."""
    return (ELIGIBILITY,) if sought.age_years is not None or sought.sex else ()


def _renumbered(sought: Sought, studies: tuple[Study, ...]) -> tuple[str, ...]:
    """A trial's old number leads to its new one."""
    numbers = {study.nct_id for study in studies}
    asked = sought.condition
    if not (asked.startswith("NCT") and asked[3:].isdigit()) or asked in numbers:
        return ()
    return (f"{asked} is now registered as {', '.join(sorted(numbers))}.",)


def _unheard(heard: Heard[Studies], found: Studies) -> tuple[str, ...]:
    """What is newer than a pack, or than what another source had to stand in with, is not known: statuses change."""
    if heard.failures:
        return (f"What was registered since: {str(heard.failures[0]).rstrip('.')}",)
    if found.origin == "pack":
        return (f"What was registered or changed since {found.data_date or 'the pack was made'}: a pack was searched",)
    return ()


def _elsewhere(sought: Sought, studies: tuple[Study, ...]) -> tuple[str, ...]:
    if not sought.place:
        return ()
    unplaced = [study.nct_id for study in studies if not sites_at(study, sought.place)]
    return (f"A site in {sought.place} of {', '.join(unplaced)}: none is listed by that name",) if unplaced else ()
