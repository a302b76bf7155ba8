"""Entities as the rules find them."""

from __future__ import annotations

from dataclasses import dataclass

from docgemma.terminology.contract import EntityType


@dataclass(frozen=True, slots=True)
class Extracted:
    """One entity: `text` is the criterion from `start` to `end`; `search_term` is the standard term to look up."""

    text: str
    start: int
    end: int
    entity_type: EntityType
    search_term: str


@dataclass(frozen=True, slots=True)
class Found:
    """Words `first` up to and without `last`. Type None: words that must not become an entity.

    Where two overlap the longer one stands; of equal ones the higher rank: 3 structure, 2 tables and index, 1 a head.
    """

    first: int
    last: int
    type: EntityType | None
    term: str = ""
    rank: int = 1

    @property
    def size(self) -> int:
        return self.last - self.first

    def holds(self, place: int) -> bool:
        return self.first <= place < self.last
