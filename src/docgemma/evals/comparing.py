"""Two variants or two runs side by side, case by case: the same case under both, or it does not count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from docgemma.clinical import Frozen
from docgemma.errors import BadInput
from docgemma.evals.contract import CaseRecord, Metric
from docgemma.evals.statistics import bootstrap, mcnemar, mean

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


Cases = Mapping[str, Sequence[CaseRecord]]


def compare(
    a: str, first: Iterable[CaseRecord], b: str, second: Iterable[CaseRecord], metrics: Sequence[Metric]
) -> Comparison:
    """B beside A: a difference above 0 means that B is better."""
    left, right = _by_case(first), _by_case(second)
    both = [key for key in left if key in right]
    if not both:
        raise BadInput("The two have no case in common.")
    return Comparison(
        suite=left[both[0]][0].suite,
        a=a,
        b=b,
        metrics=tuple(pair for metric in metrics if (pair := _paired(metric.name, both, left, right)) is not None),
        calls_a=round(mean([record.llm_calls for key in both for record in left[key]]), 2),
        calls_b=round(mean([record.llm_calls for key in both for record in right[key]]), 2),
        alarms_a=sum(len(record.alarms) for key in both for record in left[key]),
        alarms_b=sum(len(record.alarms) for key in both for record in right[key]),
        unpaired=len(left.keys() ^ right.keys()),
        changed=tuple(key for key in both if _missed(left[key]) != _missed(right[key])),
    )


def _by_case(records: Iterable[CaseRecord]) -> dict[str, list[CaseRecord]]:
    found: dict[str, list[CaseRecord]] = {}
    for record in records:
        found.setdefault(record.id, []).append(record)
    return found


def _paired(metric: str, keys: Sequence[str], left: Cases, right: Cases) -> Paired | None:
    """Repeats of one case are averaged first: they are not new cases."""
    scored = [
        (one, other)
        for key in keys
        if (one := _score(left[key], metric)) is not None and (other := _score(right[key], metric)) is not None
    ]
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


def _score(records: Sequence[CaseRecord], metric: str) -> float | None:
    found = [record.scores[metric] for record in records if metric in record.scores]
    return mean(found) if found else None


def _missed(records: Sequence[CaseRecord]) -> bool:
    return any(record.missed for record in records)
