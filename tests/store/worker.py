"""Another process on the same store: what the tests start, watch and kill.

`race`: take N turns on one session beside others. `answer`: answer turns for ever, naming each once it is saved.
`hang`: answer three turns, begin a fourth and stop. `open`: only open the store.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from docgemma.errors import Conflict
from docgemma.store.leases import make_holder
from docgemma.store.sessions import Store, open_store


def say(*words: str) -> None:
    print(*words, flush=True)


async def answer(store: Store, session_id: str, turn_id: str, holder: str) -> None:
    await store.begin_turn(session_id, turn_id, f"question {turn_id}", holder=holder, lease_seconds=600)
    await store.finish_turn(session_id, turn_id, holder=holder, record={"answer": turn_id}, pending=None, patient=None)
    say("done", turn_id)


async def race(store: Store, session_id: str, name: str, turns: int, marker: Path) -> None:
    """The marker file exists only while a turn runs: finding it there means that two ran at once."""
    for number in range(turns):
        turn_id, holder = f"{name}-{number}", make_holder()
        while True:
            try:
                await store.begin_turn(session_id, turn_id, "q", holder=holder, lease_seconds=600)
                break
            except Conflict:
                await asyncio.sleep(0.001)
        marker.touch(exist_ok=False)
        await asyncio.sleep(0.002)
        marker.unlink()
        await store.finish_turn(session_id, turn_id, holder=holder, record={"by": name}, pending=None, patient=None)


async def main(address: str, what: str, session_id: str = "", name: str = "", marker: str = "") -> None:
    holder, opening = make_holder(), open_store(address)
    say("ready")
    if what in ("open", "race"):
        sys.stdin.readline()  # so that all start at one moment
    async with opening as store:
        if what == "race":
            await race(store, session_id, name, 15, Path(marker))
        elif what == "answer":
            number = 0
            while True:
                await answer(store, session_id, f"{name}-{number}", holder)
                number += 1
        elif what == "hang":
            for number in range(3):
                await answer(store, session_id, f"{name}-{number}", holder)
            await store.begin_turn(session_id, f"{name}-half", "half-way", holder=holder, lease_seconds=600)
            say("begun")
            await asyncio.sleep(600)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
