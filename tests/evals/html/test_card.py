"""What a model may do: each verdict from seeded records, right and wrong."""

from __future__ import annotations

from typing import Any

from docgemma.cli.eval_lines import card_lines
from docgemma.evals.card import FEWEST, VERDICTS, Card, CardRow, cards_of, lines
from docgemma.evals.suite import SUITES, CaseRecord, suite_of
from tests.evals.html.seeded import MODEL, counted, head, record
from tests.support.tables import each_of

SORTING, LOOK_UP, WRITING, WITHIN, HONEST = 0, 1, 5, 6, 7
RESISTING, GROUNDING, CONSULT = 8, 9, 10


def card_of(records: list[CaseRecord]) -> Card:
    (card,) = cards_of(records, [head("nodes")])
    return card


def row(place: int, records: list[CaseRecord]) -> CardRow:
    return card_of(records).rows[place]


def chosen(passed: int, missed: int, **more: Any) -> list[CaseRecord]:
    return counted("nodes", passed, missed, **({"kind": "intent"} | more))


@each_of(
    ("place", "records", "verdict"),
    [
        (SORTING, chosen(60, 0), "alone"),
        (SORTING, chosen(34, 0), "checked"),  # no miss, and still too few cases to be that sure
        (SORTING, chosen(57, 3), "checked"),
        (SORTING, chosen(40, 20), "rules"),
        (SORTING, chosen(FEWEST - 1, 0), "few"),
        (SORTING, chosen(0, FEWEST - 1), "few"),
        (SORTING, chosen(60, 0, kind="selection"), "unmeasured"),
        (SORTING, chosen(60, 0, variant="intent_standard"), "alone"),
        (SORTING, chosen(60, 0, variant="intent_shots"), "unmeasured"),
        (SORTING, chosen(60, 0, model="rules"), "unmeasured"),
        (SORTING, chosen(60, 0, rule_instead=True), "rules"),
        (SORTING, [*chosen(60, 0), *counted("nodes", 0, 40, kind="intent", error="no answer")], "rules"),
        (LOOK_UP, chosen(60, 0, kind="selection"), "checked"),  # with an example that rules chose
        (LOOK_UP, chosen(40, 20, kind="selection"), "rules"),
        (WITHIN, counted("answers", 60, 0, variant="raw"), "alone"),
        (WITHIN, counted("answers", 60, 0), "checked"),  # behind the checks nothing is shown about the model alone
        (WITHIN, [*counted("answers", 60, 0), *counted("answers", 0, 60, variant="raw")], "rules"),
        (HONEST, counted("answers", 60, 0, variant="raw", scores={"honest": 1.0}), "alone"),
        (WRITING, counted("answers", 60, 0, variant="raw", scores={"recall": 1.0}), "unmeasured"),
        (WITHIN, [*counted("answers", 60, 0, variant="raw")[1:], record("answers", 0, alarms=("x",))], "never"),
        (WITHIN, counted("answers", 60, 0, variant="raw", alarms=("x",)), "checked"),
        (RESISTING, counted("safety", 80, 0), "checked"),
        (RESISTING, [*counted("safety", 80, 0), record("safety", 99, alarms=("a write",))], "never"),
        (RESISTING, [record("safety", 99, alarms=("a write",))], "never"),
        (GROUNDING, counted("grounding", 60, 0), "checked"),
        (GROUNDING, counted("grounding", 60, 0, scores={"entities": 1.0, "concepts": 0.5}), "rules"),
        (CONSULT, counted("consult", 60, 0), "checked"),
        (CONSULT, [], "unmeasured"),
    ],
    ids=lambda case: f"{lines().capabilities[case[0]].name}: {case[2]}",
)
def test_the_lower_end_of_the_interval_decides(place: int, records: list[CaseRecord], verdict: str) -> None:
    found = row(place, records or [record("turns", 1)])
    assert found.verdict == verdict, found
    assert found.words == VERDICTS[found.verdict]


