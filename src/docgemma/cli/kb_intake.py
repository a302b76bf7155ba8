"""Rows on their way from files into the knowledge base, and what `docgemma kb ingest` does with them."""

from __future__ import annotations

import asyncio
import sys
from collections import defaultdict
from collections.abc import Awaitable, Iterator, Sequence
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path

import click

from docgemma.cli import services
from docgemma.cli.options import person
from docgemma.cli.progress import PhaseProgress
from docgemma.cli.render import Output, counted, json_text, one_line, printed
from docgemma.errors import Conflict
from docgemma.knowledge.base import KnowledgeBase
from docgemma.knowledge.entry import Entry
from docgemma.knowledge.ingesting import BadRows, Ingested, Told
from docgemma.knowledge.reading.contract import Note, Options, Problem, Row
from docgemma.knowledge.reading.reader import read
from docgemma.knowledge.roles import unknown_role

MOST_SHOWN = 20
_BATCH = 1_000
GO_ON = "Stopped. The same command goes on where it was; until it ends, answers come from what was there before."
CHANGED = "The files were changed while they were read, and nothing was taken in. Run it again."
_UNTIL_NEXT = "The next ingest of own knowledge takes the demonstration out."
_NEW_ROLE = "`docgemma kb role` adds one."


class Intake:
    """The files' rows, from the beginning each time it is called. Keeps the first problems, and every note once.

    The base reads it in a thread, which Ctrl-C does not reach: `stop` does.
    """

    def __init__(
        self, paths: Sequence[Path], options: Options, *, skip_bad: bool = False, withdraw_missing: bool = False
    ) -> None:
        self._paths, self._options = tuple(paths), options
        self.skip_bad, self.withdraw_missing = skip_bad, withdraw_missing
        self.roles: tuple[str, ...] = ()
        self.problems: list[Problem] = []
        self.bad = 0
        self.notes: dict[Note, None] = {}
        self._before: tuple[int, int] | None = None
        self._stopped = False

    @property
    def origin(self) -> str:
        """What is kept with the entries on where they came from: the names of files, not where they lie."""
        return ", ".join(path.name for path in self._paths)

    def __call__(self) -> Iterator[Row | Problem]:
        """Conflict where a second reading gives other rows than the first: those were never checked."""
        self.problems, self.bad, good = [], 0, 0
        for found in read(self._paths, self._options, tell=self._note):
            if self._stopped:
                raise Conflict("Stopped.")  # heard by nobody: who waited for rows has gone
            row = self._judged(found)
            if isinstance(row, Problem):
                self.bad += 1
                self.problems += [row] if self.bad <= MOST_SHOWN else []
            else:
                good += 1
            yield row
        if self._before not in (None, (good, self.bad)):
            raise Conflict(CHANGED)
        self._before = good, self.bad

    def entries(self) -> Iterator[Entry]:
        """Those of the rows that can be taken."""
        return (row.entry for row in self() if isinstance(row, Row))

    def stop(self) -> None:
        self._stopped = True

    def _judged(self, row: Row | Problem) -> Row | Problem:
        """A role that nobody knows is told with its row, before anything is stored."""
        if isinstance(row, Problem) or row.entry.role in self.roles:
            return row
        return Problem(row.file, row.row, f"{unknown_role(row.entry.role, self.roles)} {_NEW_ROLE}")

    def _note(self, note: Note) -> None:
        self.notes[note] = None


async def take_in(base: KnowledgeBase, intake: Intake, on_progress: Told, *, dry: bool = False) -> Ingested:
    """All of it or nothing; on trial, what would come of it."""
    await base.library.open()
    intake.roles = tuple(role.id for role in await base.library.roles())
    try:
        done = await base.ingest(
            intake,
            by=person(),
            origin=intake.origin,
            skip_bad=intake.skip_bad,
            withdraw_missing=intake.withdraw_missing,
            dry_run=dry,
            on_progress=on_progress,
        )
        return await _compared(base, intake, done, on_progress) if dry else done
    finally:
        intake.stop()


