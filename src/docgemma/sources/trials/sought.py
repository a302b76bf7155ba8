"""From a clinician's words to what a register is asked: a condition, a treatment, and what narrows the search.

What is named as an argument counts; the question fills in what is not. What was said and not understood is told, so
that nobody takes a wide search for the narrow one that was asked for. Ids and birth dates never get into it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TypeVar

from docgemma.entities.drugs.names import drugs_in
from docgemma.entities.tables import rows
from docgemma.entities.trial_status import STATUSES, Read, TrialStatus, statuses_of
from docgemma.entities.words import word_set
from docgemma.reader.contract import Reader
from docgemma.reader.labels import SpanType
from docgemma.sources.literature.concepts import is_known
from docgemma.sources.literature.people import without_people
from docgemma.sources.reading import NARROWING, Part, parts_of
from docgemma.sources.trials.contract import Sought
from docgemma.sources.trials.words import age_of, is_here, is_of_people, is_sex, phases_of, place_of, sex_of

_EDGES = word_set("a an any the of in on at for with who has have trial trials study studies patients people or and")
_ARTICLES = word_set("a an")
"""At the end they are none: "haemophilia A"."""

_BEHIND = word_set("for in against")
"""What stands between a treatment and the condition it is for."""

_BEFORE = word_set("with using by")
_TOPICS: tuple[SpanType, ...] = ("condition", "topic")
_WORD = re.compile(r"[\w'’.-]+")


@dataclass(frozen=True, slots=True)
class Subject:
    """`whom`: a group of people that stood beside the condition."""

    condition: str = ""
    intervention: str = ""
    whom: str = ""


def subject_of(parts: Sequence[Part]) -> Subject:
    """The marked condition; where none is marked, what is left of the words without what else is marked in them."""
    marked = [text for part in parts for text in part.runs(*_TOPICS)]
    rest = [part.without(*NARROWING, *(_TOPICS if marked else ())) for part in parts]
    phrase, whom = _without_people(without_people(" ".join(dict.fromkeys(marked or rest))))
    drugs = [text for part in parts for text in part.of("drug")]
    drugs += [found.group() for text in rest if marked for found in _treatments().finditer(text)]
    if drugs:
        return Subject(phrase, without_people(" ".join(dict.fromkeys(drugs))), whom)
    return Subject(*(_apart(phrase) or (phrase, "")), whom)


def _without_people(phrase: str) -> tuple[str, str]:
    """The phrase without words at its edges that name nothing, and the groups that went with them.

    "Women with asthma", "asthma in children"; "male breast cancer" is a name.
    """
    words, whom = phrase.strip(" ,.;:?!-–").split(), []
    while words and (
        words[-1].lower() in _EDGES - _ARTICLES or is_of_people(words[-1]) or _is_apart(words[-1], words[-2:-1])
    ):
        whom.append(words.pop())
    while words and (words[0].lower() in _EDGES or (_is_apart(words[0], words[1:2]))):
        whom.append(words.pop(0))
    return " ".join(words), " ".join(word for word in whom if word.lower() not in _EDGES)


def _is_apart(word: str, beside: Sequence[str]) -> bool:
    """Whether people stand by themselves: nothing, or a word that leads on, is beside them."""
    return (is_of_people(word) or is_sex(word)) and all(other.lower() in _EDGES for other in beside)


def _apart(phrase: str) -> tuple[str, str] | None:
    """ "Pembrolizumab in melanoma", "AML with magrolimab"; "methotrexate toxicity" is one thing."""
    places = [(drug.start, drug.end) for drug in drugs_in(phrase)]
    places = sorted([*places, *(found.span() for found in _treatments().finditer(phrase))])
    if not places or "-" in (phrase[places[-1][1] : places[-1][1] + 1], phrase[: places[0][0]][-1:]):
        return None
    start, end = places[0][0], max(place[1] for place in places)
    before, behind = _WORD.findall(phrase[:start]), _WORD.findall(phrase[end:])
    if not before and not behind:
        return "", phrase
    if not before:
        linked = behind[0].lower() in _BEHIND
        condition = " ".join(behind[linked:])
        return (condition, _spoken(phrase, places)) if condition and (linked or is_known(condition)) else None
    linked = before[-1].lower() in _BEFORE
    condition = " ".join(before[:-1] if linked else before)
    fits = condition and not behind and (linked or is_known(condition))
    return (condition, _spoken(phrase, places)) if fits else None


def _spoken(phrase: str, places: Sequence[tuple[int, int]]) -> str:
    return " ".join(dict.fromkeys(phrase[start:end] for start, end in places))


@cache
def _treatments() -> re.Pattern[str]:
    """Every treatment of the table, longest first."""
    listed = sorted((line for (line,) in rows("docgemma.sources.trials", "treatments.txt")), key=len, reverse=True)
    words = "|".join(r"[\s-]?".join(map(re.escape, re.split(r"[\s-]", line))) + "s?" for line in listed)
    return re.compile(rf"(?<![\w-])(?:{words.replace('therapys?', 'therap(?:y|ies)')})(?![\w-])", re.IGNORECASE)


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
