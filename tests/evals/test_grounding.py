"""Scoring of grounded criteria: which entities belong together, what about them is right, and the numbers of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.cli.eval_lines import grounding_lines
from docgemma.clinical import holding
from docgemma.errors import Unavailable
from docgemma.evals.casefiles import parse
from docgemma.evals.gold_criteria import GoldCriterion, Scored, score
from docgemma.evals.grounding import Figures, Grounding, figures_of, outcome, run_case
from docgemma.evals.running import record_of
from docgemma.evals.suite import CaseRecord, Outcome, Variant
from docgemma.grounding.contract import Criterion, Entity, Grounded, Window
from docgemma.llm.contract import Usage, current_usage, usage
from docgemma.terminology.contract import ENTITY_TYPES, Candidate

TEXT = "No history of the stroke or asthma within 6 months, and HbA1c above 7.0 % on aspirin"
ASPIRIN = "C0004057"


def span(words: str) -> tuple[int, int]:
    return TEXT.index(words), TEXT.index(words) + len(words)


def gold(words: str, kind: str = "Condition", **more: Any) -> dict[str, Any]:
    start, end = span(words)
    return {"text": words, "start": start, "end": end, "entity_type": kind, **more}


def found(words: str, kind: str = "Condition", **more: Any) -> Entity:
    start, end = span(words)
    return Entity.model_validate(
        {"entity_id": words, "text": words, "entity_type": kind, "span_start": start, "span_end": end, **more}
    )


def compared(there: Sequence[dict[str, Any]], seen: Sequence[Entity], error: str | None = None) -> Scored:
    criterion = GoldCriterion.model_validate({"id": "c1", "type": "exclusion", "text": TEXT, "entities": list(there)})
    return score(criterion, Grounded(criterion_id="c1", text=TEXT, entities=tuple(seen), error=error))


def told(one: Scored) -> Outcome:
    return outcome(one)


def figures(*scored: Scored, model: str = "m") -> Figures:
    return figures_of((told(one).counts for one in scored), model=model)


@pytest.mark.parametrize(
    ("there", "seen", "pairs", "strict"),
    [
        (gold("stroke"), found("stroke"), 1, 1),
        (gold("stroke"), found("the stroke"), 1, 1),
        (gold("asthma"), found("asthma within 6 months,"), 1, 0),
        (gold("stroke"), found("stroke", "Procedure"), 0, 0),
        (gold("stroke"), found("asthma"), 0, 0),
    ],
    ids=["same", "article", "overlap", "other type", "elsewhere"],
)
def test_strict_and_relaxed(there: dict[str, Any], seen: Entity, pairs: int, strict: int) -> None:
    one = compared([there], [seen])
    assert len(one.pairs) == pairs
    assert sum(pair.strict for pair in one.pairs) == strict
    assert (len(one.missing), len(one.spurious)) == (1 - pairs, 1 - pairs)


def test_each_entity_is_used_once_and_the_best_pair_comes_first() -> None:
    one = compared([gold("stroke"), gold("asthma")], [found("stroke or asthma"), found("asthma")])
    assert {(pair.gold.text, pair.found.text) for pair in one.pairs} == {
        ("asthma", "asthma"),
        ("stroke", "stroke or asthma"),
    }


@pytest.mark.parametrize(
    ("there", "seen", "wrong"),
    [
        ({}, {}, set()),
        ({"negated": True}, {}, {"negated"}),
        (
            {"comparator": ">", "value": "7.0", "unit": "%"},
            {"comparator": ">", "value": "7", "unit": " %"},
            set(),
        ),
        ({"comparator": ">", "value": "7"}, {"comparator": ">=", "value": "7"}, {"quantity"}),
        ({"comparator": ">", "value": "7", "unit": "%"}, {"comparator": ">", "value": "7"}, {"quantity"}),
        ({}, {"comparator": ">", "value": "7"}, {"quantity"}),
        (
            {"time": {"text": "within 6 months", "comparator": "<=", "value": "6", "unit": "month"}},
            {"time": Window(text="6 months", comparator="<=", value="6", unit="month")},
            set(),
        ),
        ({"time": {"text": "during the study"}}, {"time": Window(text="the study")}, set()),
        ({"time": {"text": "during the study"}}, {}, {"time"}),
        (
            {"time": {"text": "in the 90 days", "value": "90", "unit": "day"}},
            {"time": Window(text="90 days before randomisation", comparator="<=", value="90", unit="day")},
            set(),
        ),
        (
            {"time": {"text": "within 6 months", "comparator": "<=", "value": "6", "unit": "month"}},
            {"time": Window(text="within 6 months", comparator="<", value="6", unit="month")},
            {"time"},
        ),
        ({"comparator": ">", "value": "5", "unit": "ug"}, {"comparator": ">", "value": "5", "unit": "mcg"}, set()),
        (
            {"comparator": ">", "value": "5", "unit": "cell/uL"},
            {"comparator": ">", "value": "5", "unit": "cells/µL"},
            set(),
        ),
        (
            {"comparator": ">", "value": "5", "unit": "U/L"},
            {"comparator": ">", "value": "5", "unit": "µ/L"},
            {"quantity"},
        ),
        (
            {"comparator": ">", "value": "5", "unit": "mg"},
            {"comparator": ">", "value": "5", "unit": "mcg"},
            {"quantity"},
        ),
        ({"umls_cui": ASPIRIN}, {"umls_cui": ASPIRIN}, set()),
        ({"umls_cui": ASPIRIN}, {}, {"concept"}),
        ({}, {"umls_cui": ASPIRIN}, set()),
    ],
    ids=str,
)
def test_what_is_right_about_a_found_entity(there: dict[str, Any], seen: dict[str, Any], wrong: set[str]) -> None:
    (pair,) = compared([gold("aspirin", "Medication", **there)], [found("aspirin", "Medication", **seen)]).pairs
    assert pair.wrong == wrong


SPANS = st.tuples(st.integers(0, len(TEXT) - 1), st.integers(1, 20), st.sampled_from(ENTITY_TYPES[:2])).map(
    lambda one: (one[0], min(len(TEXT), one[0] + one[1]), one[2])
)


@given(st.lists(SPANS, max_size=6), st.lists(SPANS, max_size=6))
def test_everything_is_counted_once(there: list[tuple[int, int, Any]], seen: list[tuple[int, int, Any]]) -> None:
    rows = [{"text": TEXT[a:b], "start": a, "end": b, "entity_type": kind} for a, b, kind in there]
    entities = [Entity(entity_id="x", text="x", entity_type=kind, span_start=a, span_end=b) for a, b, kind in seen]
    one = compared(rows, entities)
    assert len(one.pairs) + len(one.missing) == len(rows)
    assert len(one.pairs) + len(one.spurious) == len(entities)
    assert all(pair.gold.entity_type == pair.found.entity_type for pair in one.pairs)
    if there == seen:
        assert told(one).scores["strict"] == 1.0
        assert figures(one)["strict"]["all"]["f1"] in (100.0, None)


def test_the_numbers_of_a_run() -> None:
    other = Candidate(cui=ASPIRIN, display="aspirin", ontology="CORE", confidence=0.5)
    wrong = compared(
        [gold("aspirin", "Medication", umls_cui=ASPIRIN), gold("HbA1c", "Lab_Value"), gold("stroke")],
        [
            found("aspirin", "Medication", umls_cui="C0000970", status="grounded", candidates=(other,)),
            found("HbA1c", "Lab_Value"),
            found("months", "Lab_Value"),
        ],
    )
    failed = compared([gold("asthma")], [], error="The model cannot be reached.")
    report = figures(wrong, failed)
    everything = report["strict"]["all"]
    assert [everything[name] for name in ("right", "found", "there")] == [2, 3, 4]
    assert [everything[name] for name in ("precision", "recall", "f1")] == [66.67, 50.0, 57.14]
    assert (report["strict"]["Condition"]["recall"], report["strict"]["Condition"]["precision"]) == (0.0, None)
    assert (report["concepts"]["grounded"]["percent"], report["concepts"]["proposed"]["percent"]) == (0.0, 100.0)
    assert (report["expert_review"]["right"], report["expert_review"]["judged"]) == (2, 3)
    assert [(one.column, one.expected, one.got) for one in told(wrong).differences] == [
        ("entities", "stroke (Condition)", "nothing"),
        ("entities", "nothing", "months (Lab_Value)"),
        ("concepts", f"aspirin: {ASPIRIN}", "C0000970 (–, grounded, 0.00)"),
    ]
    assert told(wrong).scores == {"entities": 2 / 3, "strict": 2 / 3, "attributes": 1.0, "concepts": 0.0}
    assert told(failed).error == "The model cannot be reached."
    assert told(failed).scores == {"entities": 0.0, "strict": 0.0, "attributes": 0.0}


def test_a_criterion_without_entities_is_right_when_none_is_found() -> None:
    assert told(compared([], [])).scores == {"entities": 1.0, "strict": 1.0}
    assert told(compared([], [found("stroke")])).scores["entities"] == 0.0


def test_a_code_that_no_search_returned_is_an_alarm() -> None:
    candidate = Candidate(cui=ASPIRIN, display="aspirin", ontology="CORE", confidence=0.9)
    there = [gold("aspirin", "Medication", umls_cui=ASPIRIN)]
    grounded = {"umls_cui": ASPIRIN, "status": "grounded"}
    assert told(compared(there, [found("aspirin", "Medication", **grounded)])).alarms == (f"aspirin: {ASPIRIN}",)
    assert told(compared(there, [found("aspirin", "Medication", **grounded, candidates=(candidate,))])).alarms == ()


def test_what_code_listed_is_not_the_models() -> None:
    listed = {"action": "extract", "by": "code", "entities": 1}
    one = compared([gold("stroke"), gold("asthma")], [found("stroke", grounding_method="agentic_model")])
    other = compared([gold("stroke")], [found("stroke")])
    other = score(other.gold, other.line.model_copy(update={"iteration_history": (listed,)}))
    report = figures(one, other)
    assert report["listed_by_code"] == 1
    assert outcome(other, llm_calls=1).rule_instead
    assert not outcome(other).rule_instead  # no model was asked: rules, and nothing else, were meant to answer
    assert not outcome(one, llm_calls=1).rule_instead
    assert [report["by_model"][name] for name in ("right", "found", "there")] == [1, 1, 3]
    assert report["relaxed"]["all"]["right"] == 2
    rules = figures(other, model="rules")
    assert (rules["by_model"], rules["listed_by_code"]) == (None, 0)


def test_the_figures_come_from_the_records_alone_and_can_be_shown() -> None:
    one = compared([gold("stroke"), gold("asthma")], [found("stroke")])
    suite = Grounding()
    record = record_of("grounding", Variant(), "rules", one.gold, 0, told(one))
    kept = CaseRecord.model_validate_json(record.model_dump_json())
    shown = [line.text for line in grounding_lines(suite.figures((kept,)))]
    assert "Condition              2         1     100.0      50.0      66.7     100.0      50.0      66.7" in shown
    assert "For an expert: 1/1 100.0 % of the entities" in shown
    assert set(record.scores) <= {metric.name for metric in suite.about.metrics}


async def test_a_case_counts_its_own_calls_and_says_why_it_failed() -> None:
    case = GoldCriterion.model_validate({"id": "c1", "text": TEXT, "entities": [gold("stroke")]})

    async def ground(given: Sequence[Criterion], batch_id: str) -> list[Grounded]:
        current_usage().calls += 2
        return [Grounded(criterion_id=one.criterion_id, text=one.text, entities=(found("stroke"),)) for one in given]

    async def gone(given: Sequence[Criterion], batch_id: str) -> list[Grounded]:
        raise Unavailable("The terminology is gone.")

    outside = Usage()
    with holding(usage, outside):
        right, failed = await run_case(ground, case), await run_case(gone, case)
    assert (right.llm_calls, right.scores["entities"], right.error) == (2, 1.0, None)
    assert (failed.llm_calls, failed.scores["entities"], failed.error) == (0, 0.0, "The terminology is gone.")
    assert outside.calls == 0


def test_the_type_of_a_criterion_is_its_kind_unless_it_has_one() -> None:
    own = '{"id": "c", "kind": "lab", "text": "z"}'
    lines = f'{{"id": "a", "type": "exclusion", "text": "x"}}\n{{"id": "b", "text": "y"}}\n{own}'
    assert [one.kind for one in parse(GoldCriterion, lines, "mine.jsonl")] == ["exclusion", "unknown", "lab"]
