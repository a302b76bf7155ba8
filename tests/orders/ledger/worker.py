"""Another process on the same ledger: what the tests start, watch and kill.

`decide`: approve or reject every proposed order, naming those it decided. `claim`: take every order that is free,
naming those it got. `hold`: take one order and stop.
"""

from __future__ import annotations

import asyncio
import sys

from docgemma.audit.log import AuditLog
from docgemma.clinical import Purpose, purpose
from docgemma.orders.ledger.ledger import Ledger
from docgemma.orders.model import Decision
from docgemma.store.leases import make_holder
from docgemma.store.sessions import open_store


def say(*words: str) -> None:
    print(*words, flush=True)


async def main(address: str, what: str, name: str, *ids: str) -> None:
    purpose.set(Purpose(who=name, why="approve"))
    say("ready")
    sys.stdin.readline()  # so that all start at one moment
    async with open_store(address) as store:
        ledger, holder = Ledger(store.database, AuditLog(store.database)), make_holder()
        for id_ in ids:
            if what == "decide":
                to = "approved" if name == "ann" else "rejected"
                if (await ledger.decide(id_, to, Decision(who=name)))[1]:
                    say(id_)
            elif await ledger.claim(id_, holder, 600) is not None:
                say(id_)
        if what == "hold":
            await asyncio.sleep(600)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
