"""What `docgemma eval` leaves behind: lines for a terminal, one object for a program, a page for a browser."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from docgemma.cli.eval_lines import comparison_lines, side_by_side, table_lines
from docgemma.cli.progress import LOG_S, Progress
from docgemma.cli.render import Line
from docgemma.clinical import GRAPHS, GraphName
from docgemma.config import Settings
from docgemma.errors import BadInput
from docgemma.evals.casefiles import Split, digest, select
from docgemma.evals.journal import Head, head_of, model_label, open_journal, read_journal
from docgemma.evals.running import Run, planned, run_suite
from docgemma.evals.suite import STANDARD, CaseRecord, Suite, Variant, suite_of
from docgemma.evals.summary import Comparison, Report, compare, report_of, summarize

if TYPE_CHECKING:
    from docgemma.evals.card import Card


@dataclass(frozen=True, slots=True)
class Output:
    """How the numbers are to be told."""

    as_json: bool = False
    html: Path | None = None
    overwrite: bool = False
    misses: bool | None = None
    fail_under: float | None = None

    def check(self, *others: Path | None) -> None:
        """Before hours of work, not after: whether the page can be written at all, and over none of `others`."""
        if self.html is None:
            return
        for other in others:
            apart(self.html, other)
        if self.html.exists() and not self.overwrite:
            raise BadInput(f"{self.html.name} exists. Give --overwrite to write it anew.")
        if not self.html.parent.is_dir():
            raise BadInput(f"There is no folder for {self.html.name}. Make it first.")
        if not os.access(self.html if self.html.exists() else self.html.parent, os.W_OK):
            raise BadInput(f"{self.html.name} cannot be written: its folder or the file does not allow it.")


def apart(written: Path | None, other: Path | None) -> None:
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


def show(found: Sequence[Finished], output: Output, *, card: bool = False) -> None:
    """Everything, in the form that was asked for."""
    if output.html is not None:
        from docgemma.evals.report import write_html

        write_html(
            output.html,
            [report for one in found for report in one.reports],
            [record for one in found for record in one.records],
            [comparison for one in found for comparison in one.comparisons],
            [head for one in found for head in one.heads],
        )
        click.echo(f"The report is in {output.html.name}.", err=True)
    if output.as_json:
        click.echo(_json(found, output, card=card))
        return
    from docgemma.cli.screen import screen

    screen().lines(_lines(found, output, card=card))


def verdict(found: Sequence[Finished], output: Output) -> int:
    """The exit code that --fail-under asks for."""
    if output.fail_under is None:
        return 0
    below = [
        f"{report.variant}: {text}" if len(one.reports) > 1 else text
        for one in found
        for report in one.reports
        for text in report.below(output.fail_under)
    ]
    if not below:
        return 0
    click.echo(f"docgemma: below the mark of {output.fail_under:g} %: {', '.join(below)}.", err=True)
    return BadInput.exit_code


def _json(found: Sequence[Finished], output: Output, *, card: bool) -> str:
    reports = [_shown(report, output) for one in found for report in one.reports]
    if len(reports) == 1 and not card:
        return reports[0].model_dump_json()
    told: dict[str, Any] = {
        "reports": [report.model_dump(mode="json") for report in reports],
        "comparisons": [
            comparison.model_dump(mode="json") | {"suite": one.suite.name}
            for one in found
            for comparison in one.comparisons
        ],
    }
    if card:
        told["cards"] = [one.model_dump(mode="json") for one in _cards(found)]
    return json.dumps(told)


def _shown(report: Report, output: Output) -> Report:
    return report if output.misses is not False else report.model_copy(update={"misses": ()})


def _lines(found: Sequence[Finished], output: Output, *, card: bool) -> Iterator[Line]:
    for number, one in enumerate(found):
        if number:
            yield Line()
        listed = output.misses if output.misses is not None else len(found) == 1 and len(one.reports) == 1
        if len(one.reports) > 1:
            yield from side_by_side(one.reports, one.names)
        for report in one.reports if len(one.reports) == 1 or listed else ():
            yield from table_lines(report, misses=listed)
        for comparison in one.comparisons:
            yield from comparison_lines(comparison)
    if card:
        from docgemma.cli.eval_lines import card_lines

        for made in _cards(found):
            yield Line()
            yield from card_lines(made)


def _cards(found: Sequence[Finished]) -> tuple[Card, ...]:
    """One for each model."""
    from docgemma.evals.card import cards_of

    return cards_of([record for one in found for record in one.records], [head for one in found for head in one.heads])


# ----------
# Running suites with progress, a file to resume from and a report, as `docgemma eval` asks for it.


__all__ = ["Choice", "Output", "compare_files", "every_suite", "from_files", "one_suite"]


@dataclass(frozen=True, slots=True)
class Choice:
    """What is to be run, and how often."""

    cases: Path | None = None
    kinds: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    split: Split | None = None
    sample: int | None = None
    limit: int | None = None
    graphs: tuple[GraphName, ...] = ()
    configurations: tuple[str, ...] = ()
    compare: tuple[str, str] | None = None
    repeat: int = 1
    concurrency: int = 1


def one_suite(name: str, settings: Settings, choice: Choice, output: Output, out: Path | None, *, resume: bool) -> int:
    """One suite from its cases to its verdict."""
    if out is not None and out.is_dir():
        raise BadInput(f"{out.name} is a folder. Name a file of records for one suite.")
    apart(out, choice.cases)
    output.check(out, choice.cases)
    finished = _ran(suite_of(name), settings, choice, out, resume=resume, overwrite=output.overwrite)
    show([finished], output)
    return verdict([finished], output)


def every_suite(
    names: Sequence[str], settings: Settings, choice: Choice, output: Output, out: Path | None, *, resume: bool
) -> int:
    """All suites, one file of records each, and at the end what this model may do."""
    if choice.cases or choice.kinds or choice.ids or choice.compare or choice.configurations:
        raise BadInput("--cases, --kind, --id, --configuration and --compare are for one suite, not for all.")
    output.check()
    if out is not None:
        if out.is_file():
            raise BadInput(f"{out.name} is a file. With `all`, --out names a folder.")
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(f"{out.name} cannot be made: {error.strerror}.") from None
    found = []
    for name in names:
        suite = suite_of(name)
        ways = () if model_label(settings) == "rules" else suite.about.whole  # without a model there is nothing to vary
        own = replace(choice, graphs=choice.graphs if suite.about.graphs else (), configurations=ways)
        click.echo(f"{suite.title}", err=True)
        path = out / f"{name}.jsonl" if out is not None else None
        found.append(_ran(suite, settings, own, path, resume=resume, overwrite=output.overwrite))
    show(found, output, card=True)
    return verdict(found, output)


def from_files(paths: Sequence[Path], output: Output) -> int:
    """A report of what was run before: a table for each suite of each file, and a card for each model."""
    output.check(*paths)
    found = []
    for path in paths:
        head, records = read_journal(path)
        for name in dict.fromkeys(record.suite for record in records):
            suite = suite_of(name)
            own = tuple(record for record in records if record.suite == name)
            found.append(_finished(suite, own, heads=(head,)))
    show(found, output, card=True)
    return verdict(found, output)


def compare_files(name: str, first: Path, second: Path, output: Output) -> int:
    """Two runs of one suite, case by case."""
    if first.resolve() == second.resolve():
        raise BadInput(f"{first.name} beside itself shows nothing: name two files of records.")
    output.check(first, second)
    suite = suite_of(name)
    (head_a, left), (head_b, right) = read_journal(first), read_journal(second)
    for path, head in ((first, head_a), (second, head_b)):
        if head.suite != name:
            raise BadInput(f"{path.name} holds records of the suite '{head.suite}', not of '{name}'.")
    names = [_named(path, records) for path, records in ((first, left), (second, right))]
    made = compare(names[0], left, names[1], right, suite.about.metrics).model_copy(
        update={"apart": head_a.apart(head_b)}
    )
    a, b = (_finished(suite, records, heads=(head,)) for records, head in ((left, head_a), (right, head_b)))
    both = Finished(suite, (*a.records, *b.records), (*a.reports, *b.reports), (made,), (head_a, head_b), tuple(names))
    show([both], output)
    return verdict([both], output)


def variants_of(suite: Suite[Any], settings: Settings, choice: Choice) -> tuple[Variant, ...]:
    """Every graph with every configuration that was chosen; those to compare come first."""
    known = [configuration.name for configuration in suite.about.configurations]
    graphs = tuple(dict.fromkeys(choice.graphs))
    if graphs and not suite.about.graphs:
        raise BadInput(f"--graph does not apply to the suite '{suite.name}': no graph runs in it.")
    names = known if "all" in choice.configurations else list(dict.fromkeys(choice.configurations))
    for name in names:
        if name not in known:
            raise BadInput(f"The suite '{suite.name}' has no configuration '{name}'. It has: {', '.join(known)}.")
    compared = [_variant(suite, name) for name in choice.compare or ()]
    default = settings.graph if suite.about.graphs else "routed"
    asked = graphs or names or not compared
    chosen = [Variant(graph, name) for graph in graphs or (default,) for name in (names or [STANDARD]) if asked]
    return tuple(dict.fromkeys([*compared, *chosen]))


def _variant(suite: Suite[Any], name: str) -> Variant:
    """One of the two names of --compare: a graph, a configuration, or both as in `triage+no_shortcuts`."""
    graph: GraphName = "routed"
    configuration = STANDARD
    known = [one.name for one in suite.about.configurations]
    for part in name.split("+"):
        if (found := next((one for one in GRAPHS if one == part), None)) and suite.about.graphs:
            graph = found
        elif part in known:
            configuration = part
        else:
            choices = [*(GRAPHS if suite.about.graphs else ()), *known]
            raise BadInput(f"'{part}' is no file and nothing that can be compared. There are: {', '.join(choices)}.")
    return Variant(graph, configuration)


def _ran(
    suite: Suite[Any], settings: Settings, choice: Choice, out: Path | None, *, resume: bool, overwrite: bool
) -> Finished:
    variants = variants_of(suite, settings, choice)
    cases = select(
        suite.load(choice.cases),
        kinds=choice.kinds,
        ids=choice.ids,
        split=choice.split,
        sample=choice.sample,
        limit=choice.limit,
    )
    head = head_of(suite.name, settings, digest(cases))
    total = planned(suite, cases, variants, choice.repeat)
    if total == 0:
        raise BadInput("None of the chosen cases belongs to the chosen configurations.")
    with open_journal(out, head, resume=resume, overwrite=overwrite) as journal:
        watch = _Watch(total)

        def heard(record: CaseRecord) -> None:
            journal.write(record)
            watch.progress.done(record=not record.error)

        wanted = {variant.name for variant in variants}
        for record in journal.done:
            if record.variant in wanted and record.repeat < choice.repeat:
                watch.progress.skip(record=not record.error)

        async def run() -> Run:
            return await run_suite(
                suite,
                settings,
                cases,
                variants,
                repeat=choice.repeat,
                concurrency=choice.concurrency,
                done=journal.done,
                heard=heard,
            )

        try:
            ran = asyncio.run(run())
        except KeyboardInterrupt:
            watch.progress.stopped(resumable=out is not None)
            raise
        watch.finish()
    reports = summarize(suite, ran)
    return Finished(
        suite, ran.records, reports, _compared(suite, ran.records, [variant.name for variant in variants]), (head,)
    )


def _finished(suite: Suite[Any], records: tuple[CaseRecord, ...], heads: tuple[Any, ...]) -> Finished:
    names = list(dict.fromkeys(record.variant for record in records))
    reports = tuple(report_of(suite, tuple(record for record in records if record.variant == name)) for name in names)
    return Finished(suite, records, reports, _compared(suite, records, names), heads)


def _compared(suite: Suite[Any], records: Sequence[CaseRecord], variants: Sequence[str]) -> tuple[Comparison, ...]:
    """Every other variant beside the first, as far as they have cases in common."""
    parts = {name: [record for record in records if record.variant == name] for name in variants}
    first, *others = parts
    cases = {name: {record.id for record in part} for name, part in parts.items()}
    return tuple(
        compare(first, parts[first], name, parts[name], suite.about.metrics)
        for name in others
        if cases[first] & cases[name]
    )


def _named(path: Path, records: Sequence[CaseRecord]) -> str:
    variants = list(dict.fromkeys(record.variant for record in records))
    if len(variants) > 1:
        raise BadInput(f"{path.name} holds several variants ({', '.join(variants)}); compare files of one each.")
    return f"{path.name} ({records[0].model}, {variants[0]})"


class _Watch:
    """Progress for whoever watches: a line that renews itself, or one every half minute in a log."""

    def __init__(self, total: int) -> None:
        self.progress = Progress(sys.stderr, total, unit="cases")
        self._began = time.monotonic()

    def finish(self) -> None:
        if sys.stderr.isatty() or time.monotonic() - self._began > LOG_S:
            self.progress.finish()
