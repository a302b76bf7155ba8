"""From a clinician's words to what a register is asked.

What is named as an argument counts; the sentence fills in what is not. What was said and not understood is told, so
that nobody takes a wide search for the narrow one that was asked for. Names of people never get into it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from docgemma.entities.drugs.names import drugs_in
from docgemma.entities.extract import extract
from docgemma.entities.model import Mention
from docgemma.entities.searches.announced import announced
from docgemma.entities.searches.phrases import before_head
from docgemma.entities.searches.told_conditions import told_condition
from docgemma.entities.searches.words import TRIALS
from docgemma.entities.words import replaced
from docgemma.sources.shorthand import written_out
from docgemma.sources.trials.contract import Phase, Sex, Sought
from docgemma.sources.trials.people import Age, Told, age_of, sex_of, told_of
from docgemma.sources.trials.phases import phases_in, phases_of
from docgemma.sources.trials.places import HERE, Place, place_in, place_of
from docgemma.sources.trials.statuses import meant
from docgemma.sources.trials.subjects import Subject, blanked, ends_with_treatment, studied_in, subject_of, trimmed

_NCT = re.compile(r"NCT\s?(\d{8})", re.IGNORECASE)
_STATUS_AT_EDGE = re.compile(
    r"^(?:(?:actively|currently|still|now|not|yet|no\slonger)\s)*(?:recruiting|enroll?ing|completed|terminated|ongoing|upcoming)\s"
    r"|\s(?:(?:that|which|are|is|currently|actively|still|no\slonger|not|yet)\s)*(?:recruiting|enroll?ing|accruing)$",
    re.IGNORECASE,
)
_LONGEST = 200


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
    """Never raises. Without a condition or an intervention in it, there is nothing to search for."""
    number = _NCT.fullmatch(condition.strip())
    if number is not None:
        return Understood(Sought(f"NCT{number[1]}"))
    asked = written_out(_without_people(question or ""))
    phrase = written_out(_without_people(condition))
    text = asked if asked.strip() else phrase
    notes: list[str] = []
    where = _place(place, text, phrase, notes)
    subject = _subject(phrase, asked, where)
    if subject.left_out:
        notes.append(f"“{subject.left_out}” was not searched for: compare the criteria of each trial.")
    read = meant(status, asked)
    if not read.known:
        notes.append(f"“{_shown(status)}” is no status I know; {_which(bool(read.statuses))}.")
    told = told_of(text)
    years = _age(age, told, notes)
    found = Sought(
        condition=subject.condition[:_LONGEST],
        intervention=" ".join((intervention or "").split())[:_LONGEST] or subject.intervention[:_LONGEST],
        statuses=read.statuses,
        phases=_phases(phase, text, notes),
        place=where.name if where else "",
        sex=_sex(sex, told, notes),
        page=page or 1,
    )
    if years is not None:
        found = replace(found, age_years=years.years, age_to=years.to)
    return Understood(found, tuple(notes))


def _subject(phrase: str, asked: str, where: Place | None) -> Subject:
    """The phrase taken apart; one that names only people or a place gives way to what else the question is about."""
    found = _apart(_whole(phrase, asked), where)
    if not found.condition and not found.intervention:
        others = (_apart(_whole(other.value, asked), where) for other in _other_subjects(asked))
        found = next((other for other in others if other.condition or other.intervention), found)
    if found.intervention and not found.condition and asked:
        found = replace(found, condition=_studied_for(asked, found.intervention, where))
    if found.intervention or not asked:
        return found
    return replace(found, intervention=studied_in(asked, found.condition))


def _studied_for(asked: str, treatment: str, where: Place | None) -> str:
    """ "Glioma trials ONC201", "62M with prostate cancer, any radioligand trials": what a treatment is sought for.

    A drug by its name is sought whatever somebody has besides: what it is studied for may be something else.
    """
    for head in TRIALS.finditer(asked):
        somebodys = None if drugs_in(treatment) else told_condition(asked, head.start(), of_somebody=True)
        for mention in (before_head(asked, head.start()), somebodys):
            named = _apart(mention.value, where).condition if mention else ""
            if named and treatment.lower() not in named.lower():
                return named
    return ""


def _whole(phrase: str, asked: str) -> str:
    """ "Lung cancer trials": the cancer belongs to the lung, not to the trials. "45 yo" is somebody's age."""
    bare = phrase.strip()
    if bare and re.search(rf"(?<!\w){re.escape(bare)}\scancer\strials?(?!\w)", asked, re.IGNORECASE):
        return f"{bare} cancer"
    places = [match.span() for match in re.finditer(re.escape(bare), asked)] if bare else []
    spans = told_of(asked).spans
    inside = bool(places) and all(any(a <= start and end <= b for a, b in spans) for start, end in places)
    return "" if inside else phrase


