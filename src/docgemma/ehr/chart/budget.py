"""How much room a text takes in a prompt, and how the room is shared among the sections that may yield."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from docgemma.ehr.chart.model import Entry, Part

_DIGITS = dict.fromkeys(map(ord, "0123456789"))
_BYTES_A_TOKEN = 4


def cost(text: str) -> int:
    """Tokens, roughly: four bytes of prose each, and one for every digit.

    Gemma's tokenizer, like most, averages four characters of English a token but cuts numbers into single digits. A
    chart is half dates and values: counting characters alone would promise twice the room there is.
    """
    digits = len(text) - len(text.translate(_DIGITS))
    return (len(text.encode("utf-8", "replace")) + (_BYTES_A_TOKEN - 1) * digits) // _BYTES_A_TOKEN + 1


@dataclass(frozen=True, slots=True)
class Share:
    """A part, its weight among the others, and whether its first line is shown even when no room is left."""

    part: Part
    weight: int = 1
    asked: bool = False


@dataclass(frozen=True, slots=True)
class Filled:
    """What of a part found room."""

    part: Part
    entries: tuple[Entry, ...]

    @property
    def cost(self) -> int:
        return cost(self.part.heading.title) + sum(cost(entry.text) for entry in self.entries)

    @property
    def shown(self) -> int:
        return sum(not entry.own_words for entry in self.entries)


def whole(part: Part) -> Filled:
    """Every entry, whatever it takes."""
    return Filled(part, tuple(part.entries))


def fill(shares: Sequence[Share], room: int) -> list[Filled]:
    """In order, each part gets its share of what is left; what nobody needed goes once more through all of them."""
    shelves = [_Shelf(share) for share in shares]
    weight = sum(share.weight for share in shares)
    for shelf in shelves:
        room -= shelf.take(max(0, room) * shelf.share.weight // weight)
        weight -= shelf.share.weight
    for shelf in shelves:
        room -= shelf.take(room)
    return [Filled(shelf.share.part, tuple(shelf.taken)) for shelf in shelves]


class _Shelf:
    """A part being filled. It stops at the first entry that does not fit, so that what is shown has no holes."""

    def __init__(self, share: Share) -> None:
        self.share = share
        self.taken: list[Entry] = []
        self._entries = iter(share.part.entries)
        self._next = next(self._entries, None)

    def take(self, room: int) -> int:
        """Takes what fits, and says how much room it took."""
        used = 0
        while self._next is not None:
            needed = cost(self._next.text) + (0 if self.taken else cost(self.share.part.heading.title))
            owed = self.share.asked and not self.taken
            if used + needed > room and not owed:
                break
            used += needed
            self.taken.append(self._next)
            self._next = next(self._entries, None)
        return used
