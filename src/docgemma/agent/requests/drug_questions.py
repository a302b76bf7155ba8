"""What one part of a message asks about drugs: the safety of each, or how several go together.

A part has its own drugs. What the rest of the message says of drugs that are already taken, and what "it" or "these"
points back to, comes in as `around`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Literal

from docgemma.agent.requests import phrases as say
from docgemma.agent.requests.question_mood import asks_something
from docgemma.agent.requests.strange_drugs import asks_of_classes
from docgemma.entities.model import Entities, Mention
from docgemma.entities.words import replaced

_JOINT = re.compile(r"\s{0,2}(?:[,&+]|and|plus)(?:\s{1,2}(?:and|the|for|on|of))?\s{0,2}", re.IGNORECASE)
_NAME = "\x00"
"""Stands for a drug in a list."""

_STRENGTH = re.compile(
    rf"(?<={_NAME})\s{{0,2}}\d{{1,5}}(?:[.,]\d{{1,3}})?\s{{0,2}}(?:mg|mcg|micrograms?|g|units?|iu)(?!\w)", re.IGNORECASE
)
_LOOK_BACK = 60
_TAKEN_BACK = re.compile(
    r"(?:[\s,.;:(–—-]{1,4}(?:no|nope|or|um|er|erm|oh|that|is|i|was|the|not)){0,3}[\s,.;:(–—-]{1,4}(?:sorry|oops|whoops|wait|actually|(?:i\s)?"
    r"mean|(?:i\s)?meant|rather|scratch\sthat|correction|make\sthat|hang\son|hold\son|typo|apologies|my\sbad|my\smistake|should\ssay"
    r"|should\sbe)(?:[\s,.;:–—-]{1,4}(?:no|i|it|is|the|mean|meant|sorry|that|should|be|say|actually|to|rather)){0,4}[\s,.;:–—-]{1,4}$",
    re.IGNORECASE,
)
_LONGEST_TAKING_BACK = 50
_MOST_TAKEN_BACK = 6
"""How many drugs before it a correction may be about."""

_SAME_AGAIN = re.compile(
    r"\W{0,4}(?:(?:and|also|then|or|plus)\s){0,2}(?:what|how|which|those|the\ssame|same|ditto|likewise)(?:\s[a-z]{2,8}){0,2}\s"
    r"(?:of|for|with|on|about)\s(?:the\s)?",
    re.IGNORECASE,
)
""" "… and which ones of Y", "… and what about Y": the question before, about another drug."""

POINTING = re.compile(r"(?<![\w-])(?:it|that|this|them|they|those|both|these|either|the\stwo)(?![\w-])", re.IGNORECASE)
_SHORT_PART = 9
"""Words. A longer part says what it asks."""

Question = Literal["safety", "together"]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question about drugs."""

    question: Question
    drugs: tuple[Mention, ...]
    chart: bool = False  # also about what the patient already takes, which only the chart knows


@dataclass(frozen=True, slots=True)
class Around:
    """Drugs of the other parts: those that are said to be taken or thought of, and those of the last question."""

    told: tuple[Mention, ...] = ()
    last: tuple[Mention, ...] = ()
    asked: Question | None = None  # the question before, if it was about drugs


def mentioned_drugs(entities: Entities) -> list[Mention]:
    """Every drug of the message in order, listed or not."""
    found = (*entities.drugs, *(drug for drug in entities.unlisted_drugs if not _other_treatment(drug)))
    return sorted(found, key=lambda drug: drug.start)


def meant_drugs(text: str, drugs: Sequence[Mention]) -> list[Mention]:
    """Without those that are taken back: "is X, no sorry, Y ok with Z", "is X ok with Z, sorry I meant Y".

    Said right after the wrong one, the right one takes its place; said later, it stands for the one it looks like.
    """
    kept: list[Mention] = []
    for drug in drugs:
        before = _TAKEN_BACK.search(text[max(0, drug.start - _LONGEST_TAKING_BACK) : drug.start])
        if before is None or not kept:
            kept.append(drug)
        elif kept[-1].end == drug.start - len(before.group()):
            kept[-1] = drug
        else:
            first = max(0, len(kept) - _MOST_TAKEN_BACK)
            place = max(range(first, len(kept)), key=lambda at: _likeness(kept[at].text, drug.text))
            wrong = kept[place]
            kept[place] = Mention(wrong.text, wrong.start, wrong.end, drug.value)
    return kept


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one.lower(), other.lower()).ratio()


