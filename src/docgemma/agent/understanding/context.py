"""What a message leaves unsaid because it was said before: the drug, the topic, of the same person's earlier messages.

Only look-ups are completed. Whatever is written has to be said, or is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from docgemma.entities.drugs.names import drugs_in
from docgemma.entities.model import Ask, Entities, Mention

_SHORT = 8
"""Words of a message whose topic only narrows the one before: "in children", "since 2020 only"."""

_SEARCHES = ("search_medical_literature", "find_clinical_trials")
_DRUGS = ("check_drug_safety", "check_drug_interactions")
_POINTING = re.compile(r"(?<![\w-])(?:it|that|this|them|those|both|these)(?![\w-])", re.IGNORECASE)
NOWHERE = -1
"""The place of a mention that this message does not hold."""


def completed(entities: Entities, earlier: Sequence[Entities]) -> Entities:
    """The entities with each look-up's missing subject taken from the newest earlier message that has one."""
    if not earlier or not entities.asks:
        return entities
    asks: list[Ask] = []
    for ask in entities.asks:
        if ask.tool == "check_drug_safety" and not ask.drugs:
            asks += [replace(ask, drugs=(drug,)) for drug in _drugs(earlier)[:2]] or [ask]
        elif ask.tool == "check_drug_interactions" and len(ask.drugs) < 2:
            asks.append(_paired(ask, earlier))
        elif ask.tool in _SEARCHES:
            asks.append(_topical(ask, entities, earlier))
        else:
            asks.append(ask)
    return replace(entities, asks=tuple(asks))


def _drugs(earlier: Sequence[Entities]) -> list[Mention]:
    """Those that were marked; of a message that asked for nothing, those that the dictionary knows."""
    for found in reversed(earlier):
        told = (*found.drugs, *found.unlisted_drugs) or drugs_in(found.text)
        if told:
            return [_elsewhere(drug) for drug in told]
    return []


def _paired(ask: Ask, earlier: Sequence[Entities]) -> Ask:
    """ "And with amlodipine?" keeps the first drug of the question before; "do those two interact?" takes both."""
    before = next((found for found in reversed(earlier) if found.drugs or found.unlisted_drugs), None)
    asked_drugs = before is not None and any(one.tool in _DRUGS for one in before.asks)
    named = [drug.value.casefold() for drug in ask.drugs]
    others = [drug for drug in _drugs(earlier) if drug.value.casefold() not in named]
    if not others or (ask.drugs and not asked_drugs):
        return ask
    if ask.drugs:
        return replace(ask, drugs=(others[0], *ask.drugs), with_taken=False)
    if len(others) < 2:
        told = [_elsewhere(drug) for found in earlier for drug in (*found.drugs, *found.unlisted_drugs)]
        others = list({drug.value.casefold(): drug for drug in told}.values())[-2:]
    return replace(ask, drugs=tuple(others), with_taken=len(others) < 2)


def _topical(ask: Ask, entities: Entities, earlier: Sequence[Entities]) -> Ask:
    """Without a topic that of the search before; a few words, or "on it", narrow that one."""
    topics = [(one, one.topic) for found in reversed(earlier) for one in found.asks if one.topic is not None]
    before, known = topics[0] if topics else (None, None)
    if known is None and ask.topic is None:
        known = _drugs_as_topic(earlier)
    pointing = _POINTING.search(entities.text) is not None
    if known is None and pointing and not entities.drugs:
        known = _drugs_as_topic(earlier)
    if known is None:
        return ask
    again = before is not None and before.tool == ask.tool
    status = ask.status or (before.status if before is not None and again else None)
    if ask.topic is None:
        return replace(ask, topic=_elsewhere(known), status=status)
    topic = ask.topic
    short = again and len(entities.text.split()) <= _SHORT
    ask = replace(ask, status=status) if short else ask
    if not (short or pointing) or entities.drugs or topic.value.casefold() in known.value.casefold():
        return ask
    return replace(ask, topic=Mention(f"{known.value} {topic.value}", NOWHERE, NOWHERE))


def _drugs_as_topic(earlier: Sequence[Entities]) -> Mention | None:
    drugs = _drugs(earlier)
    return Mention(" ".join(drug.value for drug in drugs), NOWHERE, NOWHERE) if drugs else None


def _elsewhere(mention: Mention) -> Mention:
    return Mention(mention.value, NOWHERE, NOWHERE, mention.value)
