"""Whether one part of a message asks for a patient's data."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docgemma.agent.requests import chart_phrases as say
from docgemma.agent.requests.chart_clauses import asks_in_general, asks_of_known, tells_of_someone
from docgemma.agent.requests.chart_nouns import LABVALUE
from docgemma.entities.model import Mention
from docgemma.entities.people.dates import end_of_birth_date
from docgemma.entities.words import replaced

_WORD = re.compile(r"[\w'’/+&-]{1,80}")
_TITLE = re.compile(
    r"(?<!\w)(?:patient|pt|mr|mrs|ms|miss|mx|mister|master|baby|smt|shri|sri|mst|sir|lady|madam|kumari|mama|mzee|bibi)"
    r"\.?\s{1,2}$",
    re.IGNORECASE,
)
_LONGEST_TITLE = 9
_LONGEST_COMMAND = 12


def with_stand_ins(text: str, people: Sequence[Mention], labs: Sequence[Mention]) -> str:
    """Names, ids and lab values replaced by one word each, so that patterns need not know any of them.

    A title and a birth date belong to the name: they tell who it is and ask for nothing.
    """
    taken = [(_with_title(text, item), end_of_birth_date(text, item.end)) for item in people]
    changes = [(start, end, say.SOMEONE) for start, end in taken]
    changes += [
        (lab.start, lab.end, LABVALUE)
        for lab in labs
        if not any(lab.start < end and start < lab.end for start, end in taken)
    ]
    return replaced(text, sorted(changes))


def _with_title(text: str, person: Mention) -> int:
    title = _TITLE.search(text, max(0, person.start - _LONGEST_TITLE), person.start)
    return title.start() if title else person.start


def masked(text: str, people: Sequence[Mention]) -> str:
    """Names and ids made unreadable, place for place: "John" in a question is neither a drug nor a word."""
    return replaced(text, ((item.start, item.end, "X" * (item.end - item.start)) for item in people))


def asks_for_chart(named: str, mark: str, *, patient_known: bool) -> bool:
    """For a part that asks nothing else. `named` has its stand-ins; who is known need not be mentioned again."""
    if say.KNOWN_HERE.search(named) or (mark != "?" and (say.CONTENT.match(named) or say.FORGOTTEN.match(named))):
        return False
    if (say.STATED.match(named) or tells_of_someone(named)) and mark != "?":
        return patient_known and asks_of_known(named, mark)
    if say.OF.search(named) or say.FOR.search(named) or say.REPORTED.search(named):
        return not (say.NOT_THE_CHART.search(named) and not say.FOR.search(named))
    if say.SEARCHED_ONLY.search(named) and not say.OPEN.search(named):
        return False
    if say.OPEN.search(named) or say.DONE_TO.search(named) or say.SAID_OF.search(named):
        return True
    if say.NOT_THE_CHART.search(named):
        return False
    if say.SUBJECT.search(named) or say.SUBJECT_LAST.search(named) or say.OWNED.search(named):
        return True
    return patient_known and (_is_command(named) or asks_of_known(named, mark))


def needed_beside_drug(named: str) -> bool:
    """Whether a question about a drug also needs the patient's own data."""
    return bool(say.NEEDED_FOR_DRUG.search(named))


def _is_command(named: str) -> bool:
    """ "Allergies?", "what was the last INR": nothing but a noun of the chart and words that ask for it."""
    noun = say.CHART_WORD.search(named)
    if noun is None or say.DEFINITION.match(named[: noun.start()]) or asks_in_general(named):
        return False
    rest = _WORD.findall(say.CHART_WORD.sub(" ", named))
    return len(rest) <= _LONGEST_COMMAND and all(word.lower().replace("’", "'") in say.COMMAND_WORDS for word in rest)
