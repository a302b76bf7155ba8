"""The embedded charts: importing files, finding a patient by name, reading a chart, and how each of them grows."""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench import charts
from bench.growth import FLAT, Curve
from bench.report import Row
from docgemma.ehr.client.client import FhirClient
from docgemma.ehr.embedded.contract import Narrow
from docgemma.ehr.embedded.rest.app import FhirApp
from docgemma.ehr.embedded.storage.store import FhirStore
from docgemma.ehr.folding import fold_words
from docgemma.ehr.transfer.importing import import_files
from docgemma.fetch.door import Door as HttpDoor
from docgemma.tools.arguments import PatientChartCall, PatientSearchCall
from docgemma.tools.charts import Charts
from docgemma.wiring.records import IN_PROCESS

SIZES = (1_000, 10_000, 100_000, 300_000)
AT = 100_000
"""The size the goals are set for."""

GOAL_IMPORT_MS, GOAL_NAME_MS, GOAL_CHART_MS = 0.5, 2.0, 30.0
_QUESTIONS = 200
_ASKED = ("Name search", "A chart of 190")

Ask = Callable[[str], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Door:
    """A way to the charts that is measured: by a patient's name, and by a patient's id."""

    name: str
    find: Ask
    chart: Ask


def store_door(store: FhirStore) -> Door:
    """The store itself, below FHIR's REST."""
    return Door(
        "store",
        lambda name: store.find("Patient", [Narrow("name", (word,), prefix=True) for word in fold_words(name)]),
        store.of_patient,
    )


def tool_door(store: FhirStore) -> Door:
    """What the agent's tools do: client, REST, matching of names, and the chart put together for a question."""
    client = FhirClient(HttpDoor.in_process(FhirApp(store)), IN_PROCESS, allow_http=True)
    tools = Charts(client)
    return Door(
        "tool",
        lambda name: tools.search(PatientSearchCall(name=name)),
        lambda patient: tools.chart(PatientChartCall(patient_id=patient)),
    )


DOORS: tuple[Callable[[FhirStore], Door], ...] = (store_door, tool_door)


def rows() -> list[Row]:
    return asyncio.run(_at(AT))


def growth() -> Iterator[Curve]:
    """The same figures at every size, each a curve."""
    at = {size: [row.value or 0.0 for row in asyncio.run(_at(size))] for size in SIZES}
    names = ["Import of a resource", *(f"{what}, {door}, CPU" for door in ("store", "tool") for what in _ASKED)]
    for place, name in enumerate(names):
        points = tuple((size, values[place]) for size, values in at.items())
        yield Curve(name, "resources in the store", "ms", points, FLAT)


async def _at(size: int) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="docgemma-bench-") as folder:
        files = Path(folder, "files")
        files.mkdir()
        people = charts.write(files, size)
        async with FhirStore(Path(folder, "charts.sqlite")) as store:
            rows = [await _import(store, files, size)]
            for door in DOORS:
                rows += await _ask(door(store), people, size)
    return rows


async def _import(store: FhirStore, files: Path, size: int) -> Row:
    """From files, with every resource validated; the time on the wall, because the disk counts too."""
    start = time.perf_counter()
    report = await import_files(store, [files])
    spent = time.perf_counter() - start
    if report.refused or not report.created:
        raise RuntimeError(f"The charts of the bench do not import: {report.refused[:1]}")
    each = spent / report.created
    return Row(f"Import of {size:,}, a resource ({1 / each:,.0f}/s)", each * 1000, "ms", goal=GOAL_IMPORT_MS)


async def _ask(door: Door, people: Sequence[str], size: int) -> list[Row]:
    draw = random.Random(3)
    names = [draw.choice(people) for _ in range(_QUESTIONS)]
    ids = [charts.patient_id(draw.randrange(len(people))) for _ in range(_QUESTIONS)]
    at = size == AT
    return [
        Row(
            f"Name search in {size:,}, {door.name}, CPU",
            await _cpu(door.find, names),
            "ms",
            goal=_goal(at, GOAL_NAME_MS),
        ),
        Row(
            f"A chart of 190 in {size:,}, {door.name}, CPU",
            await _cpu(door.chart, ids),
            "ms",
            goal=_goal(at, GOAL_CHART_MS),
        ),
    ]


def _goal(at: bool, goal: float) -> float | None:
    return goal if at else None


async def _cpu(ask: Ask, questions: Sequence[str]) -> float:
    spent = []
    for question in questions:
        start = time.process_time()
        await ask(question)
        spent.append((time.process_time() - start) * 1000)
    return median(spent)
