"""Where an expert looks at what waits, and decides. Decisions are added, never changed: the last of an item holds."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from docgemma.entities.printable import printable
from docgemma.errors import BadInput, Conflict
from docgemma.grounding.review import queue, rows
from docgemma.grounding.review.decision import Action, Choice, Decision, Example, Item
from docgemma.grounding.review.queue import Queue, Wanted
from docgemma.store.database import Cursor, Database
from docgemma.store.ids import unknown
from docgemma.store.rows import stamp
from docgemma.store.sessions import Clock, utc_now

_LONGEST_WORDS = 500
_EXAMPLES = 5
UNDECIDED = ""
"""What somebody saw who saw no decision. See `seen`."""


class Desk:
    """Works on an open store.

    `seen` is the time of the decision that the expert had before them, or UNDECIDED. Where another one holds by now,
    it is a Conflict that tells whose. None: whatever holds is replaced.
    """

    def __init__(self, database: Database, *, who: str, clock: Clock = utc_now) -> None:
        self._database = database
        self._who = printable(who)[:_LONGEST_WORDS]
        self._clock = clock

    async def items(self, *, everything: bool = False, entity_type: str | None = None, most: int = 50) -> list[Item]:
        """What waits, most frequent first; or everything that was ever met."""

        def work(cursor: Cursor) -> list[Item]:
            return rows.listed(cursor, everything=everything, entity_type=entity_type, most=most)

        return await self._database.run(work, write=False)

    async def queue(self, wanted: Wanted = Wanted(), *, most: int = 50, skip: int = 0) -> Queue:  # noqa: B008 - frozen
        """What waits, the least sure first."""
        return await self._database.run(lambda cursor: queue.page(cursor, wanted, most=most, skip=skip), write=False)

    async def beside(self, name: str, wanted: Wanted) -> tuple[str | None, str | None]:
        """The items before and after this one."""
        return await self._database.run(lambda cursor: queue.beside(cursor, name, wanted), write=False)

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

    async def accept(self, name: str, *, candidate: int = 1, reason: str = "", seen: str | None = None) -> Decision:
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

        return await self._decide(name, "accept", choose, reason=reason, seen=seen)

    async def change(self, name: str, choice: Choice, *, reason: str, known: bool, seen: str | None = None) -> Decision:
        """Ground the item to a concept that the expert names. `known`: the terminology has it, too."""
        if not reason.strip():
            raise BadInput("Say with --reason why the concept is changed.")
        return await self._decide(name, "change", lambda _: choice, reason=reason, known=known, seen=seen)

    async def reject(self, name: str, *, reason: str = "", seen: str | None = None) -> Decision:
        """Not an entity, or nothing that a terminology has: it is never grounded."""
        return await self._decide(name, "reject", lambda _: Choice(), reason=reason, seen=seen)

    async def undo(self, name: str, *, reason: str = "", seen: str | None = None) -> Decision:
        """The item is undecided again. BadInput when it is anyway."""

        def nothing(item: Item) -> Choice:
            if item.decision is None:
                raise BadInput("There is no decision on this item to undo.")
            return Choice()

        return await self._decide(name, "undo", nothing, reason=reason, seen=seen)

    async def sure_enough(self, at_least: float, wanted: Wanted) -> list[Item]:
        """What `accept_all` would accept now."""
        return await self._database.run(lambda cursor: queue.sure_enough(cursor, at_least, wanted), write=False)

    async def accept_all(self, at_least: float, wanted: Wanted, *, names: str) -> tuple[str, int]:
        """Accept what was chosen for everything that is sure enough: the name of this decision, and of how many.

        `names` is `names_of` what the expert was shown. Conflict when it is not the same any more.
        """
        at, bulk = stamp(self._clock()), f"bulk-{secrets.token_hex(6)}"

        def work(cursor: Cursor) -> int:
            cursor.exclusive("docgemma grounding review")
            items = queue.sure_enough(cursor, at_least, wanted)
            if queue.names_of(items) != names:
                raise Conflict(f"The items changed meanwhile: now it would be {len(items)}. Count them again.")
            reason = f"Accepted with all of at least {at_least:.2f}."
            made = [
                self._decision(each, "accept", each.found, at, reason).model_copy(
                    update={"bulk": bulk, "shown": tuple(filter(None, (each.found.umls_cui,)))}
                )
                for each in items
            ]
            rows.append(cursor, made)
            return len(made)

        return bulk, await self._database.run(work)

    async def undo_all(self, bulk: str) -> int:
        """Undo what `accept_all` decided under this name, where nobody decided otherwise since."""
        at = stamp(self._clock())

        def work(cursor: Cursor) -> int:
            cursor.exclusive("docgemma grounding review")
            holding = [name for name, each in rows.decisions(cursor).items() if bulk and each.bulk == bulk]
            if not holding:
                raise BadInput("There is nothing of this decision left to undo.")
            reason = "All that was accepted together was undone."
            made = [self._decision(each, "undo", Choice(), at, reason) for each in rows.some(cursor, sorted(holding))]
            rows.append(cursor, made)
            return len(made)

        return await self._database.run(work)

    async def _decide(
        self,
        name: str,
        action: Action,
        choose: Callable[[Item], Choice],
        *,
        reason: str,
        known: bool = True,
        seen: str | None = None,
    ) -> Decision:
        at, why = stamp(self._clock()), printable(reason.strip())[:_LONGEST_WORDS]

        def work(cursor: Cursor) -> Decision:
            cursor.exclusive("docgemma grounding review")
            item = _found(cursor, name)
            _check_seen(item, seen)
            decision = self._decision(item, action, choose(item), at, why).model_copy(update={"known": known})
            rows.append(cursor, [decision])
            return decision

        return await self._database.run(work)

    def _decision(self, item: Item, action: Action, after: Choice, at: str, reason: str) -> Decision:
        return Decision(
            item=item.item,
            text=item.text,
            entity_type=item.entity_type,
            action=action,
            before=item.decision.after if item.decision else item.found,
            after=after,
            shown=_in_view(item),
            reason=reason,
            who=self._who,
            at=at,
        )


def _found(cursor: Cursor, name: str) -> Item:
    item = rows.item(cursor, name)
    if item is None:
        raise unknown("item", name)
    return item


def _check_seen(item: Item, seen: str | None) -> None:
    holds = item.decision
    if seen is None or seen == (holds.at if holds else UNDECIDED):
        return
    if holds is None:
        raise Conflict("The decision on this item was undone meanwhile. Look at it again.")
    what = " ".join(filter(None, (holds.after.umls_cui, holds.after.preferred_term))) or "no concept"
    raise Conflict(
        f"{holds.who} decided on this item meanwhile ({holds.action}: {what}, {holds.at[:16].replace('T', ' ')} UTC). "
        "Look at it again."
    )


def _in_view(item: Item) -> tuple[str, ...]:
    """The concepts that `show` puts before the expert."""
    cuis = (item.found.umls_cui, *(each.cui for each in item.candidates))
    return tuple(dict.fromkeys(cui for cui in cuis if cui))
