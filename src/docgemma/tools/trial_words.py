"""One registered trial in words that can be shown, without what reads like an order to a program."""

from __future__ import annotations

import re
from collections.abc import Iterable

from docgemma.clinical import Source
from docgemma.entities.cutting import shortened
from docgemma.entities.instructions import instructions_in, without_instructions
from docgemma.sources.trials.contract import Site, Sought, Study
from docgemma.sources.trials.fitting import sites_at, years_of
from docgemma.sources.trials.words import phase_in_words
from docgemma.tools import results as r

SUMMARY = 300
_QUOTE = 200
_MOST_SITES = 3
_MOST_NAMES = 6
STATUS = {
    "RECRUITING": "recruiting",
    "NOT_YET_RECRUITING": "not yet recruiting",
    "ACTIVE_NOT_RECRUITING": "active, not recruiting",
    "ENROLLING_BY_INVITATION": "enrolling by invitation only",
    "COMPLETED": "completed",
    "SUSPENDED": "suspended",
    "TERMINATED": "terminated early",
    "WITHDRAWN": "withdrawn before anybody took part",
    "AVAILABLE": "expanded access available",
    "NO_LONGER_AVAILABLE": "expanded access no longer available",
    "TEMPORARILY_NOT_AVAILABLE": "expanded access temporarily not available",
    "APPROVED_FOR_MARKETING": "approved for marketing",
    "WITHHELD": "status withheld",
    "UNKNOWN": "unknown status (the register has not been updated for two years)",
}
_SEX = {"ALL": "all sexes", "FEMALE": "female only", "MALE": "male only"}
_UNIT = re.compile(r"(?P<n>[\d.]+)\s?(?P<unit>[a-z]+?)s?", re.IGNORECASE)


class Cleaner:
    """Takes out what talks to a program, and remembers it."""

    def __init__(self) -> None:
        self._left_out: dict[str, None] = {}

    @property
    def count(self) -> int:
        return len(self._left_out)

    def clean(self, text: str) -> str:
        found = instructions_in(text) if text else ()
        self._left_out |= dict.fromkeys(found)
        return " ".join(without_instructions(text).split()) if found else text

    def all(self, texts: Iterable[str], most: int) -> tuple[str, ...]:
        return tuple(kept for text in texts if (kept := self.clean(text)))[:most]


def trial_of(study: Study, sought: Sought, cleaner: Cleaner, *, brief: bool = False) -> r.Trial:
    """`brief`: without the summary and the sites, for those further down a list."""
    here = sites_at(study, sought.place)
    summary = cleaner.clean(study.summary)
    return r.Trial(
        nct_id=study.nct_id,
        title=_title(study, cleaner),
        status=_status(study, here, sought.place),
        phase=phase_in_words(study.phases) or None,
        summary=shortened(summary, SUMMARY) or None if not brief else None,
        conditions=cleaner.all(study.conditions, _MOST_NAMES),
        interventions=cleaner.all(study.interventions, _MOST_NAMES),
        ages=ages_in_words(study),
        sex=_SEX.get(study.sex, study.sex.lower()) or None,
        healthy_volunteers=study.healthy_volunteers,
        enrolment=study.enrolment,
        enrolment_planned=study.enrolment_estimated,
        sponsor=cleaner.clean(study.sponsor) or None,
        has_results=study.has_results,
        started=study.started or None,
        updated=study.updated or None,
        why_stopped=shortened(cleaner.clean(study.why_stopped), SUMMARY) or None,
        sites=() if brief and not here else _sites(here or study.sites, cleaner),
        site_count=len(study.sites) or None,
    )


def source_of(study: Study, cleaner: Cleaner) -> Source:
    quote = shortened(cleaner.clean(study.summary), _QUOTE) or None
    return Source(
        kind="trial",
        title=f"{study.nct_id}: {_title(study, cleaner)}",
        url=study.url,
        date=study.updated or None,
        quote=quote,
    )


def status_in_words(status: str) -> str:
    if not status:
        return "status not told"
    return STATUS.get(status) or f"status “{status.replace('_', ' ').lower()}”, which this program does not know"


def ages_in_words(study: Study) -> str | None:
    """ "18 years and older". Nothing where the record tells nothing of who may take part."""
    least, most = _age(study.minimum_age), _age(study.maximum_age)
    if least and most:
        return f"{least} to {most}"
    if least:
        return f"{least} and older"
    if most:
        return f"up to {most}"
    return "no age limits registered" if study.sex or study.criteria else None


def searched_in_words(sought: Sought) -> str:
    """What was searched for: what narrowed the search is never left unsaid."""
    parts = [
        sought.condition,
        f"treatment {sought.intervention}" if sought.intervention else "",
        " or ".join(status_in_words(status) for status in sought.statuses),
        " or ".join(phase_in_words((phase,)) or "no phase" for phase in sought.phases),
        f"in {sought.place}" if sought.place else "",
        _whom(sought),
    ]
    return ", ".join(part for part in parts if part)


def _whom(sought: Sought) -> str:
    sex = {"female": "female", "male": "male", None: ""}[sought.sex]
    if sought.age_years is None:
        return sex
    age = _spoken(sought.age_years)
    if sought.age_to is None:
        age = f"aged {age}"
    elif sought.age_to >= 120:
        age = f"aged {age} and older"
    else:
        age = f"aged {age} to {_spoken(sought.age_to)}" if sought.age_years else f"aged up to {_spoken(sought.age_to)}"
    return f"{sex} {age}".strip()


def _spoken(years: float) -> str:
    if years >= 2 or years == 0:
        return f"{int(years)} years"
    months = round(years * 12)
    return f"{months} months" if months else f"{round(years * 365.25)} days"


def _title(study: Study, cleaner: Cleaner) -> str:
    return cleaner.clean(study.title) or "Title left out"


def _status(study: Study, here: tuple[Site, ...], place: str) -> str:
    words = status_in_words(study.status)
    told = {site.status for site in here if site.status}
    return f"{words}; status at the sites in {place} differs" if told - {study.status} else words


def _sites(sites: Iterable[Site], cleaner: Cleaner) -> tuple[str, ...]:
    """The first few, each with its own status where the register tells one."""
    found: list[str] = []
    for site in sites:
        where = ", ".join(part for part in (site.facility, site.city, site.state, site.country) if part)
        kept = cleaner.clean(where)
        if kept:
            found.append(f"{kept} ({status_in_words(site.status)})" if site.status else kept)
        if len(found) == _MOST_SITES:
            break
    return tuple(found)


def _age(registered: str) -> str:
    """ "18 years"; what is no age as it is registered, so that nobody takes it for no limit."""
    if years_of(registered) is None:
        return f"“{registered}” (as registered)" if registered else ""
    found = _UNIT.fullmatch(registered)
    if found is None:
        return registered.lower()
    return f"{found['n']} {found['unit'].lower()}{'' if found['n'] == '1' else 's'}"
