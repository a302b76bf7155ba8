"""What a look-up of a patient gives: people, ranked, and whether there may be more."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from docgemma.ehr.patients.person import Person

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
