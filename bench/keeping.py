"""What the last measurement of each part said, kept for the page: a part that is measured again replaces itself."""

from __future__ import annotations

import json
import os
import platform
import sys
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.gathering import PARTS, Outcome, Part, What
from bench.growth import Curve, curve_from, no_curve
from bench.report import Row, failed, row_from, skipped

FOLDER = Path(".cache/bench")


@dataclass(frozen=True, slots=True)
class Kept:
    """One part as it was measured: when, on what machine, and what came out. Both are empty where it never was."""

    part: str
    day: str
    machine: str
    figures: tuple[dict[str, Any], ...]

    def rows(self) -> list[Row]:
        return [row_from(told) for told in self.figures]

    def curves(self) -> list[Curve]:
        return [curve_from(told) for told in self.figures]


def kept(part: Part, what: What, outcome: Outcome) -> Kept:
    """What is absent or broke is a figure too: a gap that nobody sees would read as a goal that is met."""
    figures = [*outcome.told]
    if outcome.skipped or outcome.failed:
        if what == "rows":
            ending: Row | Curve = (
                skipped(part.name, outcome.skipped) if outcome.skipped else failed(part.name, outcome.failed)
            )
        else:
            words = f"skipped: {outcome.skipped}" if outcome.skipped else f"FAILED: {outcome.failed}"
            ending = no_curve(part.name, words)
        figures.append(ending.as_json())
    return Kept(part.name, datetime.now(UTC).date().isoformat(), machine(), tuple(figures))


def machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    python = ".".join(map(str, sys.version_info[:3]))
    return f"{os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()} {platform.machine()}, Python {python}"


def keep(what: What, told: Kept) -> None:
    """A file for each part, so that one of them can be measured again alone."""
    folder = FOLDER / what
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"day": told.day, "machine": told.machine, "figures": told.figures}, ensure_ascii=False, indent=1)
    (folder / f"{told.part}.json").write_text(text + "\n", encoding="utf-8")


def last(what: What) -> list[Kept]:
    """Every part in its order; one that was never measured here says so."""
    found = []
    for part in PARTS:
        path = FOLDER / what / f"{part.name}.json"
        if path.is_file():
            told = json.loads(path.read_text(encoding="utf-8"))
            found.append(Kept(part.name, told["day"], told["machine"], tuple(told["figures"])))
        elif what == "rows" or part.grows:
            never = kept(part, what, Outcome((), skipped="not measured on this machine yet"))
            found.append(replace(never, day="", machine=""))
    return found
