"""Who is meant: each fact that a message gives of its patient, held against the patient that was found.

A contradiction is told with both sides, and nothing is shown or prepared before the user has settled it.
"""

from __future__ import annotations

import re
from datetime import date

from docgemma.agent.arguments.stranger import is_name_of
from docgemma.entities.amounts.numbers import read_number
from docgemma.entities.model import Entities
from docgemma.tools.results import PatientMatch

_MALE = re.compile(
    r"(?<!\w)(?:mr|sir|master|man|male|gentleman|boy|lad|bloke|fella|guy|m|he|him|his|father|husband|son)(?!\w)",
    re.IGNORECASE,
)
_FEMALE = re.compile(
    r"(?<!\w)(?:mrs|ms|miss|madam|woman|female|lady|girl|lass|f|she|her|hers|mother|wife|daughter|mum|mom)(?!\w)",
    re.IGNORECASE,
)
_HE = re.compile(r"(?<!\w)(?:he|him|his)(?!\w)", re.IGNORECASE)
_SHE = re.compile(r"(?<!\w)(?:she|her|hers)(?!\w)", re.IGNORECASE)
_KIN = re.compile(
    r"(?<!\w)(?:wife|husband|mother|father|mum|mom|dad|son|daughter|sister|brother|partner|carer|nurse|doctor|dr|gp|"
    r"family|girlfriend|boyfriend|aunt|uncle|grand\w{1,12}|consultant|registrar|surgeon|midwife|colleague|friend)(?!\w)",
    re.IGNORECASE,
)
"""Beside one of these a pronoun may be somebody else's."""

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
    for mention in entities.birth_dates:
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
    for mention in entities.ages:
        said = read_number(number.group()) if (number := re.search(r"\d{1,3}", mention.text)) else None
        if said is None:
            continue
        years = 0 if _MONTHS_OLD.search(mention.text) else int(said)
        decade = mention.text.rstrip("s").endswith("0") and mention.text.endswith("s")
        if not (years - _SLACK_YEARS <= age <= years + (9 if decade else _SLACK_YEARS)):
            return [f"the message says aged {mention.text}, by the record {age} years"]
    return []


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
    note = entities.note_texts[0] if entities.note_texts else None
    text = entities.text if note is None else entities.text[: note.start] + entities.text[note.end :]
    wrong, right = (_SHE, _HE) if recorded == "male" else (_HE, _SHE)
    if wrong.search(text) and not right.search(text) and not _KIN.search(text) and not entities.relatives:
        return [f"the message says “{wrong.search(text).group()}”, the record {recorded}"]  # type: ignore[union-attr]
    return []
