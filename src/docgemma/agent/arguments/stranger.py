"""Somebody a message names whom no rule took for a person: "for Holm", "of R. King". Then nobody else is meant."""

from __future__ import annotations

import re

from docgemma.clinical import Patient
from docgemma.ehr.folding import fold_words
from docgemma.entities.amounts.indications import find_indications
from docgemma.entities.model import Entities
from docgemma.entities.words import word_set

_NAMED = re.compile(
    r"(?<!\w)(?:for|of|on|(?i:start|put|begin|commence|get)(?=(?:\s[\w.'’-]+){1,3}\son\s))\s{1,2}"
    r"(?:(?i:mrs?|ms|miss)\.?\s{1,2})?(?P<who>(?:[A-Z]\.\s?){0,2}[A-Z][a-zß-ÿ]{1,30}(?:[-'’][A-Z]?[a-zß-ÿ]{1,30})?"
    r"(?:,?\s[A-Z][a-zß-ÿ'’-]{1,30}){0,2})(?P<after>['’]s\s\w+)?"
)
_TITLE = re.compile(r"(?<!\w)(?P<title>mr|mrs|ms|miss)\.?\s{0,2}$", re.IGNORECASE)
_DISEASE = re.compile(
    r"['’]s\s(?:disease|syndrome|palsy|phenomenon|thyroiditis|lymphoma|sarcoma|contracture|o?esoph\w*)"
)
_LONGEST_REASON = 40
_NO_PERSON = word_set(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december parkinson parkinsons crohn crohns alzheimer alzheimers graves hashimoto "
    "addison addisons cushing cushings lyme raynaud raynauds bell behcet kawasaki hodgkin hodgkins huntington "
    "huntingtons meniere menieres sjogren sjogrens paget pagets barrett barretts covid type stage grade "
    "class group ward bed room icu itu hdu er ed opd clinic the this that his her their my our patient pt mr mrs ms dr"
)


def stranger(message: str, entities: Entities, here: Patient | None) -> bool:
    """Whether a capitalised name after "for", "of" or "on" is left that is nobody's we know of.

    Drugs, reasons, days and diseases named after people are none; nor is the patient on screen.
    """
    own = here.banner.partition(",")[0] if here else ""
    known = (
        *entities.person_names,
        *entities.patient_ids,
        *entities.drugs,
        *entities.unlisted_drugs,
        *entities.conditions,
    )
    for match in _NAMED.finditer(message):
        start, end = match.span("who")
        words = {word for word in fold_words(match["who"]) if len(word) > 1}
        titled = _TITLE.search(message, max(0, start - 6), start)
        if titled and here and _sex_differs(titled["title"], here.banner):
            return True
        taken = any(start < item.end and item.start < end for item in known)
        disease = match["after"] and _DISEASE.match(match["after"])
        reason = find_indications(message, match.start(), min(len(message), end + _LONGEST_REASON))
        if words and not (taken or disease or reason or is_name_of(match["who"], own) or words & _NO_PERSON):
            return True
    return False


def is_name_of(said: str, own: str) -> bool:
    """Whether every part of what was said is part of this name: an initial of a given name will do, other accents not.

    Who writes accents means them; who leaves them out may mean either.
    """
    exact = {plain for word in own.split() for plain in (word.casefold().strip(".,"), *word.casefold().split("-"))}
    folded, initials = set(fold_words(own)), {word[0] for word in fold_words(own) if word}
    for word in said.replace(",", " ").split():
        plain = word.casefold().strip(".,")
        parts = {part for part in fold_words(word) if part}
        initial = len(plain) == 1 and not parts <= folded
        if initial and plain not in initials:
            return False
        spelled = (
            parts <= folded if plain.isascii() else plain in exact or all(one in exact for one in plain.split("-"))
        )
        if not initial and not spelled:
            return False
    return bool(own)


def _sex_differs(title: str, banner: str) -> bool:
    other = {"mr": ", female", "mrs": ", male", "ms": ", male", "miss": ", male"}[title.casefold()]
    return other in banner
