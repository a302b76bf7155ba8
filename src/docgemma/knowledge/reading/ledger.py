"""What was said under an id, and where: 24 bytes for each, because a million of them must fit on a small laptop."""

from __future__ import annotations

import hashlib
from array import array

_FIRST = 1 << 12
_ROW_BITS = 40
_ROW = (1 << _ROW_BITS) - 1


class Ledger:
    """An open table of hashes. A dictionary of the same would take ten times the memory."""

    def __init__(self) -> None:
        self._files: list[str] = []
        self._count = 0
        self._ids, self._said, self._places = _zeros(_FIRST), _zeros(_FIRST), _zeros(_FIRST)

    def seen(self, name: str, digest: str, file: str, row: int) -> str | None:
        """None for an id that is new, and now noted; "" when it said the same before; else the place where not."""
        key, said = _hash(name), _hash(digest)
        slot = self._slot(key)
        if self._ids[slot]:
            place = self._places[slot]
            return "" if self._said[slot] == said else f"{self._files[place >> _ROW_BITS]}:{place & _ROW}"
        if not self._files or self._files[-1] != file:
            self._files.append(file)
        self._put(slot, key, said, (len(self._files) - 1) << _ROW_BITS | row)
        self._count += 1
        if self._count * 3 > len(self._ids) * 2:
            self._grow()
        return None

    def _slot(self, key: int) -> int:
        """Where this key stands, or would."""
        last = len(self._ids) - 1
        slot = key & last
        while self._ids[slot] not in (0, key):
            slot = (slot + 1) & last
        return slot

    def _put(self, slot: int, key: int, said: int, place: int) -> None:
        self._ids[slot], self._said[slot], self._places[slot] = key, said, place

    def _grow(self) -> None:
        old = self._ids, self._said, self._places
        size = 2 * len(self._ids)
        self._ids, self._said, self._places = _zeros(size), _zeros(size), _zeros(size)
        for key, said, place in zip(*old, strict=True):
            if key:
                self._put(self._slot(key), key, said, place)


def _zeros(size: int) -> array[int]:
    return array("Q", bytes(8 * size))


def _hash(text: str) -> int:
    """Never 0, which is an empty place."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest()) or 1
