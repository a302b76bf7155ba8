"""`docgemma eval`: how well requests are understood and criteria are grounded, with every miss."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, cast

import click

from docgemma.cli.options import model_options, shortcuts_option
from docgemma.cli.progress import Progress
from docgemma.errors import BadInput, Unavailable

if TYPE_CHECKING:
    from docgemma.cli.render import Line
    from docgemma.config import Settings
    from docgemma.evals.turns.cases import Case
    from docgemma.evals.grounding.report import GroundingReport
    from docgemma.evals.report import Report
    from docgemma.evals.turns.suite import Result, Run

SUITES = ("turns", "grounding")


@click.command("eval")
@click.argument("suite", type=click.Choice(SUITES))
@click.option(
    "--cases",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Cases of your own, one JSON object a line, instead of those that come with DocGemma.",
)
@click.option("--kind", "kinds", multiple=True, metavar="KIND", help="Only cases of this kind; may be repeated.")
@click.option("--id", "ids", multiple=True, metavar="ID", help="Only this case; may be repeated.")
@click.option(
    "--split",
    type=click.Choice(["dev", "held", "all"]),
    default="all",
    help="Only the cases to develop with, or only the held-out third. The default is all.",
)
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Only the first N of them.")
@click.option("--json", "as_json", is_flag=True, help="Print the numbers and misses as one line of JSON.")
@click.option("--out", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), help="One record a case.")
@click.option("--overwrite", is_flag=True, help="Write --out although FILE exists.")
@click.option("--misses/--no-misses", default=True, help="Whether every miss is listed; it is by default.")
@click.option(
    "--fail-under",
    type=click.FloatRange(0, 100),
    metavar="PERCENT",
    help="Exit with 2 when a score is below: one of the four of `turns` (or anything was written unasked), the relaxed "
    "F1 or the accuracy of grounded concepts of `grounding`.",
)
@click.option("--concurrency", type=click.IntRange(1, 256), default=1, metavar="N", help="How many cases at once.")
@shortcuts_option
@model_options
def evaluate(
    suite: str,
    cases: Path | None,
    kinds: tuple[str, ...],
    ids: tuple[str, ...],
    split: Literal["dev", "held", "all"],
    limit: int | None,
    as_json: bool,
    out: Path | None,
    overwrite: bool,
    misses: bool,
    fail_under: float | None,
    concurrency: int,
    **flags: Any,
) -> int:
    """Run the cases of SUITE and say how many came out as a careful clinician expects.

    `turns`: messages of clinicians, in a fictional clinic and a temporary store: no source is asked, no data of
    yours is touched. `grounding`: eligibility criteria with known entities, against your own terminology; --kind,
    --split and --out are not for it.

    \b
    Examples:
      docgemma eval turns --model rules
      docgemma eval grounding --limit 30 --no-misses
      docgemma eval turns --split dev --kind prescribe
      docgemma eval turns --id ward-nurse-014 --json
      docgemma eval turns --cases mine.jsonl --out records.jsonl --fail-under 95

    Exit codes: 0 when it ran, whatever the scores; 2 when --fail-under says so; 3 for an unknown --id.
    """
    from docgemma.config import load_settings
    from docgemma.evals.turns.cases import load_cases, select

    settings = load_settings(**flags)
    if suite == "grounding":
        from docgemma.cli.eval_grounding import evaluate_grounding

        if kinds or split != "all" or out:
            raise BadInput("--kind, --split and --out are for the suite 'turns' alone.")
        grounded = evaluate_grounding(settings, cases, ids=ids, limit=limit, concurrency=concurrency)
        _show(grounded, as_json=as_json, misses=misses)
        return _verdict(grounded, fail_under)
    chosen = select(load_cases(cases), kinds=kinds, ids=ids, split=None if split == "all" else split, limit=limit)
    with _records(out, overwrite=overwrite) as records:
        report = _report(settings, chosen, concurrency, records)
    _show(report, as_json=as_json, misses=misses)
    return _verdict(report, fail_under)


def _report(settings: Settings, cases: tuple[Case, ...], concurrency: int, records: BinaryIO | None) -> Report:
    from docgemma.evals.report import case_record, summarize
    from docgemma.evals.turns.suite import run_turns

    progress = Progress(sys.stderr, len(cases), quiet=not sys.stderr.isatty(), unit="cases")

    def heard(result: Result) -> None:
        progress.done(record=result.record is not None)
        if records is not None:
            _write(records, case_record(result).model_dump_json())

    async def run() -> Run:
        return await run_turns(settings, cases, concurrency=concurrency, heard=heard)

    try:
        finished = asyncio.run(run())
    except KeyboardInterrupt:
        progress.stopped(resumable=False)
        raise
    progress.finish()
    return summarize(finished)


@contextmanager
def _records(path: Path | None, *, overwrite: bool) -> Iterator[BinaryIO | None]:
    """FILE, readable by its owner alone: cases of one's own may be taken from life."""
    if path is None:
        yield None
        return
    if not overwrite and path.exists() and path.stat().st_size > 0:
        raise BadInput(f"{path.name} exists. Give --overwrite to write it anew.")
    try:
        stream = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb")
    except OSError as error:
        raise BadInput(f"{path.name} cannot be written: {error.strerror}.") from None
    with stream:
        yield stream


def _write(records: BinaryIO, line: str) -> None:
    try:
        records.write(line.encode() + b"\n")
        records.flush()
    except OSError as error:
        raise Unavailable(f"The records cannot be written: {error.strerror}.") from None


def _show(report: Report | GroundingReport, *, as_json: bool, misses: bool) -> None:
    if as_json:
        shown = report if misses else report.model_copy(update={"misses": ()})
        click.echo(shown.model_dump_json())
        return
    from docgemma.cli.screen import screen

    screen().lines(_lines(report, misses=misses))


def _lines(report: Report | GroundingReport, *, misses: bool) -> Iterator[Line]:
    if report.suite == "turns":
        from docgemma.cli.eval_table import lines

        return lines(cast("Report", report), misses=misses)
    from docgemma.cli.eval_grounding import grounding_lines

    return grounding_lines(cast("GroundingReport", report), misses=misses)


def _verdict(report: Report | GroundingReport, fail_under: float | None) -> int:
    below = report.below(fail_under) if fail_under is not None else []
    if not below:
        return 0
    click.echo(f"docgemma: below the mark of {fail_under:g} %: {', '.join(below)}.", err=True)
    return BadInput.exit_code
