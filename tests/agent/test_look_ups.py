"""Look-ups as people ask for them, and short messages that continue or correct the one before."""

from __future__ import annotations

import pytest

from docgemma.agent.arguments import find
from docgemma.agent.requests.patterns import follow_up
from docgemma.agent.requests.vote import Asked, Voter
from docgemma.entities import extract
from tests.agent.spoken import ON_SCREEN, Row, calls, same, table
from tests.support.tables import each_of

_VOTER = Voter()


@each_of("row", [*table("look_ups"), *table("charts")], ids=lambda row: row.said[-1])
def test_a_message_gets_the_look_ups_it_asks_for(row: Row) -> None:
    (message,) = row.said
    made = calls(message, pinned=row.pinned)
    assert same(made, row.calls), made


@each_of("row", table("telegrams"), ids=lambda row: row.said[-1])
def test_a_few_words_with_a_patient_at_hand_ask_for_the_chart(row: Row) -> None:
    (message,) = row.said
    found = extract(message)
    assert calls(message, pinned=True) == []
    vote = _VOTER.vote(Asked(message, found, patient=ON_SCREEN))
    asked = [need.tool for need in vote.needs] if vote else []
    assert asked == (["get_patient_chart"] if row.calls else [])
    assert _VOTER.vote(Asked(message, found)) is None, "without a patient there is no chart to read"


@each_of("row", [*table("follow_ups"), *table("searches")], ids=lambda row: " / ".join(row.said))
def test_a_short_message_is_understood_after_the_one_before(row: Row) -> None:
    *earlier, message = row.said
    full = follow_up(message, extract(message), earlier) or message
    made = calls(full, pinned=row.pinned, earlier=earlier)
    assert same(made, row.calls), (full, made)


@pytest.mark.parametrize(
    "message",
    ["no, I meant lisinopril", "and lisinopril?", "same for abc-124", "with food?", "what about in pregnancy?"],
)
def test_a_follow_up_never_becomes_a_write(message: str) -> None:
    before = ["Prescribe losartan 50 mg daily for abc-123"]
    full = follow_up(message, extract(message), before) or message
    assert extract(full).writes == ()


@pytest.mark.parametrize("message", ["same order as last time", "repeat prescription please", "same again 500 mg bd"])
def test_what_repeats_an_entry_is_no_look_up_once_more(message: str) -> None:
    assert follow_up(message, extract(message), ["find trials for ALS"]) is None


def test_the_medicines_of_the_chart_join_the_one_that_is_asked_about() -> None:
    text = "would clarithromycin interact with her meds"
    found = find("check_drug_interactions", None, text, extract(text), taken=["simvastatin", "apixaban"])
    assert found.values() == {"drug_names": ["clarithromycin", "simvastatin", "apixaban"]}
    assert found.args["drug_names"].source == "result"
    alone = find("check_drug_interactions", None, text, extract(text))
    assert alone.missing == ("drug_names",)


def test_what_is_said_counts_before_what_the_chart_lists() -> None:
    text = "does warfarin interact with aspirin"
    found = find("check_drug_interactions", None, text, extract(text), taken=["simvastatin"])
    assert found.values() == {"drug_names": ["warfarin", "aspirin"]}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("can I give her clarithromycin", ["clarithromycin", "simvastatin", "apixaban"]),
        ("is it ok to start clarithromycin for her?", ["clarithromycin", "simvastatin", "apixaban"]),
        ("can I give her clarithromycin and aspirin", ["clarithromycin", "aspirin", "simvastatin", "apixaban"]),
        ("can she have apixaban", ["apixaban", "simvastatin"]),
    ],
)
def test_a_drug_that_may_be_given_is_checked_with_the_chart_and_nothing_said_before(
    text: str, names: list[str]
) -> None:
    found = find(
        "check_drug_interactions",
        None,
        text,
        extract(text),
        earlier=["check warnings for lithium"],
        pinned=ON_SCREEN,
        taken=["simvastatin", "apixaban"],
    )
    assert found.values() == {"drug_names": names}


def test_each_call_has_only_the_drugs_of_its_own_request() -> None:
    text = "check warfarin with aspirin, is metformin safe in CKD, and find studies on lithium in ALS"
    assert calls(text) == ["I:warfarin,aspirin", "S:metformin", "L:lithium in ALS"]
