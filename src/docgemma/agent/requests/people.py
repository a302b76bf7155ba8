"""Whom a message is about, each person once."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docgemma.entities.entries.orders import within
from docgemma.entities.model import Entities, Mention

_AND = re.compile(
    r"\W{0,3}(?:and|&|vs\.?|versus|with|to)\s{1,2}(?:(?:patient|pt|the\schart\sof)\s{1,2})?", re.IGNORECASE
)

_SOUGHT = re.compile(
    r"(?<!\w)(?:find|search|look\s?up|locate|pull\sup|open|identify|who\sis)(?:\s(?:me|for|up|the|my|a|our|patients?|pt|mrs?"
    r"|ms|miss|dr|named|called)\.?){0,5}\s{0,2}$",
    re.IGNORECASE,
)
_REACH = 48

PATIENT = re.compile(r"(?<![\w-])(?:patients?|pt|mr|mrs|ms|who)(?![\w-])", re.IGNORECASE)


def named_people(text: str, entities: Entities) -> dict[str, bool]:
    """Name or id → whether it is an id, in order. An id beside a name is that person's; a part of a name is the name.

    Whoever stands only in a request that cannot be done is not looked up.
    """
    mentions = sorted((*entities.patient_ids, *entities.person_names), key=lambda item: item.start)
    undone = {item.start for span in entities.undoable for item in within(mentions, span.start, span.end)}
    ids = {item.start for item in entities.patient_ids}
    found = [item for item in mentions if item.start not in undone]
    if any(item.start in ids for item in found):
        found = [item for group in _groups(text, found) for item in group if len(group) > 1 or item.start in ids]
    full = {word for item in found if " " in item.value for word in item.value.lower().split()}
    return {item.value: item.start in ids for item in found if item.value.lower() not in full}


def is_sought(text: str, entities: Entities) -> bool:
    """Whether somebody is to be found: "find patient X", "look up X and trials for gout"."""
    starts = (item.start for item in entities.person_names)
    return any(_SOUGHT.search(text, max(0, start - _REACH), start) for start in starts)


def _groups(text: str, people: Sequence[Mention]) -> list[list[Mention]]:
    """ "abc-123 and John Smith" are two people; "John Smith, abc-123" is one."""
    groups: list[list[Mention]] = []
    for person in people:
        if groups and _AND.fullmatch(text, groups[-1][-1].end, person.start):
            groups[-1].append(person)
        else:
            groups.append([person])
    return groups
