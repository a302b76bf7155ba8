"""Short messages that only make sense after the question before them, said in full.

"Does warfarin interact with ibuprofen?", then "and with amlodipine?", asks "Does warfarin interact with amlodipine?".
The names are the user's own; only look-ups are continued or corrected, never an entry into a chart.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from docgemma.agent.requests.asks import asks
from docgemma.agent.requests.corrections import corrected
from docgemma.agent.requests.drug_questions import mentioned_drugs
from docgemma.agent.requests.earlier import Earlier
from docgemma.agent.requests.ellipsis import continued
from docgemma.agent.requests.paging import goes_on
from docgemma.entities import extract
from docgemma.entities.grammar.cue_spelling import respelled
from docgemma.entities.model import Entities
from docgemma.entities.words import without_quotes, words

_LONGEST = 14
"""Words. A longer message speaks for itself."""

_REMEMBERED = 6
"""How many earlier messages a chain of follow-ups may reach back."""

_AGAIN = re.compile(
    r"\W{0,3}(?:(?:ok|okay|and|now|thanks|please|pls|do|run|the|so|right)\W{1,3}){0,3}(?:same|again|repeat|redo|rerun)(?!\w)",
    re.IGNORECASE,
)
_PAIR = re.compile(r"(?<![\w-])(?:(?:those|these|the|them)\s(?:two|2)|both(?:\sof\sthem)?)(?![\w-])", re.IGNORECASE)
_OF_AN_ENTRY = re.compile(
    r"(?<!\w)(?:scripts?|prescri\w{1,8}|rx|orders?|dos(?:e|es|age)|meds?|medic\w{2,8}|tablets?|notes?|allerg\w{1,5})(?!\w)",
    re.IGNORECASE,
)
_LONGEST_EARLIER = 1000
"""Characters. A longer earlier message is no question that a few words could continue."""


def follow_up(message: str, entities: Entities, earlier: Sequence[str]) -> str | None:
    """The full request behind a short one, or None when the message stands for itself. `earlier`: newest last."""
    if len(message) > _LONGEST_EARLIER or len(words(message)) > _LONGEST:
        return None
    asked = before = ""
    for text in earlier[-_REMEMBERED:]:
        if len(text) > _LONGEST_EARLIER:
            asked = before = ""
            continue
        found = extract(text)
        if not (found.small_talk or goes_on(text)):
            before, asked = asked, _in_full(text, found, asked) or text
    if _PAIR.search(message) and _one_drug_each(before, asked):
        asked = f"{before} {asked}"
    names = (*entities.drugs, *entities.unlisted_drugs, *entities.person_names, *entities.patient_ids)
    spelled = respelled(message, [(name.start, name.end) for name in names])
    return _in_full(spelled.text, extract(spelled.text) if spelled.changed else entities, asked)


def _one_drug_each(*questions: str) -> bool:
    """ "X warnings?", "and Y warnings", then "are those two ok together": the two were named one after the other."""
    named = [frozenset(drug.value for drug in mentioned_drugs(extract(question))) for question in questions]
    return all(len(drugs) == 1 for drugs in named) and len({*named}) == len(named)


def repeats_no_order(message: str, entities: Entities, earlier: Sequence[str]) -> bool:
    """ "Same again for abc-123" with no drug and no order spoken of before: there is none that it could repeat."""
    if not entities.writes or not _only_repeats(message, entities):
        return False
    before = (extract(text) for text in earlier[-_REMEMBERED:] if len(text) <= _LONGEST_EARLIER)
    return not any(found.writes or found.drugs or found.unlisted_drugs for found in before)


def _only_repeats(message: str, found: Entities) -> bool:
    """ "Same again, but completed ones" orders nothing by itself: after a look-up it is that look-up once more."""
    named = found.drugs or found.unlisted_drugs or found.substances or found.note_texts
    return not named and bool(_AGAIN.match(message)) and not _repeats_entry(message, found)


def _repeats_entry(message: str, found: Entities) -> bool:
    """ "Same order as last time", "same again, 500 mg": whatever stood before, this is no look-up once more."""
    return bool(_AGAIN.match(message) and (found.doses or _OF_AN_ENTRY.search(message)))


def _in_full(message: str, found: Entities, before: str) -> str | None:
    if not before or len(words(message)) > _LONGEST or without_quotes(message) != message:
        return None
    if (found.writes and not _only_repeats(message, found)) or found.undoable or found.small_talk:
        return None
    if _repeats_entry(message, found):
        return None
    asked = extract(before)
    said = Earlier(before, asked, asks(before, asked))
    full = corrected(message, found, said) or continued(message, found, said)
    if full is None or full == message or extract(full).writes:
        return None
    return full
