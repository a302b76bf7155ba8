"""`python -m tests.torture`: kill, delay and lie to the desk, count what the chart holds, say what was wrong.

Exit code 0 when nothing was lost, doubled or written without a person, and the naive client did worse; else 1.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

import pytest

from tests.torture import report
from tests.torture.places import ARRANGEMENTS, Arrangement, Places, places
from tests.torture.scenarios import every_step, naive_client, parallel, random_kills
from tests.torture.stage import Result

SCENARIOS = ("steps", "parallel", "kills", "faults", "naive")
DEFAULT: tuple[Arrangement, ...] = ("embedded+sqlite", "served+sqlite", "peer+postgres")


def main() -> int:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="torture-") as folder, places(Path(folder)) as there:
        return asyncio.run(_run(there, options))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    parser.add_argument("--kills", type=int, default=60, help="random deaths for each arrangement (default 60)")
    parser.add_argument("--orders", type=int, default=60, help="orders under network faults (default 60)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", choices=SCENARIOS, help="this scenario; may be repeated")
    parser.add_argument("--on", action="append", choices=ARRANGEMENTS, help="this arrangement; may be repeated")
    return parser.parse_args()


async def _run(there: Places, options: argparse.Namespace) -> int:
    lines: list[report.Line] = []
    wrong: list[str] = []
    for arrangement in options.on or DEFAULT:
        for scenario in options.only or SCENARIOS:
            if arrangement.startswith("embedded") and scenario in ("faults", "naive"):
                continue  # there is no network to fail
            try:
                line, faults = await _one(there, arrangement, scenario, options)
            except pytest.skip.Exception as absent:
                line, faults = None, [f"{arrangement}: {absent}"]
            lines += [line] if line else []
            wrong += faults
            print(f"{arrangement}, {scenario}: {'done' if not faults else f'{len(faults)} faults'}", file=sys.stderr)
    print(report.table(lines))
    for sentence in wrong:
        print(sentence)
    print("Nothing was wrong." if not wrong else f"{len(wrong)} things were wrong.")
    return 1 if wrong else 0


async def _one(
    there: Places, arrangement: Arrangement, scenario: str, options: argparse.Namespace
) -> tuple[report.Line, list[str]]:
    seed = options.seed
    async with there.world(arrangement, seed) as world:
        result: Result
        if scenario == "naive":
            counted = await naive_client(world, seed)
            bad = counted.duplicates + counted.lost
            blind = f"{arrangement}: the naive client lost and doubled nothing, so that this run proves nothing"
            return report.naive_line(arrangement, counted), [] if bad else [blind]
        if scenario == "steps":
            result = await every_step(world, seed)
        elif scenario == "parallel":
            result = await parallel(world, seed)
        elif scenario == "kills":
            result = await random_kills(world, seed, kills=options.kills)
        else:
            kills = options.kills // 4
            result = await random_kills(world, seed, kills=kills, orders=options.orders, faults=True)
        return report.line_of(arrangement, result), list(report.faults(arrangement, result))


if __name__ == "__main__":
    sys.exit(main())
