"""From reports and records to what the page shows: variants beside each other, what they cost, and every case."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from docgemma.clinical import GRAPHS
from docgemma.evals.journal import Head
from docgemma.evals.statistics import mean, quantile
from docgemma.evals.suite import ALARM, RULES, STANDARD, About, CaseRecord, Configuration, Variant, abouts
from docgemma.evals.summary import Comparison, Report, by_case, grouped


@dataclass(frozen=True, slots=True)
class Missed:
    """A record to drill into, under the anchor that everything else links to."""

    anchor: str
    record: CaseRecord


@dataclass(slots=True)
class Column:
    """One variant of one model with its records, and what it changes. `run`: which of several runs alike in name."""

    report: Report
    run: int
    records: list[CaseRecord] = field(default_factory=list)
    label: str = ""

    @property
    def configuration(self) -> Configuration | None:
        """By the last part of the variant's name; the plain one is no configuration worth a word."""
        name = Variant.named(self.report.variant).configuration
        known = _about(self.report.suite).configurations
        return next((one for one in known if one.name == name != STANDARD), None)

    @property
    def costs(self) -> list[dict[str, Any]]:
        """One line a kind, then all of them. A case without a result cost nothing that could be told."""
        ended = [record for record in self.records if not record.error]
        kinds = sorted(grouped(ended, lambda one: one.kind).items())
        return [_cost(kind, records) for kind, records in [*kinds, *([("all", ended)] if ended else [])]]


def suites(
    reports: Sequence[Report], records: Sequence[CaseRecord], comparisons: Sequence[Comparison], heads: Sequence[Head]
) -> list[dict[str, Any]]:
    """What the template shows of each suite, in the order in which they were run."""
    number = count(1)
    found = []
    for name, columns in grouped(_columns(reports, records), lambda one: one.report.suite).items():
        compared = [one for one in comparisons if one.suite == name]
        again = commands([column.report for column in columns], [head for head in heads if head.suite == name])
        found.append(_suite(name, columns, compared, number) | {"again": list(again)})
    return found


def _suite(
    name: str, columns: Sequence[Column], compared: Sequence[Comparison], number: Iterator[int]
) -> dict[str, Any]:
    """`alarm` is empty where the suite watches for nothing that must never happen: then 0 of it would say nothing.

    `more`: metrics that stand in no table of the terminal, what a finding is made of. `most`: the widest difference of
    all comparisons, in points, so that they share one scale.
    """
    reports = [column.report for column in columns]
    _label(columns)
    missed = {column.label: _missed(column.records, number) for column in columns}
    flat = [one for kinds in missed.values() for group in kinds.values() for one in group]
    watches = reports[0].alarm != ALARM or any(report.totals.alarms for report in reports)
    known = {one.name: one.means for one in _about(name).metrics}
    return {
        "name": name,
        "title": reports[0].title,
        "alarm": reports[0].alarm if watches else "",
        "metrics": {metric: means for report in reports for metric, means in report.metrics.items()},
        "more": {
            metric: known.get(metric, "")
            for report in reports
            for metric, score in report.totals.scores.items()
            if score.scored and metric not in report.metrics
        },
        "columns": columns,
        "comparisons": compared,
        "most": max([5.0, *(abs(end) for one in compared for pair in one.metrics for end in (pair.low, pair.high))]),
        "cases": _cases(columns, {id(one.record): one.anchor for one in flat}),
        "missed": {label: kinds for label, kinds in missed.items() if kinds},
        "alarms": [one for one in flat if one.record.alarms],
    }


def _about(suite: str) -> About:
    """Nothing is known of a suite that is not ours."""
    return abouts().get(suite, About(()))


def _columns(reports: Sequence[Report], records: Sequence[CaseRecord]) -> list[Column]:
    """Each report with its records. Two runs alike in name are told apart by order: the second report has those records
    whose case was there before. Records that nobody counted are no part of any.
    """
    alike: dict[tuple[str, ...], list[Column]] = {}
    columns = []
    for report in reports:
        own = alike.setdefault((report.suite, report.model, report.variant), [])
        own.append(Column(report, len(own)))
        columns.append(own[-1])
    seen: Counter[tuple[object, ...]] = Counter()
    for record in records:
        name = (record.suite, record.model, record.variant)
        case = (*name, record.id, record.repeat)
        if own := alike.get(name, []):
            own[min(seen[case], len(own) - 1)].records.append(record)
        seen[case] += 1
    return columns


