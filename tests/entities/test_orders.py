"""Lists, shared amounts and what goes into the notes: each drug with its own amounts, nothing lost."""

from __future__ import annotations

import pytest

from docgemma.agent.arguments import find
from docgemma.entities import extract
from docgemma.entities.entries.fields import NOTES_LIMIT, prescription_fields

_NAMES = ("medication_name", "dosage", "frequency", "notes")
_Row = tuple[str | None, ...]


def _orders(text: str) -> list[_Row]:
    found = extract(text)
    fields = [prescription_fields(found, order.drug.value) for order in found.orders]
    return [tuple(each[name].value if name in each else None for name in _NAMES) for each in fields]


_AMOX = ("amoxicillin", "500 mg", "three times daily", None)
_PARA = ("paracetamol", "1 g", "four times daily", None)


@pytest.mark.parametrize(
    "text",
    [
        "Prescribe for abc-123: 1. amoxicillin 500 mg tds 2. paracetamol 1 g qds",
        "Prescribe for abc-123: 1) amoxicillin 500 mg tds 2) paracetamol 1 g qds",
        "Prescribe for abc-123:\n1. amoxicillin 500 mg tds\n2. paracetamol 1 g qds",
        "Prescribe for abc-123:\n1. Tab amoxicillin 500 mg tds\n2. Tab. paracetamol 1 g qds",
        "Prescribe for abc-123:\n- amoxicillin 500 mg tds\n- paracetamol 1 g qds",
        "Prescribe for abc-123:\namoxicillin 500 mg tds\nparacetamol 1 g qds",
        "Prescribe for abc-123 amoxicillin 500 mg tds, Tab paracetamol 1 g qds",
        "Prescribe 500 mg amoxicillin tds and 1 g paracetamol qds for abc-123",
        "Prescribe amoxicillin and paracetamol for abc-123. Amoxicillin 500 mg tds. Paracetamol 1 g qds.",
    ],
)
def test_a_list_gives_each_drug_its_own_amounts(text: str) -> None:
    assert _orders(text) == [_AMOX, _PARA]


