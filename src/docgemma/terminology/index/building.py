"""Concepts in, one index file out."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

from docgemma.store.snapshot import Handle, making
from docgemma.terminology.contract import ENTITY_TYPES, Concept
from docgemma.terminology.index.layout import BAG, EXACT, FORMAT, SQUEEZED, TABLES, WHAT, hashed, packed
from docgemma.terminology.index.learning import Bag
from docgemma.terminology.index.lists import write_lists
from docgemma.terminology.names.keys import words
from docgemma.terminology.names.stems import bag_of

Told = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and of how much."""
_TOLD_EVERY = 5_000


def _quietly(what: str, done: int, of: int) -> None:
    pass


def compile_index(
    concepts: Iterable[Concept],
    path: Path,
    told: Told = _quietly,
    *,
    sources: Sequence[str] = (),
    notices: Sequence[str] = (),
) -> None:
    """Write the index beside `path` and put it in place when it is whole: a reader never sees half of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(path.name + ".part")
    with _without_collecting():
        every = list(concepts)
        numbered = _Numbered(every)
        for place, concept in enumerate(every):
            numbered.add(concept)
            if place % _TOLD_EVERY == 0:
                told("names", place, len(every))
        with making(half, WHAT) as handle:
            for table in TABLES:
                handle.execute(table)
            told("keys", 0, 1)
            numbered.write(handle, sources, notices)
            told("words", 0, 1)
            write_lists(handle, numbered.bags, numbered.firsts)
    half.replace(path)
    told("done", 1, 1)


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Millions of small objects are made and none is a cycle: looking for cycles would take half of the time."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


class _Numbered:
    """Every concept and every name with its number, and the keys of the names."""

    def __init__(self, concepts: list[Concept]) -> None:
        self.firsts: list[int] = []
        self.bags: list[Bag] = []
        self._ontologies = sorted({concept.ontology for concept in concepts})
        self._rows: list[tuple[int, str, int, int, str | None, str | None, str]] = []
        self._names: list[str] = []
        self._weak: list[int] = []
        self._keys: dict[int, int | list[int]] = {}
        self._digest = blake2b(digest_size=16)

    def add(self, concept: Concept) -> None:
        self.firsts.append(len(self._names))
        ids = json.dumps({system: list(values) for system, values in concept.ids.items()}, separators=(",", ":"))
        kind, ontology = ENTITY_TYPES.index(concept.type), self._ontologies.index(concept.ontology)
        row = (len(self._rows), concept.display, kind, ontology, concept.cui, concept.snomed_code, ids)
        names = dict.fromkeys((concept.display, *concept.names))
        self._digest.update(repr((row[1:], concept.ontology, sorted(concept.weak), list(names))).encode())
        self._rows.append(row)
        for name in names:
            if name in concept.weak:
                self._weak.append(len(self._names))
            self._key(name)
            self._names.append(name)

    def _key(self, name: str) -> None:
        number = len(self._names)
        parts = words(name)
        stems = bag_of(parts)
        self.bags.append(stems)
        self._put(hashed(" ".join(parts), EXACT), number)
        self._put(hashed(" ".join(stems), BAG), number)
        if len(parts) > 1:
            self._put(hashed("".join(parts), SQUEEZED), number)

    def _put(self, key: int, number: int) -> None:
        held = self._keys.get(key)
        if held is None:
            self._keys[key] = number
        elif isinstance(held, int):
            self._keys[key] = [held, number]
        else:
            held.append(number)

    def write(self, handle: Handle, sources: Sequence[str], notices: Sequence[str]) -> None:
        handle.many("INSERT INTO concept VALUES (?, ?, ?, ?, ?, ?, ?)", self._rows)
        handle.many("INSERT INTO name VALUES (?, ?)", enumerate(self._names))
        handle.many("INSERT INTO key VALUES (?, ?)", self._packed_keys())
        meta: dict[str, str | int | bytes] = {
            "format": FORMAT,
            "version": self._digest.hexdigest(),
            "concepts": len(self._rows),
            "names": len(self._names),
            "ontologies": json.dumps(self._ontologies),
            "sources": json.dumps(list(sources) or self._ontologies),
            "notices": json.dumps(list(notices)),
            "firsts": packed(self.firsts),
            "weak": packed(self._weak),
        }
        handle.many("INSERT INTO meta VALUES (?, ?)", meta.items())

    def _packed_keys(self) -> Iterator[tuple[int, bytes]]:
        """In the order of the keys, which is the order on disk."""
        for key in sorted(self._keys):
            held = self._keys[key]
            yield key, held.to_bytes(4, "little") if isinstance(held, int) else packed(held)