def drug_question(text: str, mark: str, drugs: Sequence[Mention], around: Around) -> Asked | None:
    """What this part asks. Places of the drugs are those in `text`; `mark` closes the sentence."""
    asking = asks_something(text, mark, drugs)
    if say.STATED.match(text) and not asking:
        return None
    meant = with_context(text, drugs, around, asking=asking)
    if not meant and asks_of_classes(text):
        return Asked("together", ())
    if say.INTERACTION.search(text):
        return _interaction(text, drugs, meant, asking=asking)
    if say.NOT_ABOUT_SAFETY.search(text) and not say.PLAINLY_SAFETY.search(text):
        return None
    if say.SAFETY.search(text) and meant and not _poisoning(text):
        own = drugs if drugs and not _pairs(text, drugs) else meant
        paired = _pairs(text, own) or not say.SAFETY_OF_EACH.search(text)
        together = len(distinct(own)) > 1 and paired and asking
        return Asked("together" if together else "safety", distinct(own))
    if around.asked == "safety" and drugs and _SAME_AGAIN.fullmatch(text, 0, drugs[0].start):
        return Asked("safety", distinct(drugs))
    return _judged(text, drugs, meant, asking=asking) or _looked_up(text, drugs)


def with_context(text: str, drugs: Sequence[Mention], around: Around, *, asking: bool) -> tuple[Mention, ...]:
    """The part's own drugs and those it stands beside: "she is on X, can I give Y?", "does it interact with Y?"."""
    if POINTING.search(text) and around.last and len(distinct(drugs)) < 2:
        return distinct([*around.last, *drugs])
    if asking and around.told and not (drugs and _in_setting(text, drugs)):
        return distinct([*around.told, *drugs])
    return distinct(drugs)


def _interaction(text: str, own: Sequence[Mention], meant: Sequence[Mention], *, asking: bool) -> Asked | None:
    """An interaction is named. Of one drug alone: with the chart's medicines, with food, or the other is asked for."""
    meds = bool(say.OTHER_MEDS.search(text))
    if len(meant) > 1:
        return Asked("together", tuple(meant), chart=meds and len(distinct(own)) < 2)
    if not meant:
        if meds and (asking or say.CHECKING.search(text)):
            return Asked("together", (), chart=True)
        return Asked("together", ()) if say.CHECKING.search(text) and not meds else None
    if say.FOOD.search(text):
        return Asked("safety", tuple(meant))
    plainly = asking or bool(re.search(r"interact|ddi|interxn", text, re.IGNORECASE))
    return Asked("together", tuple(meant), chart=meds) if plainly else None


def _judged(text: str, own: Sequence[Mention], meant: Sequence[Mention], *, asking: bool) -> Asked | None:
    """ "Is X safe in CKD?", "can she have X?", "X with Y?", "any issue?": one drug is its own, several go together."""
    if not meant or (not own and say.OTHER_ACT.search(text)):
        return None
    judged = asking and any(words.search(text) for words in (say.SAFE, say.ISSUE, say.FOOD))
    judged = judged or (asking and bool(say.MAY.search(text)) and bool(own or not say.WHICH_OTHER.match(text)))
    joined = bool(own) and _pairs(text, own) and (asking or _is_short(text))
    if len(meant) > 1:
        affects = asking and bool(say.AFFECTS.search(text) or say.CAUSES.search(text))
        if joined or affects or judged or _only_drugs(text, own):
            each = judged and not joined and not affects and _in_setting(text, own) and len(distinct(own)) == len(meant)
            return Asked("safety" if each else "together", tuple(meant))
        return None
    if (judged or say.MAY.search(text)) and say.OTHER_MEDS.search(text):
        return Asked("together", tuple(meant), chart=True)
    unwanted = asking and bool(say.CAUSES.search(text) or say.INTERFERES.search(text) or _does_something(text, own))
    if judged or unwanted or (own and _bare_setting(text, own)):
        return Asked("safety", tuple(meant))
    return None