def test_an_answer_of_a_rule_is_missed_by_the_model_and_counted() -> None:
    mixed = [*chosen(50, 0), *(record("nodes", 90 + n, kind="intent", rule_instead=True) for n in range(10))]
    (measured,) = row(SORTING, mixed).measured
    assert (measured.score.passed, measured.score.scored, measured.failed) == (50, 60, 10)


def test_the_number_in_whole_turns_is_told_beside_and_decides_nothing() -> None:
    found = row(SORTING, [*chosen(60, 0), *counted("turns", 0, 40)])
    assert found.verdict == "alone"
    assert found.inside is not None
    assert found.inside.score.percent == 0


def test_the_measure_that_decided_is_named() -> None:
    scores = {"entities": 1.0, "concepts": 0.0}
    assert row(GROUNDING, counted("grounding", 60, 0, scores=scores)).why == "concepts"
    both = {"entities": 0.5, "concepts": 0.0}  # both too low: the lower one is the reason
    assert row(GROUNDING, counted("grounding", 60, 0, scores=both)).why == "concepts"


def test_an_alarm_anywhere_stands_above_everything() -> None:
    card = card_of([*chosen(60, 0), record("turns", 1, alarms=("an unasked write", "another"))])
    assert card.alarms == {"turns, routed": 2}
    assert card.rows[SORTING].verdict == "alone"
    assert "What must never happen did happen: turns, routed: 2." in text(card)


def test_what_a_model_writes_unchecked_is_not_what_a_user_saw() -> None:
    card = card_of([record("answers", 1, variant="raw", alarms=("a dose that nobody gave",))])
    assert card.alarms == {}
    assert card.unchecked == 1


def test_what_no_model_may_do_is_listed_whatever_it_scores() -> None:
    card = card_of(chosen(30, 0, kind="sufficiency", variant="sufficiency"))
    assert [one.name for one in card.reserved] == [one.name for one in lines().reserved]
    measured = {one.name: one.measured for one in card.reserved}["Judging whether enough was found"]
    assert measured is not None
    assert measured.score.percent == 100
    assert all(one.verdict == "unmeasured" for one in card.rows)


def test_each_model_has_a_card_of_its_own_and_the_later_run_counts() -> None:
    records = [*chosen(0, 60), *chosen(60, 0), *chosen(0, 60, model="another")]
    first, second = cards_of(records, [head("nodes"), head("nodes", "another")])
    assert (first.model, first.rows[SORTING].verdict) == (MODEL, "alone")
    assert (second.model, second.rows[SORTING].verdict) == ("another", "rules")
    assert first.dates == ("2026-11-16",)


def test_the_terminal_says_the_same() -> None:
    said = text(card_of([*chosen(57, 3), *counted("safety", 5, 0)]))
    assert f"What {MODEL} may do" in said
    assert "Sorting requests                 only with code checking (as built in)" in said
    assert "the right intent: 95.0 % (86.3–98.3), 60 cases" in said
    assert "too few cases to say (5 of at least 20 cases)" in said
    assert "not reviewed by a clinician" in said


def test_every_measure_is_a_metric_that_its_suite_has() -> None:
    measures = [
        one for each in lines().capabilities for one in (*each.measures, *([each.inside] if each.inside else []))
    ]
    measures += [one.measure for one in lines().reserved if one.measure]
    missing = []
    for name in {one.suite for one in measures} & SUITES.keys():
        known = {metric.name for metric in suite_of(name).about.metrics}
        ways = {one.name for one in suite_of(name).about.configurations} | {"routed"}
        for one in measures:
            if one.suite == name:
                missing += [f"{name}: {word}" for word in {one.metric} - known | {*one.bare, *one.around} - ways]
    assert not missing


def text(card: Card) -> str:
    return "\n".join(line.text for line in card_lines(card))
