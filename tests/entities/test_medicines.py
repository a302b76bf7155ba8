"""Drugs, doses, frequencies, allergies, notes and search topics."""

from __future__ import annotations

from decimal import Decimal

import pytest

from docgemma.agent.understanding.reading import read
from docgemma.entities.amounts.doses import dose_key
from docgemma.entities.amounts.found import find_amounts
from docgemma.entities.amounts.frequencies import frequency_key
from docgemma.entities.drugs.names import drugs_in, ingredients, same_drug
from docgemma.reader.loading import PACKAGED


@pytest.mark.parametrize(
    ("text", "drugs"),
    [
        ("warfarin, Aspirin and IBUPROFEN", ("warfarin", "aspirin", "ibuprofen")),
        ("insulin glargine at night", ("insulin glargine",)),
        ("metoprolol succinate", ("metoprolol succinate",)),
        ("metformin's label", ("metformin",)),
        ("give Augmentin", ("augmentin",)),
        ("warfarins", ("warfarin",)),
        ("premetformin metforminx", ()),
        ("penicillin", ("penicillin",)),
    ],
)
def test_drugs(text: str, drugs: tuple[str, ...]) -> None:
    assert tuple(drug.value for drug in drugs_in(text)) == drugs


def test_brands_stand_for_their_ingredients() -> None:
    assert ingredients("Augmentin") == ("amoxicillin", "clavulanate")
    assert same_drug("Coumadin", "warfarin")
    assert not same_drug("warfarin", "warfarins2")
    assert ingredients("unheardof") == ()


@pytest.mark.parametrize(
    ("text", "doses"),
    [
        ("metformin 500mg", ["500 mg"]),
        ("amoxicillin 1,000 mg", ["1,000 mg"]),
        ("glargine 10 units", ["10 units"]),
        ("glargine 10U", ["10 U"]),
        ("levothyroxine 100 µg", ["100 µg"]),
        ("warfarin 5.0 mg", ["5.0 mg"]),
        ("5-10 mg PRN", ["5-10 mg"]),
        ("2 tablets", ["2 tablets"]),
        ("acetaminophen 15 mg/kg", ["15 mg/kg"]),
        ("glucose 180 mg/dL, potassium 5 mmol/L", []),
        ("weight 80 kg", []),
        ("1e3 mg", []),
        ("-5 mg", []),
    ],
)
def test_doses_keep_the_form_that_an_order_check_must_see(text: str, doses: list[str]) -> None:
    assert [dose.value for dose in find_amounts(text, drugs_in(text)).doses] == doses


def test_doses_are_compared_by_amount() -> None:
    assert dose_key("500mg") == dose_key("0.5 g") == dose_key("500.0 MG") == (Decimal("5E+5"), "mcg")
    assert dose_key("500 mg") != dose_key("50 mg")
    assert dose_key("1,5 g") is None
    assert dose_key("5-10 mg") is None


@pytest.mark.parametrize(
    ("text", "often"),
    [
        ("once a day", ["once daily"]),
        ("daily", ["once daily"]),
        ("b.i.d.", ["twice daily"]),
        ("TID", ["three times daily"]),
        ("3 times per day", ["three times daily"]),
        ("every 8 h", ["every 8 hours"]),
        ("q8h", ["every 8 hours"]),
        ("every 4-6 hours prn", ["every 4-6 hours", "as needed"]),
        ("qhs", ["at bedtime"]),
        ("once weekly", ["once weekly"]),
        ("every other day", ["every other day"]),
        ("stat", ["once now"]),
        ("10 mg QD", ["QD"]),
        ("5 mg QOD", ["QOD"]),
        ("status of the bidding", []),
    ],
)
def test_frequencies(text: str, often: list[str]) -> None:
    assert [mention.value for mention in find_amounts(text, drugs_in(text)).frequencies] == often


def test_a_banned_abbreviation_still_means_the_same() -> None:
    assert frequency_key("QD") == frequency_key("once a day") == "once daily"
    assert frequency_key("BID") == frequency_key("2x daily") == "twice daily"
    assert frequency_key("sometimes") == ""


def test_a_drug_that_no_list_knows_is_passed_on_as_written() -> None:
    assert [drug.value for drug in read(PACKAGED, "FDA warnings for xyzumab").unlisted_drugs] == ["xyzumab"]


def test_allergy_details() -> None:
    found = read(PACKAGED, "Add an allergy to penicillin for abc-123, reaction: hives, severe")
    assert [item.value for item in found.substances] == ["penicillin"]
    assert [item.value for item in found.reactions] == ["hives"]
    assert [item.value for item in found.severities] == ["severe"]


@pytest.mark.parametrize(
    ("text", "kinds", "texts"),
    [
        ('Save a progress note for abc-123 saying "Stable."', ["progress note"], ["Stable."]),
        ("Add a consult note for abc-123: seen today; plan: rest", ["consult note"], ["seen today; plan: rest"]),
        ("Save a note for abc-123", [], []),
        ("Write a discharge summary for abc-123", ["discharge summary"], []),
    ],
)
def test_notes_are_the_users_words(text: str, kinds: list[str], texts: list[str]) -> None:
    found = read(PACKAGED, text)
    assert [item.value for item in found.note_types] == kinds
    assert [item.value for item in found.note_texts] == texts


@pytest.mark.parametrize(
    ("text", "condition", "status"),
    [
        ("Find recruiting trials for melanoma", "melanoma", "recruiting"),
        ("Are there any active clinical trials for ALS?", "ALS", "active"),
        ("melanoma trials", "melanoma", None),
        ("completed trials in type 2 diabetes", "type 2 diabetes", "completed"),
        ("Find trials for head and neck cancer", "head and neck cancer", None),
        ("she had a trial of metformin", None, None),
    ],
)
def test_trial_searches(text: str, condition: str | None, status: str | None) -> None:
    found = read(PACKAGED, text)
    assert [ask.tool for ask in found.asks] == (["find_clinical_trials"] if condition else [])
    assert next((item.value for item in found.conditions), None) == condition
    assert next((item.value for item in found.trial_statuses), None) == status


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("Find recent studies on SGLT2 inhibitors in heart failure", "SGLT2 inhibitors in heart failure"),
        ("What does the evidence say about aspirin for primary prevention?", "aspirin for primary prevention"),
        ("Search PubMed for colchicine in pericarditis, please", "colchicine in pericarditis"),
        ("Find literature for abc-123 on melanoma", "melanoma"),
    ],
)
def test_a_literature_topic_names_no_person(text: str, topic: str) -> None:
    found = read(PACKAGED, text)
    assert [(ask.tool, ask.topic and ask.topic.value) for ask in found.asks] == [("search_medical_literature", topic)]
