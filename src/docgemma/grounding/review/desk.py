"""Where an expert looks at what waits, and decides. Decisions are added, never changed: the last of an item holds."""

from __future__ import annotations

from collections.abc import Callable

from docgemma.entities.printable import printable
from docgemma.errors import BadInput
from docgemma.grounding.review import rows
from docgemma.grounding.review.decision import Action, Choice, Decision, Example, Item
from docgemma.store.database import Cursor, Database
from docgemma.store.ids import unknown
from docgemma.store.rows import stamp
from docgemma.store.sessions import Clock, utc_now

_LONGEST_WORDS = 500
_EXAMPLES = 5


class Desk:
    """Works on an open store."""

    def __init__(self, database: Database, *, who: str, clock: Clock = utc_now) -> None:
        self._database = database
        self._who = printable(who)[:_LONGEST_WORDS]
        self._clock = clock

    async def items(self, *, everything: bool = False, entity_type: str | None = None, most: int = 50) -> list[Item]:
        """What waits, most frequent first; or everything that was ever met."""

        def work(cursor: Cursor) -> list[Item]:
            return rows.listed(cursor, everything=everything, entity_type=entity_type, most=most)

        return await self._database.run(work, write=False)

    async def item(self, name: str) -> tuple[Item, list[Example]]:
        """One item with criteria that it stands in. UnknownId."""

        def work(cursor: Cursor) -> tuple[Item, list[Example]]:
            return _found(cursor, name), rows.examples(cursor, name, most=_EXAMPLES)

        return await self._database.run(work, write=False)

    async def history(self, name: str | None = None, *, most: int = 1_000) -> list[Decision]:
        """Every decision on an item, or the last ones on all, oldest first."""

        def work(cursor: Cursor) -> list[Decision]:
            if name is not None:
                _found(cursor, name)
            return rows.history(cursor, name, most=most)

        return await self._database.run(work, write=False)

    async def accept(self, name: str, *, candidate: int = 1, reason: str = "") -> Decision:
        """Ground the item to one of the candidates that `show` lists, counted from 1."""

        def choose(item: Item) -> Choice:
            if not item.candidates:
                raise BadInput("This item has no candidates to accept. Give the concept with `change --cui`.")
            if not 1 <= candidate <= len(item.candidates):
                raise BadInput(f"This item has {len(item.candidates)} candidates; give a number from 1.")
            chosen = item.candidates[candidate - 1]
            if not (chosen.cui or chosen.snomed_code):
                raise BadInput(
                    "This candidate has neither CUI nor SNOMED CT code. Give the concept with `change --cui`."
                )
            return Choice(umls_cui=chosen.cui, snomed_code=chosen.snomed_code, preferred_term=chosen.display)

        return await self._decide(name, "accept", choose, reason=reason)

    async def change(self, name: str, choice: Choice, *, reason: str, known: bool) -> Decision:
        """Ground the item to a concept that the expert names. `known`: the terminology has it, too."""
        if not reason.strip():
            raise BadInput("Say with --reason why the concept is changed.")
        return await self._decide(name, "change", lambda _: choice, reason=reason, known=known)

    async def reject(self, name: str, *, reason: str = "") -> Decision:
        """Not an entity, or nothing that a terminology has: it is never grounded."""
        return await self._decide(name, "reject", lambda _: Choice(), reason=reason)

    async def undo(self, name: str, *, reason: str = "") -> Decision:
        """The item is undecided again. BadInput when it is anyway."""

        def nothing(item: Item) -> Choice:
            if item.decision is None:
                raise BadInput("There is no decision on this item to undo.")
            return Choice()

        return await self._decide(name, "undo", nothing, reason=reason)

    async def _decide(
        self, name: str, action: Action, choose: Callable[[Item], Choice], *, reason: str, known: bool = True
    ) -> Decision:
        at, why = stamp(self._clock()), printable(reason.strip())[:_LONGEST_WORDS]

        def work(cursor: Cursor) -> Decision:
            cursor.exclusive("docgemma grounding review")
            item = _found(cursor, name)
            decision = Decision(
                item=item.item,
                text=item.text,
                entity_type=item.entity_type,
                action=action,
                before=item.decision.after if item.decision else item.found,
                after=choose(item),
                known=known,
                shown=_in_view(item),
                reason=why,
                who=self._who,
                at=at,
            )
            rows.append(cursor, decision)
            return decision

        return await self._database.run(work)


def _found(cursor: Cursor, name: str) -> Item:
    item = rows.item(cursor, name)
    if item is None:
        raise unknown("item", name)
    return item


def _in_view(item: Item) -> tuple[str, ...]:
    """The concepts that `show` puts before the expert."""
    cuis = (item.found.umls_cui, *(each.cui for each in item.candidates))
    return tuple(dict.fromkeys(cui for cui in cuis if cui))