def _looked_up(text: str, drugs: Sequence[Mention]) -> Asked | None:
    """ "Check warfarin", "amoxicillin info": the drug itself is what is looked up, not its level or its dose."""
    found: list[Mention] = []
    for group in _lists(text, drugs):
        start, end = group[0].start, group[-1].end
        before = text[max(0, start - _LOOK_BACK) : start]
        checked = say.LOOKING_UP.search(before) and not say.NOT_SAFETY.match(text, end)
        if checked or say.INFORMATION_ON.search(before) or say.INFORMATION.match(text, end):
            found += group
    return Asked("safety", distinct(found)) if found else None


def _pairs(text: str, drugs: Sequence[Mention]) -> bool:
    """ "X with Y", "add X to Y": two drugs that are asked about as a pair."""
    ordered = [drug for drug in drugs if drug.end <= len(text) and text[drug.start : drug.end] == drug.text]
    for one, other in pairwise(ordered):
        between = text[one.end : other.start]
        if one.value != other.value and (say.JOINED.fullmatch(between) or _added(text, one, between)):
            return True
    return False


def _added(text: str, one: Mention, between: str) -> bool:
    before = text[max(0, one.start - 20) : one.start]
    return between.strip().lower() in {"to", "to her", "to his", "onto"} and bool(
        re.search(r"(?<!\w)add(?:ing|ed)?\s", before, re.IGNORECASE)
    )


def _only_drugs(text: str, drugs: Sequence[Mention]) -> bool:
    """ "Sildenafil and nitrates?", "amiodarone and simvastatin 80 mg": nothing but a list of drugs and strengths."""
    bare, strengths = _STRENGTH.subn("", replaced(text, [(drug.start, drug.end, _NAME) for drug in drugs]))
    groups = [part.strip(" ?!.") for part in _JOINT.split(bare)]
    # One with a strength each is what somebody takes, not what is asked about.
    return len(groups) > max(1, strengths) and all(part == _NAME for part in groups)


def _in_setting(text: str, drugs: Sequence[Mention]) -> bool:
    """ "Are X and Y safe in pregnancy?" asks about each; "can I use X and Y?" about both together."""
    last = max((drug.end for drug in drugs), default=0)
    return bool(re.search(r"(?<!\w)(?:in|during|for|while)(?!\w)", text[last:], re.IGNORECASE)) and bool(
        say.SETTING.search(text, last)
    )


def _does_something(text: str, drugs: Sequence[Mention]) -> bool:
    """ "Does doxycycline stain teeth?": the drug is the subject, and what it does is not what it is given for."""
    if not drugs or not say.DOING.fullmatch(text[: drugs[0].start]):
        return False
    return bool(re.match(r"\s[a-z]{3}", text[drugs[0].end :])) and not say.WANTED_EFFECT.match(text, drugs[0].end)


def _bare_setting(text: str, drugs: Sequence[Mention]) -> bool:
    """ "Metformin in CKD", "adenosine in asthmatics": a drug, and who or what it may be unsafe for."""
    if _is_short(text) and say.BARE_SETTING.match(text, drugs[-1].end):
        return True
    alone = not text[: drugs[0].start].strip() and len(distinct(drugs)) == 1
    return alone and _is_short(text) and say.SOLE_SETTING.match(text, drugs[-1].end) is not None


def _poisoning(text: str) -> bool:
    """ "Symptoms of lithium toxicity" asks what poisoning looks like."""
    plain = say.PLAINLY_SAFETY.search(text)
    return not plain and bool(say.NOT_ABOUT_SAFETY.search(text))


def _is_short(text: str) -> bool:
    return len(text.split()) <= _SHORT_PART


def _lists(text: str, drugs: Sequence[Mention]) -> list[list[Mention]]:
    """Drugs that stand in one list: "warfarin, digoxin and lithium"."""
    groups: list[list[Mention]] = []
    for drug in drugs:
        if groups and _JOINT.fullmatch(text, groups[-1][-1].end, drug.start):
            groups[-1].append(drug)
        else:
            groups.append([drug])
    return groups


def distinct(drugs: Sequence[Mention]) -> tuple[Mention, ...]:
    """Each drug once, at its first place."""
    return tuple({drug.value: drug for drug in reversed(drugs)}.values())[::-1]


def _other_treatment(drug: Mention) -> bool:
    """An unlisted word in a drug's place that is a verb, a treatment or a whole class."""
    return drug.text.lower().endswith("ing") or say.ANOTHER_TREATMENT.fullmatch(drug.text) is not None