async def load_demonstration(base: KnowledgeBase, intake: Intake, on_progress: Told) -> Ingested:
    """Own entries are left where they are: which of the two is to answer, the operator says with the next ingest."""
    done = await base.load_demonstration(person(), on_progress)
    own = sum((await base.library.counts()).values()) - done.rows
    if own > 0:
        intake.notes[Note("", f"Entries of your own also answer ({own:,}). {_UNTIL_NEXT}")] = None
    return done


async def _compared(base: KnowledgeBase, intake: Intake, checked: Ingested, on_progress: Told) -> Ingested:
    """What the rows would do to the entries that there are. An entry that would be brought back counts as new."""
    remaining, counts = intake.entries(), [0, 0, 0]
    brought: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    while batch := await asyncio.to_thread(lambda: list(islice(remaining, _BATCH))):
        current = await base.library.entries([entry.id for entry in batch])
        for entry in batch:
            before = current.get(entry.id)
            counts[0 if before is None else 1 if before != entry else 2] += 1
            brought[entry.role, entry.language].add(entry.id)
        on_progress("comparing", sum(counts), checked.rows)
    out = demonstration = 0
    async for some in base.library.each_current():
        missing = [entry for entry in some if entry.id not in brought.get((entry.role, entry.language), ())]
        gone = [each for each in missing if intake.withdraw_missing and (each.role, each.language) in brought]
        out += len(gone)
        demonstration += sum(entry.demonstration for entry in missing) - sum(entry.demonstration for entry in gone)
    new, changed, unchanged = counts
    return replace(
        checked, new=new, changed=changed, unchanged=unchanged, withdrawn=out, demonstration_out=demonstration
    )


def run(intake: Intake, *, demonstration: bool, dry: bool, as_json: bool) -> int:
    """Take the rows in, or load the demonstration; says what came of it and gives the exit code."""

    def work(base: KnowledgeBase) -> Awaitable[Ingested]:
        return load_demonstration(base, intake, progress) if demonstration else take_in(base, intake, progress, dry=dry)

    try:
        with PhaseProgress(sys.stderr) as progress:
            done = services.within(services.knowledge, work)
    except BadRows as error:
        output = refused(error)
        if as_json:
            click.echo(json_text(output.facts))
        for line in output.lines:
            click.echo(line, err=True)
        return error.exit_code
    except KeyboardInterrupt:
        click.echo(GO_ON, err=True)
        raise
    return printed(ingested(done, intake, dry=dry), as_json=as_json)


def refused(error: BadRows) -> Output:
    """Everything that somebody should look at, and at last what became of it."""
    lines = [
        *_problem_lines(error.problems, error.count),
        f"docgemma: {error} Correct them, or leave them out with --skip-bad.",
    ]
    return Output({"written": False, "bad": error.count, "problems": error.problems}, lines, error.exit_code)


def ingested(done: Ingested, intake: Intake, *, dry: bool = False) -> Output:
    """What came of an ingest, with the problems and notes of its rows."""
    notes = [str(note) for note in intake.notes]
    facts = {"written": not dry, **asdict(done), "problems": intake.problems, "notes": notes}
    return Output(facts, _ingested_lines(done, intake, dry=dry))


def _ingested_lines(done: Ingested, intake: Intake, *, dry: bool) -> Iterator[str]:
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
        yield from _problem_lines(intake.problems, intake.bad)
    yield from (f"Note: {one_line(str(note))}" for note in intake.notes)
    if dry:
        yield "That was a trial: nothing was changed."


def _problem_lines(problems: Sequence[Problem], count: int) -> Iterator[str]:
    yield from (f"  {one_line(str(each))}" for each in problems)
    if count > len(problems):
        yield f"  and {count - len(problems):,} more."
