"""Experts decide once, and every later line has it; who decided what is never lost."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.errors import BadInput, UnknownId
from docgemma.grounding.contract import Criterion, Grounded
from docgemma.grounding.review.applying import applied
from docgemma.grounding.review.decision import Choice, Decision, item_key
from docgemma.grounding.review.desk import Desk
from docgemma.grounding.runs.store import GroundingStore, open_store
from tests.grounding.runs.jobs import candidate, criterion, entity, run_to
from tests.store.conftest import Clock

TWO = (candidate("Myocardial infarction", "C0027051", snomed_code="22298006"), candidate("Mitral", "C2"))
MI = item_key("MI", "Condition")
RASH = item_key("rash", "Condition")


async def ground(criteria: Sequence[Criterion], batch_id: str) -> list[Grounded]:
    """Every word of the text is an entity that waits."""
    return [
        Grounded(
            **each.model_dump(exclude={"context"}),
            batch_id=batch_id,
            entities=tuple(entity(word, candidates=TWO, reason="Below 0.7.") for word in each.text.split()),
        )
        for each in criteria
    ]


ENTRIES = [criterion(1, "MI rash"), criterion(2, "mi fever"), criterion(3, "MI"), criterion(4, "cough")]


async def grounded(tmp_path: Path, address: str, entries: Sequence[Criterion] = ENTRIES) -> list[dict[str, Any]]:
    path = tmp_path / "out.jsonl"
    await run_to(path, address, entries, ground=ground)
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
async def desk(store: GroundingStore, clock: Clock) -> Desk:
    return Desk(store.database, who="ann", clock=clock)


async def test_what_waits_is_listed_most_frequent_first(tmp_path: Path, address: str, desk: Desk) -> None:
    await grounded(tmp_path, address)
    items = await desk.items()
    assert [(items[0].item, items[0].waiting)] == [(MI, 3)]
    assert sorted(each.text.lower() for each in items) == ["cough", "fever", "mi", "rash"]
    found, examples = await desk.item(MI)
    assert found.candidates == TWO and found.reason == "Below 0.7."
    assert [each.text for each in examples] == ["MI rash", "mi fever", "MI"]
    assert await desk.items(entity_type="Medication") == []


async def test_grounding_the_same_again_does_not_count_twice(tmp_path: Path, address: str, desk: Desk) -> None:
    await grounded(tmp_path, address)
    await run_to(tmp_path / "out.jsonl", address, ENTRIES, ground=ground, fresh=True)
    assert (await desk.items())[0].waiting == 3


async def test_what_a_better_terminology_finds_waits_no_longer(tmp_path: Path, address: str, desk: Desk) -> None:
    await grounded(tmp_path, address)
    await run_to(tmp_path / "out.jsonl", address, ENTRIES, fresh=True)  # grounds another way
    assert RASH not in {each.item for each in await desk.items()}


async def test_an_accepted_candidate_is_in_every_later_line(tmp_path: Path, address: str, desk: Desk) -> None:
    before = await grounded(tmp_path, address)
    await desk.accept(MI)
    after = await grounded(tmp_path, address)
    for line, number in ((after[0], 0), (after[1], 0), (after[2], 0)):
        found = line["entities"][number]
        assert (found["umls_cui"], found["snomed_code"], found["preferred_term"]) == (
            "C0027051",
            "22298006",
            "Myocardial infarction",
        )
        assert (found["grounding_method"], found["grounding_confidence"], found["status"], found["reason"]) == (
            "person",
            1.0,
            "grounded",
            "",
        )
    assert after[0]["entities"][1] == before[0]["entities"][1]
    assert after[3] == before[3]
    assert MI not in {each.item for each in await desk.items()}
    assert MI in {each.item for each in await desk.items(everything=True)}


async def test_the_second_candidate_then_another_concept_then_undone(tmp_path: Path, address: str, desk: Desk) -> None:
    before = await grounded(tmp_path, address)
    await desk.accept(MI, candidate=2)
    assert (await grounded(tmp_path, address))[2]["entities"][0]["candidates"][0]["cui"] == "C2"
    await desk.change(MI, Choice(umls_cui="C9999999"), reason="The protocol means another one.", known=False)
    changed = (await grounded(tmp_path, address))[2]["entities"][0]
    assert (changed["umls_cui"], changed["snomed_code"]) == ("C9999999", None)
    assert "did not know" in changed["reason"]
    await desk.undo(MI)
    assert await grounded(tmp_path, address) == before
    with pytest.raises(BadInput, match="no decision"):
        await desk.undo(MI)
    history = await desk.history(MI)
    assert [each.action for each in history] == ["accept", "change", "undo"]
    assert [(each.before.umls_cui, each.after.umls_cui) for each in history] == [
        (None, "C2"),
        ("C2", "C9999999"),
        ("C9999999", None),
    ]
    assert {each.who for each in history} == {"ann"} and len({each.at for each in history}) == 3


async def test_what_is_rejected_is_never_grounded(tmp_path: Path, address: str, desk: Desk) -> None:
    await grounded(tmp_path, address)
    await desk.reject(RASH, reason="Too vague.")
    found = (await grounded(tmp_path, address))[0]["entities"][1]
    assert (found["status"], found["umls_cui"], found["grounding_method"]) == ("expert_review", None, "person")
    assert found["reason"].endswith("Too vague.")
    assert RASH not in {each.item for each in await desk.items()}


async def test_a_protocol_is_shown_with_decisions_that_came_later(tmp_path: Path, address: str, desk: Desk) -> None:
    await grounded(tmp_path, address)
    await desk.accept(MI)
    async with open_store(address) as store:
        shown = await store.protocol("P1")
    assert shown[0].entities[0].grounding_method == "person"


async def test_what_cannot_be_decided(tmp_path: Path, address: str, desk: Desk) -> None:
    await grounded(tmp_path, address)
    with pytest.raises(UnknownId):
        await desk.accept("0123456789ab")
    with pytest.raises(UnknownId):
        await desk.history("x'; DROP TABLE grounding_items; --")
    with pytest.raises(BadInput, match="2 candidates"):
        await desk.accept(MI, candidate=3)
    with pytest.raises(BadInput, match="--reason"):
        await desk.change(MI, Choice(umls_cui="C1"), reason=" ", known=True)
    assert await desk.history() == []


def decision(**more: Any) -> Decision:
    fields = {"item": MI, "text": "MI", "entity_type": "Condition", "action": "accept", "who": "ann", "at": "now"}
    return Decision(**(fields | {"after": Choice(umls_cui="C1"), "shown": ("C1", "C2")} | more))


def line(text: str, **more: Any) -> Grounded:
    return Grounded(criterion_id="c", text=text, entities=(entity(text, **more),))


@pytest.mark.parametrize(
    ("cui", "action", "status", "left"),
    [
        ("C2", "accept", "grounded", "C1"),
        ("C7", "accept", "expert_review", "C7"),
        ("C7", "reject", "expert_review", "C7"),
        ("C2", "reject", "expert_review", None),
    ],
)
def test_a_short_form_that_means_something_the_expert_did_not_see_is_looked_at_again(
    cui: str, action: str, status: str, left: str | None
) -> None:
    found = applied(line("MI", status="grounded", umls_cui=cui), {MI: decision(action=action)}).entities[0]
    assert (found.status, found.umls_cui) == (status, left)
    assert ("another meaning in view" in found.reason) == (cui == "C7")


def test_a_decision_is_for_one_type_only() -> None:
    given = line("MI", entity_type="Procedure")
    assert applied(given, {MI: decision()}) == given
    assert applied(line("heart attack"), {MI: decision()}) == line("heart attack")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Type 2  Diabetes", "type 2 diabetes", True),
        ("HbA1c.", "HBA1C", True),
        ("non–small cell", "non-small cell", True),
        ("Crohn’s disease", "Crohn's disease", True),
        ("diabetes", "diabetic", False),
        ("ALT", "AST", False),
        ("type 1 diabetes", "type 2 diabetes", False),
    ],
)
def test_which_texts_are_one_item(one: str, other: str, same: bool) -> None:
    assert (item_key(one, "Condition") == item_key(other, "Condition")) is same


@given(st.text(max_size=60))
def test_an_item_is_the_same_however_often_its_text_was_cleaned(text: str) -> None:
    assert item_key(text, "Condition") == item_key(f"  {text} ", "Condition")
    assert len(item_key(text, "Biomarker")) == 12
