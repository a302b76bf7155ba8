"""An index file opened for reading: in milliseconds, by any number of processes."""

from __future__ import annotations

import json
from array import array
from bisect import bisect_right
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docgemma.errors import Unavailable
from docgemma.store.snapshot import Damaged, reading
from docgemma.terminology.contract import ENTITY_TYPES, About, EntityType
from docgemma.terminology.index.layout import EXACT, FORMAT, SHARES, WHAT, hashed, unpacked


@dataclass(frozen=True, slots=True)
class Entry:
    """A concept as the index keeps it."""

    number: int
    display: str
    type: EntityType
    ontology: str
    cui: str | None
    snomed_code: str | None
    ids: dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Word:
    """A stem: in how many names it is, how safely it may be left out, and which others stand for it."""

    seen: int
    left_out: float | None
    near: tuple[tuple[str, float], ...]


_MOST_WORDS = 50_000
_MOST_POSTED = 250_000
"""Kept in memory between searches, about 100 bytes each: the same common words come again and again."""


class Index:
    """Look-ups in one file. Use it from one thread at a time."""

    def __init__(self, path: Path) -> None:
        self._open = ExitStack()
        self._handle = self._open.enter_context(reading(path, WHAT))
        self._meta: dict[str, Any] = dict(self._handle.each("SELECT key, value FROM meta"))
        if self._meta.get("format") != FORMAT:
            self.close()
            raise Unavailable("The terminology index was made by another version. Run `docgemma terms build` again.")
        self._ontologies: list[str] = json.loads(self._meta["ontologies"])
        self._firsts: array[int] = unpacked(self._meta.pop("firsts"))
        self._posted: dict[str, dict[int, int]] = {}
        self._held = 0
        self._words: dict[str, Word] = {}
        self._weak = frozenset(unpacked(self._meta.pop("weak")))

    def close(self) -> None:
        self._open.close()

    @property
    def names(self) -> int:
        """How many names there are."""
        return int(self._meta["names"])

    def about(self) -> About:
        return About(
            back_end="embedded",
            version=self._meta["version"],
            concepts=self._meta["concepts"],
            names=self._meta["names"],
            sources=tuple(json.loads(self._meta["sources"])),
            notices=tuple(json.loads(self._meta["notices"])),
        )

    def named(self, key: str, family: str = EXACT) -> array[int]:
        """The names with this key, as numbers."""
        row = self._handle.row("SELECT names FROM key WHERE hash = ?", (hashed(key, family),))
        return unpacked(row[0]) if row is not None else array("I")

    def concept_of(self, name: int) -> int:
        return bisect_right(self._firsts, name) - 1

    def size(self, concept: int) -> int:
        """How many names a concept has."""
        end = self._firsts[concept + 1] if concept + 1 < len(self._firsts) else self.names
        return end - self._firsts[concept]

    def names_of(self, concept: int) -> list[str]:
        """All names of a concept, the preferred one first."""
        first = self._firsts[concept]
        return [self.name(number) for number in range(first, first + self.size(concept))]

    def preferred(self, name: int) -> bool:
        return self._firsts[self.concept_of(name)] == name

    def weak(self, name: int) -> bool:
        return name in self._weak

    def name(self, number: int) -> str:
        row = self._handle.row("SELECT text FROM name WHERE id = ?", (number,))
        if row is None:
            raise Damaged(f"The {WHAT} is damaged, or was not made by DocGemma.")
        return str(row[0])

    def word(self, stem: str) -> Word:
        """What is known of a stem; one that no name has was seen 0 times."""
        held = self._words.get(stem)
        if held is None:
            row = self._handle.row("SELECT seen, left_out, near FROM word WHERE hash = ?", (hashed(stem),))
            if row is None:
                held = Word(0, None, ())
            else:
                pairs = (pair.rsplit(":", 1) for pair in row[2].split())
                left_out = None if row[1] is None else row[1] / SHARES
                held = Word(row[0], left_out, tuple((other, float(share)) for other, share in pairs))
            if len(self._words) >= _MOST_WORDS:
                self._words.clear()
            self._words[stem] = held
        return held

    def posted(self, stem: str) -> Mapping[int, int]:
        """The names that have this stem, with how many stems each has. Shared: do not change it."""
        held = self._posted.get(stem)
        if held is None:
            row = self._handle.row("SELECT names, sizes FROM posting WHERE hash = ?", (hashed(stem),))
            held = {} if row is None else dict(zip(unpacked(row[0]), row[1], strict=True))
            self._held += len(held)
            if self._held > _MOST_POSTED:
                self._posted.clear()
                self._held = len(held)
            self._posted[stem] = held
        return held

    def spelt(self, bucket: str) -> list[str]:
        """The stems in one bucket of like spelling."""
        row = self._handle.row("SELECT words FROM spelling WHERE hash = ?", (hashed(bucket),))
        return [] if row is None else str(row[0]).split(" ")

    def entry(self, number: int) -> Entry:
        row = self._handle.row("SELECT display, type, ontology, cui, snomed, ids FROM concept WHERE id = ?", (number,))
        if row is None:
            raise Damaged(f"The {WHAT} is damaged, or was not made by DocGemma.")
        display, kind, ontology, cui, snomed, ids = row
        systems = {system: tuple(values) for system, values in json.loads(ids).items()}
        return Entry(number, display, ENTITY_TYPES[kind], self._ontologies[ontology], cui, snomed, systems)


def open_index(path: Path) -> Index:
    """The index in this file."""
    if not path.is_file():
        raise Unavailable("There is no terminology index there. Run `docgemma terms build`.")
    return Index(path)
