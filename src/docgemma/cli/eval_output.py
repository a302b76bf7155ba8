"""What `docgemma eval` leaves behind: lines for a terminal, one object for a program, a page for a browser."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from docgemma.cli.eval_table import comparison_lines, side_by_side, table_lines
from docgemma.cli.render import Line
from docgemma.errors import BadInput
from docgemma.evals.comparing import Comparison
from docgemma.evals.contract import CaseRecord, Suite
from docgemma.evals.journal import Head
from docgemma.evals.summary import Report

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
        from docgemma.evals.html.report import write_html

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
        from docgemma.cli.eval_card import card_lines

        for made in _cards(found):
            yield Line()
            yield from card_lines(made)


def _cards(found: Sequence[Finished]) -> tuple[Card, ...]:
    """One for each model."""
    from docgemma.evals.card import cards_of

    return cards_of([record for one in found for record in one.records], [head for one in found for head in one.heads])
