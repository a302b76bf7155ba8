"""What a search never tells: who somebody is."""

from __future__ import annotations

import re

from docgemma.clinical import People, withheld
from docgemma.entities.dates import find_birth_dates
from docgemma.entities.ids import find_patient_ids
from docgemma.entities.words import replaced
from docgemma.fetch.privacy import reveals
from docgemma.sources.contract import SourceError
from docgemma.sources.literature.contract import Sought


def without_people(text: str) -> str:
    """The text without ids and birth dates; a mark stands instead. Names the guard of every request refuses."""
    found = sorted((who.start, who.end) for who in (*find_patient_ids(text), *find_birth_dates(text, ())))
    return replaced(text, [(start, end, ", ") for start, end in found])


def without_names(text: str) -> str:
    """The text without names, ids and birth dates of this turn's people, as they are written there."""
    people = withheld.get(People())
    known = (each for each in (*people.names, *people.ids, *people.birth_dates) if len(each) > 2)
    for each in sorted(known, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(each)}(?!\w)", " ", text, flags=re.IGNORECASE)
    return text


def refuse_names(*texts: str) -> None:
    """Nothing is asked in words that would tell whom it is about. Raises SourceError.

    Looked at before words are picked out of them: half a name tells nothing to the guard, and too much to an outsider.
    """
    if any(reveals(text, withheld.get(People())) for text in texts):
        raise SourceError(
            "patient_data",
            "Nothing was sent: it would have told an outside service who the patient is. Ask without names.",
        )


def refuse_people(sought: Sought) -> None:
    """Also what asks for nothing. In a query the words of a name stand too far apart for whoever sees only that, so the
    plain words are looked at.

    Raises SourceError.
    """
    if not (sought.concepts or sought.by_number):
        raise SourceError("invalid_args", "There is nothing to search for. Say what the articles should be about.")
    first = " ".join(concept[0] for concept in sought.concepts)
    refuse_names(first, " ".join(name for concept in sought.concepts for name in concept))
