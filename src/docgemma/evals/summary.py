"""From records to numbers: counts by kind and in total, intervals, costs, and every miss in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import Field

from docgemma.clinical import Frozen
from docgemma.errors import BadInput
from docgemma.evals.casefiles import Split
from docgemma.evals.running import Cost, Run
from docgemma.evals.statistics import bootstrap, mcnemar, mean, quantile, wilson
from docgemma.evals.suite import C, CaseRecord, Difference, Metric, Suite

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
    found = grouped(run.records, lambda one: one.variant)
    return tuple(
        report_of(suite, tuple(found[name]), run.costs.get(name), run.abouts.get(name))
        for name in run.variants
        if name in found
    )


def report_of(
    suite: Suite[C], records: tuple[CaseRecord, ...], cost: Cost | None = None, about: Mapping[str, Any] | None = None
) -> Report:
    """All numbers of one variant, also from records that another run left behind."""
    spent = cost or Cost()
    columns = [metric.name for metric in suite.about.metrics]
    splits = sorted(grouped(records, lambda one: one.split).items())
    kinds = sorted(grouped(records, lambda one: one.kind).items())
    ended = [record for record in records if not record.error]
    totals = row_of(records, columns)
    calls = mean([record.llm_calls for record in ended])
    seconds = [record.duration_ms / 1000 for record in ended]
    tokens = [record.tokens.prompt + record.tokens.completion for record in ended]
    return Report(
        suite=suite.name,
        title=suite.title,
        model=records[0].model,
        variant=records[0].variant,
        alarm=suite.about.alarm,
        metrics={metric.name: metric.means for metric in suite.about.metrics if metric.headline},
        repeats=1 + max(record.repeat for record in records),
        stable=_stable(records),
        totals=totals,
        splits={split: row_of(group, columns) for split, group in splits},
        kinds={kind: row_of(group, columns) for kind, group in kinds},
        figures=dict(suite.figures(records)),
        about=dict(about or {}),
        misses=tuple(_miss(record) for record in records if record.missed),
        errors=len(records) - len(ended),
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


K = TypeVar("K")
V = TypeVar("V")


def grouped(values: Iterable[V], key: Callable[[V], K]) -> dict[K, list[V]]:
    """The values by something of theirs, each group in the order in which they came."""
    found: dict[K, list[V]] = {}
    for value in values:
        found.setdefault(key(value), []).append(value)
    return found


def by_case(records: Iterable[CaseRecord]) -> dict[str, list[CaseRecord]]:
    """Each case with its repeats, which are not new cases."""
    return grouped(records, lambda one: one.id)


def value_of(records: Sequence[CaseRecord], metric: str) -> float | None:
    """The mean over the repeats of a case; None where it asks nothing of this metric."""
    found = [record.scores[metric] for record in records if metric in record.scores]
    return mean(found) if found else None


def row_of(records: Sequence[CaseRecord], columns: Sequence[str]) -> Row:
    cases = by_case(records)
    values = {column: [value_of(group, column) for group in cases.values()] for column in columns}
    return Row(
        cases=len(cases),
        scores={name: score_of([one for one in found if one is not None]) for name, found in values.items()},
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


def _stable(records: Sequence[CaseRecord]) -> float | None:
    """The share of cases that came out the same in every repeat, in percent; None where nothing was repeated."""
    if all(record.repeat == 0 for record in records):
        return None
    alike = [len({record.missed for record in group}) == 1 for group in by_case(records).values()]
    return round(100 * mean(alike), 2)


def _miss(record: CaseRecord) -> Miss:
    values = {name: getattr(record, name) for name in Miss.model_fields}
    if record.error and not record.differences:
        values["differences"] = (Difference(column="record", expected="a record", got=record.error),)
    return Miss(**values)


# ----------
# Two variants or two runs side by side, case by case: the same case under both, or it does not count.


LIKELY = 0.05
"""From this chance on, a difference may be no more than that."""
_FEWEST = 6
"""Where fewer cases differ, no two-sided test can tell it from chance, and resampling shows too little spread."""


class Paired(Frozen):
    """One metric over the cases that both have. In percent points; `p` is McNemar's exact test where scores are 0 or 1.

    `only_a`: cases that A passed and B missed; `only_b`: the other way round.
    """

    metric: str
    pairs: int
    a: float
    b: float
    difference: float
    low: float
    high: float
    only_a: int
    only_b: int
    p: float | None

    @property
    def clear(self) -> bool:
        """Whether it is more than chance: the interval leaves out 0, and the exact test or the number of cases agrees.

        Three cases that all changed give an interval without width; it would claim what three cases cannot show.
        """
        away = self.low > 0 or self.high < 0
        return away and (self.only_a + self.only_b >= _FEWEST if self.p is None else self.p < LIKELY)


class Comparison(Frozen):
    """What `--compare A B` prints."""

    suite: str
    a: str
    b: str
    metrics: tuple[Paired, ...]
    calls_a: float
    calls_b: float
    alarms_a: int
    alarms_b: int
    unpaired: int
    changed: tuple[str, ...]
    apart: tuple[str, ...] = ()
    """What else is not the same in the two runs: then a difference need not come from what was meant to be compared."""


def compare(
    a: str,
    first: Iterable[CaseRecord],
    b: str,
    second: Iterable[CaseRecord],
    metrics: Sequence[Metric],
    apart: tuple[str, ...] = (),
) -> Comparison:
    """B beside A: a difference above 0 means that B is better. `apart`: what else is not the same in the two runs."""
    left, right = by_case(first), by_case(second)
    both = {key: (left[key], right[key]) for key in left if key in right}
    if not both:
        raise BadInput("The two have no case in common.")
    all_a, all_b = ([record for pair in both.values() for record in pair[place]] for place in (0, 1))
    return Comparison(
        suite=all_a[0].suite,
        a=a,
        b=b,
        metrics=tuple(one for metric in metrics if (one := _paired(metric.name, both.values())) is not None),
        calls_a=round(mean([record.llm_calls for record in all_a]), 2),
        calls_b=round(mean([record.llm_calls for record in all_b]), 2),
        alarms_a=sum(len(record.alarms) for record in all_a),
        alarms_b=sum(len(record.alarms) for record in all_b),
        unpaired=len(left.keys() ^ right.keys()),
        changed=tuple(key for key, pair in both.items() if len({any(one.missed for one in part) for part in pair}) > 1),
        apart=apart,
    )


def _paired(metric: str, pairs: Iterable[tuple[Sequence[CaseRecord], Sequence[CaseRecord]]]) -> Paired | None:
    values = [(value_of(left, metric), value_of(right, metric)) for left, right in pairs]
    scored = [(one, other) for one, other in values if one is not None and other is not None]
    if not scored:
        return None
    differences = [100 * (other - one) for one, other in scored]
    low, high = bootstrap(differences)
    only_a = sum(one > other for one, other in scored)
    only_b = sum(other > one for one, other in scored)
    whole = all(value in (0.0, 1.0) for pair in scored for value in pair)
    return Paired(
        metric=metric,
        pairs=len(scored),
        a=round(100 * mean([one for one, _ in scored]), 2),
        b=round(100 * mean([other for _, other in scored]), 2),
        difference=round(mean(differences), 2),
        low=round(low, 2),
        high=round(high, 2),
        only_a=only_a,
        only_b=only_b,
        p=round(mcnemar(only_a, only_b), 4) if whole else None,
    )
