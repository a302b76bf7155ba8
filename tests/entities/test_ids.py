"""Patient ids in the sentences of clinicians, and the numbers that are none."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.agent.understanding.mentions import Mentions
from docgemma.entities.ids import find_patient_ids
from docgemma.entities.words import word_set
from docgemma.reader.contract import Request, Span
from tests.support.tables import each_of

_UUID = "f47ac10b-58cc-4372-a567-0e02b2c3d479"


@each_of(
    ("text", "ids"),
    [
        ("Prescribe metformin for abc-123", ["abc-123"]),
        ("She's allergic to sulfa, abc-123", ["abc-123"]),
        ("pull up ABC-123 pls", ["ABC-123"]),
        ("abc-123's last creatinine", ["abc-123"]),
        (f"chart of {_UUID}", [_UUID]),
        (_UUID.upper(), [_UUID]),
        ("open f47ac10b", ["f47ac10b"]),
        ("open F47AC10B", ["f47ac10b"]),
        ("patient 402", ["402"]),
        ("Patient 402's labs", ["402"]),
        ("pt 402 meds?", ["402"]),
        ("pt #402", ["402"]),
        ("pt# 402", ["402"]),
        ("patient #7", ["7"]),
        ("pt id 402", ["402"]),
        ("pt id: 7", ["7"]),
        ("patient no. 402", ["402"]),
        ("patient number 402", ["402"]),
        ("patient id is demo-0007", ["demo-0007"]),
        ("patient id: demo-0007", ["demo-0007"]),
        ("patient abc123 meds", ["abc123"]),
        ("labs for demo-0007", ["demo-0007"]),
        ("patients 402 and 403", ["402", "403"]),
        ("pts 402, 403 and 407", ["402", "403", "407"]),
        ("MRN 0012345", ["0012345"]),
        ("MRN 448812", ["448812"]),
        ("mrn448812 labs", ["448812"]),
        ("MRN# 448812", ["448812"]),
        ("her MRN is 448812", ["448812"]),
        ("MRN: A-12345", ["A-12345"]),
        ("MRN: A-0012345", ["A-0012345"]),
        ("MR No 20231188", ["20231188"]),
        ("medical record number 77123", ["77123"]),
        ("hosp no 12345", ["12345"]),
        ("hospital number: X123456", ["X123456"]),
        ("NHS number 943 476 5919", ["9434765919"]),
        ("NHS no. 9434765919", ["9434765919"]),
        ("UHID 12345", ["12345"]),
        ("UHID no: 2023/00412", ["2023/00412"]),
        ("IP no 5567 bed 12", ["5567"]),
        ("reg no 889123", ["889123"]),
        ("chart for cox-200", ["cox-200"]),
        ("patient cox-200", ["cox-200"]),
        ("compare abc-123 and abd-124", ["abc-123", "abd-124"]),
    ],
)
def test_ids(text: str, ids: list[str]) -> None:
    found = find_patient_ids(text)
    assert [mention.value for mention in found] == ids
    assert all(text[mention.start : mention.end] == mention.text for mention in found)


@each_of(
    "text",
    [
        "cox-200 inhibitors",
        "mmr-111 vaccine",
        "trials for covid-19",
        "patient covid-19 positive",
        "h1n1-2009 in a patient",
        "pt tested covid19 positive",
        "studies on KEYNOTE-189",
        "data for checkmate-067",
        "what does NCT02576665 study",
        "PMID 22663011",
        "pubmed id 22663011",
        "trial id 4455",
        "patient 65 years old",
        "patient 65, male, chest pain",
        "pt 72 on warfarin",
        "pt 45 f with cough",
        "pt 65yo",
        "pt 65M",
        "patient with 20 pack-years",
        "patient 120/80",
        "pt 38.5 this morning",
        "pt 120 kg",
        "patient 1500 kcal diet",
        "patient 150 ml urine",
        "call 12345678 or deadbeef",
        "call 555-123-4567",
        "phone no 07700900123",
        "bed 12",
        "room 4",
        "patient in bed 12",
        "pt bed 12 needs analgesia",
        "room no 4",
        "ward-101 handover",
        "pt A1c 9.2",
        "pt B12 low",
        "pt T2DM on metformin",
        "pt CD4 200",
        "patient G2P1",
        "Type-2 diabetes, IL-17 and PD-1",
        "mir-155 expression",
        "on 2024-03-02",
        "seen in aug-2023",
        "potassium 5.4, creatinine 180",
        "metformin 500 mg",
        "creatinine 448812",
        "ID consult please",
        "MRN ending 4432",
        "pt no fever",
    ],
)
def test_numbers_that_are_no_ids(text: str) -> None:
    assert find_patient_ids(text) == ()


@each_of(
    "text",
    [
        "ct head for 120 mins",
        "increase to 500 twice daily",
        "titrate up to 100 mg",
        "platelets down to 402",
        "sodium of 128 today",
        "glucose of 402",
        "hr of 140, what now",
        "crp up to 240",
        "start on 500 mg",
        "amoxicillin 500 for 7 days",
        "dose of 500 bd",
        "meet in 402",
        "she is in room 402",
        "transfer to ward 402",
        "bed 402 needs obs",
        "bp on 160/90",
        "call me on 555 1234",
        "call me on 07700900123",
        "due on 120326",
        "in 2019 she had a stroke",
        "for 100 patients what is the nnt",
        "in 500 ml saline",
        "give to 100 children",
        "born in 1990",
        "reduce to 250",
        "on 500 units of insulin",
        "shift starts at 0730",
        "for 150 dollars",
        "cut down to 200 calories",
        "on 100% oxygen",
        "on 400 mcg",
        "amitriptyline up to 150",
        "out of 1000",
        "of 350 people",
        "lactate of 402",
        "vanc level of 204",
        "in 240 hours",
        "402",
        "on 250 od of metformin",
        "he weighs 102 down to 100",
    ],
)
def test_amounts_results_rooms_dates_and_phones_are_no_ids(text: str) -> None:
    assert find_patient_ids(text) == ()


_PIECES = sorted(word_set("patient pt MRN # 402 , and abc-123 id no : 12 / for on to note ka 402s labs give"))


@given(
    st.one_of(
        st.text(max_size=200),
        st.lists(st.sampled_from(_PIECES)).map(" ".join),
    )
)
@settings(max_examples=200, deadline=None)
def test_any_text_is_read_and_each_id_stands_where_it_says(text: str) -> None:
    found = find_patient_ids(text)
    assert all(text[mention.start : mention.end] == mention.text for mention in found)
    assert all(one.end <= other.start for one, other in pairwise(found))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("patient no. X7", "X7"),
        ("the chart number K5/2", "K5/2"),
    ],
)
def test_a_marked_id_loses_whole_words_before_it_and_no_part_of_one(text: str, value: str) -> None:
    marked = Request((), (Span("patient_id", 0, len(text), text, 1.0),), urgent=False, conditional=False)
    ids, places = Mentions(text, marked).ids()
    assert [mention.value for mention in ids] == [value]
    assert places == []


@pytest.mark.parametrize("text", ["trials of ABT-199 in CLL", "melanoma vaccine trials mRNA-4157", "mRNA-4157 studies"])
def test_a_medicine_that_has_a_number_for_a_name_is_no_patient(text: str) -> None:
    assert find_patient_ids(text) == ()


@pytest.mark.parametrize("text", ["trials for abc-123", "MRN 448812, any trials?", "MRN448812"])
def test_a_search_beside_a_patients_number_leaves_it_one(text: str) -> None:
    assert len(find_patient_ids(text)) == 1


@pytest.mark.parametrize("text", ["PMID 22663011", "casino 7", "hallway 3"])
def test_words_with_a_number_are_nobodys_id(text: str) -> None:
    marked = Request((), (Span("patient_id", 0, len(text), text, 1.0),), urgent=False, conditional=False)
    ids, places = Mentions(text, marked).ids()
    assert ids == []
    assert [mention.text for mention in places] == [text]
