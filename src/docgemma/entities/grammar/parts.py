"""A message cut where another request begins, so that each request keeps its own drugs and its own topic.

"Check X warnings and find studies on Y" is two parts; "studies on X and Y" is one, and so is "interactions of X and Y".
A cut needs a joint (a mark, "and", "also", …) and behind it an opening: a verb that asks, a question, or a noun that
names a look-up. "Find" and "show me" also open one without a joint: dictation has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docgemma.entities.grammar.verbs import ACTIONS
from docgemma.entities.words import Word, sentences, word_set, words


@dataclass(frozen=True, slots=True)
class Part:
    """One stretch of the message that asks or tells one thing. `mark` closes its sentence, if it is the last of it."""

    text: str
    start: int
    end: int
    mark: str = ""


_ENUMERATED = re.compile(r"(?:^|(?<=\s))\(?\d{1,2}[.)]\s{1,3}(?=[^\W\d])")
_MARKS = frozenset({",", ";", ":", "-", "–", "—", "(", ")", "/", "...", "…"})
_JOINERS = word_set("and then also plus & but or so additionally next finally afterwards separately")
_LEAD_IN = word_set(
    "please pls plz kindly then also next finally and plus so now just maybe could can would will you u ya i i'd we "
    "to need want like me us let know tell ask help first second third lastly quickly if whether & but oh btw though "
    "too wondering wanted separately only really"
)
_LOOKING = ACTIONS | word_set("see fetch bring chk run lookup dig scan any anything search pull what's")
_ASKING = word_set(
    "is isn't are aren't was were does doesn't do did can could should would will has what whats what's which who "
    "whos who's when whens how hows why any anything whether where"
)
_WHAT = word_set("what whats what's which who when where how why")
_JUDGING = word_set("ok okay safe fine alright")
_WONDERED = word_set("know wondering check see confirm asking")
_ARTICLES = word_set("the some a")
_OWNER = word_set("her his their")
_ALONE = word_set("find search")
"""Verbs that open a request even without a joint."""

_MODAL = word_set("can could should may")
_SUBJECTS = word_set("she he i we")
_ASKED, _ADDRESSED = word_set("can could would will cud cld"), word_set("you u ya")
_BE = word_set("will would is are does do should")
_POINTERS = word_set("it that this they")
"""After "or" these go on with the same question: "can X go with Y or will it be toxic?"."""

_NOT_ALONE = word_set(
    "to you u please pls plz me i we they he she it and then also not don't dont never double just can could will "
    "would let let's lets help now who studies results trials that which may might must should did do does us kindly "
    "or , papers literature lit pubmed medline trial drug chart patient quick data evidence quickly go first next so "
    "but ok okay hi hello hey thanks clinicaltrials.gov ct.gov gov registry cochrane"
)
SEARCHED = word_set(
    "trial trials study studies paper papers article articles literature evidence research rct rcts review reviews "
    "publications meta-analysis meta-analyses"
)
_CHECKED = word_set("warnings warning interactions interaction contraindications precautions ddi ddis effects")
_CHART = word_set(
    "chart record records labs lab bloods results meds medications medication allergies vitals obs notes history "
    "problems problem summary file potassium creatinine egfr"
)
_HEADS = SEARCHED | _CHECKED | _CHART
_STOPS = word_set("of for in on with about to from by at during after before between against versus vs , ;")
_REACH = 5
"""How far behind a joint the noun of a new look-up may stand: "and any recruiting phase 3 trials"."""

_LONGEST_JOINT, _LONGEST_LEAD = 4, 8


def parts(text: str) -> tuple[Part, ...]:
    """The parts in order. Marks and joining words between them belong to none."""
    found: list[Part] = []
    start = 0
    for item in [*_ENUMERATED.finditer(text), None]:
        end = item.start() if item else len(text)
        found += _in_stretch(text, start, end)
        start = item.end() if item else end
    return tuple(found)


def _in_stretch(text: str, start: int, end: int) -> Iterator[Part]:
    stretch = text[start:end]
    for sentence in sentences(stretch, words(stretch)):
        cut = [*_cuts(sentence.words), (len(sentence.words), len(sentence.words))]
        begin = 0
        for last, following in cut:
            inside = sentence.words[begin:last]
            if inside:
                first, final = inside[0].start, inside[-1].end
                mark = sentence.mark if last == len(sentence.words) else ""
                yield Part(stretch[first:final], start + first, start + final, mark)
            begin = following


def _cuts(tokens: Sequence[Word]) -> Iterator[tuple[int, int]]:
    """Where a part ends and where the next begins, as places among the words."""
    index, begin, head = 0, 0, -1
    while index < len(tokens):
        word = tokens[index]
        if word.low in _HEADS and head < 0:
            head = index
        opening = _opening(tokens, index, begin, head)
        if opening:
            yield index, opening
            begin, head = opening, -1
        index = max(index + 1, opening)


def _opening(tokens: Sequence[Word], index: int, begin: int, head: int) -> int:
    """The place of the first word of a new request when a joint stands here, else 0."""
    place = index
    while place < min(index + _LONGEST_JOINT, len(tokens)) and (
        tokens[place].text in _MARKS or tokens[place].low in _JOINERS
    ):
        place += 1
    if place >= len(tokens) or index == begin:
        return 0
    if place == index:
        return index if _orders(tokens, index) else 0
    joint = {word.low for word in tokens[index:place]}
    if joint == {"or"} and tokens[place].low in _BE and _low(tokens, place + 1) in _POINTERS:
        return 0
    if _asks(tokens, place, only_questions=joint <= {"or", "/"}):
        return place
    if joint <= {"or", "/", "(", ")"}:
        return 0
    if tokens[index - 1].low in _HEADS and tokens[place].low in _HEADS:  # "warnings and interactions of warfarin"
        return 0
    checked = head >= 0 and tokens[head].low in _CHECKED
    placed = head < index - 2 and _low(tokens, head + 1) in _STOPS  # "interactions of X and Y, plus papers on Z"
    complete = begin < head < index or placed if checked else 0 <= head < index - 1
    return place if complete and _names_look_up(tokens, place) else 0


def _orders(tokens: Sequence[Word], index: int) -> bool:
    """A verb that asks although nothing joins it to what stands before: "check warfarin find trials for DVT"."""
    low, after = tokens[index].low, _low(tokens, index + 1)
    if low in _MODAL and after in _SUBJECTS:
        asked = any(word.low in _WHAT for word in tokens[max(0, index - _REACH) : index])  # "what labs should I send"
        return not asked and tokens[index - 1].low not in _NOT_ALONE | _ASKING
    if low in _ASKED and after in _ADDRESSED:  # dictated without a mark: "… failing nintedanib can you look for trials"
        return _low(tokens, index + 2) in _LOOKING and tokens[index - 1].low not in _NOT_ALONE | _ASKING
    if low == "show":
        return after in {"me", "her", "his", "the"} and tokens[index - 1].low not in _NOT_ALONE
    alone = low in _ALONE and tokens[index - 1].low not in _NOT_ALONE
    return alone and not _noun_use(tokens, index)


def _asks(tokens: Sequence[Word], place: int, *, only_questions: bool) -> bool:
    for at in range(place, min(place + _LONGEST_LEAD, len(tokens))):
        low, after = tokens[at].low, _low(tokens, at + 1)
        if low in _JUDGING:
            return after in {"to", "with", "in", "for", "if"}
        if low in _ASKING and after not in {"", "patients", "people"} and not (at > place and low in _LEAD_IN):
            return not (low in {"can", "could", "would", "will"} and after in {"be", "cause", "also"})
        if low in {"if", "whether"} and _low(tokens, at - 1) in _WONDERED:
            return bool(after)
        if low in _ARTICLES and at > place:
            return not only_questions and any(word.low in _HEADS for word in tokens[at + 1 : at + _REACH])
        if low in _LOOKING and not only_questions and not _noun_use(tokens, at):
            return True
        if low in _OWNER:
            return any(word.low in _CHART for word in tokens[at + 1 : at + 4])
        if low not in _LEAD_IN:
            return False
    return False


def _noun_use(tokens: Sequence[Word], at: int) -> bool:
    """ "and order sets", "and note taking", "and start of care": no request."""
    return _low(tokens, at + 1) in {"", "of", "in", "is", "are", "was", "sets", "set", "taking", ",", "and", "or"}


def _names_look_up(tokens: Sequence[Word], place: int) -> bool:
    """ "…, trials for PCOS and metformin side effects": a noun of a look-up within reach, after a complete one."""
    for at in range(place, min(place + _REACH, len(tokens))):
        low = tokens[at].low
        if low in _HEADS:
            return True
        if low == "safety" and _low(tokens, at + 1) == "of":
            return _low(tokens, at - 2) not in {"efficacy", "effectiveness", "tolerability"}
        if low in _STOPS:
            return False
    return False


def _low(tokens: Sequence[Word], at: int) -> str:
    return tokens[at].low if 0 <= at < len(tokens) else ""
