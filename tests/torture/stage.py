"""One run on one world: the orders of it, the people who ask for them, and the workers that come and go."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

from docgemma.orders.model import Kind
from tests.torture.control import Life, one, reconciled_s
from tests.torture.counting import Heard, Tally, open_orders, tally
from tests.torture.killing import Death
from tests.torture.messages import Job, Order, Verb, Work
from tests.torture.worlds import World

KINDS: tuple[Kind, ...] = ("prescription", "allergy", "note")
RECOVERED_S = 5.0
_GOES = 5
_PASSING = ("Unavailable", "EhrError", "Refused", "OutcomeUnknown", "NotAudited", "AuditError", "Refusal")


@dataclass(frozen=True, slots=True)
class Result:
    """One line of the table. `faults` are what must not be: empty is the only good answer."""

    scenario: str
    world: str
    tally: Tally
    kills: int
    dropped: int
    slow: int
    failed: int
    recoveries_s: tuple[float, ...]
    seconds: float
    deaths: Counter[str]

    @property
    def faults(self) -> list[str]:
        late = [f"recovery took {took:.1f} s" for took in self.recoveries_s if took > RECOVERED_S]
        return [*self.tally.faults, *late]

    @property
    def recovery_s(self) -> tuple[float, float] | None:
        """Half of the recoveries were faster than the first; none was slower than the second."""
        return (median(self.recoveries_s), max(self.recoveries_s)) if self.recoveries_s else None


@dataclass(slots=True)
class Stage:
    """Collects what happened. A fault that is seen on the way is kept with those of the final count."""

    scenario: str
    world: World
    seed: int
    heard: Heard = field(default_factory=Heard)
    kills: int = 0
    deaths: Counter[str] = field(default_factory=Counter)
    recoveries_s: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    made: int = 0
    chance: random.Random = field(init=False)
    _began: float = field(init=False)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self._began = time.monotonic()

    async def proposed(self, count: int, kinds: Sequence[Kind] = KINDS) -> list[Order]:
        """New orders that wait for a decision, made while nothing fails."""
        self.world.faults(False)
        new = [Order(self.made + number, kinds[number % len(kinds)]) for number in range(count)]
        self.made += count
        await self.world.admit(new)
        ids: dict[int, str] = {}
        for _ in range(_GOES):  # a busy machine may be too slow for the short deadline
            left = [Job("propose", order) for order in new if order.number not in ids]
            life = await self.work(left, at_once=4)
            ids |= {told.job.order.number: told.id for told in life.done if told.job and told.id}
            if len(ids) == count:
                return [replace(order, id=ids[order.number]) for order in new]
        raise AssertionError(f"Orders could not be prepared: {[told.error for told in life.done][:3]} {life.crash}")

    async def work(self, jobs: Iterable[Job] = (), *, death: Death | None = None, at_once: int = 1) -> Life:
        """One worker, alone."""
        listed = tuple(jobs)
        self.asked(listed)
        return self.took_note(await one(self.order(listed, death, at_once)))

    def order(self, jobs: Sequence[Job], death: Death | None = None, at_once: int = 1) -> Work:
        return Work(self.world.settings, tuple(jobs), death or Death(), at_once)

    def asked(self, jobs: Iterable[Job]) -> None:
        self.heard.asked |= {job.order.id for job in jobs if job.verb == "approve"}

    def took_note(self, life: Life) -> Life:
        self.heard.note(life.told)
        self.kills += life.killed
        if life.crash:
            self.faults.append(f"a worker crashed: {life.crash}")
        for told in life.done:
            if told.error and not told.error.startswith(_PASSING) and told.job:
                self.faults.append(f"{told.job.order.id}: {told.job.verb} ended in {told.error}")
        return life

    def recovered(self, life: Life) -> None:
        """How long it took from the start of this worker until nothing of the dead one was left open."""
        if life.settled_s is not None:
            self.recoveries_s.append(life.settled_s)

    async def recovered_cold(self) -> None:
        """The same with the command that a person would type."""
        self.recoveries_s.append(await reconciled_s(self.world.settings))

    def moment(self) -> float | None:
        """When a worker is killed from outside; most die at a step of their own, or not at all."""
        return self.chance.uniform(0, 0.5) if self.chance.random() < 0.3 else None

    async def result(self) -> Result:
        """Let everything settle without faults, then count."""
        self.world.faults(False)
        await self.world.quiet()
        for _ in range(_GOES):
            await self.work()
            if not await open_orders(self.world):
                break
        await self.world.quiet()
        counted = await tally(self.world, self.heard)
        counted.faults += self.faults
        proxy = self.world.proxy
        return Result(
            self.scenario,
            self.world.name,
            counted,
            self.kills,
            proxy.total("dropped") if proxy else 0,
            proxy.total("slow") if proxy else 0,
            proxy.total("failed") if proxy else 0,
            tuple(self.recoveries_s),
            time.monotonic() - self._began,
            self.deaths,
        )


@dataclass(slots=True)
class Person:
    """Somebody who wants something done with one order, and asks again until told that it is, or goes home."""

    order: Order
    wishes: tuple[Verb, ...]
    patience: int
    """How often they ask. Who asks once and hears nothing leaves it to the program to finish, or not to begin."""

    @property
    def waits(self) -> bool:
        return bool(self.wishes) and self.patience > 0

    def asks(self) -> Job:
        self.patience -= 1
        return Job(self.wishes[0], self.order)

    def hears(self, verb: Verb, status: str) -> None:
        ends: dict[Verb, str] = {"approve": "written", "reject": "rejected", "undo": "undone"}
        if self.wishes and verb == self.wishes[0] and status == ends[verb]:
            self.wishes = self.wishes[1:]
