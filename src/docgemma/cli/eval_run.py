"""What `docgemma eval` runs and leaves behind: lines for a terminal, one object for a program, a page for a browser."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal

import click

from docgemma.cli.eval_lines import card_lines, comparison_lines, side_by_side, table_lines
from docgemma.cli.progress import LOG_S, Progress
from docgemma.cli.render import Line
from docgemma.cli.screen import screen
from docgemma.clinical import GRAPHS, Frozen, GraphName
from docgemma.config import Settings
from docgemma.errors import BadInput
from docgemma.evals.card import cards_of
from docgemma.evals.casefiles import Split, digest, select
from docgemma.evals.journal import Head, head_of, model_label, open_journal, read_journal
from docgemma.evals.running import Run, planned, run_suite
from docgemma.evals.suite import RULES, STANDARD, CaseRecord, Suite, Variant, suite_of
from docgemma.evals.summary import Comparison, Report, compare, grouped, summarize


@dataclass(frozen=True, slots=True)
class Options:
    """What is to be run, how often, how the numbers are to be told and the records kept: the flags of the command."""

    cases: Path | None = None
    kinds: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    split: Literal[Split, "all"] = "all"
    sample: int | None = None
    limit: int | None = None
    graphs: tuple[GraphName, ...] = ()
    configurations: tuple[str, ...] = ()
    compare: tuple[str, str] | None = None
    repeat: int = 1
    concurrency: int = 1
    as_json: bool = False
    html: Path | None = None
    out: Path | None = None
    resume: bool = False
    overwrite: bool = False
    misses: bool | None = None
    fail_under: float | None = None

    @classmethod
    def of(cls, flags: dict[str, Any]) -> Options:
        """Those among all flags; they are taken out, and what is left are settings."""
        return cls(**{field.name: flags.pop(field.name) for field in fields(cls)})

    def check(self, *others: Path | None) -> None:
        """Before hours of work, not after: whether the page can be written at all, and over none of `others`."""
        if self.html is None:
            return
        for other in others:
            check_distinct(self.html, other)
        if self.html.exists() and not self.overwrite:
            raise BadInput(f"{self.html.name} exists. Give --overwrite to write it anew.")
        if not self.html.parent.is_dir():
            raise BadInput(f"There is no folder for {self.html.name}. Make it first.")
        if not os.access(self.html if self.html.exists() else self.html.parent, os.W_OK):
            raise BadInput(f"{self.html.name} cannot be written: its folder or the file does not allow it.")


def check_distinct(written: Path | None, other: Path | None) -> None:
    """What is written must be no file that is read: --overwrite would take the cases or records with it."""
    if written is not None and other is not None and written.resolve() == other.resolve():
        raise BadInput(f"{written.name} is named twice: what is written needs a file of its own.")


@dataclass(frozen=True, slots=True)
class Finished:
    """One suite that was run, or read from files. `names`: of its reports, where their variants are the same."""

    suite: Suite[Any]
    records: tuple[CaseRecord, ...]
    reports: tuple[Report, ...]
    comparisons: tuple[Comparison, ...]
    heads: tuple[Head, ...]
    names: tuple[str, ...] = ()


def present(found: Sequence[Finished], options: Options, *, card: bool = False) -> int:
    """Everything, in the form that was asked for, and the exit code that --fail-under asks for."""
    reports = [report for one in found for report in one.reports]
    records = [record for one in found for record in one.records]
    comparisons = [comparison for one in found for comparison in one.comparisons]
    heads = [head for one in found for head in one.heads]
    cards = cards_of(records, heads) if card else ()
    if options.html is not None:
        from docgemma.evals.report import write_html

        write_html(options.html, reports, records, comparisons, heads)
        click.echo(f"The report is in {options.html.name}.", err=True)
    if options.as_json:
        shown = [report.model_copy(update={"misses": ()}) for report in reports] if options.misses is False else reports
        if len(shown) == 1 and not card:
            click.echo(shown[0].model_dump_json())
        else:
            parts: dict[str, Sequence[Frozen]] = {"reports": shown, "comparisons": comparisons}
            parts |= {"cards": cards} if card else {}
            click.echo(
                json.dumps({name: [one.model_dump(mode="json") for one in part] for name, part in parts.items()})
            )
    else:
        screen().lines(_lines(found, options))
        for made in cards:
            screen().lines([Line(), *card_lines(made)])
    below = [
        f"{report.variant}: {text}" if len(one.reports) > 1 else text
        for one in found
        for report in one.reports
        for text in (report.below(options.fail_under) if options.fail_under is not None else ())
    ]
    if not below:
        return 0
    click.echo(f"docgemma: below the mark of {options.fail_under:g} %: {', '.join(below)}.", err=True)
    return BadInput.exit_code


def _lines(found: Sequence[Finished], options: Options) -> Iterator[Line]:
    for number, one in enumerate(found):
        if number:
            yield Line()
        listed = options.misses if options.misses is not None else len(found) == 1 and len(one.reports) == 1
        if len(one.reports) > 1:
            yield from side_by_side(one.reports, one.names)
        for report in one.reports if len(one.reports) == 1 or listed else ():
            yield from table_lines(report, misses=listed)
        for comparison in one.comparisons:
            yield from comparison_lines(comparison)


# ----------
# Running suites with progress, a file to resume from and a report, as `docgemma eval` asks for it.


def one_suite(name: str, settings: Settings, options: Options) -> int:
    """One suite from its cases to its verdict."""
    if options.out is not None and options.out.is_dir():
        raise BadInput(f"{options.out.name} is a folder. Name a file of records for one suite.")
    check_distinct(options.out, options.cases)
    options.check(options.out, options.cases)
    return present([_ran(suite_of(name), settings, options)], options)


def every_suite(names: Sequence[str], settings: Settings, options: Options) -> int:
    """All suites, one file of records each, and at the end what this model may do."""
    if options.cases or options.kinds or options.ids or options.compare or options.configurations:
        raise BadInput("--cases, --kind, --id, --configuration and --compare are for one suite, not for all.")
    options.check()
    if out := options.out:
        if out.is_file():
            raise BadInput(f"{out.name} is a file. With `all`, --out names a folder.")
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(f"{out.name} cannot be made: {error.strerror}.") from None
    found = []
    for name in names:
        suite = suite_of(name)
        ways = () if model_label(settings) == RULES else suite.about.whole  # without a model there is nothing to vary
        click.echo(f"{suite.title}", err=True)
        graphs, file = options.graphs if suite.about.graphs else (), out / f"{name}.jsonl" if out else None
        found.append(_ran(suite, settings, replace(options, graphs=graphs, configurations=ways, out=file)))
    return present(found, options, card=True)


def from_files(paths: Sequence[Path], options: Options) -> int:
    """A report of what was run before: a table for each suite of each file, and a card for each model."""
    options.check(*paths)
    found = []
    for path in paths:
        head, records = read_journal(path)
        for name, own in grouped(records, lambda one: one.suite).items():
            found.append(_finished(suite_of(name), _earlier(name, own), head))
    return present(found, options, card=True)


def compare_files(name: str, first: Path, second: Path, *, options: Options) -> int:
    """Two runs of one suite, case by case."""
    if first.resolve() == second.resolve():
        raise BadInput(f"{first.name} beside itself shows nothing: name two files of records.")
    options.check(first, second)
    suite = suite_of(name)
    runs, names = [], []
    for path in (first, second):
        head, records = read_journal(path)
        if head.suite != name:
            raise BadInput(f"{path.name} holds records of the suite '{head.suite}', not of '{name}'.")
        runs.append(_finished(suite, _earlier(name, records), head))
        variants = [report.variant for report in runs[-1].reports]
        if len(variants) > 1:
            raise BadInput(f"{path.name} holds several variants ({', '.join(variants)}); compare files of one each.")
        names.append(f"{path.name} ({records[0].model}, {variants[0]})")
    a, b = runs
    (head_a,), (head_b,) = a.heads, b.heads
    made = compare(names[0], a.records, names[1], b.records, suite.about.metrics, head_a.apart(head_b))
    both = Finished(suite, a.records + b.records, a.reports + b.reports, (made,), a.heads + b.heads, tuple(names))
    return present([both], options)


def variants_of(suite: Suite[Any], settings: Settings, options: Options) -> tuple[Variant, ...]:
    """Every graph with every configuration that was chosen; those to compare come first."""
    known = [configuration.name for configuration in suite.about.configurations]
    graphs = tuple(dict.fromkeys(options.graphs))
    if graphs and not suite.about.graphs:
        raise BadInput(f"--graph does not apply to the suite '{suite.name}': no graph runs in it.")
    names = known if "all" in options.configurations else list(dict.fromkeys(options.configurations))
    for name in names:
        if name not in known:
            raise BadInput(f"The suite '{suite.name}' has no configuration '{name}'. It has: {', '.join(known)}.")
    compared = [_variant(suite, name) for name in options.compare or ()]
    default = settings.graph if suite.about.graphs else "routed"
    asked = graphs or names or not compared
    chosen = [Variant(graph, name) for graph in graphs or (default,) for name in (names or [STANDARD]) if asked]
    return tuple(dict.fromkeys([*compared, *chosen]))


def _variant(suite: Suite[Any], name: str) -> Variant:
    """One of the two names of --compare: a graph, a configuration, or both as in `triage+no_shortcuts`."""
    known = [*(GRAPHS if suite.about.graphs else ()), *(one.name for one in suite.about.configurations)]
    if unknown := [part for part in name.split("+") if part not in known]:
        raise BadInput(f"'{unknown[0]}' is no file and nothing that can be compared. There are: {', '.join(known)}.")
    return Variant.named(name)


def _ran(suite: Suite[Any], settings: Settings, options: Options) -> Finished:
    variants = variants_of(suite, settings, options)
    cases = select(
        suite.load(options.cases),
        kinds=options.kinds,
        ids=options.ids,
        split=None if options.split == "all" else options.split,
        sample=options.sample,
        limit=options.limit,
    )
    head = head_of(suite.name, settings, digest(cases))
    total = planned(suite, cases, variants, options.repeat)
    if total == 0:
        raise BadInput("None of the chosen cases belongs to the chosen configurations.")
    with open_journal(options.out, head, resume=options.resume, overwrite=options.overwrite) as journal:
        progress, began = Progress(sys.stderr, total, unit="cases"), time.monotonic()

        def keep(record: CaseRecord) -> None:
            journal.write(record)
            progress.done(record=not record.error)

        wanted = {variant.name for variant in variants}
        for record in journal.done:
            if record.variant in wanted and record.repeat < options.repeat:
                progress.skip(record=not record.error)

        often = {"repeat": options.repeat, "concurrency": options.concurrency}
        try:
            run = asyncio.run(run_suite(suite, settings, cases, variants, done=journal.done, on_record=keep, **often))
        except KeyboardInterrupt:
            progress.stopped(resumable=options.out is not None)
            raise
        if sys.stderr.isatty() or time.monotonic() - began > LOG_S:  # a line that renews itself, or one for a log
            progress.finish()
    return _finished(suite, run, head)


def _earlier(suite: str, records: Sequence[CaseRecord]) -> Run:
    """A run that a file tells of: what it cost, nobody noted."""
    return Run(suite, tuple(dict.fromkeys(record.variant for record in records)), tuple(records))


def _finished(suite: Suite[Any], run: Run, head: Head) -> Finished:
    """With every other variant beside the first, as far as they have cases in common."""
    parts = grouped(run.records, lambda one: one.variant)
    first, *others = run.variants
    cases = {name: {record.id for record in parts.get(name, [])} for name in run.variants}
    compared = tuple(
        compare(first, parts[first], name, parts[name], suite.about.metrics)
        for name in others
        if cases[first] & cases[name]
    )
    return Finished(suite, run.records, summarize(suite, run), compared, (head,))
