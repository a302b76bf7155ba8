"""The line that says who a patient is."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.ehr.patients.person import NO_NAME, Person, person_of
from docgemma.tools.results import PatientMatch
from tests.support.registers import MR, patient


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        ([{"use": "official", "given": ["Maria", "Elena"], "family": "García"}], "Maria Elena García"),
        ([{"use": "maiden", "text": "Ann Old"}, {"use": "official", "text": "Ann New"}], "Ann New"),
        ([{"use": "nickname", "text": "Annie"}, {"text": "Ann Lee"}], "Ann Lee"),
        ([{"use": "old", "text": "Ann Old"}], "Ann Old"),
        ([{"text": "Ann Old", "period": {"end": "2001"}}, {"use": "usual", "text": "Ann New"}], "Ann New"),
        ([{"given": ["John"], "family": "Smith", "prefix": ["Mr."], "suffix": ["Jr."]}], "John Smith Jr."),
        ([{"given": ["John"], "family": "Smith", "suffix": ["III"]}], "John Smith III"),
        ([{"given": ["Girl"], "family": "Rao", "prefix": ["Baby"]}], "Baby Girl Rao"),
        ([{"given": ["小明"], "family": "王"}], "王 小明"),
        ([{"text": "Nguyễn Thị Mai", "given": ["Thị", "Mai"], "family": "Nguyễn"}], "Nguyễn Thị Mai"),
        ([{"text": "Smith, Ann", "given": ["Ann"], "family": "Smith"}], "Ann Smith"),
        ([{"given": ["Sukarno"]}], "Sukarno"),
        ([{"family": "Rossi"}], "Rossi"),
        ([{"given": ["A\nB\x00"], "family": "\u202eevil\u202c\u200b"}], "A B evil"),
        ([{"given": [""], "family": " "}, {"text": "Ann Lee"}], "Ann Lee"),
        ([], NO_NAME),
        ([{"given": "Ann"}], NO_NAME),
        ("Ann Lee", NO_NAME),
        ([{"given": [7, None, "Ann"], "family": {"x": 1}}], "Ann"),
    ],
)
def test_the_name_in_use(names: Any, shown: str) -> None:
    assert person_of({"resourceType": "Patient", "id": "p", "name": names}).name == shown


def test_a_very_long_name_is_cut() -> None:
    assert len(person_of(patient("p", "x" * 10_000, "Lee")).name) <= 80


@pytest.mark.parametrize(
    ("identifiers", "mrn"),
    [
        ([{"type": MR, "value": "12345"}], "12345"),
        ([{"type": MR, "use": "old", "value": "1"}, {"type": MR, "value": "2"}], "2"),
        ([{"system": "urn:oid:1.2.3", "value": "77"}], None),
        ([{"system": "https://hospital.example/mrn", "value": "88"}], "88"),
        ([{"type": {"text": "Medical Record Number"}, "value": "99"}], "99"),
        ([{"system": "http://hl7.org/fhir/sid/us-ssn", "value": "999-34-5555"}], None),
        ([{"type": {"coding": [{"code": "DL"}], "text": "MRN"}, "value": "S999"}], None),
        ([{"type": {"coding": [{"code": "SS"}]}, "value": "999-34-5555"}, {"type": MR, "value": "5"}], "5"),
        ([{"type": MR}, {"type": MR, "value": ""}, {"type": MR, "value": "6"}], "6"),
        ("12345", None),
    ],
)
def test_only_a_record_number_is_shown_as_one(identifiers: Any, mrn: str | None) -> None:
    assert person_of({"resourceType": "Patient", "id": "p", "identifier": identifiers}).mrn == mrn


@pytest.mark.parametrize(
    ("mrn", "tail"),
    [("MRN-1001", "1001"), ("123-45", "345"), ("402", "402"), ("7", "7"), ("---", None), (None, None)],
)
def test_the_end_of_the_record_number(mrn: str | None, tail: str | None) -> None:
    assert Person("p", "Ann Lee", mrn=mrn).mrn_tail == tail


def test_the_banner_reads_like_that_of_a_search_result() -> None:
    person = person_of(patient("p", "Ann", "Lee", "1980-03-04", gender="female", mrn="4455123"))
    match = PatientMatch(patient_id="p", name="Ann Lee", birth_date="1980-03-04", sex="female", mrn_tail="5123")
    assert person.banner() == match.banner() == "Ann Lee, born 1980-03-04, female, MRN …5123"


def test_fictional_and_deceased_patients_are_marked() -> None:
    tag = {"system": "http://terminology.hl7.org/CodeSystem/v3-ActReason", "code": "HTEST"}
    made_up = person_of(patient("p", "Ann", "Lee", meta={"tag": [tag]}, deceasedDateTime="2020-01-01"))
    assert made_up.banner() == "Ann Lee, deceased, FICTIONAL"
    assert not person_of(patient("p", "Ann", "Lee", meta={"tag": [{"code": "HTEST"}]})).fictional
    assert not person_of(patient("p", "Ann", "Lee", deceasedBoolean=False)).deceased


@pytest.mark.parametrize(
    ("fields", "banner"),
    [
        ({"gender": "unknown"}, "Ann Lee"),
        ({"gender": "M"}, "Ann Lee"),
        ({"birthDate": "04/03/1980"}, "Ann Lee"),
        ({"birthDate": "1980"}, "Ann Lee, born 1980"),
        ({"birthDate": 1980}, "Ann Lee"),
    ],
)
def test_what_cannot_be_read_is_left_out(fields: dict[str, Any], banner: str) -> None:
    assert person_of({**patient("p", "Ann", "Lee"), **fields}).banner() == banner


FIELDS = ("use", "text", "given", "family", "prefix", "suffix", "type", "coding", "code", "value")
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner),
    max_leaves=10,
)


@given(name=anything, identifier=anything, meta=anything, born=anything)
def test_the_banner_is_one_clean_line_whatever_the_record_holds(
    name: Any, identifier: Any, meta: Any, born: Any
) -> None:
    banner = person_of({"id": "p", "name": name, "identifier": identifier, "meta": meta, "birthDate": born}).banner()
    assert 0 < len(banner) <= 200
    assert not any(unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp") for letter in banner)
