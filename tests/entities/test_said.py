"""Sentences as clinicians say them, sorted by what they ask for. A wrong "yes" on a write is the worst error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from docgemma.entities import extract
from docgemma.entities.entries.fields import allergy_fields, note_fields
from docgemma.entities.people.choice import fill
from tests.support.tables import each_of

_SAID = Path(__file__).parents[1] / "fixtures" / "said"


def _lines(name: str) -> list[str]:
    lines = (_SAID / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [line.replace("\\n", "\n") for line in lines if line and not line.startswith("#")]


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (_SAID / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def _kinds(text: str) -> list[str]:
    return [write.kind for write in extract(text).writes]


@each_of("text", _lines("orders"))
def test_an_order_is_heard(text: str) -> None:
    assert _kinds(text) == ["prescribe"]


@each_of("text", _lines("no_write"))
def test_what_orders_nothing_is_no_write(text: str) -> None:
    assert _kinds(text) == []


@each_of("row", _rows("allergies"), ids=lambda row: row["text"])
def test_an_allergy_is_recorded_only_when_it_is_the_patients(row: dict[str, Any]) -> None:
    assert _kinds(row["text"]) == row["writes"]


@each_of("row", _rows("allergy_fields"), ids=lambda row: row["text"])
def test_an_allergy_keeps_the_substance_and_the_reaction_in_the_users_words(row: dict[str, Any]) -> None:
    stated = {name: mention.value for name, mention in allergy_fields(extract(row["text"])).items()}
    assert (stated.get("substance"), stated.get("reaction")) == (row["substance"], row["reaction"])


@each_of("row", _rows("notes"), ids=lambda row: row["text"])
def test_a_note_is_the_users_words_and_nothing_in_it_is_a_request(row: dict[str, Any]) -> None:
    found = extract(row["text"])
    assert [write.kind for write in found.writes] == row["writes"]
    stated = {name: mention.value for name, mention in note_fields(found).items()}
    for name in ("note_type", "note_text"):
        if row[name]:
            assert stated[name] == row[name]


@each_of("text", _lines("undoable"))
def test_what_no_tool_does_is_recognised(text: str) -> None:
    found = extract(text)
    assert found.undoable
    assert [write.kind for write in found.writes] in ([], ["prescribe"] * ("and start" in text))


@each_of("text", _lines("not_undoable"))
def test_talk_of_it_is_not(text: str) -> None:
    found = extract(text)
    assert found.undoable == ()
    assert found.writes == ()


@each_of("text", _lines("small_talk"))
def test_small_talk(text: str) -> None:
    assert extract(text).small_talk


@each_of("text", _lines("not_small_talk"))
def test_more_than_small_talk(text: str) -> None:
    assert not extract(text).small_talk


@each_of("row", _rows("answers"), ids=lambda row: f"{row['text']} for {', '.join(row['missing'])}")
def test_an_answer_fills_only_what_it_states(row: dict[str, Any]) -> None:
    given = fill(row["text"], row["missing"], extract(row["text"]))
    assert {name: mention.value for name, mention in given.items()} == row["filled"]


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("Add penicillin allergy and aspirin 81 mg daily for abc-123", "penicillin", "aspirin"),
        ("add sulfa allergy, rash, and lisinopril 10 mg daily for abc-123", "sulfa", "lisinopril"),
    ],
)
def test_an_allergy_and_an_order_in_one_breath_are_two_requests(text: str, first: str, second: str) -> None:
    found = extract(text)
    assert [write.kind for write in found.writes] == ["allergy", "prescribe"]
    assert [entry.substance.value for entry in found.allergies] == [first]
    assert [order.drug.value for order in found.orders] == [second]


@pytest.mark.parametrize(
    ("text", "drug"),
    [
        ("metformin 500 mg bd for abc-123, please prescribe it", "metformin"),
        ("patient abc-123 needs amoxicillin 500 mg tds please prescribe", "amoxicillin"),
    ],
)
def test_a_drug_named_before_the_verb_is_the_one_ordered(text: str, drug: str) -> None:
    (order,) = extract(text).orders
    assert (order.drug.value, len(order.doses)) == (drug, 1)


@pytest.mark.parametrize("slip", ["perscribe", "prescibe", "precsribe", "presribe", "prescrib", "prescribee"])
def test_a_slip_in_the_verb_is_read(slip: str) -> None:
    assert _kinds(f"{slip} metformin 500 mg daily for abc-123") == ["prescribe"]


@pytest.mark.parametrize("word", ["proscribe", "prescribed", "prescribes", "commerce", "commenced", "strat", "stat"])
def test_a_word_of_its_own_is_no_slip(word: str) -> None:
    assert _kinds(f"{word} metformin 500 mg daily for abc-123") == []
