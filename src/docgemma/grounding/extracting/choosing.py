"""One entity for every word: where finds overlap the longer one stands, then the more certain one."""

from __future__ import annotations

from collections.abc import Sequence

from docgemma.grounding.extracting.model import Found


def chosen(found: Sequence[Found], count: int) -> list[Found]:
    """The finds that stand, in order, those that are no entity among them."""
    taken = bytearray(count)
    kept = []
    for one in sorted(found, key=_order):
        if not any(taken[one.first : one.last]):
            taken[one.first : one.last] = b"\x01" * one.size
            kept.append(one)
    return sorted(kept, key=lambda one: one.first)


def _order(one: Found) -> tuple[int, int, int, int, str]:
    return (-one.size, -one.rank, one.first, one.last, one.type or "")
