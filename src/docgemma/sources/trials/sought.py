"""From a clinician's words to what a register is asked.

What is named as an argument counts; the parts of the question fill in what is not. What was said and not understood is
told, so that nobody takes a wide search for the narrow one that was asked for. Ids and birth dates never get into it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from docgemma.sources.literature.people import without_people
from docgemma.sources.shorthand import written_out
from docgemma.sources.trials.contract import Sought
from docgemma.sources.trials.people import age_of, sex_of, told_of
from docgemma.sources.trials.phases import phases_in, phases_of
from docgemma.sources.trials.places import HERE, listed_place, place_of, without_place
from docgemma.sources.trials.statuses import meant
from docgemma.sources.trials.subjects import Subject, blanked, subject_of, trimmed

_NCT = re.compile(r"NCT\s?(\d{8})", re.IGNORECASE)
_LONGEST = 200
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Understood:
    """What is searched for, and a sentence on each thing that was said and is not searched for."""

    sought: Sought
    notes: tuple[str, ...] = ()


def sought_in(
    condition: str,
    status: str | None = None,
    question: str | None = None,
    *,
    intervention: str | None = None,
    place: str | None = None,
    age: str | None = None,
    sex: str | None = None,
    phase: str | None = None,
    page: int | None = None,
) -> Understood:
    """`condition` in its own words, the other values as the person wrote them, `question` all of them joined by "; ".

    Never raises. Without a condition or an intervention in it, there is nothing to search for.
    """
    number = _NCT.fullmatch(condition.strip())
    if number is not None:
        return Understood(Sought(f"NCT{number[1]}"))
    phrase = written_out(without_people(condition))
    asked = written_out(without_people(question or ""))
    text = f"{phrase}; {asked}"
    notes: list[str] = []
    phrase = trimmed(blanked(phrase, phases_in(phrase).spans))
    subject = _subject(without_place(phrase)[0])
    if subject.left_out:
        notes.append(f"“{subject.left_out}” was not searched for: compare the criteria of each trial.")
    read = meant(status, asked)
    if not read.known:
        notes.append(_unread(status, "status", "statuses", told=bool(read.statuses)))
    told = told_of(text)
    years = _given(age, age_of, told.age, ("age", "ages"), notes)
    either = (sex or "").strip().lower() in ("all", "both", "any")
    found = Sought(
        condition=subject.condition[:_LONGEST],
        intervention=" ".join((intervention or "").split())[:_LONGEST] or subject.intervention[:_LONGEST],
        statuses=read.statuses,
        phases=_given(phase, phases_of, phases_in(text).phases, ("phase", "phases"), notes) or (),
        place=_place(place, f"{asked};{phrase}", notes)[:_LONGEST],
        sex=None if either else _given(sex, sex_of, told.sex, ("sex", "sexes"), notes),
        page=page or 1,
    )
    if years is not None:
        found = replace(found, age_years=years.years, age_to=years.to)
    return Understood(found, tuple(notes))


def _subject(phrase: str) -> Subject:
    """The phrase taken apart; whom a trial is for is no condition."""
    found = subject_of(phrase)
    only_people = not trimmed(blanked(found.condition, told_of(found.condition).spans))
    return replace(found, condition="") if only_people else found


def _place(given: str | None, asked: str, notes: list[str]) -> str:
    """The argument; else the places that the parts of the question are, or end with."""
    here = HERE.search(given or asked)
    if here is not None:
        notes.append(f"“{here.group()}” names no place; trials everywhere were searched. Name the town or the country.")
    if given and given.strip():
        return "" if here else place_of(given)
    places = (listed_place(part) or without_place(part)[1] for part in asked.split(";"))
    return " or ".join(dict.fromkeys(place for place in places if place))


def _given(
    said: str | None, read: Callable[[str], _Value | None], told: _Value, what: tuple[str, str], notes: list[str]
) -> _Value:
    """An argument as it is read; without one that can be read what the question tells."""
    if not said or not said.strip():
        return told
    found = read(said)
    if not found:
        notes.append(_unread(said, *what, told=bool(told)))
    return found or told


def _unread(said: str | None, what: str, many: str, *, told: bool) -> str:
    shown = " ".join((said or "").split())[:40]
    searched = "what the question says was searched for" if told else f"all {many} were searched"
    return f"“{shown}” is no {what} I know; {searched}."