def _other_subjects(asked: str) -> Iterator[Mention]:
    """What stands right before "trials", what the question is headed with, and what somebody is said to have."""
    for head in TRIALS.finditer(asked):
        found = (
            before_head(asked, head.start()),
            *announced(asked, head.start(), trials=True),
            told_condition(asked, head.start()),
            told_condition(asked, head.end()),  # "studies my diabetic foot patients can join"
        )
        yield from (mention for mention in found if mention)


def _apart(phrase: str, where: Place | None) -> Subject:
    spans = list(phases_in(phrase).spans)
    place = _placed(phrase)
    if where is not None and (named := re.match(rf"{re.escape(where.words)}(?=\s(?:for|with)\s|$)", phrase)):
        spans.append(named.span())
    if place is not None:
        spans.append((place.start, place.end))
    here = HERE.search(phrase)
    if here is not None:
        spans.append(here.span())
    bare = _STATUS_AT_EDGE.sub("", trimmed(blanked(phrase, spans)))
    if where is not None and bare.strip().lower() in (where.words.lower(), where.name.lower()):
        return Subject()
    found = subject_of(bare)
    only_people = told_of(found.condition)
    if found.condition and not trimmed(blanked(found.condition, only_people.spans)):
        return replace(found, condition="")
    return found


def _placed(text: str) -> Place | None:
    """A place in the text. One that is not sure is none where a treatment alone stands before it: "X in Y" is of Y."""
    place = place_in(text)
    if place is None or place.sure:
        return place
    before = trimmed(text[: place.start])
    named = bool(before) and (not ends_with_treatment(before) or bool(subject_of(before).condition))
    return place if named else None


def _place(given: str | None, text: str, phrase: str, notes: list[str]) -> Place | None:
    if given and given.strip():
        return Place(place_of(given)[:_LONGEST], 0, 0, words=given.strip())
    place = _placed(text) or _placed(phrase)
    if place is None and (here := HERE.search(text)):
        notes.append(f"“{here.group()}” names no place; trials everywhere were searched. Name the town or the country.")
    return place


def _age(given: str | None, told: Told, notes: list[str]) -> Age | None:
    if not given or not given.strip():
        return told.age
    found = age_of(given)
    if found is None:
        notes.append(f"“{_shown(given)}” is no age I understand; {_which(told.age is not None, 'ages')}.")
    return found or told.age


def _sex(given: str | None, told: Told, notes: list[str]) -> Sex | None:
    if not given or not given.strip():
        return told.sex
    found = sex_of(given)
    if found is None and given.strip().lower() not in ("all", "both", "any"):
        notes.append(f"“{_shown(given)}” is no sex that the register knows; trials for all were searched.")
    return found


def _phases(given: str | None, text: str, notes: list[str]) -> tuple[Phase, ...]:
    if not given or not given.strip():
        return phases_in(text).phases
    found = phases_of(given)
    if not found:
        notes.append(f"“{_shown(given)}” is no phase I know; trials of all phases were searched.")
    return found


def _which(narrowed: bool, what: str = "statuses") -> str:
    return "what the question says was searched for" if narrowed else f"all {what} were searched"


def _shown(words: str | None) -> str:
    return " ".join((words or "").split())[:40]


def _without_people(text: str) -> str:
    """The text with names, record numbers and birth dates blanked. "In Ho Chi Minh City" is a place;
    without a preposition "London" may as well be a name.
    """
    found = extract(text)
    place = place_in(text)
    led_to = place is not None and place.listed and not text.startswith(place.words, place.start)
    listed = (place.start, place.end) if place is not None and led_to else (0, 0)
    people = [
        who
        for who in (*found.person_names, *found.patient_ids, *found.birth_dates)
        if not _is_short(who, text) and not listed[0] <= who.start < listed[1]
    ]
    return replaced(text, sorted((who.start, who.end, " " * (who.end - who.start)) for who in people))


def _is_short(who: Mention, text: str) -> bool:
    """ "NASH" is a disease where other words have small letters."""
    return who.text.isupper() and 2 <= len(who.text) <= 6 and who.text.isalpha() and not text.isupper()
