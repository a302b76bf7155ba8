"""Writing in a picture that a model read out: a drug with its dose, a name, a number. It is nothing that was seen.

Orders to a program are found elsewhere. These are orders and names for people, and a line about them among findings
would pass for one.
"""

from __future__ import annotations

import re
from typing import Literal

from docgemma.entities.drugs.names import drugs_in

Writing = Literal["drug", "person"]

SAID: dict[Writing, str] = {
    "drug": "Writing in the image about a drug was left out: no drug and no dose can be seen in an image.",
    "person": "Writing in the image names a person or a record. It was left out: check whose image this is.",
}

_DOSE = re.compile(
    r"\d\s?(?:mg|mcg|µg|ug|g|ml|iu|units?|tablets?|tabs?|caps(?:ules?)?|puffs?|drops?|patch(?:es)?|mmol|meq)(?![a-z])",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"\b(?:prescrib\w+|start(?:ing|ed)?|giv(?:e|en|ing)|administer\w*|tak(?:e|en|ing)|discontinu\w+|stop(?:ped|ping)?"
    r"|hold|increas(?:e|ing)\s(?:the\s)?(?:dose|dosage)|inject(?:ed|ing)?\s(?:with|of)|switch\w*|order(?:ed)?|dispense\w*"
    r"|allerg\w+|recommend\w*|indicated|contraindicated|daily|hourly|bid|tid|qid)\b",
    re.IGNORECASE,
)
_PERSON = re.compile(
    r"\b(?:patient(?:['’]s)?\s(?:name|id|identifier|number)|(?:full|first|last|family|given)\sname|name\s?[:=]"
    r"|named\s[A-Z]|mrn|medical\srecord\s(?:no|number|num)|accession|date\sof\sbirth|birth\s?date|d\.?o\.?b\.?(?!\w)"
    r"|born\s(?:on\s|in\s)?\d|hospital\s(?:no|number|id)|nhs\s(?:no|number)|ssn|social\ssecurity)",
    re.IGNORECASE,
)


def writing_in(line: str) -> Writing | None:
    """What kind of writing the line passes on, if it is any."""
    if _PERSON.search(line):
        return "person"
    if (_DOSE.search(line) or _ORDER.search(line)) and drugs_in(line):
        return "drug"
    return None
