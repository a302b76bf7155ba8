"""A run that is killed at a step of its own choosing, again and again until it ends. Imports once, then forks."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from docgemma.grounding.contract import Criterion, Grounded
from docgemma.grounding.runs.output import FileOutput
from docgemma.grounding.runs.store import GroundingStore, open_store
from tests.grounding.runs.jobs import criterion, plain, run_to
from tests.torture.killing import Death, Killer, install

SIZE = 60


ROUNDS, STEPS = 14, 220
"""How often it is killed, and at which step at most: a whole run has some more."""


async def life(folder: Path, address: str, at: int) -> None:
    killer = Killer(Death(at=at), armed=True)
    install(killer, [(GroundingStore, ("save", "records", "decisions")), (FileOutput, ("write", "finish"))])
    async with open_store(address) as store:
        rows = await store.database.run(lambda cursor: cursor.rows("SELECT record FROM grounding_results"))
    done = {json.loads(row["record"])["text"] for row in rows}

    async def ground(criteria: Sequence[Criterion], batch_id: str) -> list[Grounded]:
        killer.step("before ground")
        if again := {each.text for each in criteria} & done:
            (folder / "repeated").write_text(str(again))
        return await plain(criteria, batch_id)

    await run_to(folder / "out.jsonl", address, [criterion(n) for n in range(SIZE)], ground=ground)


def main(folder: Path, address: str) -> None:
    deaths, chance = 0, random.Random(7)
    for at in [*(chance.randrange(1, STEPS) for _ in range(ROUNDS)), 0]:
        child = os.fork()
        if child == 0:
            asyncio.run(life(folder, address, at))
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        if os.WIFEXITED(status):
            assert status == 0
            continue
        assert os.WTERMSIG(status) == signal.SIGKILL
        deaths += 1
        out = folder / "out.jsonl"
        if out.exists():  # what a power cut may do to a file: its end is missing
            os.truncate(out, max(0, out.stat().st_size - chance.choice((0, 0, 1, 17, 400))))
    print(deaths)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
