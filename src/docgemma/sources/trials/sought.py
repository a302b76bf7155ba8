"""From a clinician's words to what a register is asked.

What is named as an argument counts; the question fills in what is not. What was said and not understood is told, so
that nobody takes a wide search for the narrow one that was asked for. Ids and birth dates never get into it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from docgemma.entities.trial_status import STATUSES, Read, TrialStatus, statuses_of
from docgemma.reader.contract import Reader
from docgemma.reader.labels import SpanType
from docgemma.sources.literature.people import without_people
from docgemma.sources.reading import Part, parts_of
from docgemma.sources.trials.contract import Sought
from docgemma.sources.trials.phases import phases_of
from docgemma.sources.trials.places import is_here, place_of
from docgemma.sources.trials.subject import subject_of
from docgemma.sources.trials.whom import age_of, sex_of

_FRAME = "find trials for "
_NCT = re.compile(r"(?<!\w)NCT\s?(\d{8})(?!\d)", re.IGNORECASE)
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
    reader: Reader,
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
    number = _NCT.search(condition)
    if number is not None:
        return Understood(Sought(f"NCT{number[1]}"))
    parts = parts_of(reader, _FRAME, f"{condition}; {question or ''}")
    named = parts_of(reader, _FRAME, condition)
    subject = subject_of(named) if named else subject_of(parts)
    notes: list[str] = []
    statuses = _statuses(status, _told(parts, "status"), notes)
    ages = [*_told(parts, "age"), subject.whom]
    years = _given(age, age_of, ages, ("age", "ages"), notes)
    either = (sex or "").strip().lower() in ("all", "both", "any")
    sexes = [*_told(parts, "sex", "age"), subject.condition, subject.whom]
    found = Sought(
        condition=subject.condition[:_LONGEST],
        intervention=" ".join((intervention or "").split())[:_LONGEST] or subject.intervention[:_LONGEST],
        statuses=statuses,
        phases=_given(phase, phases_of, _told(parts, "phase"), ("phase", "phases"), notes) or (),
        place=_place(place, [each for part in parts for each in part.of("place")], notes)[:_LONGEST],
        sex=None if either else _given(sex, sex_of, sexes, ("sex", "sexes"), notes),
        page=page or 1,
    )
    if years is not None:
        found = replace(found, age_years=years.years, age_to=years.to)
    return Understood(found, tuple(notes))


def _told(parts: Sequence[Part], *types: SpanType) -> list[str]:
    """The words of these types."""
    return [text for part in parts for text in part.of(*types)]


def _statuses(argument: str | None, told: Sequence[str], notes: list[str]) -> tuple[TrialStatus, ...]:
    """The argument's, unless the question itself denies them or says more exactly what is sought.

    Who fills in the argument from "no longer recruiting" may write "recruiting".
    """
    read = [statuses_of(text) for text in told]
    said = {status for each in read for status in each.statuses}
    given = statuses_of(argument) if argument and argument.strip() else Read()
    if not given.known:
        notes.append(_unread(argument or "", "status", "statuses", told=bool(said)))
    elif not argument:
        unread = next((text for text, each in zip(told, read, strict=True) if not each.known), "")
        notes += [_unread(unread, "status", "statuses", told=bool(said))] if unread else []
    sought = set(given.statuses)
    if said and (not sought or said < sought or "RECRUITING" in sought - said):
        sought = said
    return tuple(status for status in STATUSES if status in sought)


def _place(given: str | None, told: Sequence[str], notes: list[str]) -> str:
    """The argument; else the places of the question."""
    wanted = [given] if given and given.strip() else told
    here = next((place for place in wanted if is_here(place)), "")
    if here:
        notes.append(f"“{here}” names no place; trials everywhere were searched. Name the town or the country.")
    names = (place_of(without_people(place)) for place in wanted if not is_here(place))
    return " or ".join(dict.fromkeys(name for name in names if name))


def _given(
    said: str | None,
    read: Callable[[str], _Value | None],
    told: Sequence[str],
    what: tuple[str, str],
    notes: list[str],
) -> _Value | None:
    """An argument as it is read; without one that can be read what the question tells, where that is one thing."""
    values = {value for text in told if (value := read(text))}
    only = values.pop() if len(values) == 1 else None
    if not said or not said.strip():
        return only
    found = read(said)
    if not found:
        notes.append(_unread(said, *what, told=bool(only)))
    return found or only


def _unread(said: str, what: str, many: str, *, told: bool) -> str:
    shown = " ".join(said.split())[:40]
    searched = "what the question says was searched for" if told else f"all {many} were searched"
    return f"“{shown}” is no {what} I know; {searched}."
