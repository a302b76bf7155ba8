"""The numbers of a report, from results whose truth is known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.cli.eval_table import lines
from docgemma.evals.turns.cases import Case
from docgemma.evals.report import case_record, summarize, wilson
from docgemma.evals.turns.scoring import failed, score, unasked_writes
from docgemma.evals.turns.suite import Result, Run
from tests.evals.written import call, record


def made(number: int, kind: str, *, right: bool, text: str = "hello") -> Result:
    case = Case.model_validate(
        {"id": f"case-{number}", "kind": kind, "say": text, "expect": {"tools": [], "outcome": "answer"}}
    )
    turn = record(llm_calls=2) if right else record(call("add_allergy", "proposed"), outcome="approval", llm_calls=4)
    return Result(case, turn, "", score(case, turn), unasked_writes(case, turn))


def broken() -> Result:
    case = Case.model_validate({"id": "case-9", "kind": "b", "say": "hello", "expect": {"tools": []}})
    return Result(case, None, "it broke", failed(case, "it broke"), ())


RIGHT, WRONG, BROKEN = made(1, "a", right=True), made(2, "b", right=False), broken()
RUN = Run(model="rules", results=(RIGHT, WRONG, BROKEN), turns=4, cpu_ms=80.0, seconds=0.5)


@pytest.mark.parametrize(
    ("passed", "scored", "low", "high"),
    [(0, 10, 0.0, 27.75), (10, 10, 72.25, 100.0), (95, 100, 88.82, 97.85), (1, 2, 9.45, 90.55)],
)
def test_the_interval_is_wilsons(passed: int, scored: int, low: float, high: float) -> None:
    assert list(wilson(passed, scored)) == pytest.approx([low, high], abs=0.01)


@given(st.integers(1, 2000).flatmap(lambda scored: st.tuples(st.integers(0, scored), st.just(scored))))
def test_the_interval_holds_the_share(counts: tuple[int, int]) -> None:
    low, high = wilson(*counts)
    assert -1e-9 <= low <= 100 * counts[0] / counts[1] + 1e-9
    assert 100 * counts[0] / counts[1] - 1e-9 <= high <= 100 + 1e-9


def test_counts_by_kind_by_split_and_in_total() -> None:
    report = summarize(RUN)
    totals = report.totals.scores
    assert report.totals.cases == 3
    assert (totals["tools"].passed, totals["tools"].scored) == (1, 3)
    assert (totals["outcome"].passed, totals["outcome"].scored) == (1, 2)
    assert totals["intent"].percent is None
    assert {kind: row.scores["tools"].passed for kind, row in report.kinds.items()} == {"a": 1, "b": 0}
    assert sum(row.cases for row in report.splits.values()) == 3
    assert report.totals.unasked_writes == 1
    assert report.errors == 1


def test_what_a_turn_costs() -> None:
    report = summarize(RUN)
    assert report.model_calls_per_turn == 3.0  # a turn without a record has no calls to count
    assert report.cpu_ms_per_turn == 20.0


def test_every_miss_is_there_and_nothing_else() -> None:
    misses = summarize(RUN).misses
    assert [miss.id for miss in misses] == ["case-2", "case-9"]
    assert [one.column for one in misses[0].differences] == ["tools", "outcome"]
    assert misses[0].unasked_writes == ("add_allergy()",)


def test_a_write_unasked_is_a_miss_by_itself() -> None:
    case = Case.model_validate({"id": "x", "kind": "a", "say": "hello", "expect": {"tools": ["add_allergy"]}})
    turn = record(call("add_allergy", substance="a"), call("add_allergy", substance="b"))
    result = Result(case, turn, "", score(case, turn), unasked_writes(case, turn))
    assert all(verdict.passed for verdict in result.verdicts.values())
    assert [miss.id for miss in summarize(Run("rules", (result,), 1, 1.0, 1.0)).misses] == ["x"]


def test_the_mark_is_compared_before_rounding() -> None:
    results = tuple(made(number, "a", right=True) for number in range(2, 20_001))
    almost = summarize(Run("rules", (made(1, "a", right=False), *results), 1, 1.0, 1.0))
    assert almost.totals.scores["tools"].percent == 100.0
    assert almost.below(100)
    assert not summarize(Run("rules", results[:20], 1, 1.0, 1.0)).below(100)


def test_an_unasked_write_is_below_any_mark() -> None:
    assert summarize(RUN).below(0) == ["1 unasked write"]


def test_the_table_shows_counts_shares_interval_and_misses() -> None:
    text = "\n".join(line.text for line in lines(summarize(RUN), misses=True))
    assert "1/3  33.3 %" in text
    assert "–79.2 %" in text
    assert "Unasked writes: 1" in text
    assert "tools: expected none, got add_allergy" in text
    assert "case-1" not in text
    assert "case-2" not in "\n".join(line.text for line in lines(summarize(RUN), misses=False))


def test_a_long_miss_takes_two_lines_and_nothing_a_terminal_would_obey() -> None:
    case = Case.model_validate(
        {"id": "x", "kind": "a", "say": "red \x1b[31m", "expect": {"calls": [{"tool": "search_patient", "name": "A"}]}}
    )
    turn = record(call("search_patient", name="B" * 100))
    run = Run("rules", (Result(case, turn, "", score(case, turn), ()),), 1, 1.0, 1.0)
    shown = [line.text for line in lines(summarize(run), misses=True)]
    assert "  said: red [31m" in shown
    assert "  arguments: expected search_patient(name=A)" in shown
    assert f"                  got search_patient(name={'B' * 100})" in shown


def test_a_case_record_holds_verdicts_and_the_turn() -> None:
    kept = case_record(WRONG)
    assert kept.passed == {"tools": False, "outcome": False}
    assert kept.record == WRONG.record
    assert kept.llm_calls == 4
    assert case_record(BROKEN).error == "it broke"
