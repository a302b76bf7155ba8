"""What a word that stands for a drug may mean: a known name, shorthand, a disguise, a slip of the keyboard, or nothing.

Close spellings are suggestions for a person, never corrections: two drugs that differ in two letters are two drugs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from docgemma.entities.drugs.abbreviations import meaning
from docgemma.entities.drugs.disguise import disguises
from docgemma.entities.drugs.matcher import key, keys
from docgemma.entities.drugs.names import ingredients, listed_as, names, same_drug
from docgemma.entities.drugs.table import table

Kind = Literal["known", "shorthand", "near", "disguised", "unknown"]

_MOST = 3
_SHORTEST, _LONGEST = 5, 40
_CANDIDATES = 60
"""How many names that share the most letter triples are compared letter by letter."""

_FAR = 3.0
_LONG, _STEM = 10, 5
_VOWELS = frozenset("aeiouy")
_SOUNDS = (
    (re.compile(r"ph"), "f"),
    (re.compile(r"th"), "t"),
    (re.compile(r"rh"), "r"),
    (re.compile(r"ch(?=[lro])|ck|c(?![eiyh])|q"), "k"),
    (re.compile(r"c(?=[eiy])|z"), "s"),
    (re.compile(r"x"), "ks"),
    (re.compile(r"ae|oe"), "e"),
    (re.compile(r"y"), "i"),
    (re.compile(r"ou"), "u"),
    (re.compile(r"(.)\1{1,8}"), r"\1"),
    (re.compile(r"e\Z"), ""),
)


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a name was taken for. `name` is empty unless it is clear which drug is meant; then so are `ingredients`."""

    kind: Kind
    name: str = ""
    ingredients: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()


def resolve(name: str) -> Resolution:
    """Look a drug name up. Only `known` may be written; `disguised` and `near` are questions to ask back."""
    parts = ingredients(name)
    if parts:
        return Resolution("known", listed_as(name) or " ".join(name.lower().split()), parts)
    drug = meaning(name.strip())
    if drug:
        return Resolution("shorthand", drug, ingredients(drug))
    behind = disguises(name)
    if len(behind) == 1 and behind[0].text == name.strip():
        drug = behind[0].value
        return Resolution("disguised", drug, ingredients(drug), (drug,))
    close = near_misses(name)
    return Resolution("near", suggestions=close) if close else Resolution("unknown")


def near_misses(word: str) -> tuple[str, ...]:
    """Up to three drugs whose names are written or sound almost like this; none for a known name or a short word."""
    low = key(word)
    if (
        not _SHORTEST <= len(low) <= _LONGEST
        or low in keys()
        or low in _everyday()
        or not low.replace(" ", "").isalpha()
    ):
        return ()
    distances = {name: _distance(low, name) for name in _alike(low)}
    distances |= {name: min(1.0, distances.get(name, 1.0)) for name in _by_sound().get(_sound(low), ())}
    close = [name for name, distance in distances.items() if name in _daily() and distance <= _reach(low, name)]
    if not close:  # a rare name is suggested only where hardly anything is wrong with it
        close = [name for name, distance in distances.items() if distance <= 1 and len(name) > 6 and name[0] == low[0]]
    ordered = sorted(close, key=lambda name: (distances[name], _is_brand(name), name))
    return _with_partners(_one_each(keys()[name] for name in ordered))


def look_alikes(name: str) -> tuple[str, ...]:
    """Drugs that this one is taken for on paper or by ear, by the shipped table; also for its brands and salts."""
    return tuple(
        other for one, other in _pairs() if one == key(name) or (same_drug(one, name) and not same_drug(other, name))
    )


@cache
def _pairs() -> tuple[tuple[str, str], ...]:
    text = files("docgemma.entities").joinpath("data/look_alikes.csv").read_text(encoding="utf-8")
    pairs = [line.split(",") for line in text.splitlines() if line and not line.startswith("#")]
    return tuple(sorted({pair for one, other in pairs for pair in ((one, other), (other, one))}))


@cache
def _everyday() -> frozenset[str]:
    """Words of plain English and of the ward that are spelled almost like a drug."""
    text = files("docgemma.entities").joinpath("data/everyday_words.txt").read_text(encoding="utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())


@cache
def _daily() -> frozenset[str]:
    """Names that clinicians use daily."""
    return frozenset(key(name) for name in table().common)


@cache
def _triples() -> dict[str, list[str]]:
    index: dict[str, list[str]] = {}
    for name in keys():
        if len(name) >= _SHORTEST - 1:
            for triple in _cut(name):
                index.setdefault(triple, []).append(name)
    return index


@cache
def _by_sound() -> dict[str, list[str]]:
    index: dict[str, list[str]] = {}
    for name in keys():
        if len(name) > _SHORTEST:
            index.setdefault(_sound(name), []).append(name)
    return index


def _alike(low: str) -> list[str]:
    """Names that share letter triples, most first. A slip spoils at most three or four of them."""
    shared: Counter[str] = Counter()
    for triple in _cut(low):
        shared.update(_triples().get(triple, ()))
    return [name for name, _ in shared.most_common(_CANDIDATES)]


def _cut(name: str) -> set[str]:
    padded = f"  {name} "
    return {padded[place : place + 3] for place in range(len(padded) - 2)}


def _sound(name: str) -> str:
    for pattern, replacement in _SOUNDS:
        name = pattern.sub(replacement, name)
    return name


def _reach(low: str, name: str) -> float:
    """How many slips are still the same name: more in a long one, fewer in a brand, which is often a made-up word."""
    if name[0] not in low[:2] and low[0] not in name[:2]:
        return 1 if _sound(name) == _sound(low) else 0
    if len(low) >= _LONG and low[:_STEM] == name[:_STEM]:  # "ciproflaxin": a long name that is lost in its middle
        return 1.5 if _is_brand(name) else 2.5
    return 1 if len(low) < 8 else 1.5 if _is_brand(name) else 2


def _is_brand(name: str) -> bool:
    spelled = keys()[name]
    return names()[spelled] != (spelled,)


def _one_each(ordered: Iterable[str]) -> list[str]:
    """The best name of each drug."""
    best: dict[frozenset[str], str] = {}
    for name in ordered:
        best.setdefault(frozenset(names()[name]), name)
    return list(best.values())


def _with_partners(ordered: list[str]) -> tuple[str, ...]:
    """The first three; a look-alike of the first one that is close too stands right after it."""
    if not ordered:
        return ()
    partners = [name for name in ordered[1:] if any(same_drug(name, other) for other in look_alikes(ordered[0]))]
    rest = [name for name in ordered[1:] if name not in partners]
    return tuple([ordered[0], *partners, *rest][:_MOST])


def _distance(one: str, other: str) -> float:
    """Letters added, left out, changed or swapped; a vowel for a vowel counts half. Beyond the bound it stays there."""
    if abs(len(one) - len(other)) > _FAR - 1:
        return _FAR
    before: list[float] = []
    above = [float(column) for column in range(len(other) + 1)]
    for row, letter in enumerate(one, 1):
        current = [float(row)]
        for column, against in enumerate(other, 1):
            change = 0 if letter == against else 0.5 if letter in _VOWELS and against in _VOWELS else 1
            cost = min(above[column] + 1, current[-1] + 1, above[column - 1] + change)
            if row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == against:
                cost = min(cost, before[column - 2] + 1)
            current.append(cost)
        if min(current) >= _FAR:
            return _FAR
        before, above = above, current
    return above[-1]
