"""What `docgemma kb` tells of work on the whole base: how far it has come, what it did, and what there is now."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TextIO

from docgemma.cli.kb_output import DEMONSTRATION, LANGUAGES, counted
from docgemma.cli.progress import TERMINAL_S, span
from docgemma.cli.render import one_line

if TYPE_CHECKING:
    from docgemma.cli.kb_intake import Intake
    from docgemma.knowledge.base import Info
    from docgemma.knowledge.ingesting import BadRows, Ingested
    from docgemma.knowledge.reading.contract import Problem


class PhaseProgress:
    """One line that renews itself, on a terminal only. Each phase has a speed of its own."""

    def __init__(self, out: TextIO, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._out, self._clock = out, clock
        self._phase, self._began, self._shown = "", 0, False
        self._started = self._told = clock()

    def __call__(self, phase: str, done: int, total: int | None) -> None:
        now = self._clock()
        if phase != self._phase:
            self._phase, self._began, self._started = phase, done, now
        elif self._out.isatty() and now - self._told >= TERMINAL_S:
            self._told, self._shown = now, True
            self._out.write(f"\r\x1b[K{self.text(done, total, now)}")
            self._out.flush()

    def text(self, done: int, total: int | None, now: float) -> str:
        """For example: Embedding: 3,200 of 15,426, 410 a second, 30 s left."""
        rate = (done - self._began) / max(now - self._started, 1e-9)
        of_all = f" of {total:,}" if total else ""
        parts = [f"{self._phase.capitalize()}: {done:,}{of_all}", f"{rate:,.0f} a second"]
        if total and rate and done < total:
            parts.append(f"{span((total - done) / rate)} left")
        return ", ".join(parts)

    def finish(self) -> None:
        if self._shown:
            self._shown = False
            self._out.write("\r\x1b[K")
            self._out.flush()


def refused_lines(error: BadRows) -> Iterator[str]:
    """Everything that somebody should look at, and at last what became of it."""
    yield from _problems(error.problems, error.count)
    yield f"docgemma: {error} Correct them, or leave them out with --skip-bad."


def refused_facts(error: BadRows) -> dict[str, Any]:
    return {"written": False, "bad": error.count, "problems": [asdict(each) for each in error.problems]}


def ingested_lines(done: Ingested, intake: Intake, *, dry: bool = False) -> Iterator[str]:
    """What came of the rows first, then what else changed and what somebody should look at."""
    taken = f"{counted(done.rows, 'row')} {'would be ' if dry else ''}taken"
    back = f", {done.brought_back:,} brought back" if done.brought_back else ""
    yield (
        f"{taken}: {done.new:,} new, {done.changed:,} changed, {done.unchanged:,} there before{back}; "
        f"{done.withdrawn:,} withdrawn, {done.skipped:,} skipped."
    )
    if done.demonstration_out:
        out = counted(done.demonstration_out, "demonstration entry", "demonstration entries")
        verb = "would be" if dry else "was" if done.demonstration_out == 1 else "were"
        yield f"{out} {verb} taken out: own knowledge answers now. `docgemma kb ingest --demo` loads them again."
    if intake.bad:
        yield f"Skipped: {intake.bad:,}. These are NOT in the knowledge base:"
        yield from _problems(intake.problems, intake.bad)
    for note in intake.notes:
        yield f"Note: {one_line(str(note))}"
    if dry:
        yield "That was a trial: nothing was changed."


def ingested_facts(done: Ingested, intake: Intake, *, dry: bool = False) -> dict[str, Any]:
    return {
        "written": not dry,
        **asdict(done),
        "problems": [asdict(each) for each in intake.problems],
        "notes": [str(note) for note in intake.notes],
    }


def _problems(problems: Sequence[Problem], count: int) -> Iterator[str]:
    for each in problems:
        yield f"  {one_line(str(each))}"
    if count > len(problems):
        yield f"  and {count - len(problems):,} more."


def info_lines(info: Info) -> Iterator[str]:
    """What there is, then how it is searched."""
    whose = {role for role, _ in info.by_role}
    yield f"{counted(info.entries, 'entry', 'entries')} for {counted(len(whose), 'role')}."
    for language, name in LANGUAGES.items():
        parts = [f"{role} {count:,}" for (role, spoken), count in info.by_role.items() if spoken == language]
        yield f"  {name}: {', '.join(parts) or 'none'}"
    if info.demonstration:
        yield DEMONSTRATION
    yield from _index_lines(info)


def _index_lines(info: Info) -> Iterator[str]:
    index = info.index
    if index is None:
        yield "There is no index: nothing can be found. `docgemma kb index` builds it."
        return
    behind = "" if index.generation == info.generation else f", BEHIND state {info.generation} of the entries"
    yield f"Index: {counted(index.entries, 'entry', 'entries')}, state {index.generation}{behind}."
    if index.embedder:
        yield f"Searched by words and meaning ({one_line(index.embedder)}, {index.dimensions} dimensions)."
    else:
        yield "Searched by words alone: no embedder was there when the index was built."


def info_facts(info: Info) -> dict[str, Any]:
    by_role: dict[str, dict[str, int]] = {}
    for (role, language), count in info.by_role.items():
        by_role.setdefault(role, {})[language] = count
    return {
        "entries": info.entries,
        "roles": by_role,
        "languages": sorted({language for _, language in info.by_role}),
        "generation": info.generation,
        "index": asdict(info.index) if info.index else None,
        "embedder": info.embedder,
        "demonstration": info.demonstration,
    }
