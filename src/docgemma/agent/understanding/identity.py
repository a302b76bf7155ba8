"""Who is meant: each fact that a message gives of its patient, held against the patient that was found.

A contradiction is told with both sides, and nothing is shown or prepared before the user has settled it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from docgemma.agent.arguments.stranger import is_name_of
from docgemma.entities.amounts.numbers import read_number
from docgemma.entities.dates import find_birth_dates
from docgemma.entities.model import Entities, Mention
from docgemma.tools.results import PatientMatch

_MALE = re.compile(
    r"(?<!\w)(?:mr|sir|master|man|male|gentleman|boy|lad|bloke|fella|guy|m|he|him|his|father|husband|son)(?!\w)",
    re.IGNORECASE,
)
_FEMALE = re.compile(
    r"(?<!\w)(?:mrs|ms|miss|madam|woman|female|lady|girl|lass|f|she|her|hers|mother|wife|daughter|mum|mom)(?!\w)",
    re.IGNORECASE,
)
_HE = re.compile(r"(?<!\w)(?:he|him|his|himself|gentleman|boy|lad|chap|bloke)(?!\w)", re.IGNORECASE)
_SHE = re.compile(r"(?<!\w)(?:she|her|hers|herself|lady|woman|girl|lass)(?!\w)", re.IGNORECASE)
_KIN = re.compile(
    r"(?<!\w)(?:wife|husband|mother|father|mum|mom|dad|son|daughter|sister|brother|partner|carer|nurse|doctor|dr|gp|"
    r"family|girlfriend|boyfriend|aunt|uncle|grand\w{1,12}|consultant|registrar|surgeon|midwife|colleague|friend)(?!\w)",
    re.IGNORECASE,
)
"""Beside one of these a pronoun may be somebody else's."""

_AGED = re.compile(
    r"(?<![\w'’/.-])(?P<years>\d{1,3}|[a-z]{3,9}(?:[-\s][a-z]{3,5})?)[-\s]?(?:years?|yrs?)[-\s]old(?!\w)"
    r"|(?<![\w'’/.-])(?P<short>\d{1,3})(?:\s?(?:yo|y/o|y\.o\.?)|(?-i:[MF]))(?!\w)",
    re.IGNORECASE,
)
"""Ages in forms that are nothing else: "40 m" may be metres, "40M" is a man."""
_YEARS_OLD = re.compile(r"[-\s]?(?:years?|yrs?)[-\s]?old.{0,40}$", re.IGNORECASE)
_MONTHS_OLD = re.compile(r"\b(?:months?|mths?|mo|weeks?|wks?|days?|hours?)\b", re.IGNORECASE)
_SLACK_YEARS = 1


def contradictions(entities: Entities, patient: PatientMatch, today: date) -> list[str]:
    """What the message says of the patient and the record says otherwise, each as "said; recorded"."""
    found = [*_names(entities, patient), *_births(entities, patient), *_ages(entities, patient, today)]
    return [*found, *_sex(entities, patient)]


def _names(entities: Entities, patient: PatientMatch) -> list[str]:
    """Of the names in the message one has to be this patient's; an initial or a part of the name will do."""
    said = [mention.value for mention in entities.person_names]
    if not said or not patient.name or any(is_name_of(name, patient.name) for name in said):
        return []
    return [f"the message names {said[0]}, the record is {patient.name}'s"]


def _births(entities: Entities, patient: PatientMatch) -> list[str]:
    born = patient.birth_date or ""
    told = []
    for mention in (*entities.birth_dates, *_unmarked_births(entities)):
        size = min(len(mention.value), len(born))
        if born and mention.value[:size] != born[:size]:
            told.append(f"the message says born {mention.text}, the record {born}")
    return told


def _ages(entities: Entities, patient: PatientMatch, today: date) -> list[str]:
    parts = (patient.birth_date or "").split("-")
    if not parts[0].isdecimal():
        return []
    month, day = (int(parts[1]), int(parts[2])) if len(parts) == 3 else (7, 1)
    age = today.year - int(parts[0]) - ((today.month, today.day) < (month, day))
    for mention in (*entities.ages, *_unmarked_ages(entities)):
        number = re.search(r"(?<!['’\d])\d{1,3}(?!\d)", mention.text)
        said = read_number(number.group() if number else _YEARS_OLD.sub("", mention.value).replace("-", " ").strip())
        if said is None or entities.text[max(0, mention.start - 1) : mention.start] in tuple("'’"):
            continue
        years = 0 if _MONTHS_OLD.search(mention.text) else int(said)
        decade = mention.text.rstrip("s").endswith("0") and mention.text.endswith("s")
        if not (years - _SLACK_YEARS <= age <= years + (9 if decade else _SLACK_YEARS)):
            return [f"the message says aged {mention.text}, by the record {age} years"]
    return []


def _unmarked_births(entities: Entities) -> tuple[Mention, ...]:
    """Birth dates that are announced as such, also in the text of a note."""
    marked = [(one.start, one.end) for one in entities.birth_dates]
    found = find_birth_dates(entities.text, ())
    return tuple(one for one in found if not any(one.start < end and start < one.end for start, end in marked))


def _unmarked_ages(entities: Entities) -> Iterator[Mention]:
    """Ages in a form that is nothing else, where nobody else is spoken of."""
    if entities.relatives or _KIN.search(entities.text):
        return
    marked = [(one.start, one.end) for one in entities.ages]
    for match in _AGED.finditer(entities.text):
        if not any(match.start() < end and start < match.end() for start, end in marked):
            years = (match["years"] or match["short"]).replace("-", " ")
            yield Mention(match.group(), match.start(), match.end(), years)


def _sex(entities: Entities, patient: PatientMatch) -> list[str]:
    """By a title, a word for the patient, or pronouns that all are of the other sex with nobody else in the message."""
    recorded = (patient.sex or "").casefold()
    if recorded not in ("male", "female"):
        return []
    other, own = (_FEMALE, _MALE) if recorded == "male" else (_MALE, _FEMALE)
    for mention in (*entities.sexes, *(name for name in entities.person_names if name.text != name.value)):
        words = mention.text if mention in entities.sexes else mention.text.removesuffix(mention.value)
        if other.search(words) and not own.search(words):
            return [f"the message says “{mention.text}”, the record {recorded}"]
    text = entities.text
    wrong, right = (_SHE, _HE) if recorded == "male" else (_HE, _SHE)
    told = wrong.search(text)
    if told and not (right.search(text) or _KIN.search(text) or entities.relatives):
        return [f"the message says “{told.group()}”, the record {recorded}"]
    return []
