"""What the linker asks an index: does this key name anything, and what kind of thing?

A criterion of thirty words is some two hundred questions, and the words of criteria repeat: answers are remembered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from rapidfuzz.distance import OSA

from docgemma.terminology.contract import EntityType
from docgemma.terminology.index.layout import BAG
from docgemma.terminology.index.opening import Index
from docgemma.terminology.linking.words import phrase_key
from docgemma.terminology.names.stems import stem
from docgemma.terminology.search.alternatives import slips

_CORE = "CORE"
_REMEMBERED = 100_000
_VERY_LONG = 12
_A_WORD = 2
"""Names with a word in them, from which on the word is one. A slip may have got into a single name."""
_MOST_NAMES = 12
"""A key that more names share than this is too ambiguous to be read in full; the first ones are the better ones."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a key may stand for, best first: types, and beside each the name as the vocabulary writes it."""

    types: tuple[EntityType, ...]
    names: tuple[str, ...]
    core: bool = False
    """The verified core has it: even a short name may be trusted."""

    def type_of(self, text: str) -> EntityType:
        """The best sense; of a name written just so, if there is one: "EGFR" is a gene and "eGFR" is a measurement."""
        written = [kind for kind, name in zip(self.types, self.names, strict=True) if name == text]
        return written[0] if written else self.types[0]


class Lexicon(Protocol):
    """Names by key."""

    def known(self, key: str) -> Known | None: ...

    def meant(self, key: str, *, proper: bool = False) -> str | None:
        """The name that a long unknown word is a misspelling of, if there is just one that is near.

        `proper`: it is written like a proper name, so that brands are near too.
        """
        ...


class IndexLexicon:
    """An index file as a lexicon. Names that the index calls weak count only where the core has them."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._remembered = lru_cache(maxsize=_REMEMBERED)(self._asked)
        self._respelt = lru_cache(maxsize=_REMEMBERED)(self._near)

    def known(self, key: str) -> Known | None:
        return self._remembered(key)

    def meant(self, key: str, *, proper: bool = False) -> str | None:
        return self._respelt(key, proper)

    def _near(self, key: str, proper: bool) -> str | None:
        """By words of like spelling; the first letter and all but one letter (two in a very long word) must agree.

        A word that names are made of is spelled as it should be: "dysplasia" is no slip of "dysphasia".
        """
        index, own = self._index, stem(key)
        slipped = [] if index.word(own).seen >= _A_WORD else [other for other, _ in slips(index, own)]
        stems = [own, *slipped]
        texts = {
            index.name(name)
            for one in stems
            for name in index.named(one, BAG)[:_MOST_NAMES]
            if proper or index.preferred(name) or index.entry(index.concept_of(name)).type == "Condition"
        }
        allowed = 2 if len(key) >= _VERY_LONG else 1
        near = sorted(
            (OSA.distance(key, plain), text)
            for text in texts
            if (plain := phrase_key(text))[:1] == key[:1] and " " not in plain and OSA.distance(key, plain) <= allowed
        )
        return near[0][1] if near and self.known(phrase_key(near[0][1])) is not None else None

    def _asked(self, key: str) -> Known | None:
        index = self._index
        ranked: list[tuple[bool, bool, EntityType, str]] = []
        for name in index.named(key)[:_MOST_NAMES]:
            entry = index.entry(index.concept_of(name))
            core = entry.ontology == _CORE
            if core or not index.weak(name):
                ranked.append((not core, not index.preferred(name), entry.type, index.name(name)))
        if not ranked:
            return None
        ranked.sort(key=lambda row: row[:2])
        return Known(tuple(row[2] for row in ranked), tuple(row[3] for row in ranked), not ranked[0][0])


class ListedLexicon:
    """A lexicon from a plain mapping of keys: for terms of one's own, and for trying the linker without an index."""

    def __init__(self, entries: Mapping[str, Known]) -> None:
        self._entries = dict(entries)

    @classmethod
    def of(cls, names: Iterable[tuple[str, EntityType]]) -> ListedLexicon:
        return cls({phrase_key(name): Known((kind,), (name,), True) for name, kind in names})

    def known(self, key: str) -> Known | None:
        return self._entries.get(key)

    def meant(self, key: str, *, proper: bool = False) -> str | None:
        return None
