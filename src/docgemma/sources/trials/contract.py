"""What a register of clinical trials is asked and gives, whichever one it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Protocol

from docgemma.clinical import Origin
from docgemma.entities.trial_status import TrialStatus

Phase = Literal["EARLY_PHASE1", "PHASE1", "PHASE2", "PHASE3", "PHASE4", "NA"]
Sex = Literal["female", "male"]
PAGE_SIZE = 10
"""Trials on one page, of whichever register."""


@dataclass(frozen=True, slots=True)
class Sought:
    """What is searched for. What the user did not ask for stays empty, and filters nothing.

    `place` is a town, region or country; `age_years` that of a person who would take part. With `age_to` it is a group
    from the one to the other ("children"), and a trial fits that takes some of them. Pages are counted from 1.
    `condition` is empty only where an intervention is named; it may be a trial's own number.
    """

    condition: str
    intervention: str = ""
    statuses: tuple[TrialStatus, ...] = ()
    phases: tuple[Phase, ...] = ()
    place: str = ""
    age_years: float | None = None
    sex: Sex | None = None
    page: int = 1
    age_to: float | None = None


@dataclass(frozen=True, slots=True)
class Site:
    """One place where a trial is done. Its status is its own: a trial may recruit where this site does not."""

    facility: str = ""
    city: str = ""
    state: str = ""
    country: str = ""
    status: str = ""

    @property
    def address(self) -> str:
        return " ".join((self.facility, self.city, self.state, self.country))


@dataclass(frozen=True, slots=True)
class Study:
    """One trial as its register tells it, in plain text. What the register does not tell is empty, never guessed.

    `status` is the register's own word, also one that this program does not know. Dates are YYYY-MM or YYYY-MM-DD.
    """

    nct_id: str
    title: str
    status: str = ""
    why_stopped: str = ""
    study_type: str = ""
    phases: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    keywords: tuple[str, ...] = field(default=(), repr=False)
    interventions: tuple[str, ...] = ()
    summary: str = field(default="", repr=False)
    criteria: str = field(default="", repr=False)
    minimum_age: str = ""
    maximum_age: str = ""
    """As registered: "18 Years", "6 Months"."""
    sex: str = ""
    healthy_volunteers: bool | None = None
    enrolment: int | None = None
    enrolment_estimated: bool = False
    started: str = ""
    completed: str = ""
    updated: str = ""
    sponsor: str = ""
    sites: tuple[Site, ...] = field(default=(), repr=False)
    has_results: bool = False
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Studies:
    """One page of what a register has, never empty. `total` is None where it did not say; `more`: a page follows."""

    studies: tuple[Study, ...]
    source: str
    origin: Origin
    data_date: str | None = None
    total: int | None = None
    more: bool = False


class TrialSource(Protocol):
    """One register. `ends_at` is a time of the running loop: whatever it does, it is done by then."""

    @property
    def name(self) -> str: ...

    async def search(self, sought: Sought, *, ends_at: float) -> Studies | None:
        """One page of trials that fit; None when there are none. Raises SourceError."""
        ...
