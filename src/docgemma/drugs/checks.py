"""The two checks a clinician asks for: one drug's dangers, and what several drugs do to each other.

Each ends in what was found, in "the labels do not say so", or in "not checked" with the reason. Which of these it is,
is decided here and nowhere else.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from docgemma.clinical import ErrorType
from docgemma.drugs.classes import classes_of
from docgemma.drugs.intake import intake
from docgemma.drugs.interactions.duplicates import duplicates
from docgemma.drugs.interactions.find import find_in
from docgemma.drugs.interactions.mentions import Line
from docgemma.drugs.interactions.mentions import read as statements_of
from docgemma.drugs.interactions.pairs import curated
from docgemma.drugs.labels.findings import safety
from docgemma.drugs.model import Drug, Interaction, Safety, Statement
from docgemma.drugs.naming import Named, Naming
from docgemma.drugs.reading import Read, Reader
from docgemma.sources.contract import NameSource
from docgemma.sources.row import Chain

AT_ONCE = 4
"""Drugs whose labels are fetched at the same time."""

MOST_OTHERS = 60
"""Drugs that one order is compared with. Nobody takes more, and a list that says so is not checked to its end."""

NO_TIME = "there was no time left to read it"
TOO_MANY = f"only the first {MOST_OTHERS} medicines are compared"


@dataclass(frozen=True, slots=True)
class SafetyCheck:
    """One drug: what it was taken for, what was read, what it says; `intake` of alcohol, food and vaccines."""

    named: Named
    read: Read
    findings: Safety = field(default_factory=Safety)
    intake: tuple[tuple[str, Statement], ...] = ()


@dataclass(frozen=True, slots=True)
class Pair:
    """Two of the named drugs. `why` says what was missing where nothing was found and nothing can be ruled out."""

    drugs: tuple[str, str]
    found: tuple[Interaction, ...] = ()
    why: str = ""
    error_type: ErrorType | None = None


@dataclass(frozen=True, slots=True)
class InteractionCheck:
    """Several drugs: each pair, what was read for each drug, and what is in two of them."""

    named: tuple[Named, ...]
    read: tuple[Read, ...] = ()
    pairs: tuple[Pair, ...] = ()
    duplicates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Side:
    """One drug of a pair, with its labels taken apart once for all its pairs."""

    drug: Drug
    read: Read
    lines: Sequence[Line]


class DrugChecks:
    """Checks over whatever sources this installation has."""

    def __init__(self, chain: Chain, names: NameSource | None = None) -> None:
        self._naming = Naming(names)
        self._reader = Reader(chain)
        self._names = names

    async def safety(self, name: str, *, ends_at: float) -> SafetyCheck:
        """The gravest of what the labels of one drug say."""
        named, read = await self._look_up(self._naming.here(name), ends_at)
        if not read.labels:
            return SafetyCheck(named, read)
        findings = await asyncio.to_thread(safety, read.labels, named.drug.name)
        return SafetyCheck(named, read, findings, await asyncio.to_thread(intake, read.labels))

    async def interactions(self, names: Sequence[str], *, ends_at: float) -> InteractionCheck:
        """Every pair of the named drugs."""
        named, read = await self._look_all_up([self._naming.here(name) for name in names], ends_at)
        if any(each.suggestions for each in named):
            return InteractionCheck(named, read)
        drugs = await self._all_with_classes(named, read, ends_at)
        pairs = await asyncio.to_thread(_pairs, drugs, read, ends_at)
        return InteractionCheck(named=named, read=read, pairs=pairs, duplicates=duplicates(drugs))

    async def against(
        self, name: str, ingredients: Sequence[str], others: Sequence[str], *, ends_at: float
    ) -> InteractionCheck:
        """One drug, whose ingredients are known, with each of the others: an order against what is taken."""
        first = self._naming.here(name)
        if set(first.drug.ingredients) != set(ingredients):
            first = Named(name, Drug(name, tuple(ingredients)), known=True)
        asked = [first, *(self._naming.here(other) for other in others[:MOST_OTHERS])]
        named, read = await self._look_all_up(asked, ends_at)
        drugs = await self._all_with_classes(named, read, ends_at)
        pairs = await asyncio.to_thread(_pairs, drugs, read, ends_at, of_first=True)
        beyond = tuple(Pair((first.drug.name, other), why=TOO_MANY) for other in others[MOST_OTHERS:])
        return InteractionCheck(named=named, read=read, pairs=(*pairs, *beyond), duplicates=())

    async def _look_all_up(self, asked: Sequence[Named], ends_at: float) -> tuple[tuple[Named, ...], tuple[Read, ...]]:
        gate = asyncio.Semaphore(AT_ONCE)

        async def one(named: Named) -> tuple[Named, Read]:
            async with gate:
                return await self._look_up(named, ends_at)

        looked_up = await asyncio.gather(*(one(named) for named in asked))
        return tuple(each for each, _ in looked_up), tuple(each for _, each in looked_up)

    async def _look_up(self, named: Named, ends_at: float) -> tuple[Named, Read]:
        """By the dictionary's ingredients; a name it does not know is asked of the sources as it is written."""
        if named.disguised:
            return named, Read()
        read = await self._reader.read(named.drug, ends_at=ends_at)
        if read.labels or named.known:
            return named, read
        named = await self._naming.elsewhere(named, ends_at=ends_at)
        if named.known:
            read = await self._reader.read(named.drug, ends_at=ends_at)
        return named, read

    async def _all_with_classes(self, named: Sequence[Named], read: Sequence[Read], ends_at: float) -> list[Drug]:
        both = zip(named, read, strict=True)
        return [await self._with_classes(each.drug, of_each, ends_at) for each, of_each in both]

    async def _with_classes(self, drug: Drug, read: Read, ends_at: float) -> Drug:
        """The classes that come with its labels, and those that a live service adds where our table has none."""
        given = tuple(dict.fromkeys(name for label in read.labels for name in label.classes))
        if not given and read.live and self._names and not all(classes_of(part) for part in drug.ingredients):
            given = await self._naming.classes(drug, ends_at=ends_at)
        return replace(drug, classes=given)


