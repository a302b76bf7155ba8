"""Another process that writes to the audit log: `race` adds rows beside others, `forever` names each that it added."""

from __future__ import annotations

import asyncio
import sys
from itertools import count

from docgemma.audit.entries import Access
from docgemma.audit.log import AuditLog
from docgemma.clinical import Purpose, purpose
from docgemma.store.sessions import open_store

RACED = 200


async def main(address: str, what: str, who: str) -> None:
    purpose.set(Purpose(who=who, why="turn"))
    print("ready", flush=True)
    sys.stdin.readline()  # so that all start at one moment
    async with open_store(address) as store:
        log = AuditLog(store.database)
        for number in range(RACED) if what == "race" else count():
            await log.append(Access("read", "found", "Patient", f"{who}-{number}", (f"{who}-{number}",), 1))
            if what == "forever":
                print(f"{who}-{number}", flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
