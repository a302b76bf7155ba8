"""Who is meant: each fact that a message gives of its patient, held against the patient that was found.

A contradiction is told with both sides, and nothing is shown or prepared before the user has settled it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from docgemma.agent.arguments.stranger import is_name_of
from docgemma.ehr.folding import fold_words
from docgemma.entities.amounts.numbers import BELOW_HUNDRED, read_number
from docgemma.entities.dates import find_birth_dates
from docgemma.entities.model import Entities, Mention
from docgemma.entities.person_words import person_words, sexes
from docgemma.tools.results import PatientMatch

_HE = re.compile(r"(?<!\w)(?:he|him|his|himself|gentleman|boy|lad|chap|bloke)(?!\w)", re.IGNORECASE)
_SHE = re.compile(r"(?<!\w)(?:she|her|hers|herself|lady|woman|girl|lass)(?!\w)", re.IGNORECASE)
_KIN = re.compile(
    r"(?<!\w)(?:wife|husband|mother|father|mum|mom|dad|son|daughter|sister|brother|partner|carer|nurse|doctor|dr|gp|"
    r"family|girlfriend|boyfriend|aunt|uncle|grand\w{1,12}|consultant|registrar|surgeon|midwife|colleague|friend)(?!\w)",
    re.IGNORECASE,
)
"""Beside one of these a pronoun may be somebody else's."""

_AGED = re.compile(
    r"(?<![\w'’/.-])(?P<years>\d{1,3}|[a-z]{3,9}(?:[-\s][a-z]{3,5})?)[-\s]?(?:years?|yrs?)[-\s](?:old|of\sage)(?!\w)"
    r"|(?<![\w'’/.-])(?P<short>\d{1,3})(?:\s?(?:yo|y/o|y\.o\.?)|(?-i:[MF]))(?!\w)",
    re.IGNORECASE,
)
"""Ages in forms that are nothing else: "40 m" may be metres, "40M" is a man."""
_DECADES = {
    word: 20 + 10 * place
    for place, word in enumerate(
        ("twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties")
    )
}
_DECADE = re.compile(rf"(?<!\w)(?P<word>{'|'.join(_DECADES)})(?!\w)", re.IGNORECASE)
_IN_A_DECADE = re.compile(
    rf"(?<!\w)in\s(?:his|her|their)\s(?:(?:early|mid|late)[\s-])?(?:{'|'.join(_DECADES)})(?!\w)", re.IGNORECASE
)
_INFANT = re.compile(r"(?<!\w)(?:baby|bb|b/o|infant|newborn|neonate|twins?)(?!\w)", re.IGNORECASE)
_INFANT_ALONE = re.compile(r"baby|bb|infant|newborn|neonate", re.IGNORECASE)
_INFANT_YEARS = 1
_MONTHS_OLD = re.compile(r"\b(?:months?|mths?|mo|weeks?|wks?|days?|hours?)\b", re.IGNORECASE)
_OWNING = re.compile(r"['’]s?\s(?:\w{1,10}\s)?", re.IGNORECASE)
"""What joins a relative to whose relative it is: "the husband of X", "X's own mother"."""

_SENTENCE_END = re.compile(r"[.;!?\n]\s")
_APPOSED = re.compile(r"[\s,(]{1,3}")
""" "The mother, abc-123": she has that number herself."""

_NUMBER = re.compile(r"(?<!['’\d])\d{1,3}(?!\d)")
_NUMBER_WORDS = re.compile(rf"(?<!\w){BELOW_HUNDRED}(?!\w)", re.IGNORECASE)
_NOT = re.compile(r"(?<!\w)not\s$", re.IGNORECASE)
_SLACK_YEARS = 1


def contradictions(entities: Entities, patient: PatientMatch, today: date) -> list[str]:
    """What the message says of the patient and the record says otherwise, each as "said; recorded"."""
    found = [*_names(entities, patient), *_births(entities, patient), *_ages(entities, patient, today)]
    return [*found, *_sex(entities, patient), *_kinship(entities, patient)]


def relatives_beside(entities: Entities, patient: PatientMatch, today: date) -> tuple[Mention, ...]:
    """Those meant by kinship who are somebody else: "the baby" is a baby on screen, "the twin" is not."""
    born = (patient.birth_date or "").split("-")[0]
    if not born.isdecimal() or today.year - int(born) > _INFANT_YEARS:
        return entities.relatives
    return tuple(one for one in entities.relatives if not _INFANT_ALONE.fullmatch(_last_word(one.text)))


