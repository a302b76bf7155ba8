"""One run of `docgemma ground`: settings and services opened, the file read, the output written, the end told."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, Literal

import click

from docgemma.cli.files import refuse_own_input
from docgemma.cli.progress import PhaseProgress
from docgemma.cli.render import counted, json_text
from docgemma.config import Settings
from docgemma.errors import BadInput, Unavailable
from docgemma.grounding.engines.choosing import choose_engine
from docgemma.grounding.reading.reader import read
from docgemma.grounding.runs.formats import format_of
from docgemma.grounding.runs.holding import Outage
from docgemma.grounding.runs.output import Output, StreamOutput, closed_in_the_end, open_output
from docgemma.grounding.runs.running import Job, Run, Tally
from docgemma.grounding.runs.store import open_store
from docgemma.wiring.grounding import Grounding, open_ground, open_grounding

GO_ON = "The same command goes on where this one stopped."


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What was asked for on the command line, besides settings."""

    source: str
    out: str
    kind: str | None
    read_as: Any
    protocol: str
    engine: Any
    address: str | None
    workers: int
    limit: int | None
    fresh: bool
    force: bool
    as_json: bool

    def __post_init__(self) -> None:
        if self.as_json and self.out == "-":
            raise BadInput("--json prints the summary and needs --out FILE for the lines.")
        refuse_own_input(self.out, self.source)

    @property
    def form(self) -> Literal["jsonl", "omop"]:
        by_name = self.kind is None and self.out.lower().endswith(".csv")
        return "omop" if by_name or self.kind == "omop" else "jsonl"

    @property
    def name(self) -> str:
        """What the input is called in the store: a file that names no protocol is found again by it."""
        return "stdin" if self.source == "-" else Path(self.source).stem or "input"


def grounded_file(wishes: Wishes, settings: Settings) -> int:
    """Run it, say what came of it, and give the exit code."""
    seen = Tally()

    def on_tally(tally: Tally) -> None:
        nonlocal seen
        seen = tally
        progress("grounding", tally.criteria, None)

    try:
        with PhaseProgress(sys.stderr) as progress:
            tally, facts = asyncio.run(_run(wishes, settings, on_tally, progress))
    except KeyboardInterrupt:
        click.echo(f"Stopped after {seen.criteria:,} criteria. {GO_ON}", err=True)
        raise
    if wishes.as_json:
        click.echo(json_text({**_tally_facts(tally), **facts}))
    else:
        for line in _tally_lines(tally, facts["items_waiting"]):
            click.echo(line, err=wishes.out == "-")
    return BadInput.exit_code if tally.failed or tally.broken else 0


def _tally_facts(tally: Tally) -> dict[str, Any]:
    return {
        "criteria": tally.criteria,
        "grounded_now": tally.now,
        "from_before": tally.before,
        "failed": tally.failed,
        "broken_lines": tally.broken,
        "without_entities": tally.without_entities,
        "entities": tally.entities,
        "expert_review": tally.expert_review,
        "decided_by_experts": tally.by_person,
    }


def _tally_lines(tally: Tally, waiting: int) -> Iterator[str]:
    """For example: 120 criteria: 100 grounded now, 20 from before. 340 entities, 41 of them for an expert."""
    parts = [f"{tally.now:,} grounded now", f"{tally.before:,} from before"]
    parts += [f"{tally.failed:,} failed"] if tally.failed else []
    yield f"{counted(tally.criteria, 'criterion', 'criteria')}: {', '.join(parts)}."
    if not tally.criteria and not tally.broken:
        yield "The input holds no criteria."
    if tally.broken:
        yield f"{counted(tally.broken, 'line')} of the input could not be read."
    yield (
        f"{counted(tally.entities, 'entity', 'entities')}: {tally.entities - tally.expert_review:,} grounded, "
        f"{tally.expert_review:,} not; {counted(tally.without_entities, 'criterion', 'criteria')} without any."
    )
    if waiting:
        yield f"{counted(waiting, 'item')} to review: docgemma ground review list"
    if tally.failed:
        yield "The same command tries again what failed."


async def _run(
    wishes: Wishes, settings: Settings, on_tally: Callable[[Tally], None], progress: PhaseProgress
) -> tuple[Tally, dict[str, Any]]:
    async with open_grounding(settings, told=progress) as grounding, open_store(settings.grounding_address) as store:
        with _output(wishes, _marks(wishes, settings, grounding)) as output:
            run = Run(_job(wishes, settings, grounding, output, store=store, told=on_tally))
            try:
                tally = await run.run()
            except Outage as outage:
                of_all = f"{await run.count_all():,}" if wishes.source != "-" else "all"
                done = f"{run.tally.done:,} of {of_all} criteria are grounded."
                raise Unavailable(f"{done} {outage.reason} {GO_ON}") from None
        facts = {"out": wishes.out, "model": grounding.model.name, "terminology": grounding.basis.terminology}
        return tally, {**facts, "items_waiting": await store.waiting()}


def _job(wishes: Wishes, settings: Settings, grounding: Grounding, output: Output, **more: Any) -> Job:
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
        format=format_of(wishes.form),
        batch_size=settings.ground_batch,
        limit=wishes.limit,
        **more,
    )


def _marks(wishes: Wishes, settings: Settings, grounding: Grounding) -> dict[str, str]:
    """What tells two outputs apart, in the words of an error."""
    basis = grounding.basis
    return {
        "input": "-" if wishes.source == "-" else Path(wishes.source).name,
        "format": wishes.form,
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
