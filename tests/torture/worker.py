"""One process that carries out orders until it is done or dies. Started by `control`, many times over."""

from __future__ import annotations

import asyncio
import traceback
from multiprocessing.connection import Connection

from docgemma.errors import DocGemmaError
from docgemma.orders.model import Receipt
from tests.torture.killing import Killer
from tests.torture.messages import Desk, Job, Told, Work
from tests.torture.naive import Naive, naive
from tests.torture.product import product


def main(work: Work, pipe: Connection) -> None:
    """The process. A bug is told before it ends the process: it must not pass for a kill."""
    try:
        asyncio.run(_run(work, pipe))
    except BaseException:
        pipe.send(Told("crashed", error=traceback.format_exc()))
        raise


async def _run(work: Work, pipe: Connection) -> None:
    killer = Killer(work.death)
    opening = product(work, killer) if work.naive is None else naive(work, killer)
    async with opening as desk:
        if isinstance(desk, Naive):
            desk.accepted = lambda job: pipe.send(Told("accepted", job))
        pipe.send(Told("opened"))
        killer.armed = True
        pipe.send(Told("settled", status=await desk.settle()))
        if work.together:
            pipe.send(Told("ready"))
            await asyncio.to_thread(pipe.recv)
        gate = asyncio.Semaphore(work.at_once)
        again = [
            (job, work.spread_s * (time % 2) * time / work.times) for job in work.jobs for time in range(work.times)
        ]
        await asyncio.gather(*(_do(desk, job, late_s, gate, pipe) for job, late_s in again))
        killer.armed = False
    pipe.send(Told("finished", steps=tuple(killer.taken)))


async def _do(desk: Desk, job: Job, late_s: float, gate: asyncio.Semaphore, pipe: Connection) -> None:
    await asyncio.sleep(late_s)
    async with gate:
        try:
            result = await desk.do(job)
        except DocGemmaError as error:
            pipe.send(Told("done", job, error=f"{type(error).__name__}: {error}"))
            return
        except OSError as error:  # the naive client's own way to fail
            pipe.send(Told("done", job, error=type(error).__name__))
            return
    if isinstance(result, Receipt):
        pipe.send(Told("done", job, result.order_id, result.status, receipt=result.model_dump_json()))
    else:
        pipe.send(Told("done", job, result, "proposed"))