def _names(entities: Entities, patient: PatientMatch) -> list[str]:
    """Of the names in the message one has to be this patient's; an initial or a part of the name will do."""
    denied = [one for one in entities.person_names if _NOT.search(entities.text, max(0, one.start - 5), one.start)]
    if patient.name and any(is_name_of(one.value, patient.name) for one in denied):
        return [f"the message says that it is not {denied[0].value}"]
    said = [mention.value for mention in entities.person_names if mention not in denied]
    own = bool(_INFANT.search(patient.name or "")) and not _INFANT.search(entities.text)  # her mother has her name
    folded = [" ".join(fold_words(name)) for name in said]  # García and Garcia are one name here
    if not said or not patient.name or (not own and any(is_name_of(name, patient.name) for name in folded)):
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
        if decade_of := _DECADE.search(mention.text):
            if not _DECADES[decade_of["word"].lower()] <= age < _DECADES[decade_of["word"].lower()] + 10:
                return [f"the message says {mention.text}, by the record {age} years"]
            continue
        number = _NUMBER.search(mention.text) or _NUMBER_WORDS.search(mention.value)
        said = read_number(number.group().replace("-", " ")) if number else None
        if said is None or entities.text[max(0, mention.start - 1) : mention.start] in tuple("'’"):
            continue
        years = 0 if _MONTHS_OLD.search(mention.text) else int(said)
        decade = mention.text.rstrip("s").endswith("0") and mention.text.endswith("s")
        if not (years - _SLACK_YEARS <= age <= years + (9 if decade else _SLACK_YEARS)):
            return [f"the message says aged {mention.text}, by the record {age} years"]
    titled = [name for name in entities.person_names if name.text != name.value]
    for mention in (*entities.ages, *entities.sexes, *titled):
        text = mention.text.removesuffix(mention.value) if mention in titled else mention.text
        for word in person_words(text):
            if word.ages and not (_NUMBER.search(text) or word.ages[0] <= age <= word.ages[1]):
                return [f"the message says “{text.strip()}”, by the record {age} years"]
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
    for match in _IN_A_DECADE.finditer(entities.text):
        yield Mention(match.group(), match.start(), match.end())
    for match in _AGED.finditer(entities.text):
        if not any(match.start() < end and start < match.end() for start, end in marked):
            years = (match["years"] or match["short"]).replace("-", " ")
            yield Mention(match.group(), match.start(), match.end(), years)


def _sex(entities: Entities, patient: PatientMatch) -> list[str]:
    """By a title, a word for the patient, or pronouns that all are of the other sex with nobody else in the message."""
    recorded = (patient.sex or "").casefold()
    if recorded not in ("male", "female"):
        return []
    for mention in (*entities.sexes, *(name for name in entities.person_names if name.text != name.value)):
        words = mention.text if mention in entities.sexes else mention.text.removesuffix(mention.value)
        if (known := sexes(words)) and recorded not in known:
            return [f"the message says “{mention.text}”, the record {recorded}"]
    wrong, right = (_SHE, _HE) if recorded == "male" else (_HE, _SHE)
    for text in (entities.text, *_sentences_of_entries(entities)):
        told = wrong.search(text)
        if told and not (right.search(text) or _KIN.search(text) or (entities.relatives and text == entities.text)):
            return [f"the message says “{told.group()}”, the record {recorded}"]
    return []


def _sentences_of_entries(entities: Entities) -> Iterator[str]:
    """Where an entry has sentences of its own, whoever is spoken of in the others: "add it as his allergy"."""
    entered = [order.drug for order in entities.orders] + [entry.substance for entry in entities.allergies]
    for one in entered:
        begin = max((match.end() for match in _SENTENCE_END.finditer(entities.text, 0, one.start)), default=0)
        end = _SENTENCE_END.search(entities.text, one.end)
        sentence = entities.text[begin : end.start() if end else len(entities.text)]
        if len(sentence) < len(entities.text) and not any(name.text in sentence for name in entities.person_names):
            yield sentence


def _kinship(entities: Entities, patient: PatientMatch) -> list[str]:
    """Somebody meant by kinship is not the patient whose name or number stands there, but for one in apposition."""
    recorded = (patient.sex or "").casefold()
    for relative in entities.relatives:
        told = sexes(_last_word(relative.text))
        if told and recorded in ("male", "female") and recorded not in told:
            return [f"the message speaks of “{relative.text}”, the record says {patient.sex}"]
        named = (*entities.person_names, *entities.patient_ids)
        owned = any(_OWNING.fullmatch(entities.text[one.end : relative.start]) for one in named)
        if owned or not any(_APPOSED.fullmatch(entities.text[relative.end : one.start]) for one in named):
            return [f"the message speaks of “{relative.text}”, the record is {patient.name}'s own"]
    return []


def _last_word(text: str) -> str:
    return re.split(r"\W", text.strip())[-1]
