"""The whole graph: two nodes, a batch in, one line for each criterion out."""

from __future__ import annotations

from typing import Any, cast

import pytest

from docgemma.errors import ModelUnreachable, Unavailable
from docgemma.grounding.contract import Criterion, Grounded
from docgemma.grounding.graph import build
from docgemma.grounding.grounding import ground
from docgemma.grounding.router import after_ground, searches_again
from docgemma.grounding.state import MAX_ROUNDS
from docgemma.llm.contract import Usage, usage
from docgemma.llm.rules import RulesModel
from docgemma.llm.scripted import ScriptedModel
from tests.grounding.graph.world import (
    NAMES,
    Small,
    chosen,
    client,
    entity,
    extracted,
    grounded,
    services,
)


def test_the_graph_has_exactly_two_nodes_and_keeps_nothing() -> None:
    graph = build()
    assert {name for name in graph.get_graph().nodes if not name.startswith("__")} == {
        "medgemma_ground",
        "validate_confidence",
    }
    assert graph.checkpointer is None
    assert build() is graph


def test_an_error_ends_the_batch() -> None:
    assert after_ground({"error": "gone"}) == "__end__"
    assert after_ground({"error": None}) == after_ground({}) == "validate_confidence"


ROUTES = [
    (round, action, terms, action == "refine" and terms > 0 and round < 3)
    for round in range(1, 5)
    for action in ("evaluate", "refine")
    for terms in (0, 1, 5)
]


@pytest.mark.parametrize(("round", "action", "terms", "again"), ROUTES)
def test_another_round_only_for_something_new_within_the_limit(
    round: int, action: Any, terms: int, again: bool
) -> None:
    assert MAX_ROUNDS == 3
    assert searches_again(round, action, terms) is again


COMMON = ("Takes acetaminophen", "Has osteoarthritis", "On Heparin")


async def test_common_terms_get_cui_and_snomed_with_rules_and_with_a_model() -> None:
    expected = [("C0000970", "387517004"), ("C0029408", "396275006"), ("C0019134", "372877000")]
    answers: list[Any] = []
    for text, kind in zip(COMMON, ("Medication", "Condition", "Medication"), strict=True):
        answers += [extracted(entity(text.split()[1], cast(Any, kind))), chosen(1)]
    for llm in (None, RulesModel({}), ScriptedModel(*answers)):
        lines = await grounded(llm, *COMMON)
        assert [(each.umls_cui, each.snomed_code) for line in lines for each in line.entities] == expected
        assert {each.status for line in lines for each in line.entities} == {"grounded"}


async def test_ids_types_and_order_are_the_batch_s_own() -> None:
    criteria = [
        Criterion(criterion_id="same", protocol_id=f"P{number}", type="exclusion", text=f"{name} {number}")
        for number, name in enumerate(NAMES)
    ]
    async with client(Small()) as opened:
        lines = await ground(criteria, "b7", services(None, opened, concurrency=5))
        assert await ground([], "b8", services(None, opened)) == []
    assert [(line.criterion_id, line.protocol_id, line.type, line.batch_id, line.text) for line in lines] == [
        (each.criterion_id, each.protocol_id, "exclusion", "b7", each.text) for each in criteria
    ]
    assert [line.entities[0].text for line in lines] == list(NAMES)


async def test_a_terminology_that_dies_takes_only_what_came_after_it() -> None:
    lines = await grounded(None, "gout", "asthma", "heparin", "gout", terminology=Small(dies_after=2))
    assert [(len(line.entities), line.error) for line in lines] == [
        (1, None),
        (1, None),
        (0, "The terminology is gone."),
        (0, "The terminology is gone."),
    ]


async def test_a_terminology_that_stumbles_once_is_not_noticed() -> None:
    small = Small(faults=[Unavailable("Busy.")])
    assert await grounded(None, "gout", terminology=small) == await grounded(None, "gout")


@pytest.mark.parametrize("at", [1, 2, 3])
async def test_a_terminology_that_dies_at_any_step_of_the_model_s_loop_is_an_error(at: int) -> None:
    model = ScriptedModel(extracted(entity("Tylenol", "Medication", "acetaminophen")), chosen(1))
    [line] = await grounded(model, "Takes Tylenol", terminology=Small(dies_after=at - 1))
    assert (line.entities, line.error) == ((), "The terminology is gone.")


async def test_a_batch_without_any_model_is_all_errors_and_nothing_empty() -> None:
    lines = await grounded(ScriptedModel(*[ModelUnreachable("Down.")] * 3), "gout", "asthma")
    assert [line.error for line in lines] == ["Down.", "Down."]


async def test_two_runs_give_the_same_bytes() -> None:
    texts = [f"{name} and {other}, no {name}" for name in NAMES for other in NAMES]

    async def run(concurrency: int) -> list[str]:
        return [line.model_dump_json() for line in await grounded(None, *texts, concurrency=concurrency)]

    first = await run(1)
    assert first == await run(7)
    assert all(Grounded.model_validate_json(line) for line in first)


async def test_model_calls_are_counted_for_the_caller() -> None:
    counted = Usage()
    token = usage.set(counted)
    try:
        await grounded(ScriptedModel(extracted(entity("gout", "Condition")), chosen(1)), "gout")
    finally:
        usage.reset(token)
    assert counted.calls == 2


async def test_the_text_around_explains_short_forms_only() -> None:
    small = Small(names={**NAMES, "oa": NAMES["osteoarthritis"]})
    criterion = Criterion(criterion_id="1", text="OA or gout", context="Osteoarthritis (OA) study")
    model = ScriptedModel(extracted(entity("OA", "Condition"), entity("gout", "Condition")), chosen(1, 1))
    async with client(small) as opened:
        await ground([criterion], "b", services(model, opened))
    assert small.searched == [
        ("OA", "Condition", "Osteoarthritis (OA) study\nOA or gout"),
        ("gout", "Condition", ""),
    ]


async def test_the_package_s_own_rules_and_attributes_are_used_by_default() -> None:
    text = "Treated with heparin within 6 months before screening; no asthma"
    [line] = await grounded(None, text, rules=None, attributes=None)
    found = {each.text: each for each in line.entities}
    assert {(each.text, each.umls_cui, each.status) for each in found.values()} >= {
        ("asthma", "C0004096", "grounded"),
        ("heparin", "C0019134", "grounded"),
    }
    assert (found["asthma"].negated, found["heparin"].negated) == (True, False)
    assert found["heparin"].time is not None
    assert (found["heparin"].time.value, found["heparin"].time.unit) == ("6", "month")
