"""How the tests that people ask for are called in charts: data/test_names.tsv.

A phrase must stand in the folded name of an observation as whole words. What a test is easily taken for is excluded:
"hemoglobin" is not haemoglobin A1c, and creatinine in urine says nothing about the blood.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from docgemma.ehr.folding import fold
from docgemma.entities.tables import rows


@dataclass(frozen=True, slots=True)
class _Member:
    phrases: tuple[str, ...]
    unless: tuple[str, ...]

    def fits(self, spaced: str) -> bool:
        return any(phrase in spaced for phrase in self.phrases) and not any(word in spaced for word in self.unless)


@dataclass(frozen=True, slots=True)
class NamedTest:
    """A test or a panel that was asked for by name."""

    name: str
    members: tuple[_Member, ...]
    vital: bool
    kidney: bool

    def fits(self, spaced_name: str) -> bool:
        """Whether an observation of this name, as `spaced` gives it, is it or belongs to it."""
        return any(member.fits(spaced_name) for member in self.members)

    def named_in(self, text: str) -> bool:
        """Whether a text, such as a note, speaks of it: by the same names, whatever else the text speaks of."""
        words = spaced(text)
        return any(phrase in words for member in self.members for phrase in member.phrases)


@cache
def _table() -> dict[str, tuple[list[str], ...]]:
    """By test: phrases, unless, members, marks."""
    table = rows("docgemma.ehr", "test_names.tsv")
    return {name: tuple(cell.split(", ") if cell else [] for cell in cells) for name, *cells in table}


@cache
def test_called(name: str) -> NamedTest:
    """The test under the canonical name that the language rules give it."""
    _, _, members, marks = _table().get(name, ([], [], [], []))
    named = dict.fromkeys((*members, name))
    return NamedTest(name, tuple(map(_member, named)), "vital" in marks, "kidney" in marks)


@cache
def vital_tests() -> tuple[NamedTest, ...]:
    """The vital signs that have a name here."""
    return tuple(test_called(name) for name, cells in _table().items() if "vital" in cells[3])


def _member(name: str) -> _Member:
    phrases, unless, _, _ = _table().get(name, ([], [], [], []))
    return _Member(tuple(map(spaced, phrases or [name.removesuffix(" level")])), tuple(map(spaced, unless)))


def spaced(phrase: str) -> str:
    """Folded words with a space around each, so that a phrase is found only as whole words."""
    return f" {' '.join(fold(phrase).split())} "
