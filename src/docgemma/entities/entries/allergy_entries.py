"""Which reaction belongs to which substance of an allergy request.

A reaction belongs to the nearest substance before it. Where several substances are followed by several reactions
nobody but the user knows which goes with which: none is taken, and each is asked for.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from collections.abc import Sequence

from docgemma.entities.entries.orders import within
from docgemma.entities.entries.reactions import placed_reactions, with_spread
from docgemma.entities.model import AllergyEntry, Entities, Mention

_CAUSED_BY = re.compile(
    r"\s{1,2}(?:reactions?\s)?(?:after|from|following|to|with|when\s(?:taking|given))\s{1,2}(?:taking\s|the\s|an?\s)?",
    re.IGNORECASE,
)
_DESCRIBES = re.compile(
    r"\s{1,2}(?:drug\s)?(?:(?:allerg(?:y|ies)|reactions?|intolerance)(?:\sto|:)\s{1,2})?", re.IGNORECASE
)


def find_allergy_entries(text: str, found: Entities) -> tuple[AllergyEntry, ...]:
    """One entry for each substance that a request names, with what was said of it alone."""
    spans = [(write.start, write.end) for write in found.writes if write.kind == "allergy"]
    asked = [item for start, end in spans for item in within(found.substances, start, end)]
    first = {item.value: item for item in reversed(asked)}
    substances = sorted(first.values(), key=lambda item: item.start)
    if len({item.value for item in found.substances}) <= 1:
        return tuple(_alone(text, item, found, spans[0][0]) for item in substances)
    named = _wherever_named(found)
    told = [with_spread(text, item) for item in _certain(named, found.reactions)]
    reactions = _bound(text, named, told, _CAUSED_BY)
    severities = _bound(text, named, found.severities, _DESCRIBES)
    return tuple(
        AllergyEntry(item, tuple(reactions.get(item.value, ())), tuple(severities.get(item.value, ())))
        for item in substances
    )


def _wherever_named(found: Entities) -> list[Mention]:
    """The substances, also where they are named without an allergy: "it was codeine, gave her hives. Add codeine …"."""
    values = {item.value for item in found.substances}
    again = {drug.start: drug for drug in found.drugs if drug.value in values}
    return sorted({**again, **{item.start: item for item in found.substances}}.values(), key=lambda item: item.start)


def _alone(text: str, substance: Mention, found: Entities, start: int) -> AllergyEntry:
    """The only substance of the message: whatever is said of a reaction is said of it."""
    reactions = tuple(item for item in found.reactions if item.start >= start) or found.reactions
    people = (*found.patient_ids, *found.person_names)
    others = (*people, *found.drugs, *found.unlisted_drugs, *found.substances, *found.severities)
    return AllergyEntry(substance, placed_reactions(text, substance, reactions, others), found.severities)


def _bound(
    text: str, substances: Sequence[Mention], details: Sequence[Mention], ahead: re.Pattern[str]
) -> dict[str, list[Mention]]:
    found: dict[str, list[Mention]] = {}
    for detail in details:
        place = _place(substances, detail.start)
        before = substances[place - 1] if place else None
        after = substances[place] if place < len(substances) else None
        if after and (before is None or ahead.fullmatch(text, detail.end, after.start)):
            found.setdefault(after.value, []).append(detail)
        elif before:
            found.setdefault(before.value, []).append(detail)
    return found


def _certain(substances: Sequence[Mention], reactions: Sequence[Mention]) -> list[Mention]:
    """Without the reactions that stand together after several substances that have none of their own."""
    kept = list(reactions[: _place(reactions, substances[0].start)])
    ends = [*(item.start for item in substances[1:]), sys.maxsize]
    waiting: set[str] = set()
    for substance, end in zip(substances, ends, strict=True):
        here = within(reactions, substance.start, end)
        waiting.add(substance.value)
        if len(waiting) == 1 or len({item.value for item in here}) == 1:
            kept += here
        if here:
            waiting.clear()
    return kept


def _place(mentions: Sequence[Mention], start: int) -> int:
    return bisect_left(mentions, start, key=lambda mention: mention.start)
