"""Whose image it is, as far as the message says: the film of somebody named is never that of the patient on screen."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docgemma.clinical import Patient
from docgemma.ehr.folding import fold_words
from docgemma.entities.model import Entities
from docgemma.entities.words import word_set

_IMAGE = (
    r"(?i:images?|x-?rays?|cxrs?|axrs?|scans?|films?|pictures?|photos?|slides?|cts?|mris?|radiographs?|ultrasounds?"
    r"|mammograms?|dicoms?|echos?)"
)
_OWNER = re.compile(
    rf"(?<!\w)(?P<who>(?:[^\W\d_a-z][\w.-]{{0,30}}\s){{0,2}}[^\W\d_a-z][\w-]{{0,30}})['’]s?\s(?P<kind>(?:[\w-]{{1,20}}\s)"
    rf"{{0,2}}?){_IMAGE}(?!\w)"
)
""" "Anna Holm's chest film": a name in capitals that an image belongs to."""

_NOBODY = word_set(
    "today yesterday what that it here there who how where when let he she this patient pt baby mother father monday "
    "tuesday wednesday thursday friday saturday sunday hospital clinic ward radiology doctor dr nurse gp surgeon week "
    "month year tonight morning child boy girl man woman lady"
)
_EPONYM = word_set("fracture sign cyst line lines node nodes spot triangle lesion disease syndrome tumour tumor on in")


def names_another(found: Entities, patient: Patient | None) -> bool:
    """Whether the message names somebody, and not the one on screen."""
    own = set(fold_words(patient.banner.partition(",")[0])) if patient else set()
    here = patient.id.casefold() if patient else ""
    named = [*(mention.value for mention in found.person_names), *_owners(found.text)]
    return any(not set(fold_words(name)) <= own for name in named) or any(
        id_.value.casefold() != here for id_ in found.patient_ids
    )


def _owners(text: str) -> Iterator[str]:
    for match in _OWNER.finditer(text):
        who = [word for word in fold_words(match["who"]) if word not in _NOBODY]
        if who and not _EPONYM & set(fold_words(match["kind"])):
            yield " ".join(who)
