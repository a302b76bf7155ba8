"""The client that everybody writes first: it shows that the faults and deaths of the harness do strike."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2

from docgemma.orders.model import Receipt
from tests.torture.killing import Killer
from tests.torture.messages import ORDER_SYSTEM, Desk, Job, Order, Work

_TRIES = 5


@asynccontextmanager
async def naive(work: Work, killer: Killer) -> AsyncIterator[Desk]:
    """A plain POST, sent again when no answer came. What was done is noted afterwards, or only remembered."""
    assert work.naive is not None
    async with httpx2.AsyncClient(timeout=work.naive["timeout_s"], headers=work.naive["headers"]) as http:
        yield Naive(http, work.naive["url"], Path(work.naive["done"]), killer)


class Naive:
    """Every other order is acknowledged before it is written: people do not like to wait."""

    def __init__(self, http: httpx2.AsyncClient, url: str, done: Path, killer: Killer) -> None:
        self._http = http
        self._url = url
        self._done = done
        self._killer = killer
        self.accepted: Callable[[Job], None] = lambda _: None

    async def settle(self) -> str:
        return "0"

    async def do(self, job: Job) -> Receipt | str:
        if job.order.number % 2 == 0:
            self.accepted(job)
        self._killer.step("before post")
        await self._post(_plain(job.order))
        self._killer.step("after post")
        with self._done.open("a") as file:
            file.write(f"{job.order.id}\n")
            file.flush()
            os.fsync(file.fileno())
        return job.order.id

    async def _post(self, body: dict[str, Any]) -> None:
        for attempt in range(_TRIES):
            try:
                reply = await self._http.post(f"{self._url}/{body['resourceType']}", json=body)
                reply.raise_for_status()
            except httpx2.HTTPError:
                if attempt == _TRIES - 1:
                    raise OSError("no answer") from None
            else:
                return


def _plain(order: Order) -> dict[str, Any]:
    return {
        "resourceType": "DocumentReference",
        "identifier": [{"system": ORDER_SYSTEM, "value": order.id}],
        "status": "current",
        "subject": {"reference": f"Patient/{order.patient}"},
        "content": [{"attachment": {"contentType": "text/plain", "title": f"note {order.number}"}}],
    }
