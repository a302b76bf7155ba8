"""Answers to a clarification, as people give them."""

from __future__ import annotations

import pytest

from docgemma.clinical import Option
from docgemma.entities import extract
from docgemma.entities.choice import fill, pick


def _patient(name: str, born: str, sex: str, ident: str, tail: str) -> Option:
    facts = {"name": name, "birth_date": born, "sex": sex, "patient_id": ident, "mrn_tail": tail}
    return Option(label=f"{name}, born {born}, {sex}, MRN …{tail}", value=ident, facts=facts)


_PEOPLE = [
    _patient("James Wilson", "1955-03-02", "male", "p-1", "4432"),
    _patient("James Wilson", "1960-07-11", "male", "p-2", "9981"),
    _patient("Jamés Wilson-Lee", "1980-01-01", "female", "abc-123", "1000"),
]
_DRUGS = [Option(label=name, value=name) for name in ("hydroxyzine", "hydralazine")]


@pytest.mark.parametrize(
    ("answer", "picked"),
    [
        ("2", "p-2"),
        ("#2", "p-2"),
        ("option 2", "p-2"),
        ("it's number 2", "p-2"),
        ("two", "p-2"),
        ("the second one", "p-2"),
        ("the last one please", "abc-123"),
        ("I mean the first", "p-1"),
        ("abc-123", "abc-123"),
        ("patient abc-123", "abc-123"),
        ("p-2", "p-2"),
        ("MRN ending 9981", "p-2"),
        ("Lee", "abc-123"),
        ("james wilson-lee", "abc-123"),
        ("born 1955", "p-1"),
        ("1955-03-02", "p-1"),
        ("the one born in March 1955", "p-1"),
        ("02/03/1955", "p-1"),
        ("James Wilson born 1960", "p-2"),
        ("the woman", "abc-123"),
        ("the second one, born 1960", "p-2"),
    ],
)
def test_an_answer_picks_one(answer: str, picked: str) -> None:
    choice = pick(answer, _PEOPLE)
    assert choice is not None
    assert choice.value == picked


@pytest.mark.parametrize(
    "answer",
    [
        "James Wilson",
        "male",
        "the second one, born 1955",
        "second or third",
        "5",
        "0",
        "xyz-999",
        "none of them",
        "no",
        "yes",
        "",
        "check warfarin instead",
        "John Smith",
        "what is hypertension?",
        "prescribe 2 tablets",
        "born 1999",
    ],
)
def test_doubt_contradiction_and_new_requests_pick_none(answer: str) -> None:
    assert pick(answer, _PEOPLE) is None


def test_a_drug_is_picked_by_its_name_or_by_yes_to_the_only_one() -> None:
    choice = pick("hydralazine", _DRUGS)
    assert choice is not None
    assert choice.value == "hydralazine"
    assert pick("yes", _DRUGS) is None
    assert pick("Yes.", _DRUGS[:1]) == _DRUGS[0]
    assert pick("2", []) is None


@pytest.mark.parametrize(
    ("answer", "missing", "filled"),
    [
        ("twice daily", ["frequency"], {"frequency": "twice daily"}),
        ("make it twice daily", ["frequency"], {"frequency": "twice daily"}),
        ("500 mg bid", ["dosage", "frequency"], {"dosage": "500 mg", "frequency": "twice daily"}),
        ("metformin", ["medication_name"], {"medication_name": "metformin"}),
        ("zanubrutinib", ["medication_name"], {"medication_name": "zanubrutinib"}),
        ("patient abc-123", ["patient_id"], {"patient_id": "abc-123"}),
        ("402", ["patient_id"], {"patient_id": "402"}),
        ("rash", ["reaction"], {"reaction": "rash"}),
        ("her throat closed up", ["reaction"], {"reaction": "her throat closed up"}),
        ("unknown", ["reaction"], {"reaction": "unknown"}),
        ("I don't know", ["reaction"], {"reaction": "unknown"}),
        ("penicillin, hives", ["substance", "reaction"], {"substance": "penicillin", "reaction": "hives"}),
        ("Stable, back in 2 weeks.", ["note_text"], {"note_text": "Stable, back in 2 weeks."}),
        ("progress", ["note_type", "note_text"], {"note_type": "progress note"}),
        ("progress note: stable", ["note_type", "note_text"], {"note_type": "progress note", "note_text": "stable"}),
        ("warfarin and aspirin", ["drug_names"], {"drug_names": "warfarin, aspirin"}),
        ("500", ["dosage"], {}),
        ("500 mg or 1000 mg", ["dosage"], {}),
        ("daily or twice daily", ["frequency"], {}),
        ("no", ["reaction"], {}),
        ("never mind", ["note_text"], {}),
        ("check warfarin", ["note_text"], {}),
        ("What is her dose?", ["dosage"], {}),
        ("Prescribe warfarin 5 mg daily for abc-123", ["frequency"], {}),
        ("thanks!", ["reaction"], {}),
        ("twice daily", [], {}),
    ],
)
def test_missing_fields_are_filled_by_answers_alone(answer: str, missing: list[str], filled: dict[str, str]) -> None:
    found = fill(answer, missing, extract(answer))
    assert {name: mention.value for name, mention in found.items()} == filled
