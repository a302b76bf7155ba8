"""What a record system says of itself. Many say little, some nothing: then the plainest way is taken."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any

from docgemma.ehr.client.outcomes import Refusal
from docgemma.ehr.contract import EhrError
from docgemma.ehr.folding import FOLDED_NAMES

_EVERYTHING = frozenset({"everything", "patient-everything"})
_ASK_AGAIN_S = 60.0


@dataclass(frozen=True, slots=True)
class Capabilities:
    """`known` is whether the server described itself at all."""

    known: bool = False
    everything: bool = False
    folds_names: bool = False
    transactions: bool = False
    address: str | None = None
    """The address the server gives as its own. Behind a proxy it differs from the one we use."""


def read_capabilities(statement: dict[str, Any]) -> Capabilities:
    if statement.get("resourceType") != "CapabilityStatement":
        return Capabilities()
    patients = [
        resource
        for rest in dicts(statement.get("rest"))
        for resource in dicts(rest.get("resource"))
        if resource.get("type") == "Patient"
    ]
    operations = [operation for patient in patients for operation in dicts(patient.get("operation"))]
    for rest in dicts(statement.get("rest")):
        operations += [one for one in dicts(rest.get("operation")) if "patient" in str(one.get("definition")).lower()]
    whole = [one.get("code") for rest in dicts(statement.get("rest")) for one in dicts(rest.get("interaction"))]
    implementation = statement.get("implementation")
    address = implementation.get("url") if isinstance(implementation, dict) else None
    return Capabilities(
        known=True,
        transactions="transaction" in whole,
        everything=any(str(one.get("name")).lstrip("$").lower() in _EVERYTHING for one in operations),
        folds_names=any(_folds(param) for patient in patients for param in dicts(patient.get("searchParam"))),
        address=address if isinstance(address, str) else None,
    )


def _folds(param: dict[str, Any]) -> bool:
    return param.get("name") == "name" and any(
        one.get("url") == FOLDED_NAMES and one.get("valueBoolean") is True for one in dicts(param.get("extension"))
    )


def dicts(value: object) -> Iterator[dict[str, Any]]:
    """The objects of a list that should hold nothing else."""
    if isinstance(value, list):
        yield from (one for one in value if isinstance(one, dict))


class Described:
    """The description, asked for once. A server that could not be reached is asked again, but not by every call."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: Capabilities | None = None
        self._silent_until = 0.0
        self._one_at_a_time = asyncio.Lock()

    async def get(self, read: Callable[[], Awaitable[dict[str, Any]]]) -> Capabilities:
        async with self._one_at_a_time:
            if self._known is None and self._clock() >= self._silent_until:
                try:
                    self._known = read_capabilities(await read())
                except Refusal as refused:
                    if refused.status in (404, 405, 410, 501):
                        self._known = Capabilities()
                    self._silent_until = self._clock() + _ASK_AGAIN_S
                except EhrError:
                    self._silent_until = self._clock() + _ASK_AGAIN_S
        return self._known or Capabilities()
