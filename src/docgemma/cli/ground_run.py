"""One run of `docgemma ground`: settings and services opened, the file read, the output written, the end told."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

import click

from docgemma.cli.ground_output import tally_facts, tally_lines
from docgemma.cli.kb_base import printed
from docgemma.cli.kb_report import PhaseProgress
from docgemma.cli.options import unwrapped
from docgemma.config import Settings, load_settings
from docgemma.errors import BadInput, Unavailable
from docgemma.grounding.runs.formats import format_of
from docgemma.grounding.runs.holding import Outage
from docgemma.grounding.runs.output import Output, StreamOutput, closed_in_the_end, open_output
from docgemma.grounding.runs.running import Job, Run, Tally
from docgemma.grounding.runs.store import open_store

if TYPE_CHECKING:
    from docgemma.wiring.grounding import Grounding

GO_ON = "The same command goes on where this one stopped."


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What was asked for on the command line. What is None is left to the settings."""

    source: str
    out: str
    kind: Literal["jsonl", "omop"]
    read_as: Any = None
    protocol: str = ""
    engine: Any = "local"
    address: str | None = None
    workers: int = 1
    batch_size: int | None = None
    concurrency: int | None = None
    threshold: float | None = None
    limit: int | None = None
    fresh: bool = False
    force: bool = False
    as_json: bool = False
    model: str | None = None
    model_url: str | None = None
    model_name: str | None = None
    gguf: str | None = None

    @property
    def settings(self) -> Settings:
        return load_settings(
            ground_batch=self.batch_size,
            ground_concurrency=self.concurrency,
            ground_threshold=self.threshold,
            model=self.model,
            model_url=self.model_url,
            model_name=self.model_name,
            gguf=self.gguf,
        )

    @property
    def name(self) -> str:
        """What the input is called in the store: a file that names no protocol is found again by it."""
        return "stdin" if self.source == "-" else Path(self.source).stem or "input"


def grounded_file(wishes: Wishes) -> int:
    """Run it, tell what came of it, and give the exit code."""
    progress = PhaseProgress(sys.stderr)
    seen = Tally()

    def told(tally: Tally) -> None:
        nonlocal seen
        seen = tally
        progress("grounding", tally.criteria, None)

    try:
        tally, facts = asyncio.run(_run(wishes, wishes.settings, told, progress))
    except KeyboardInterrupt:
        progress.finish()
        click.echo(f"Stopped after {seen.criteria:,} criteria. {GO_ON}", err=True)
        raise
    except ExceptionGroup as error:
        raise unwrapped(error) from None
    finally:
        progress.finish()
    if wishes.as_json:
        printed({**tally_facts(tally), **facts}, (), as_json=True)
    else:
        for line in tally_lines(tally, facts):
            click.echo(line, err=wishes.out == "-")
    return BadInput.exit_code if tally.failed or tally.broken else 0


async def _run(wishes: Wishes, settings: Settings, told: Any, progress: PhaseProgress) -> tuple[Tally, dict[str, Any]]:
    from docgemma.wiring.grounding import open_grounding

    async with open_grounding(settings, told=progress) as grounding, open_store(settings.grounding_address) as store:
        with _output(wishes, _marks(wishes, settings, grounding)) as output:
            job = _job(wishes, settings, grounding, output, store=store, told=told)
            run = Run(job)
            try:
                tally = await run.run()
            except Outage as outage:
                raise await _stopped(run, wishes, outage) from None
        facts = {"out": wishes.out, "model": grounding.model.name, "terminology": grounding.basis.terminology}
        return tally, {**facts, "items_waiting": await store.waiting()}


def _job(wishes: Wishes, settings: Settings, grounding: Grounding, output: Output, **more: Any) -> Job:
    from dataclasses import replace

    from docgemma.grounding.engines.choosing import choose_engine
    from docgemma.grounding.reading.reader import read
    from docgemma.wiring.grounding import open_ground

    engine = choose_engine(
        wishes.engine,
        grounding.ground,
        open_ground,
        settings.model_dump(),
        workers=wishes.workers,
        concurrency=settings.ground_concurrency,
        address=wishes.address,
    )
    return Job(
        entries=read(wishes.source, format=wishes.read_as, protocol_id=wishes.protocol),
        source=wishes.protocol or wishes.name,
        engine=engine,
        basis=replace(grounding.basis, fresh=output.fresh),
        output=output,
        format=format_of(wishes.kind),
        batch_size=settings.ground_batch,
        limit=wishes.limit,
        **more,
    )


def _marks(wishes: Wishes, settings: Settings, grounding: Grounding) -> dict[str, str]:
    """What tells two outputs apart, in the words of an error."""
    basis = grounding.basis
    return {
        "input": "-" if wishes.source == "-" else Path(wishes.source).name,
        "format": wishes.kind,
        "protocol": wishes.protocol,
        "limit": str(wishes.limit or ""),
        "batch size": str(settings.ground_batch),
        "threshold": repr(basis.threshold),
        "model": basis.model,
        "terminology": basis.terminology,
        "set of prompts": basis.prompts,
        "version of DocGemma": basis.program,
    }


@contextmanager
def _output(wishes: Wishes, marks: dict[str, str]) -> Iterator[Output]:
    path = Path(wishes.out)
    if wishes.out == "-":
        yield StreamOutput(sys.stdout.buffer, fresh=wishes.fresh)
    elif path.exists() and not path.is_file():
        with closed_in_the_end(_device(path)) as stream:
            yield StreamOutput(stream, fresh=wishes.fresh)
    else:
        with open_output(path, marks, fresh=wishes.fresh, force=wishes.force) as output:
            yield output


def _device(path: Path) -> BinaryIO:
    """A device or a pipe has no past to compare with."""
    try:
        return path.open("wb")
    except OSError as error:
        raise BadInput(f"--out cannot be written: {error.strerror}.") from None


async def _stopped(run: Run, wishes: Wishes, outage: Outage) -> Unavailable:
    done = run.tally.done
    of_all = f"{await run.count_all():,}" if wishes.source != "-" else "all"
    return Unavailable(f"{done:,} of {of_all} criteria are grounded. {outage.reason} {GO_ON}")
