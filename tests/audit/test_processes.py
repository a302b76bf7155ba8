"""Several processes on one log, and what is left when one of them is killed."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial

from docgemma.audit.entries import Access
from docgemma.audit.log import AuditLog
from docgemma.clinical import Purpose
from docgemma.store.sessions import open_store
from tests.audit.worker import RACED
from tests.store import test_processes as processes
from tests.store.test_processes import assert_succeeded, kill_dead, line, start_together

worker = partial(processes.worker, module="tests.audit.worker")


async def test_two_processes_make_one_chain(address: str) -> None:
    with ExitStack() as stack:
        both = [stack.enter_context(worker(address, "race", who)) for who in ("ann", "ben")]
        start_together(both)
        assert_succeeded(both)
    async with open_store(address) as store:
        log = AuditLog(store.database)
        verdict = await log.verify()
        entries = await log.entries(limit=1_000)
    assert (verdict.ok, verdict.rows) == (True, 2 * RACED)
    for who in ("ann", "ben"):
        assert [entry.resource_id for entry in entries if entry.who == who] == [f"{who}-{n}" for n in range(RACED)]


async def test_a_process_killed_while_it_writes_leaves_a_whole_chain(address: str, reader: Purpose) -> None:
    said: set[str] = set()
    for who, rows in (("k", 1), ("l", 7), ("m", 30)):
        with worker(address, "forever", who) as process:
            start_together([process])
            seen = [line(process) for _ in range(rows)]
            kill_dead(process)
            assert process.stdout is not None
            complete, _, _ = process.stdout.read().rpartition("\n")
            said |= {*seen, *complete.split()}
    async with open_store(address) as store:
        log = AuditLog(store.database)
        assert (await log.verify()).ok
        await log.append(Access("read", "none"))
        assert said <= {entry.resource_id for entry in await log.entries(limit=100_000)}
