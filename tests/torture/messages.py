"""What the harness asks of a worker process, and what it hears back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from docgemma.orders.model import Kind, Receipt
from tests.torture.killing import Death

Verb = Literal["propose", "approve", "reject", "undo"]

ORDER_SYSTEM = "urn:docgemma:order"
"""Said here once more: a change of it in the product is a change of what is already in people's charts."""


@dataclass(frozen=True, slots=True)
class Order:
    """One wish of one person, about a patient who has no other: nothing but its own entry changes that chart."""

    number: int
    kind: Kind
    id: str = ""
    """The card's, once it is proposed."""

    @property
    def patient(self) -> str:
        return f"torture-{self.number}"

    @property
    def session(self) -> str:
        return f"torture-session-{self.number}"


@dataclass(frozen=True, slots=True)
class Job:
    verb: Verb
    order: Order


@dataclass(frozen=True, slots=True)
class Work:
    """Everything a worker is told. `settings` are the app's; `naive` is what the client needs that knows nothing."""

    settings: Mapping[str, Any]
    jobs: tuple[Job, ...] = ()
    death: Death = field(default_factory=Death)
    at_once: int = 1
    times: int = 1
    """How often each job is done at the same moment: a double click, many times over."""
    spread_s: float = 0.0
    """Every other of these comes within this time instead: a second look finds what the first has just changed."""
    together: bool = False
    """Wait for a sign before the jobs, so that several workers begin at one moment."""
    naive: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """One thing a worker says. `opened`, `settled`, `ready` and `finished` come once each, `done` for every job.

    `accepted`: only the naive client says so before it has written anything.
    """

    what: Literal["opened", "settled", "ready", "accepted", "done", "finished", "crashed"]
    job: Job | None = None
    id: str = ""
    status: str = ""
    error: str = ""
    receipt: str = ""
    steps: tuple[str, ...] = ()


class Desk(Protocol):
    """What a worker works at. `do` ends in a receipt, or in the id of the new card."""

    async def settle(self) -> str: ...

    async def do(self, job: Job) -> Receipt | str: ...
