"""What the names of an index teach about words: which may be left out, and which stand for each other.

Two names of one concept that differ in a single word show that the words mean the same there (kidney, renal); two
names of different concepts that differ so show the contrary (kidney, lung). The same counts for leaving a word out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

Bag = tuple[str, ...]

LONGEST_BAG = 6
_LEAST_SEEN = 2
_LEAST_SHARE = 0.15
_MOST_NEAR = 12
_MOST_WORDS_HELD = 12
"""A concept with more words than this in one place is a list of codes, not of synonyms."""


@dataclass(frozen=True, slots=True)
class Learnt:
    """Shares between 0 and 1: how often leaving a word out, or putting another in its place, kept the meaning."""

    left_out: dict[str, float]
    near: dict[str, tuple[tuple[str, float], ...]]


def learn(bags: list[set[Bag]]) -> Learnt:
    """From the bags of stems of each concept's names."""
    whole: dict[Bag, set[int]] = defaultdict(set)
    rest: dict[Bag, list[tuple[str, int]]] = defaultdict(list)
    for number, own in enumerate(bags):
        for bag in own:
            if len(bag) <= LONGEST_BAG:
                whole[bag].add(number)
                for place in range(len(bag)) if len(bag) > 1 else ():
                    rest[bag[:place] + bag[place + 1 :]].append((bag[place], number))
    left_out = _left_out(whole, rest)
    return Learnt(left_out, _near(rest))


def _left_out(whole: dict[Bag, set[int]], rest: dict[Bag, list[tuple[str, int]]]) -> dict[str, float]:
    same: Counter[str] = Counter()
    other: Counter[str] = Counter()
    for bag, words in rest.items():
        holders = whole.get(bag)
        if holders is not None:
            for word, number in words:
                (same if number in holders else other)[word] += 1
    return {word: (same[word] + 0.2) / (same[word] + other[word] + 4.0) for word in same | other}


def _near(rest: dict[Bag, list[tuple[str, int]]]) -> dict[str, tuple[tuple[str, float], ...]]:
    same: Counter[tuple[str, str]] = Counter()
    for words in rest.values():
        if len(words) > 1:
            same.update(_pairs_of_one_concept(words))
    partners: dict[str, set[str]] = defaultdict(set)
    for (one, two), seen in same.items():
        if seen >= _LEAST_SEEN:
            partners[one].add(two)
    other: Counter[tuple[str, str]] = Counter()
    for words in rest.values():
        if len(words) > 1:
            other.update(_pairs_of_different_concepts(words, partners))
    near: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for (one, two), seen in same.items():
        share = seen / (seen + other[one, two] + 2.0)
        if seen >= _LEAST_SEEN and share >= _LEAST_SHARE:
            near[one].append((two, share))
            near[two].append((one, share))
    return {
        word: tuple(sorted(found, key=lambda pair: (-pair[1], pair[0]))[:_MOST_NEAR]) for word, found in near.items()
    }


def _pairs_of_one_concept(words: list[tuple[str, int]]) -> Iterator[tuple[str, str]]:
    held: dict[int, list[str]] = defaultdict(list)
    for word, number in words:
        held[number].append(word)
    for together in held.values():
        if 1 < len(together) <= _MOST_WORDS_HELD:
            ordered = sorted(set(together))
            for place, one in enumerate(ordered):
                for two in ordered[place + 1 :]:
                    yield one, two


def _pairs_of_different_concepts(
    words: list[tuple[str, int]], partners: dict[str, set[str]]
) -> Iterator[tuple[str, str]]:
    holders: dict[str, set[int]] = defaultdict(set)
    for word, number in words:
        holders[word].add(number)
    for one, numbers in holders.items():
        for two in partners.get(one, set()) & holders.keys():
            if not numbers & holders[two]:
                yield one, two