def _label(columns: Sequence[Column]) -> None:
    """As short as they can be and still differ."""
    several = len({column.report.model for column in columns}) > 1
    runs = Counter((column.report.model, column.report.variant) for column in columns)
    for column in columns:
        model, variant = column.report.model, column.report.variant
        run = f", run {column.run + 1}" if runs[model, variant] > 1 else ""
        column.label = (f"{model} · " if several else "") + variant + run


def _cost(kind: str, records: Sequence[CaseRecord]) -> dict[str, Any]:
    """Means of calls and tokens, the middle and the slow seconds."""
    seconds = [record.duration_ms / 1000 for record in records]
    return {
        "kind": kind,
        "cases": len({record.id for record in records}),
        "calls": mean([record.llm_calls for record in records]),
        "prompt": mean([record.tokens.prompt for record in records]),
        "completion": mean([record.tokens.completion for record in records]),
        "median": quantile(seconds, 0.5),
        "p95": quantile(seconds, 0.95),
    }


def _missed(records: Sequence[CaseRecord], number: Iterator[int]) -> dict[str, list[Missed]]:
    """By kind; within it what must never happen first, then what has no result."""
    missed = [record for record in records if record.missed]
    ordered = sorted(missed, key=lambda one: (one.kind, not one.alarms, not one.error))
    return grouped((Missed(f"m{next(number)}", record) for record in ordered), lambda one: one.record.kind)


def _cases(columns: Sequence[Column], anchors: Mapping[int, str]) -> dict[str, list[dict[str, Any]]]:
    """Every case once, by kind, with a mark for each column."""
    runs = [by_case(column.records) for column in columns]
    first: dict[str, CaseRecord] = {}
    for column in columns:
        for record in column.records:
            first.setdefault(record.id, record)
    return {
        kind: [
            {"id": one.id, "say": one.say, "marks": [_mark(run.get(one.id, []), anchors) for run in runs]}
            for one in cases
        ]
        for kind, cases in sorted(grouped(first.values(), lambda one: one.kind).items())
    }


def _mark(records: Sequence[CaseRecord], anchors: Mapping[int, str]) -> dict[str, str]:
    """How a case came out in one column: passed of how often, and where the miss is told."""
    missed = [anchors[id(record)] for record in records if record.missed]
    passed, runs = len(records) - len(missed), len(records)
    text = f"{passed}/{runs}" if 0 < passed < runs else "" if not runs else "✓" if passed else "✗"
    return {"text": text, "miss": missed[0] if missed else ""}


# ----------
# The command that runs an eval again, as far as its reports say what was run.


def commands(reports: Sequence[Report], heads: Sequence[Head]) -> Iterator[str]:
    """How to run this again. Where the model's server is, nobody wrote down: the settings say it."""
    for model, own in grouped(reports, lambda one: one.model).items():
        head = next((one for one in heads if one.model == model), None)
        graphs = grouped((Variant.named(report.variant) for report in own), lambda one: one.graph)
        asked = {graph: tuple(dict.fromkeys(one.configuration for one in group)) for graph, group in graphs.items()}
        for chosen in dict.fromkeys(asked.values()):
            alike = [graph for graph in asked if asked[graph] == chosen]
            yield " ".join(
                [
                    f"docgemma eval {own[0].suite}",
                    "--model rules" if model == RULES else f"--model-name {shlex.quote(model)}",
                    *(f"--graph {graph}" for graph in alike if alike != [GRAPHS[0]]),
                    *(f"--configuration {way}" for way in chosen if chosen != (STANDARD,)),
                    *([f"--repeat {own[0].repeats}"] if own[0].repeats > 1 else []),
                    *(["--no-shortcuts"] if head is not None and not head.shortcuts else []),
                ]
            )
