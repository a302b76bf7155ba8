"""From results to numbers: counts by kind and in total, intervals, and every miss in words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from docgemma.agent.record import TurnRecord
from docgemma.clinical import Frozen
from docgemma.evals.turns.cases import Split
from docgemma.evals.turns.scoring import COLUMNS, Column
from docgemma.evals.turns.suite import Result, Run
from docgemma.llm.guard import DID_NOT_FIT, INSTEAD, WROTE_NOTHING

Z = 1.959964
"""Two-sided 95 % of the normal distribution."""


class Score(Frozen):
    """How many of the scored cases passed, with the 95 % interval of the share. None where nothing was scored."""

    passed: int
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
    scores: dict[Column, Score]
    unasked_writes: int


class Difference(Frozen):
    """One column of a missed case."""

    column: Column
    expected: str
    got: str


class Miss(Frozen):
    """A case that did not come out as expected."""

    id: str
    kind: str
    split: Split
    patient: str | None
    before: tuple[str, ...]
    say: str
    differences: tuple[Difference, ...]
    unasked_writes: tuple[str, ...]


class Report(Frozen):
    """What `--json` prints: one object."""

    suite: str = "turns"
    model: str
    totals: Row
    splits: dict[Split, Row]
    kinds: dict[str, Row]
    misses: tuple[Miss, ...]
    errors: int
    rule_instead: int
    turns: int
    model_calls_per_turn: float
    cpu_ms_per_turn: float
    seconds: float

    def below(self, percent: float) -> list[str]:
        """What keeps the run from passing at this mark; an unasked write always does."""
        scores = self.totals.scores.items()
        low = [f"{name} {score.percent:.1f} %" for name, score in scores if score.share < percent / 100]
        writes = self.totals.unasked_writes
        return [*low, *([f"{writes} unasked write{'s' if writes > 1 else ''}"] if writes else [])]


class CaseRecord(Frozen):
    """One line of `--out`: the verdicts beside the whole turn record, enough to compare two runs case by case."""

    id: str
    kind: str
    split: Split
    model: str | None
    passed: dict[Column, bool]
    unasked_writes: tuple[str, ...]
    error: str | None
    llm_calls: int
    record: TurnRecord | None


def wilson(passed: int, scored: int) -> tuple[float, float]:
    """The 95 % interval of a share, in percent. Holds also near 0 and 100 %, where the plain formula fails."""
    share, spread = passed / scored, Z * Z / scored
    middle = share + spread / 2
    half = Z * math.sqrt((share * (1 - share) + spread / 4) / scored)
    low, high = (middle - half) / (1 + spread), (middle + half) / (1 + spread)
    return 100 * max(low, 0.0), 100 * min(high, 1.0)


def summarize(run: Run) -> Report:
    """All numbers of a run."""
    results = run.results
    kinds = dict.fromkeys(result.case.kind for result in results)
    splits: tuple[Split, ...] = ("dev", "held")
    by_split = {split: [result for result in results if result.case.split == split] for split in splits}
    return Report(
        model=run.model,
        totals=_row(results),
        splits={split: _row(part) for split, part in by_split.items() if part},
        kinds={kind: _row([result for result in results if result.case.kind == kind]) for kind in sorted(kinds)},
        misses=tuple(_miss(result) for result in results if result.missed),
        errors=sum(bool(result.error) for result in results),
        rule_instead=sum(_rule_stood_in(result.record) for result in results if result.record),
        turns=run.turns,
        model_calls_per_turn=round(_mean(result.record.llm_calls for result in results if result.record), 2),
        cpu_ms_per_turn=round(run.cpu_ms / max(run.turns, 1), 1),
        seconds=round(run.seconds, 1),
    )


def case_record(result: Result) -> CaseRecord:
    """What is kept of one case."""
    case, record = result.case, result.record
    return CaseRecord(
        id=case.id,
        kind=case.kind,
        split=case.split,
        model=record.model if record else None,
        passed={column: verdict.passed for column, verdict in result.verdicts.items()},
        unasked_writes=result.unasked,
        error=result.error or None,
        llm_calls=record.llm_calls if record else 0,
        record=record,
    )


def _row(results: Sequence[Result]) -> Row:
    return Row(
        cases=len(results),
        scores={column: _score(column, results) for column in COLUMNS},
        unasked_writes=sum(len(result.unasked) for result in results),
    )


def _score(column: Column, results: Sequence[Result]) -> Score:
    verdicts = [result.verdicts[column].passed for result in results if column in result.verdicts]
    passed, scored = sum(verdicts), len(verdicts)
    if not scored:
        return Score(passed=0, scored=0)
    low, high = wilson(passed, scored)
    percent = round(100 * passed / scored, 2)
    return Score(passed=passed, scored=scored, percent=percent, low=round(low, 2), high=round(high, 2))


def _miss(result: Result) -> Miss:
    case = result.case
    wrong = [(column, verdict) for column, verdict in result.verdicts.items() if not verdict.passed]
    return Miss(
        id=case.id,
        kind=case.kind,
        split=case.split,
        patient=case.patient,
        before=case.before,
        say=case.say,
        differences=tuple(Difference(column=column, expected=one.expected, got=one.got) for column, one in wrong),
        unasked_writes=result.unasked,
    )


def _rule_stood_in(record: TurnRecord) -> bool:
    """Whether the model failed and a rule answered: a score of such turns is not the model's."""
    return any(notice.endswith(INSTEAD) or notice in (DID_NOT_FIT, WROTE_NOTHING) for notice in record.notices)


def _mean(values: Iterable[int]) -> float:
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0
