"""Where a process dies: SIGKILL to itself before and after every step that matters to an order.

The steps are put around the product's methods in the worker process alone; nothing of this is in the product.
"""

from __future__ import annotations

import functools
import inspect
import os
import random
import signal
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Death:
    """When a worker dies: at its n-th step, or at each step with these odds. Neither: never."""

    at: int = 0
    odds: float = 0.0
    seed: int = 0


@dataclass(slots=True)
class Killer:
    """Counts the steps, remembers their names, and kills at the one that was chosen."""

    death: Death
    taken: list[str] = field(default_factory=list)
    armed: bool = False
    """Off while the worker starts: a death there is a process that was never there."""

    def __post_init__(self) -> None:
        self._random = random.Random(self.death.seed)

    _random: random.Random = field(init=False)

    def step(self, name: str) -> None:
        if not self.armed:
            return
        self.taken.append(name)
        if len(self.taken) == self.death.at or self._random.random() < self.death.odds:
            os.kill(os.getpid(), signal.SIGKILL)


def install(killer: Killer, steps: Iterable[tuple[type, tuple[str, ...]]]) -> None:
    """Put a step before and after each of these methods. A method that is gone is noticed, not skipped."""
    for owner, names in steps:
        for name in names:
            setattr(owner, name, _around(killer, name, getattr(owner, name)))


def _around(killer: Killer, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    if inspect.iscoroutinefunction(method):

        @functools.wraps(method)
        async def waited(*args: Any, **kwargs: Any) -> Any:
            killer.step(f"before {name}")
            result = await method(*args, **kwargs)
            killer.step(f"after {name}")
            return result

        return waited

    @functools.wraps(method)
    def called(*args: Any, **kwargs: Any) -> Any:
        killer.step(f"before {name}")
        result = method(*args, **kwargs)
        killer.step(f"after {name}")
        return result

    return called
