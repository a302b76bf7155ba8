"""From reports and records to what the page shows: variants beside each other, what they cost, and every case."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, groupby

from docgemma.evals.capabilities import IN_USE
from docgemma.evals.card import NO_MODEL
from docgemma.evals.journal import Head
from docgemma.evals.statistics import mean, quantile
from docgemma.evals.suite import ALARM, STANDARD, SUITES, CaseRecord, Configuration, suite_of
from docgemma.evals.summary import Comparison, Report

Own = tuple[str, str, str, int]
"""Suite, model, variant, and which of several runs of these: what one column stands for."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What the cases of one kind took: means of calls and tokens, the middle and the slow seconds."""

    kind: str
    cases: int
    calls: float
    prompt: float
    completion: float
    median: float
    p95: float


@dataclass(frozen=True, slots=True)
class Column:
    """One variant of one model, with what it changes and what the specification found with it."""

    label: str
    report: Report
    configuration: Configuration | None
    costs: tuple[Cost, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """How one case came out in one column: passed of how often, and where the miss is told."""

    passed: int
    runs: int
    miss: str = ""

    @property
    def text(self) -> str:
        if self.runs == 0:
            return ""
        if self.passed in (0, self.runs):
            return "✓" if self.passed else "✗"
        return f"{self.passed}/{self.runs}"


@dataclass(frozen=True, slots=True)
class CaseLine:
    """A case of the compact list."""

    id: str
    say: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Missed:
    """A record to drill into, under the anchor that everything else links to."""

    anchor: str
    record: CaseRecord


@dataclass(frozen=True, slots=True)
class SuiteView:
    """Everything about one suite."""

    name: str
    title: str
    alarm: str
    """Empty where the suite watches for nothing that must never happen: then 0 of it would say nothing."""
    metrics: Mapping[str, str]
    more: Mapping[str, str]
    """Metrics that stand in no table of the terminal: what a finding is made of."""
    columns: tuple[Column, ...]
    comparisons: tuple[Comparison, ...]
    most: float
    """The widest difference of all comparisons, in points: they share one scale."""
    cases: Mapping[str, tuple[CaseLine, ...]]
    missed: Mapping[str, Mapping[str, tuple[Missed, ...]]]
    alarms: tuple[Missed, ...]
    again: tuple[str, ...]


def suites(
    reports: Sequence[Report], records: Sequence[CaseRecord], comparisons: Sequence[Comparison], heads: Sequence[Head]
) -> tuple[SuiteView, ...]:
    """One view a suite, in the order in which they were run."""
    columns, parts = _columns(reports, records)
    number = count(1)
    return tuple(
        _suite(
            name,
            {key: report for key, report in columns.items() if report.suite == name},
            {key: part for key, part in parts.items() if key[0] == name},
            tuple(one for one in comparisons if one.suite == name),
            tuple(commands([one for one in reports if one.suite == name], [one for one in heads if one.suite == name])),
            number,
        )
        for name in dict.fromkeys(report.suite for report in reports)
    )


def _suite(
    name: str,
    columns: Mapping[Own, Report],
    parts: Mapping[Own, Sequence[CaseRecord]],
    compared: tuple[Comparison, ...],
    again: tuple[str, ...],
    number: Iterator[int],
) -> SuiteView:
    reports, labels = list(columns.values()), _labels(columns)
    missed = {labels[key]: _missed(part, number) for key, part in parts.items()}
    ends = [abs(end) for one in compared for pair in one.metrics for end in (pair.low, pair.high)]
    return SuiteView(
        name=name,
        title=reports[0].title,
        alarm="" if reports[0].alarm == ALARM and not any(one.totals.alarms for one in reports) else reports[0].alarm,
        metrics={metric: means for report in reports for metric, means in report.metrics.items()},
        more=_more(reports),
        columns=tuple(
            Column(labels[key], report, _configuration(report), tuple(costs(parts[key])))
            for key, report in columns.items()
        ),
        comparisons=compared,
        most=max([5.0, *ends]),
        cases=_cases(parts, {id(one.record): one.anchor for one in _flat(missed)}),
        missed={label: kinds for label, kinds in missed.items() if kinds},
        alarms=tuple(one for one in _flat(missed) if one.record.alarms),
        again=again,
    )


def _columns(
    reports: Sequence[Report], records: Sequence[CaseRecord]
) -> tuple[dict[Own, Report], dict[Own, list[CaseRecord]]]:
    """Each report with its records. Two runs alike in name are told apart by order: the second report has those records
    whose case was there before. Records that nobody counted are no part of any.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    columns: dict[Own, Report] = {}
    parts: dict[Own, list[CaseRecord]] = {}
    for report in reports:
        own = (report.suite, report.model, report.variant)
        columns[(*own, seen[own])] = report
        parts[(*own, seen[own])] = []
        seen[own] += 1
    for record in records:
        own = (record.suite, record.model, record.variant)
        case = (*own, record.id, str(record.repeat))
        if own in seen:
            parts[(*own, min(seen[case], seen[own] - 1))].append(record)
        seen[case] += 1
    return columns, parts


def _labels(columns: Mapping[Own, Report]) -> dict[Own, str]:
    """As short as they can be and still differ."""
    models = {key[1] for key in columns}
    runs = Counter(key[:3] for key in columns)
    return {
        key: (f"{key[1]} · " if len(models) > 1 else "") + key[2] + (f", run {key[3] + 1}" if runs[key[:3]] > 1 else "")
        for key in columns
    }


def costs(records: Sequence[CaseRecord]) -> Iterator[Cost]:
    """One line a kind, then all of them. A case without a result cost nothing that could be told."""
    counted = [record for record in records if not record.error]
    for kind in [*sorted({record.kind for record in counted}), ""]:
        part = [record for record in counted if not kind or record.kind == kind]
        seconds = [record.duration_ms / 1000 for record in part]
        if part:
            yield Cost(
                kind=kind or "all",
                cases=len({record.id for record in part}),
                calls=mean([record.llm_calls for record in part]),
                prompt=mean([record.tokens.prompt for record in part]),
                completion=mean([record.tokens.completion for record in part]),
                median=quantile(seconds, 0.5),
                p95=quantile(seconds, 0.95),
            )


def _more(reports: Sequence[Report]) -> dict[str, str]:
    """Those of which anything was scored, with what they mean where the suite says it."""
    known = (
        {metric.name: metric.means for metric in suite_of(reports[0].suite).about.metrics} if _known(reports[0]) else {}
    )
    return {
        name: known.get(name, "")
        for report in reports
        for name, score in report.totals.scores.items()
        if score.scored and name not in report.metrics
    }


def _known(report: Report) -> bool:
    return report.suite in SUITES


def _configuration(report: Report) -> Configuration | None:
    """By the last part of the variant's name; the plain one is no configuration worth a word."""
    known = suite_of(report.suite).about.configurations if _known(report) else ()
    name = parts_of(report.variant)[1]
    return next((one for one in known if one.name == name and name != STANDARD), None)


def _missed(records: Sequence[CaseRecord], number: Iterator[int]) -> dict[str, tuple[Missed, ...]]:
    """By kind; within it what must never happen first, then what has no result."""
    ordered = sorted(
        (record for record in records if record.missed), key=lambda one: (one.kind, not one.alarms, not one.error)
    )
    return {
        kind: tuple(Missed(f"m{next(number)}", record) for record in group)
        for kind, group in groupby(ordered, key=lambda one: one.kind)
    }


def _flat(missed: Mapping[str, Mapping[str, tuple[Missed, ...]]]) -> Iterator[Missed]:
    for kinds in missed.values():
        for group in kinds.values():
            yield from group


def _cases(parts: Mapping[Own, Sequence[CaseRecord]], anchors: Mapping[int, str]) -> dict[str, tuple[CaseLine, ...]]:
    """Every case once, by kind, with a mark for each column."""
    runs: dict[tuple[str, Own], list[CaseRecord]] = {}
    first: dict[str, CaseRecord] = {}
    for key, part in parts.items():
        for record in part:
            runs.setdefault((record.id, key), []).append(record)
            first.setdefault(record.id, record)
    found: dict[str, list[CaseLine]] = {}
    for id_, record in sorted(first.items(), key=lambda pair: pair[1].kind):
        marks = tuple(_mark(runs.get((id_, key), []), anchors) for key in parts)
        found.setdefault(record.kind, []).append(CaseLine(id_, record.say, marks))
    return {kind: tuple(lines) for kind, lines in found.items()}


def _mark(records: Sequence[CaseRecord], anchors: Mapping[int, str]) -> Mark:
    missed = [anchors[id(record)] for record in records if record.missed]
    return Mark(len(records) - len(missed), len(records), missed[0] if missed else "")


# ----------
# The command that runs an eval again, as far as its reports say what was run.


GRAPH = "routed"


def commands(reports: Sequence[Report], heads: Sequence[Head]) -> Iterator[str]:
    """How to run this again. Where the model's server is, nobody wrote down: the settings say it."""
    for model in dict.fromkeys(report.model for report in reports):
        own = [report for report in reports if report.model == model]
        head = next((one for one in heads if one.model == model), None)
        ways: dict[str, dict[str, None]] = {}
        for report in own:
            graph, way = parts_of(report.variant)
            ways.setdefault(graph, {})[way] = None
        for chosen in dict.fromkeys(map(tuple, ways.values())):
            graphs = [graph for graph, names in ways.items() if tuple(names) == chosen]
            yield " ".join(
                [
                    f"docgemma eval {own[0].suite}",
                    "--model rules" if model == NO_MODEL else f"--model-name {shlex.quote(model)}",
                    *(f"--graph {graph}" for graph in graphs if graphs != [GRAPH]),
                    *(f"--configuration {way}" for way in chosen if chosen != (STANDARD,)),
                    *([f"--repeat {own[0].repeats}"] if own[0].repeats > 1 else []),
                    *(["--no-shortcuts"] if head is not None and not head.shortcuts else []),
                ]
            )


def parts_of(variant: str) -> tuple[str, str]:
    """Graph and configuration of a variant's name."""
    parts = variant.split("+")
    graph = parts[0] if parts[0] in IN_USE else GRAPH
    return graph, next((part for part in parts if part not in IN_USE), STANDARD)
