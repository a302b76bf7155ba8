"""From records to numbers: counts by kind and in total, intervals, costs, and every miss in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import Field

from docgemma.clinical import Frozen
from docgemma.evals.casefiles import Split
from docgemma.evals.contract import C, CaseRecord, Difference, Suite
from docgemma.evals.running import Cost, Run
from docgemma.evals.statistics import bootstrap, mean, quantile, wilson

WHOLE = "whole"
"""The share of cases in which nothing at all was missed."""


class Score(Frozen):
    """How many of the scored cases passed, with the 95 % interval of the share. None where nothing was scored.

    `passed` is no whole number where a case was repeated or a score lies between: then it is a sum of means.
    """

    passed: float
    scored: int
    percent: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def share(self) -> float:
        """Not rounded, for comparing; nothing scored is nothing missed."""
        return self.passed / self.scored if self.scored else 1.0


class Row(Frozen):
    """One line of the table."""

    cases: int
    scores: dict[str, Score]
    whole: Score
    alarms: int


class Miss(Frozen):
    """A case that did not come out as expected."""

    id: str
    kind: str
    split: Split
    repeat: int
    patient: str | None
    before: tuple[str, ...]
    say: str
    differences: tuple[Difference, ...]
    alarms: tuple[str, ...]


class Spread(Frozen):
    """Seconds a case took: the middle one, and the one that only a twentieth exceeds."""

    median: float
    p95: float


class Report(Frozen):
    """What `--json` prints of one variant."""

    suite: str
    title: str
    model: str
    variant: str
    alarm: str
    metrics: dict[str, str]
    repeats: int
    stable: float | None
    totals: Row
    splits: dict[Split, Row]
    kinds: dict[str, Row]
    figures: dict[str, Any]
    about: dict[str, Any] = Field(default_factory=dict, description="What else the numbers rest on, by name")
    misses: tuple[Miss, ...]
    errors: int
    rule_instead: int
    turns: int
    turns_now: int = Field(description="Of these, run just now: CPU and seconds are theirs alone")
    model_calls_per_turn: float
    tokens_per_turn: float
    seconds_per_turn: Spread
    whole_per_model_call: float | None
    cpu_ms_per_turn: float
    seconds: float

    def below(self, percent: float) -> list[str]:
        """What keeps the run from passing at this mark; an alarm always does."""
        scores = self.totals.scores.items()
        low = [f"{name} {score.percent:.1f} %" for name, score in scores if score.share < percent / 100]
        alarms = self.totals.alarms
        return [*low, *([f"{self.alarm}: {alarms}"] if alarms else [])]


def summarize(suite: Suite[C], run: Run) -> tuple[Report, ...]:
    """One report for each variant that has records."""
    found = []
    for variant in run.variants:
        records = tuple(record for record in run.records if record.variant == variant.name)
        if records:
            made = report_of(suite, records, run.costs.get(variant.name, Cost()))
            found.append(made.model_copy(update={"about": dict(run.abouts.get(variant.name, {}))}))
    return tuple(found)


def report_of(suite: Suite[C], records: tuple[CaseRecord, ...], cost: Cost | None = None) -> Report:
    """All numbers of one variant, also from records that another run left behind."""
    spent = cost or Cost()
    columns = [metric.name for metric in suite.metrics]
    splits: tuple[Split, ...] = ("dev", "held")
    by_split = {split: [record for record in records if record.split == split] for split in splits}
    kinds = sorted({record.kind for record in records})
    totals = row_of(records, columns)
    calls = mean([record.llm_calls for record in records if not record.error])
    seconds = [record.duration_ms / 1000 for record in records if not record.error]
    tokens = [record.tokens.prompt + record.tokens.completion for record in records if not record.error]
    return Report(
        suite=suite.name,
        title=suite.title,
        model=records[0].model,
        variant=records[0].variant,
        alarm=suite.alarm,
        metrics={metric.name: metric.means for metric in suite.metrics if metric.headline},
        repeats=1 + max(record.repeat for record in records),
        stable=_stable(records),
        totals=totals,
        splits={split: row_of(part, columns) for split, part in by_split.items() if part},
        kinds={kind: row_of([record for record in records if record.kind == kind], columns) for kind in kinds},
        figures=dict(suite.figures(records)),
        misses=tuple(_miss(record) for record in records if record.missed),
        errors=sum(bool(record.error) for record in records),
        rule_instead=sum(record.rule_instead for record in records),
        turns=sum(1 + len(record.before) for record in records),
        turns_now=spent.turns,
        model_calls_per_turn=round(calls, 2),
        tokens_per_turn=round(mean(tokens), 1),
        seconds_per_turn=Spread(median=round(quantile(seconds, 0.5), 3), p95=round(quantile(seconds, 0.95), 3)),
        whole_per_model_call=round(totals.whole.share / calls, 3) if calls else None,
        cpu_ms_per_turn=round(spent.cpu_ms / spent.turns, 1) if spent.turns else 0.0,
        seconds=round(spent.seconds, 1),
    )


def row_of(records: Sequence[CaseRecord], columns: Sequence[str]) -> Row:
    cases: dict[str, list[CaseRecord]] = {}
    for record in records:
        cases.setdefault(record.id, []).append(record)
    return Row(
        cases=len(cases),
        scores={column: score_of(_means(cases, column)) for column in columns},
        whole=score_of([mean([float(not record.missed) for record in group]) for group in cases.values()]),
        alarms=sum(len(record.alarms) for record in records),
    )


def score_of(values: Sequence[float]) -> Score:
    """Wilson's interval where each case passed or not, else one by resampling the cases.

    Resampling sees only the spread that is there, and finds next to none among cases that nearly all passed. So it
    never ends above what as many cases without a miss would say, nor below what as many without a pass would.
    """
    if not values:
        return Score(passed=0, scored=0)
    passed, scored = sum(values), len(values)
    if all(value in (0.0, 1.0) for value in values):
        low, high = wilson(passed, scored)
    else:
        low, high = (100 * end for end in bootstrap(values))
        low, high = min(low, wilson(scored, scored)[0]), max(high, wilson(0, scored)[1])
    return Score(
        passed=round(passed, 4),
        scored=scored,
        percent=round(100 * passed / scored, 2),
        low=round(low, 2),
        high=round(high, 2),
    )


def _means(cases: dict[str, list[CaseRecord]], column: str) -> list[float]:
    """One value a case: its repeats are averaged, since they are not new cases."""
    found = []
    for group in cases.values():
        scores = [record.scores[column] for record in group if column in record.scores]
        if scores:
            found.append(mean(scores))
    return found


def _stable(records: Sequence[CaseRecord]) -> float | None:
    """The share of cases that came out the same in every repeat, in percent; None where nothing was repeated."""
    verdicts: dict[str, set[bool]] = {}
    for record in records:
        verdicts.setdefault(record.id, set()).add(record.missed)
    if all(record.repeat == 0 for record in records):
        return None
    return round(100 * mean([float(len(seen) == 1) for seen in verdicts.values()]), 2)


def _miss(record: CaseRecord) -> Miss:
    unknown = (Difference(column="record", expected="a record", got=record.error),) if record.error else ()
    return Miss(
        id=record.id,
        kind=record.kind,
        split=record.split,
        repeat=record.repeat,
        patient=record.patient,
        before=record.before,
        say=record.say,
        differences=record.differences or unknown,
        alarms=record.alarms,
    )
