"""Who is looked for, and how well one patient answers to it. Pure: everything the server returned passes here."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from docgemma.ehr.contract import Resource
from docgemma.ehr.patients.identifiers import Held, held, ids_written
from docgemma.ehr.patients.match import Fit, best_fit
from docgemma.ehr.patients.names import Reading, names_of, readings
from docgemma.ehr.patients.person import Person, has_died, person_of
from docgemma.ehr.patients.shapes import parts, text
from docgemma.errors import BadInput

MOST = 10


@dataclass(frozen=True, slots=True)
class Match:
    """Somebody who may be meant. Not exact: `note` says what differs from what was asked."""

    person: Person
    exact: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class Search:
    """Exact matches or, where there are none, near ones. `more` counts those left out.

    Not complete: somebody may be missing, so nobody found means "not among those the server returned".
    """

    matches: tuple[Match, ...] = ()
    complete: bool = True
    more: int = 0

    @property
    def only(self) -> Person | None:
        """The one who is meant beyond doubt: exact, and certainly without a namesake."""
        alone = len(self.matches) == 1 and self.matches[0].exact and self.complete
        return self.matches[0].person if alone else None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A match with what it takes to rank it."""

    match: Match
    cost: int = 0


def ranked(candidates: Iterable[Candidate], *, complete: bool) -> Search:
    """An exact match hides the near ones, and never another exact one."""
    found = list(candidates)
    shown = [one for one in found if one.match.exact] or found
    shown.sort(key=_order)
    return Search(tuple(one.match for one in shown[:MOST]), complete, max(0, len(shown) - MOST))


def _order(one: Candidate) -> tuple[int, str, str, str]:
    person = one.match.person
    return one.cost, person.name, person.birth_date or "", person.id


OTHER_DATE = "another birth date is recorded"
NO_DATE = "no birth date is recorded"
PART_OF_DATE = "the birth date is recorded only in part"
DATE_ALONE = "found by the birth date alone"
OTHER_NAME = "another name is recorded"
OTHER_NUMBER = "another record number is recorded"
EARLIER_NUMBER = "an earlier record number of this patient"
CIVIL_NUMBER = "the number is recorded, but not as a record number"
MERGED = "this record was replaced by another one"
NOT_IN_USE = "this record is marked as not in use"

_DATE = re.compile(r"(?:18|19|20|21)[0-9]{2}(?:-[0-9]{2}){0,2}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is known of the patient: a name in its readings, a birth date or its beginning, a number as written."""

    asked: tuple[Reading, ...] = ()
    birth_date: str = ""
    numbers: tuple[str, ...] = ()

    @classmethod
    def of(cls, name: str, birth_date: str | None, identifier: str | None) -> Wanted:
        """Refuses what nobody could be found by. A date or a number that cannot be read is never just left out."""
        born = (birth_date or "").strip()
        if born and not _is_date(born):
            raise BadInput("Give the birth date as year, month and day, such as 1980-03-04, or as much as is known.")
        asked = tuple(reading for reading in readings(name) if reading.words)
        numbers = ids_written(identifier or "")
        if identifier and not numbers:
            raise BadInput("This record number cannot be read. Give it as letters and digits.")
        if not (asked or born or numbers):
            raise BadInput("Give a name, a birth date or a record number to find a patient by.")
        return cls(asked, born, numbers)

    def judge(self, patient: Resource) -> Candidate | None:
        """How the patient answers to all that is known; None when this is somebody else."""
        if patient.get("resourceType") != "Patient" or not text(patient.get("id")):
            return None
        fit = best_fit(self.asked, names_of(patient)) if self.asked else Fit()
        number: Held | None = held(patient, self.numbers) if self.numbers else "current"
        if fit is None:
            if not self.numbers or number is None:
                return None
            fit = Fit()
            fit.note(OTHER_NAME, 6)
        if number != "current" and not self._number_differs(fit, number):
            return None
        if self.birth_date and not self._date_agrees(fit, text(patient.get("birthDate"))):
            return None
        note_state(fit, patient)
        return candidate(fit, patient)

    def _number_differs(self, fit: Fit, number: Held | None) -> bool:
        """Notes it. False when nothing else speaks for this patient."""
        speaks = number is not None or bool(self.asked and fit.exact)
        note_held(fit, number)
        return speaks

    def _date_agrees(self, fit: Fit, recorded: str) -> bool:
        """Notes what speaks against it. False when the date differs and the name is not exact either."""
        if recorded.startswith(self.birth_date):
            if not (self.asked or self.numbers):
                fit.note(DATE_ALONE, 1)
            return True
        named = bool(self.asked or self.numbers)
        if recorded and self.birth_date.startswith(recorded):
            fit.note(PART_OF_DATE, 2)
            return True
        if not (named and fit.exact) and recorded:
            return False
        fit.note(*((OTHER_DATE, 6) if recorded else (NO_DATE, 3)))
        return named


def _is_date(written: str) -> bool:
    """A date that exists, or its year, or its year and month."""
    if not _DATE.fullmatch(written):
        return False
    try:
        date.fromisoformat(written + "-01-01"[len(written) - 4 :])
    except ValueError:
        return False
    return True


_NUMBER_NOTES: dict[Held | None, tuple[str, int]] = {
    None: (OTHER_NUMBER, 6),
    "earlier": (EARLIER_NUMBER, 2),
    "other": (CIVIL_NUMBER, 2),
}


def note_held(fit: Fit, number: Held | None) -> None:
    """A number that is not the patient's record number now proves less."""
    if number != "current":
        fit.note(*_NUMBER_NOTES[number])


def note_state(fit: Fit, patient: Resource) -> None:
    """A record that was merged away or is out of use may lack what another one holds. Death explains itself."""
    if any(link.get("type") == "replaced-by" for link in parts(patient.get("link"))):
        fit.note(MERGED, 3)
    elif patient.get("active") is False and not has_died(patient):
        fit.note(NOT_IN_USE, 3)


def candidate(fit: Fit, patient: Resource) -> Candidate:
    return Candidate(Match(person_of(patient), fit.exact, "; ".join(fit.notes)), fit.cost)
