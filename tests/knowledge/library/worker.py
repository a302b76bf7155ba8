"""Another process on the same library: what the tests start, watch and kill.

`hang`: stage two batches and stop. `race`: import N whole editions beside others, again when refused.
`open`: only open it.
"""

from __future__ import annotations

import asyncio
import sys

from docgemma.errors import Conflict
from docgemma.knowledge.library.library import Library, open_library
from tests.knowledge.library.entries import many

SIZE, BATCH = 60, 20


def say(*words: str) -> None:
    print(*words, flush=True)


async def edition(library: Library, text: str) -> None:
    """All entries with this text, from the beginning whenever another import is in the way."""
    while True:
        try:
            import_id = await library.begin_import(by=text)
        except Conflict:
            await asyncio.sleep(0.002)
            continue
        for start in range(0, SIZE, BATCH):
            await library.stage(import_id, many(BATCH, text, start=start))
        await library.finish_import(import_id, withdraw_missing=True)
        return


async def main(address: str, what: str, name: str = "", editions: str = "8") -> None:
    opening = open_library(address)
    say("ready")
    if what in ("open", "race"):
        sys.stdin.readline()  # so that all start at one moment
    async with opening as library:
        if what == "race":
            for number in range(int(editions)):
                await edition(library, f"{name}{number}")
        elif what == "hang":
            import_id = await library.begin_import(by=name)
            for start in range(0, 2 * BATCH, BATCH):
                await library.stage(import_id, many(BATCH, name, start=start))
                say("staged")
            await asyncio.sleep(600)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
