"""Concepts in, one index file out."""

from __future__ import annotations

import json
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from pathlib import Path

from docgemma.store.snapshot import Handle, making
from docgemma.terminology.contract import ENTITY_TYPES, Concept
from docgemma.terminology.index.learning import learn
from docgemma.terminology.index.layout import BAG, EXACT, FORMAT, LONGEST_POSTED, SQUEEZED, TABLES, WHAT, buckets, hashed, packed
from docgemma.terminology.names.keys import words
from docgemma.terminology.names.stems import SMALL_WORDS, stem

Told = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and of how much."""


def compile_index(concepts: Iterable[Concept], path: Path, told: Told = lambda what, done, of: None, *, sources=(), notices=()) -> None:
    """Write the index beside `path` and put it in place when it is whole: a reader never sees half of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(path.name + ".part")
    with making(half, WHAT) as handle:
        for table in TABLES:
            handle.execute(table)
        _Writing(handle, told).write(list(concepts), sources, notices)
    half.replace(path)


class _Writing:
    def __init__(self, handle: Handle, told: Told) -> None:
        self._handle = handle
        self._told = told
        self._keys: dict[int, list[int] | int] = {}
        self._bags: list[tuple[str, ...]] = []

    def write(self, concepts: list[Concept], sources, notices) -> None:
        digest = blake2b(digest_size=16)
        ontologies = sorted({concept.ontology for concept in concepts})
        firsts: list[int] = []
        number = 0
        weak: list[int] = []
        rows, names = [], []
        for place, concept in enumerate(concepts):
            firsts.append(number)
            ids = json.dumps({system: list(values) for system, values in concept.ids.items()}, separators=(",", ":"))
            row = (place, concept.display, ENTITY_TYPES.index(concept.type), ontologies.index(concept.ontology), concept.cui, concept.snomed_code, ids)
            rows.append(row)
            unique = dict.fromkeys((concept.display, *concept.names))
            digest.update(repr((row[1:], sorted(concept.weak), list(unique))).encode())
            for name in unique:
                names.append((number, name))
                if name in concept.weak:
                    weak.append(number)
                self._name(number, name)
                number += 1
            if place % 5000 == 0:
                self._told("names", place, len(concepts))
        self._handle.many("INSERT INTO concept VALUES (?,?,?,?,?,?,?)", rows)
        self._handle.many("INSERT INTO name VALUES (?,?)", names)
        self._handle.many("INSERT INTO key VALUES (?,?)", ((h, packed((v,) if isinstance(v, int) else v)) for h, v in sorted(self._keys.items())))
        self._words(firsts)
        meta = {"format": FORMAT, "version": digest.hexdigest(), "concepts": len(concepts), "names": number,
                "ontologies": json.dumps(ontologies), "sources": json.dumps(list(sources) or ontologies), "notices": json.dumps(list(notices)),
                "firsts": packed(firsts), "weak": packed(weak)}
        self._handle.many("INSERT INTO meta VALUES (?,?)", meta.items())

    def _name(self, number: int, name: str) -> None:
        parts = words(name)
        exact = " ".join(parts)
        self._put(hashed(exact, EXACT), number)
        if len(parts) > 1:
            self._put(hashed("".join(parts), SQUEEZED), number)
        kept = tuple(sorted({stem(part) for part in parts if part not in SMALL_WORDS} or set(parts)))
        self._put(hashed(" ".join(kept), BAG), number)
        self._bags.append(kept)

    def _words(self, firsts: list[int]) -> None:
        ends = [*firsts[1:], len(self._bags)]
        learnt = learn([set(self._bags[first:end]) for first, end in zip(firsts, ends, strict=True)])
        self._told("learnt", 1, 1)
        postings: dict[str, array[int]] = {}
        sizes: dict[str, bytearray] = {}
        starts = set(firsts)
        posted: set[tuple[str, ...]] = set()
        for number, bag in enumerate(self._bags):
            if number in starts:
                posted = set()
            if len(bag) <= LONGEST_POSTED and bag not in posted:
                posted.add(bag)
                for word in bag:
                    if word not in postings:
                        postings[word] = array("I")
                        sizes[word] = bytearray()
                    postings[word].append(number)
                    sizes[word].append(len(bag))
        rows = sorted((hashed(word), word) for word in postings)
        self._handle.many("INSERT INTO posting VALUES (?,?,?)", ((h, packed(postings[w]), bytes(sizes[w])) for h, w in rows))
        self._handle.many("INSERT INTO word VALUES (?,?,?,?)", ((h, len(postings[w]), learnt.left_out.get(w), " ".join(f"{n}:{s:.3f}" for n, s in learnt.near.get(w, ()))) for h, w in rows))
        near: dict[int, list[str]] = defaultdict(list)
        for word in postings:
            if len(word) >= 5 and word.isalpha():
                for bucket in buckets(word):
                    near[hashed(bucket)].append(word)
        self._handle.many("INSERT INTO spelling VALUES (?,?)", ((h, " ".join(w)) for h, w in sorted(near.items())))

    def _put(self, key: int, number: int) -> None:
        held = self._keys.get(key)
        if held is None:
            self._keys[key] = number
        elif isinstance(held, int):
            self._keys[key] = [held, number]
        else:
            held.append(number)
