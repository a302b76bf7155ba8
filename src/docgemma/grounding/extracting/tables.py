"""The tables behind the rules, read once. A clinician can read and correct them without reading code."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import cast

from docgemma.terminology.contract import ENTITY_TYPES, EntityType
from docgemma.terminology.linking.tables import rows, word_list
from docgemma.terminology.linking.words import phrase_key

PACKAGE = "docgemma.grounding.extracting"
NO_ENTITY = "-"
_EXACT = "="


def listed(name: str) -> frozenset[str]:
    """One of this package's word lists, by key."""
    return word_list(name, PACKAGE)


@dataclass(frozen=True, slots=True)
class Phrase:
    """What a listed phrase is: an entity of a type, or (type None) words that look like one and are not."""

    type: EntityType | None
    term: str


@dataclass(frozen=True, slots=True)
class Phrases:
    """Phrases by key, and those that count only as they are written ("ER", "falls")."""

    by_key: dict[str, Phrase]
    written: dict[str, Phrase]
    longest: int


@cache
def phrases() -> Phrases:
    by_key: dict[str, Phrase] = {}
    written: dict[str, Phrase] = {}
    for row in rows("phrases", PACKAGE):
        kind, name, term = (*row, "")[:3]
        phrase = Phrase(_type(kind), term)
        if name.startswith(_EXACT):
            written[name.removeprefix(_EXACT)] = phrase
        else:
            by_key[phrase_key(name)] = phrase
    return Phrases(by_key, written, max(len(key.split()) for key in by_key))


@dataclass(frozen=True, slots=True)
class Head:
    """A word that ends the name of an entity. `alone`: it is an entity without a word before it."""

    type: EntityType
    alone: bool


@dataclass(frozen=True, slots=True)
class Heads:
    words: dict[str, Head]
    endings: dict[str, Head]

    def of(self, key: str) -> Head | None:
        """By the word, else by its ending: "-itis", "-ectomy", "-mab"."""
        head = self.words.get(key)
        if head is not None or key in listed("not_heads"):
            return head
        for size in range(min(_LONGEST_ENDING, len(key) - _SHORTEST_STEM), _SHORTEST_ENDING - 1, -1):
            head = self.endings.get(key[-size:])
            if head is not None:
                return head
        return None


_LONGEST_ENDING = 10
_SHORTEST_ENDING = 3
_SHORTEST_STEM = 2


@cache
def heads() -> Heads:
    words: dict[str, Head] = {}
    endings: dict[str, Head] = {}
    for name, kind, alone in rows("heads", PACKAGE):
        head = Head(cast(EntityType, kind), alone == "yes")
        if name.startswith("-"):
            endings[name[1:]] = head
        else:
            words[phrase_key(name)] = head
    return Heads(words, endings)


def _type(kind: str) -> EntityType | None:
    if kind == NO_ENTITY:
        return None
    if kind not in ENTITY_TYPES:
        raise ValueError(f"phrases.tsv has the unknown type {kind!r}")
    return kind
