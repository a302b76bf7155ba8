"""What a text asks about drugs: the safety of each, or how several go together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from docgemma.agent.requests import phrases as say
from docgemma.entities.model import Entities, Mention

_JOINT = re.compile(r"\s{0,2}(?:[,&+]|and|plus)(?:\s{1,2}(?:and|the))?\s{0,2}", re.IGNORECASE)
_LOOK_BACK = 60


def asked_drugs(asked: str, entities: Entities) -> list[Mention]:
    """The drugs of the part that asks, in order: those that were blanked belong to a write or a refusal."""
    mentions = sorted((*entities.drugs, *entities.unlisted_drugs), key=lambda drug: drug.start)
    return [drug for drug in mentions if asked[drug.start : drug.end].strip()]


def goes_together(asked: str, drugs: Sequence[Mention]) -> bool:
    """Whether the text asks how drugs go together: in words, as "X with Y", or "she is on X, can I give her Y?"."""
    if say.INTERACTION.search(asked):
        return True
    if len({drug.value for drug in drugs}) < 2:
        return False
    if say.TOGETHER.search(asked):
        return True
    if any(say.JOINED.fullmatch(asked, one.end, other.start) for one, other in pairwise(drugs)):
        return True
    taken = any(say.TAKING.search(asked, max(0, drug.start - _LOOK_BACK), drug.start) for drug in drugs)
    return taken and bool(say.SAFE.search(asked))


def safety_subjects(asked: str, drugs: Sequence[Mention]) -> list[str]:
    """The drugs whose own safety is asked for, each once."""
    together = goes_together(asked, drugs)
    if say.SAFETY.search(asked) or (say.SAFE.search(asked) and not together):
        return list(dict.fromkeys(drug.value for drug in drugs))
    if together:
        return []
    return list(
        dict.fromkeys(drug.value for group in _lists(asked, drugs) if _looked_up(asked, group) for drug in group)
    )


def is_drug_question(asked: str, entities: Entities) -> bool:
    """Whether the text asks about the safety of drugs or how they go together."""
    drugs = asked_drugs(asked, entities)
    return bool(drugs) and (goes_together(asked, drugs) or bool(safety_subjects(asked, drugs)))


def _lists(asked: str, drugs: Sequence[Mention]) -> list[list[Mention]]:
    """Drugs that stand in one list: "warfarin, digoxin and lithium"."""
    groups: list[list[Mention]] = []
    for drug in drugs:
        if groups and _JOINT.fullmatch(asked, groups[-1][-1].end, drug.start):
            groups[-1].append(drug)
        else:
            groups.append([drug])
    return groups


def _looked_up(asked: str, group: Sequence[Mention]) -> bool:
    """ "Check warfarin", "amoxicillin info": the drug itself is what is looked up, not its level or its dose."""
    start, end = group[0].start, group[-1].end
    before = asked[max(0, start - _LOOK_BACK) : start]
    if say.LOOKING_UP.search(before) and not say.NOT_SAFETY.match(asked, end):
        return True
    return bool(say.INFORMATION_ON.search(before) or say.INFORMATION.match(asked, end))
