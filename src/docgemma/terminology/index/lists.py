"""The lists of an index: which names have a stem, what is known of it, and which stems are spelt alike."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterator

from docgemma.store.snapshot import Handle
from docgemma.terminology.index.layout import LONGEST_POSTED, SHARES, buckets, hashed, packed
from docgemma.terminology.index.learning import Bag, Learnt, learn

_LEAST_SPELT = 5
"""Shorter words are not corrected: too many others are one letter away."""


def write_lists(handle: Handle, bags: list[Bag], firsts: list[int]) -> None:
    """From the bag of each name; `firsts` says where the names of each concept begin."""
    ends = [*firsts[1:], len(bags)]
    learnt = learn([set(bags[first:end]) for first, end in zip(firsts, ends, strict=True)])
    names, sizes = _posted(bags, firsts)
    ordered = sorted((hashed(stem), stem) for stem in names)
    lists = ((key, packed(names[stem]), bytes(sizes[stem])) for key, stem in ordered)
    handle.many("INSERT INTO posting VALUES (?, ?, ?)", lists)
    known = ((key, len(names[stem]), _left_out(learnt, stem), _near(learnt, stem)) for key, stem in ordered)
    handle.many("INSERT INTO word VALUES (?, ?, ?, ?)", known)
    handle.many("INSERT INTO spelling VALUES (?, ?)", _spelling(sorted(names)))


def _posted(bags: list[Bag], firsts: list[int]) -> tuple[dict[str, array[int]], dict[str, bytearray]]:
    """The names of each stem and their sizes. Of the names of a concept with the same stems only the first counts."""
    names: dict[str, array[int]] = defaultdict(lambda: array("I"))
    sizes: dict[str, bytearray] = defaultdict(bytearray)
    starts = set(firsts)
    seen: set[Bag] = set()
    for number, bag in enumerate(bags):
        if number in starts:
            seen = set()
        if len(bag) <= LONGEST_POSTED and bag not in seen:
            seen.add(bag)
            for stem in bag:
                names[stem].append(number)
                sizes[stem].append(len(bag))
    return names, sizes


def _left_out(learnt: Learnt, stem: str) -> int | None:
    share = learnt.left_out.get(stem)
    return None if share is None else round(share * SHARES)


def _near(learnt: Learnt, stem: str) -> str:
    return " ".join(f"{other}:{share:.3f}" for other, share in learnt.near.get(stem, ()))


def _spelling(stems: list[str]) -> Iterator[tuple[int, str]]:
    alike: dict[int, list[str]] = defaultdict(list)
    for stem in stems:
        if len(stem) >= _LEAST_SPELT and stem.isalpha():
            for bucket in buckets(stem):
                alike[hashed(bucket)].append(stem)
    return ((key, " ".join(words)) for key, words in sorted(alike.items()))
