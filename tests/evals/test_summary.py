"""The numbers of a report, from records whose truth is known."""

from __future__ import annotations

import pytest

from docgemma.cli.eval_lines import side_by_side, table_lines
from docgemma.evals.running import Cost, record_of
from docgemma.evals.suite import About, Metric, Outcome, Variant
from docgemma.evals.summary import Report, report_of, score_of
from tests.evals.toy import Toy, Toys, outcome, records, toys

SUITE = Toys()


def report(*verdicts: bool) -> Report:
    return report_of(SUITE, records(verdicts), Cost(turns=4, cpu_ms=80, seconds=0.5))


def text(found: Report, *, misses: bool = True) -> str:
    return "\n".join(line.text for line in table_lines(found, misses=misses))


def test_counts_by_kind_by_split_and_in_total() -> None:
    both = (*records([True, False, True]), *(records_of("other", False)))
    found = report_of(SUITE, both)
    assert (found.totals.scores["played"].passed, found.totals.scores["played"].scored) == (2, 4)
    assert found.totals.scores["kept"].percent is None
    assert {kind: row.scores["played"].passed for kind, row in found.kinds.items()} == {"plain": 2, "other": 0}
    assert sum(row.cases for row in found.splits.values()) == found.totals.cases == 4
    assert found.totals.whole.percent == 50.0


def records_of(kind: str, *verdicts: bool, alarms: tuple[str, ...] = ()) -> tuple[object, ...]:
    return tuple(
        record_of("toys", Variant(), "toy model", toy, 0, outcome(toy.right, alarms=alarms))
        for toy in toys(*verdicts, kind=kind)
    )


def test_what_a_turn_costs() -> None:
    found = report(True, False)
    assert found.model_calls_per_turn == 2.0
    assert found.cpu_ms_per_turn == 20.0
    assert found.whole_per_model_call == 0.25  # half of the cases right, two calls each


def test_every_miss_is_there_and_nothing_else() -> None:
    assert [miss.id for miss in report(True, False, True, False).misses] == ["plain-1", "plain-3"]
    rung = report_of(SUITE, records_of("loud", True, alarms=("it fell",)))  # type: ignore[arg-type]
    assert [miss.alarms for miss in rung.misses] == [("it fell",)]
    assert rung.totals.whole.percent == 0.0


def test_repeats_of_a_case_are_not_new_cases() -> None:
    again = (*records([True, False]), *records([True, True], repeat=1))
    found = report_of(SUITE, again)
    score = found.totals.scores["played"]
    assert (score.passed, score.scored, score.percent) == (1.5, 2, 75.0)
    assert found.repeats == 2
    assert found.stable == 50.0
    assert report(True).stable is None


def test_the_mark_is_compared_before_rounding_and_an_alarm_is_below_any() -> None:
    almost = report_of(SUITE, records([False, *[True] * 20_000]))
    assert almost.totals.scores["played"].percent == 100.0
    assert almost.below(100)
    assert not report(True).below(100)
    rung = report_of(SUITE, records_of("loud", True, alarms=("it fell",)))  # type: ignore[arg-type]
    assert rung.below(0) == ["toys thrown: 1"]


def test_a_share_that_is_no_count_is_resampled() -> None:
    score = score_of([0.5, 1.0, 0.0, 0.5])
    assert score.percent == 50.0
    assert score.low is not None
    assert score.high is not None
    assert 0 <= score.low < 50 < score.high <= 100


def test_a_slip_earns_no_better_interval_than_none() -> None:
    """Cases that nearly all passed hardly differ, and resampling them alone would promise more than Wilson does."""
    perfect, slipped = score_of([1.0] * 20), score_of([1.0] * 19 + [0.95])
    assert slipped.low is not None
    assert perfect.low is not None
    assert slipped.low <= perfect.low < 90
    hopeless, nearly = score_of([0.0] * 20), score_of([0.0] * 19 + [0.05])
    assert nearly.high is not None
    assert hopeless.high is not None
    assert nearly.high >= hopeless.high


def test_what_an_earlier_run_cost_is_not_told_as_this_ones() -> None:
    shown = text(report_of(SUITE, records([True] * 10), Cost(turns=4, cpu_ms=80, seconds=0.5)))
    assert "CPU a turn: 20.0 ms (4 turns in 0.5 s). 6 turns of an earlier run not counted." in shown
    assert "CPU" not in text(report_of(SUITE, records([True] * 10)))


def test_a_table_of_six_columns_fits_a_terminal() -> None:
    """Each column is as wide as what stands in it: six shares of 99 cases, with their counts, in 120 columns."""
    suite = Toys()
    names = ("recall", "supported", "honest", "clean", "spoken", "concise")
    suite.about = About(tuple(Metric(name, name) for name in names))
    right = Outcome(scores=dict.fromkeys(names, 1.0))
    made = tuple(record_of("toys", Variant(), "m", toy, 0, right) for toy in toys(*[True] * 99))
    shown = [line.text for line in table_lines(report_of(suite, made), misses=False)]
    assert any("99/99 100.0 %" in line for line in shown)
    assert max(map(len, shown)) <= 120


def test_the_table_shows_counts_shares_interval_and_misses() -> None:
    shown = text(report(True, False, False))
    for words in ("1/3  33.3 %", "–79.2 %", "Toys thrown: 0", "played: expected yes, got no", "plain-1"):
        assert words in shown
    assert "plain-0" not in shown
    assert "plain-1" not in text(report(True, False), misses=False)


def test_variants_stand_side_by_side() -> None:
    both = [report(True, False), report_of(SUITE, records([True, True], variant=Variant("triage"), calls=4))]
    shown = "\n".join(line.text for line in side_by_side(both))
    assert "triage" in shown
    assert "0.250" in shown.split("triage")[0]
    assert "0.250" in shown.split("triage")[1]  # all right, at twice the calls


def test_nothing_a_terminal_would_obey_is_printed() -> None:
    hostile = Toy(id="x", kind="plain", right=False, says="red \x1b[31m")
    made = record_of("toys", Variant(), "m\x1b[2J", hostile, 0, outcome(False))
    assert "\x1b" not in text(report_of(SUITE, (made,)))


@pytest.mark.parametrize(
    ("variant", "name"),
    [
        (Variant(), "routed"),
        (Variant("triage"), "triage"),
        (Variant("routed", "contrary"), "contrary"),
        (Variant("triage", "contrary"), "triage+contrary"),
    ],
)
def test_a_variant_is_named_by_what_is_not_usual(variant: Variant, name: str) -> None:
    assert variant.name == name
