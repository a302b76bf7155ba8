"""How an entry lies in an index, the same in both engines: the names of things, and what may be found in a scope."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from math import isfinite
from uuid import UUID

from docgemma.errors import Conflict, Unavailable
from docgemma.knowledge.index.contract import Document, Hit, Scope, Version, Words
from docgemma.store.snapshot import Damaged

WORDS, MEANING = "words", "meaning"
ID = "id"
FILTERED = ("role", "language", "topic", "subtopic")
"""Payload keys that a scope asks for; each has an index of its own."""

MOST_HITS = 200
EXACT_UP_TO = 10_000
"""Entries that are compared one by one: nothing is missed, and 100,000 would cost 20 ms a question. Above it a graph
takes 3 ms, found as much on `bench/knowledge`, and takes several times as long to build."""

Conditions = tuple[tuple[str, tuple[str, ...]], ...]
"""All of them hold: this key has one of these values."""


def point_id(entry: str) -> str:
    """The engines take numbers and UUIDs only. Made from the entry's id, so that a hit's payload can be held to it."""
    return str(UUID(bytes=hashlib.sha256(entry.encode()).digest()[:16]))


def payload_of(document: Document) -> dict[str, str]:
    return {
        ID: document.id,
        "role": document.role,
        "language": document.language,
        "topic": document.topic,
        "subtopic": document.subtopic,
    }


def conditions(scope: Scope) -> Conditions:
    """What a hit must have. Role and language are always among it, whatever else the scope leaves open."""
    asked = [("role", scope.roles), ("language", (scope.language,))]
    if scope.topic:
        asked.append(("topic", (scope.topic,)))
    if scope.subtopic:
        asked.append(("subtopic", (scope.subtopic,)))
    return tuple(asked)


def sparse(words: Words) -> tuple[list[int], list[float]]:
    """Numbers and weights, in the order of the numbers. A word without weight is none."""
    kept = sorted((word, float(weight)) for word, weight in words.items() if weight)
    return [word for word, _ in kept], [weight for _, weight in kept]


def hit(point: str, score: float, payload: Mapping[str, object] | None, scope: Scope) -> Hit:
    """One hit, held against its scope once more: what an engine with damaged files returns is shown to nobody."""
    found = payload or {}
    entry = found.get(ID)
    if not isinstance(entry, str) or point_id(entry) != point or not isfinite(score):
        raise damaged()
    if any(found.get(key) not in allowed for key, allowed in conditions(scope)):
        raise damaged()
    return Hit(entry, score)


def measured(meaning: Sequence[float], dimensions: int) -> None:
    """A meaning of another length is another embedder's: comparing the two would rank by chance."""
    if len(meaning) != dimensions:
        raise Unavailable("The knowledge index was made with another embedder. Run `docgemma kb index`.")


def counted(seen: int, version: Version) -> None:
    """An index that lacks entries without saying so is worse than none."""
    if seen != version.entries:
        raise Conflict(
            f"The library changed while it was being indexed: {version.entries} entries were announced, {seen} came. "
            "Run `docgemma kb index` again."
        )


def damaged() -> Damaged:
    return Damaged("The knowledge index is damaged: run `docgemma kb index`.")