@pytest.mark.parametrize(
    ("text", "orders"),
    [
        (
            "Prescribe lisinopril 10 mg and amlodipine 5 mg both daily for abc-123",
            [("lisinopril", "10 mg", "once daily", None), ("amlodipine", "5 mg", "once daily", None)],
        ),
        (
            "Prescribe lisinopril 10 mg and amlodipine 5 mg, both once daily by mouth for 30 days",
            [
                ("lisinopril", "10 mg", "once daily", "by mouth; for 30 days"),
                ("amlodipine", "5 mg", "once daily", "by mouth; for 30 days"),
            ],
        ),
        (
            "Prescribe lisinopril and amlodipine 10 mg each once daily for abc-123",
            [("lisinopril", "10 mg", "once daily", None), ("amlodipine", "10 mg", "once daily", None)],
        ),
        (
            "Prescribe lisinopril 10 mg, amlodipine 5 mg and atorvastatin 20 mg all once daily for abc-123",
            [
                ("lisinopril", "10 mg", "once daily", None),
                ("amlodipine", "5 mg", "once daily", None),
                ("atorvastatin", "20 mg", "once daily", None),
            ],
        ),
        # nobody said that it is for both
        (
            "Prescribe lisinopril 10 mg and amlodipine 5 mg daily for abc-123",
            [("lisinopril", "10 mg", None, None), ("amlodipine", "5 mg", "once daily", None)],
        ),
        # "both" of three drugs: which two is not said
        (
            "Prescribe lisinopril 10 mg, amlodipine 5 mg and atorvastatin 20 mg both daily for abc-123",
            [
                ("lisinopril", "10 mg", None, None),
                ("amlodipine", "5 mg", None, None),
                ("atorvastatin", "20 mg", "once daily", None),
            ],
        ),
        (
            "Prescribe timolol 1 drop bd both eyes and latanoprost 1 drop nocte for abc-123",
            [("timolol", "1 drop", "twice daily", "both eyes"), ("latanoprost", "1 drop", "at bedtime", None)],
        ),
    ],
)
def test_an_amount_is_shared_only_when_the_user_says_so(text: str, orders: list[_Row]) -> None:
    assert _orders(text) == orders


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("Prescribe amoxicillin 500 mg po tds x 7 days for abc-123", "by mouth; for 7 days"),
        ("Prescribe oral amoxicillin 500 mg tds for his UTI, abc-123", "by mouth; for UTI"),
        ("Prescribe amoxicillin 500 mg tds 5/7 #15 no refills for abc-123", "for 5 days; dispense 15; no refills"),
        ("Prescribe amoxicillin for abc-123. 500 mg po tds for 7 days.", "by mouth; for 7 days"),
        ("Prescribe paracetamol 1 g qds prn for pain for abc-123", "for pain"),
        ("Prescribe paracetamol 1 g qds prn pain for abc-123", "for pain"),
        ("Prescribe paracetamol 1 g qds prn, max 4 g in 24 hours, for abc-123", "maximum 4 g in 24 hours"),
        ("Prescribe dexamethasone 6 mg daily for up to 10 days for abc-123", "for up to 10 days"),
        ("Prescribe folic acid 5 mg daily except on methotrexate day for abc-123", "except on methotrexate day"),
        ("Prescribe amoxicillin 500 mg tds for abc-123", None),
        ("Prescribe amoxicillin 500 mg tds until Friday abc-123", "until Friday"),
        ("Prescribe amoxicillin 500 mg tds until Friday for abc-123", "until Friday"),
        # the cough, not the order, lasts three days
        ("Prescribe amoxicillin 500 mg tds for abc-123, she has had a cough for 3 days", None),
        ("Prescribe amoxicillin 500 mg tds for abc-123. Cough for 3 days.", None),
        ("Prescribe amoxicillin 500 mg tds for John Smith", None),
    ],
)
def test_route_duration_and_reason_become_the_notes(text: str, notes: str | None) -> None:
    (order,) = _orders(text)
    assert order[1:] == (order[1], order[2], notes)


def test_the_notes_reach_the_call_with_their_source() -> None:
    text = "Prescribe amoxicillin 500 mg po tds x 7 days for abc-123"
    args = find("prescribe_medication", None, text, extract(text)).args
    assert args["notes"].value == "by mouth; for 7 days"
    assert args["notes"].span is not None
    assert text[slice(*args["notes"].span)] == "po tds x 7 days"


def test_notes_that_are_too_long_show_that_they_were_cut() -> None:
    details = " ".join(f"until {'x' * 15}{day} {'y' * 15} {'z' * 15}," for day in range(5))
    text = f"Prescribe amoxicillin 500 mg tds {details} for abc-123"
    notes = prescription_fields(extract(text))["notes"].value
    assert len(notes) == NOTES_LIMIT
    assert notes.endswith("…")


@pytest.mark.parametrize(
    ("text", "dosage"),
    [
        ("Prescribe paracetamol 500 mg 2 tabs tds for abc-123", "2 tablets of 500 mg"),
        ("Give abc-123 1 tab paracetamol 500 mg tds", "1 tablet of 500 mg"),
        ("Prescribe salbutamol 100 mcg 2 puffs qid for abc-123", "2 puffs of 100 mcg"),
        ("Prescribe amlodipine 5 bd for abc-123", "5"),
        ("Prescribe co-codamol 30/500 two tablets qds for abc-123", "2 tablets of 30/500"),
        ("Prescribe warfarin daily, she had warfarin 5 years ago, for abc-123", None),
        ("Prescribe furosemide 40 mg mane and 20 mg at noon for abc-123", None),
        ("Prescribe metformin 500 mg or 1 g bd for abc-123", None),
    ],
)
def test_a_count_and_a_strength_are_one_dose_and_two_doses_are_none(text: str, dosage: str | None) -> None:
    ((_, found, *_rest),) = _orders(text)
    assert found == dosage
