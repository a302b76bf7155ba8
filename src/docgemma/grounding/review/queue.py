"""In which order a person looks at what waits: what is least sure first. Works on one transaction."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from docgemma.clinical import Frozen
from docgemma.grounding.contract import UNSURE
from docgemma.grounding.review import rows
from docgemma.grounding.review.decision import Item
from docgemma.store.database import Cursor, Row
from docgemma.store.rows import unpack
from docgemma.terminology.contract import EntityType

Shown = Literal["waiting", "decided", "all"]
SHOWN: tuple[Shown, ...] = get_args(Shown)

_CONFIDENCE = {
    "sqlite": "json_extract(i.body, '$.confidence')",
    "postgresql": "(i.body::json ->> 'confidence')::float",
}
_PLACES = """SELECT i.item, i.text, i.entity_type, {confidence} AS confidence, COALESCE(w.waiting, 0) AS waiting,
    d.action, d.at FROM grounding_items i
    LEFT JOIN (SELECT item, COUNT(*) AS waiting FROM grounding_waiting GROUP BY item) AS w ON w.item = i.item
    LEFT JOIN (SELECT item, MAX(position) AS position FROM grounding_decisions GROUP BY item) AS last
    ON last.item = i.item LEFT JOIN grounding_decisions d ON d.position = last.position"""


class Wanted(Frozen):
    """What a person wants to see of all items."""

    show: Shown = "waiting"
    entity_type: EntityType | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """An item without what it may stand for: enough to put thousands in order."""

    item: str
    text: str
    entity_type: str
    confidence: float | None
    waiting: int
    decided_at: str
    """Empty: nobody decided, or it was undone."""

    @property
    def waits(self) -> bool:
        return self.waiting > 0 and not self.decided_at


@dataclass(frozen=True, slots=True)
class Queue:
    """One page of the queue. `total` is what the filter leaves; `waiting` and `decided` count everything."""

    items: tuple[Item, ...]
    total: int
    waiting: int
    decided: int


def places(cursor: Cursor, wanted: Wanted) -> list[Place]:
    """Everything of this type and text, decided on or not, in the order of the queue."""
    found = [_place(row) for row in cursor.rows(_PLACES.format(confidence=_CONFIDENCE[cursor.dialect]))]
    return _ordered(found, wanted)


def _ordered(found: Sequence[Place], wanted: Wanted) -> list[Place]:
    """An older result without confidence first, then the least sure; of equally sure ones that which most criteria
    wait for. What is decided: the last decision first."""
    sought = " ".join(wanted.text.casefold().split())
    kept = [
        each
        for each in found
        if wanted.entity_type in (None, each.entity_type) and (not sought or sought in each.text.casefold())
    ]
    kept.sort(key=lambda each: (-1 if each.confidence is None else each.confidence, -each.waiting, each.item))
    if wanted.show == "decided":
        kept.sort(key=lambda each: each.decided_at, reverse=True)
    return kept


def _place(row: Row) -> Place:
    decided = row["at"] if row["action"] not in (None, "undo") else ""
    return Place(row["item"], unpack(row["text"]), row["entity_type"], row["confidence"], row["waiting"], decided)


def is_shown(place: Place, show: Shown) -> bool:
    return show == "all" or (place.waits if show == "waiting" else bool(place.decided_at))


def page(cursor: Cursor, wanted: Wanted, *, most: int, skip: int) -> Queue:
    everything = places(cursor, Wanted())
    shown = [each.item for each in _ordered(everything, wanted) if is_shown(each, wanted.show)]
    return Queue(
        items=tuple(rows.some(cursor, shown[skip : skip + most])),
        total=len(shown),
        waiting=sum(each.waits for each in everything),
        decided=sum(bool(each.decided_at) for each in everything),
    )


def beside(cursor: Cursor, name: str, wanted: Wanted) -> tuple[str | None, str | None]:
    """The items before and after this one in the queue, also when it has just left it."""
    line = places(cursor, wanted)
    names = [each.item for each in line]
    if name not in names:
        return None, next((each.item for each in line if is_shown(each, wanted.show)), None)
    at = names.index(name)
    before = (each.item for each in reversed(line[:at]) if is_shown(each, wanted.show))
    after = (each.item for each in line[at + 1 :] if is_shown(each, wanted.show))
    return next(before, None), next(after, None)


def sure_enough(cursor: Cursor, at_least: float, wanted: Wanted) -> list[Item]:
    """What may be accepted without looking at each: it waits for nothing but the threshold, the run chose one of the
    candidates, and that one has a code. Any other doubt is for a person to look at."""
    names = [
        each.item
        for each in places(cursor, wanted)
        if each.waits and each.confidence is not None and each.confidence >= at_least
    ]
    return [each for each in rows.some(cursor, names) if each.reason == UNSURE and each.chosen() is not None]


def names_of(items: Sequence[Item]) -> str:
    """What a person was shown, to be compared with what there is when they confirm it."""
    told = "\n".join(f"{each.item} {each.found.model_dump_json()}" for each in items)
    return hashlib.sha256(told.encode()).hexdigest()[:16]
