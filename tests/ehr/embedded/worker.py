"""Another process on the same charts: what the tests start, race, starve and kill.

`register`: create a patient with one MRN unless there is one, 12 times. `grow`: write charts until the file may not
grow any more. `write`: write charts for ever, naming each once it is saved.
"""

from __future__ import annotations

import asyncio
import resource
import signal
import sys
import uuid
from pathlib import Path

from docgemma.ehr.embedded.contract import Narrow
from docgemma.ehr.embedded.storage.store import FhirStore
from docgemma.ehr.embedded.storage.unit import Unit
from docgemma.errors import Unavailable
from tests.support.small_charts import chart, patient


def say(*words: str) -> None:
    print(*words, flush=True)


def register(unit: Unit) -> str:
    """What a conditional create does."""
    if unit.find("Patient", [Narrow("identifier", ("urn:test:mrn|one",))]):
        return "existing"
    unit.create(patient(str(uuid.uuid4()), "Race", "Winner", mrn="one"))
    return "created"


async def grow(store: FhirStore, limit: int) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    for number in range(1000):
        try:
            await store.put_many(chart(number))
        except Unavailable as error:
            say("refused", str(error))
            return
        say("saved", f"p-{number:03}")


async def main(path: str, what: str, limit: str = "0") -> None:
    async with FhirStore(Path(path)) as store:
        say("ready")
        if what == "register":
            sys.stdin.readline()  # so that all start at one moment
            for _ in range(12):
                say(await store.run(register))
        elif what == "grow":
            await grow(store, int(limit))
        else:
            for number in range(100_000):
                await store.put_many(chart(number))
                say("saved", f"p-{number:03}")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
