"""Short messages that only make sense after the question before them, said in full.

"Does warfarin interact with ibuprofen?", then "and with amlodipine?", asks "Does warfarin interact with amlodipine?".
The words stay the user's own; only look-ups are continued, never an entry into a chart.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from docgemma.agent.requests import phrases as say
from docgemma.agent.requests.drug_questions import goes_together, is_drug_question
from docgemma.entities import extract
from docgemma.entities.model import Entities, Mention
from docgemma.entities.words import replaced, without_quotes, word_set, words

_LONGEST = 14
"""Words. A longer message speaks for itself."""

_REMEMBERED = 6
"""How many earlier messages a chain of follow-ups may reach back."""

_OPENING = re.compile(
    r"\W{0,3}(?:(?:ok|okay|thanks|thank\syou)\W{1,3})?"
    r"(?:and|or|also|what\sabout|how\sabout|what\sif|same\s(?:for|with)|with|plus|instead)(?!\w)",
    re.IGNORECASE,
)
_FILLERS = word_set(
    "and or also what how about if same for with plus instead ok okay thanks thank you then the a an on of it's is it "
    "taking she he they takes i we gave give given to her him them her please now well too as combined together"
)
_PRONOUN = re.compile(
    r"(?<![\w-])(?:it|they|them|both|(?:this|that|these|those)(?=\s(?:safe|ok|okay|interact|cause|have|has|be|with|in|during|for"
    r"|contraindicated|dangerous|harmful|affect)|\s{0,2}[?.]))(?![\w'’-])",
    re.IGNORECASE,
)
_OTHER_ACT = re.compile(
    r"(?<!\w)(?:safe|ok|okay|fine)\sto\s(?!(?:take|use|give|have|continue|keep|start|stop|combine|add|prescribe|order|be)(?!\w))",
    re.IGNORECASE,
)
"""In "is it safe to drive?", "it" is no drug."""


def follow_up(message: str, entities: Entities, earlier: Sequence[str]) -> str | None:
    """The full request behind a short one, or None when the message stands for itself. `earlier`: newest last."""
    asked = ""
    for text in earlier[-_REMEMBERED:]:
        found = extract(text)
        if not found.small_talk:
            asked = _continued(text, found, asked) or text
    return _continued(message, entities, asked)


def _continued(message: str, found: Entities, before: str) -> str | None:
    tokens = words(message)
    if not before or len(tokens) > _LONGEST or without_quotes(message) != message:
        return None
    if found.writes or found.undoable or found.small_talk or found.patient_ids or found.person_names:
        return None
    asked = extract(before)
    if not asked.drugs and not asked.unlisted_drugs:
        return None
    drugs = _drugs(found)
    if not drugs:
        return _for_pronoun(message, asked)
    rest = {word.low for word in tokens if word.low[0].isalnum() and not _inside(word.start, drugs)}
    if not _OPENING.match(message) or not rest <= _FILLERS or asked.writes or not is_drug_question(before, asked):
        return None
    return _exchanged(before, _drugs(asked), drugs)


def _drugs(found: Entities) -> list[Mention]:
    return sorted((*found.drugs, *found.unlisted_drugs), key=lambda drug: drug.start)


def _inside(place: int, mentions: Sequence[Mention]) -> bool:
    return any(mention.start <= place < mention.end for mention in mentions)


def _for_pronoun(message: str, asked: Entities) -> str | None:
    """ "Is it safe in pregnancy?": "it" is what the last question was about, all of it."""
    pronoun = _PRONOUN.search(message)
    question = say.SAFE.search(message) or say.SAFETY.search(message) or say.INTERACTION.search(message)
    if pronoun is None or not question or _OTHER_ACT.search(message):
        return None
    names = " and ".join(dict.fromkeys(drug.text for drug in _drugs(asked)))
    return replaced(message, [(pronoun.start(), pronoun.end(), names)])


def _exchanged(before: str, drugs: Sequence[Mention], new: Sequence[Mention]) -> str | None:
    """The earlier question about the new drugs: in a pair one gives way, another number grows, else all give way."""
    values = {drug.value for drug in new}
    old = {drug.value for drug in drugs}
    fresh = " and ".join(dict.fromkeys(drug.text for drug in new if drug.value not in old))
    if not fresh:
        return None
    first, last = drugs[0], drugs[-1]
    if not goes_together(before, drugs):
        return replaced(before, [(first.start, last.end, " and ".join(dict.fromkeys(drug.text for drug in new)))])
    if len(old) != 2:
        return replaced(before, [(last.end, last.end, f" and {fresh}")])
    gives_way = first if last.value in values else last
    return replaced(before, [(gives_way.start, gives_way.end, fresh)])
