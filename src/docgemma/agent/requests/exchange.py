"""Another drug or topic in the place of the earlier one: "what about naproxen?", "with pravastatin instead?"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docgemma.agent.requests import phrases as say
from docgemma.agent.requests.earlier import Earlier, names
from docgemma.agent.requests.narrowing import about, search_again
from docgemma.entities.drugs.names import same_drug
from docgemma.entities.model import Mention
from docgemma.entities.words import replaced, word_set, words

OPENING = re.compile(
    r"\W{0,3}(?:(?:ok|okay|thanks|thank\syou|thx|right|cool|great|hmm|so|alright)\W{1,3}){0,2}"
    r"(?:(?:and|or|also|but|then)\s(?:what|how)\sabout|what\sabout|how\sabout|hows\sabout|wbt|what\sif|and|or|also|but"
    r"|(?:the\s)?same(?:\s(?:question|thing|check|search|again|please|pls|but|only|just|one)){0,4}(?:\s(?:for|with|about|of))?"
    r"|ditto\s(?:for|with)|with|plus|instead|now|then)(?!\w)\s{0,2}",
    re.IGNORECASE,
)
FILLERS = word_set(
    "and or also what how about if same for with plus instead ok okay thanks thank you then the a an on of it's is it "
    "question taking she he they takes i we gave give given to her him them please pls now well too as combined "
    "together thing try tried use used using rather maybe was were had just would could be better safer safe "
    "alternative good option one any so right but does do did can interact interactions again check ditto want add "
    "anything newer more recent only "
    "chuck throw stick put into in mix list there "
    "adding added wbt hows alright cool great hmm thx at all"
)
PRONOUN = re.compile(
    r"(?<![\w-])(?:it|they|them|both(?:\sof\s(?:them|those|these))?|(?:those|these|the)\stwo|either(?:\sof\s(?:them"
    r"|those|these))?|this\sone|that\sone"
    r"|(?:this|that|these|those)(?=\s(?:safe|ok|okay|interact|cause|have|has|be|with|in|during|for|fine|alright"
    r"|contraindicated|dangerous|harmful|affect|prolong|drug)|\s{0,2}[?.]))(?![\w'’-])",
    re.IGNORECASE,
)
OTHER_ACT = re.compile(
    r"(?<!\w)(?:safe|ok|okay|fine)\sto\s(?!(?:take|use|give|have|continue|keep|start|stop|combine|add|prescribe|order"
    r"|be)(?!\w))",
    re.IGNORECASE,
)
"""In "is it safe to drive?", "it" is no drug."""

_WITH = re.compile(r"(?<!\w)(?:with|w/|together|alongside|on\stop\sof)(?!\w)|\+", re.IGNORECASE)
_ADDED = re.compile(
    r"(?<!\w)(?:add|chuck|throw|stick|put|with)(?!\w)[^.?!\n]{1,60}\s(?:in|into|to)\s(?:the\s(?:mix|list)|there)(?!\w)"
    r"|(?<!\w)(?:chuck|throw)\sin(?!\w)",
    re.IGNORECASE,
)
""" "Chuck ibuprofen into the mix": one more drug in the same question, and no order."""

_FOR_HER = re.compile(r"\s(?:for|in|to)\s(?:her|him|them|(?:this|the|my)\s(?:patient|pt))(?!\w)", re.IGNORECASE)
_PATIENT = re.compile(r"(?<![\w-])(?:her|him|them|she|he|(?:this|the|my)\s(?:patient|pt))(?!\w)", re.IGNORECASE)
_INSTEAD_OF = re.compile(r"instead\sof|rather\sthan|in\splace\sof", re.IGNORECASE)
_BETTER = re.compile(r"(?<!\w)(?:better|safer|alternative)(?!\w)", re.IGNORECASE)
_JUDGED = re.compile(
    r"\W{0,3}(?:so\s|and\s)?(?:is|are|would|was)\s(?:the\s|some\s|adding\s|giving\s|using\s)?$", re.IGNORECASE
)
_ENDING = 4
"""Letters that drugs of one kind share at the end: -pril, -olol, -statin."""


def with_drug(message: str, drugs: Sequence[Mention], before: Earlier) -> str | None:
    """The earlier question about this drug, or about "it" together with this drug."""
    old = before.drugs()
    pronoun, others = PRONOUN.search(message), _others(old, drugs)
    joined = _WITH.search(message) or say.INTERACTION.search(message)
    if pronoun and old and len({drug.value for drug in drugs}) == 1 and joined and not OTHER_ACT.search(message):
        return replaced(message, [(pronoun.start(), pronoun.end(), names(others))]) if others else None
    if before.writes or not words_beside(message, drugs) <= FILLERS:
        return None
    if _WITH.search(message) and say.INTERACTION.search(message) and before.about_drugs() and others:
        return f"Does {names(others)} interact with {names(drugs)}?"
    goes_on = any(said.search(message) for said in (_BETTER, _INSTEAD_OF, _ADDED)) or _starts(message, drugs)
    beside = bool(_WITH.search(message) and before.search())
    if not (goes_on or beside or OPENING.match(message)):
        return None
    if before.about_drugs() and old:
        return _for_patient(message, _exchanged(message, before, old, drugs), drugs)
    return _searched_again(message, drugs, before)


def _for_patient(message: str, full: str | None, drugs: Sequence[Mention]) -> str | None:
    """ "What about X for her?" keeps "for her": whether she may have it is more than what was asked before."""
    tail = _FOR_HER.search(message)
    if full is None or tail is None or _PATIENT.search(full):
        return full
    if any(words.search(full) for words in (say.SAFE, say.MAY, say.INTERACTION)):
        return f"{full.rstrip(' ?.!')}{tail.group().rstrip()}?"
    return f"Is {names(drugs)} safe{tail.group().rstrip()}?"


def _searched_again(message: str, drugs: Sequence[Mention], before: Earlier) -> str | None:
    """The last search about this drug: in the place of the one it was about, or beside the topic ("with zinc?")."""
    search = before.search()
    if search is None or search.topic is None:
        return None
    topic = search.topic
    old = [drug for drug in before.drugs() if topic.start <= drug.start and drug.end <= topic.end]
    if old:
        first, last = old[0].start - topic.start, old[-1].end - topic.start
        return search_again(search, topic.text[:first] + names(drugs) + topic.text[last:])
    if _WITH.search(message) and not re.search(r"same\s(?:\w{1,9}\s){0,3}with", message, re.IGNORECASE):
        return search_again(search, f"{topic.value} with {names(drugs)}")
    placed = re.search(r"\s(?:in|for|after|during)\s", topic.text)
    if placed and search.tool == "search_medical_literature":  # "dex in croup": what stands first is what is given
        return search_again(search, names(drugs) + topic.text[placed.start() :])
    return about(search, names(drugs))


def _starts(message: str, drugs: Sequence[Mention]) -> bool:
    """A bare "doxycycline?" or "pravastatin instead?" goes on; a bare name without a question does not."""
    return not message[: drugs[0].start].strip() and message.rstrip().endswith("?")


def _exchanged(message: str, before: Earlier, old: Sequence[Mention], new: Sequence[Mention]) -> str | None:
    """The earlier question about the new drugs: in a pair one gives way, another number grows, else all give way."""
    values = {drug.value for drug in old}
    fresh = [drug for drug in new if drug.value not in values]
    known = [drug for drug in old if any(same_drug(drug.value, other.value) for other in new)]
    if not fresh:
        return None
    if known and _INSTEAD_OF.search(message):
        return replaced(before.text, [(drug.start, drug.end, names(fresh)) for drug in known])
    first, last = old[0], old[-1]
    if not before.asked_for("check_drug_interactions"):
        joined = _WITH.search(message) or _ADDED.search(message)
        if joined and not re.search(r"same\s\w{0,10}\s?with", message, re.IGNORECASE):
            return f"Does {names(old)} interact with {names(fresh)}?"
        return replaced(before.text, [(first.start, last.end, names(new))])
    if len(values) != 2 or _ADDED.search(message):
        return replaced(before.text, [(last.end, last.end, f" and {names(fresh)}")])
    gives_way = first if _replaces_first(message, before.text, first, last, new) else last
    return replaced(before.text, [(gives_way.start, gives_way.end, names(fresh))])


def _replaces_first(message: str, text: str, first: Mention, last: Mention, new: Sequence[Mention]) -> bool:
    """Which of a pair gives way: not the one named again, else the one of the same kind by its name's ending.

    Else the one the question is about: in "is X safe with Y?" that is X; "and with Z?" exchanges Y.
    """
    if last.value in {drug.value for drug in new} or _BETTER.search(message):
        return True
    fresh = next(drug.value.lower() for drug in new if drug.value != first.value)
    endings = [drug.value.lower()[-_ENDING:] == fresh[-_ENDING:] for drug in (first, last)]
    if endings[0] != endings[1]:
        return endings[0]
    return bool(_JUDGED.match(text[: first.start])) and not _WITH.search(message)


def words_beside(message: str, mentions: Sequence[Mention]) -> set[str]:
    """The words beside the names."""
    found = [word for word in words(message) if word.low[0].isalnum()]
    return {word.low for word in found if not any(item.start <= word.start < item.end for item in mentions)}


def _others(old: Sequence[Mention], new: Sequence[Mention]) -> list[Mention]:
    return [drug for drug in old if not any(same_drug(drug.value, other.value) for other in new)]