def _pairs(drugs: Sequence[Drug], read: Sequence[Read], ends_at: float, *, of_first: bool = False) -> tuple[Pair, ...]:
    """Every pair, or those of the first drug. In a thread of its own: eight long labels take a second, and others wait
    for the loop.

    On a slow machine the time may end before the last pair. Then the others are told, and that one is not checked.
    """
    sides = [_side(drug, each, ends_at) for drug, each in zip(drugs, read, strict=True)]
    every = ((sides[0], other) for other in sides[1:]) if of_first else combinations(sides, 2)
    both = [(one, other) for one, other in every if not _same(one, other)]
    return tuple(_late(one, other) if _over(ends_at) else _pair(one, other) for one, other in both)


def _side(drug: Drug, read: Read, ends_at: float) -> _Side:
    """A label that there is no time for any more has not been read."""
    if _over(ends_at):
        return _Side(drug, Read(error_type="timeout", failure=NO_TIME), ())
    return _Side(drug, read, statements_of(read.labels))


def _late(one: _Side, other: _Side) -> Pair:
    return Pair((one.drug.name, other.drug.name), why=NO_TIME, error_type="timeout")


def _over(ends_at: float) -> bool:
    """Of the loop's clock, which is this one."""
    return time.monotonic() > ends_at


def _same(one: _Side, other: _Side) -> bool:
    """Two names of one drug are a duplicate, no pair."""
    return set(one.drug.ingredients) == set(other.drug.ingredients)


def _pair(one: _Side, other: _Side) -> Pair:
    drugs = (one.drug.name, other.drug.name)
    found = find_in(one.drug, other.drug, one.lines, other.lines)
    if all(each.no_effect for each in found):
        found = (*curated(one.drug, other.drug)[:1], *found)
    if found:
        return Pair(drugs, found)
    for side in (one, other):
        name = side.drug.name
        if not side.read.full:
            return Pair(drugs, why=side.read.why(name), error_type=side.read.reason)
        if not (side.drug.classes or all(classes_of(part) for part in side.drug.ingredients)):
            return Pair(drugs, why=f"the drug class of {name} is not known here")
    return Pair(drugs)
