"""An id as a clinician writes it: the patient it names, both when it names two, and nobody when it is nearly one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.clinical import ErrorType
from docgemma.ehr.contract import EhrError, Hits, Params
from docgemma.ehr.patients import wanted
from docgemma.ehr.patients.resolve import by_id
from docgemma.ehr.patients.wanted import Search
from tests.support.registers import MR, STYLES, Register, Style, patient

UUID = "4f2a9c1e-7b3d-4e5f-8a6b-0c1d2e3f4a5b"
PEOPLE = [
    patient(UUID, "Ann", "Lee", mrn="123-45"),
    patient("abc-123", "John", "Smith", mrn="MRN-7001"),
    patient("f47ac10b", "Asha", "Rao", mrn="402"),
    patient("900", "Ian", "Roy", mrn="55501"),
    patient("ian-2", "Ian", "Dey", mrn="900"),
    patient("tw1", "Eva", "Berg", mrn="77-7"),
    patient("tw2", "Eva", "Berg", mrn="777"),
    patient("nhs", "Tom", "Hill", identifier=[{"system": "https://fhir.nhs.uk/Id/nhs-number", "value": "9434765919"}]),
    patient("old", "Mia", "Wong", identifier=[{"type": MR, "use": "old", "value": "8800"}]),
    patient("ssn", "Lia", "Moss", identifier=[{"system": "http://hl7.org/fhir/sid/us-ssn", "value": "999-34-5555"}]),
    patient("ABC-9", "Noa", "Katz", mrn="x1"),
]


def ids(search: Search) -> list[str]:
    return sorted(match.person.id for match in search.matches)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (UUID, [UUID]),
        (UUID.upper(), [UUID]),
        (f"Patient/{UUID}", [UUID]),
        (f"urn:uuid:{UUID}", [UUID]),
        (f"https://ehr.example.org/fhir/Patient/{UUID}/_history/3", [UUID]),
        ("abc-123", ["abc-123"]),
        ("ABC-123", ["abc-123"]),
        ("patient abc-123", ["abc-123"]),
        ("Patient ID: ABC-123?", ["abc-123"]),
        ("F47AC10B", ["f47ac10b"]),
        ("402", ["f47ac10b"]),
        ("#402", ["f47ac10b"]),
        ("patient 402", ["f47ac10b"]),
        ("MRN 402", ["f47ac10b"]),
        ("mrn: 402", ["f47ac10b"]),
        ("MRN 123-45", [UUID]),
        ("123–45", [UUID]),
        ("mrn 7001", []),
        ("mrn-7001", ["abc-123"]),
        ("MRN-7001", ["abc-123"]),
        ("NHS no. 943 476 5919", ["nhs"]),
        ("943-476-5919", ["nhs"]),
        ("900", ["900", "ian-2"]),
        ("abc-9", ["ABC-9"]),
        ("４０２", ["f47ac10b"]),
    ],
)
async def test_found_in_whole(style: Style, written: str, expected: list[str]) -> None:
    found = await by_id(Register(PEOPLE, style), written)
    assert ids(found) == expected
    assert all(match.exact for match in found.matches)
    assert found.complete


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    "written",
    [
        "40",
        "4020",
        "0402",
        "abc-12",
        "abc-1234",
        "f47ac10",
        "f47ac10b0",
        UUID[:8],
        UUID[:-1],
        "bc-123",
        "Ann Lee",
        "Ann",
    ],
)
async def test_a_part_of_an_id_is_nobody(style: Style, written: str) -> None:
    found = await by_id(Register(PEOPLE, style), written)
    assert found.matches == ()
    assert found.complete


async def test_separators_do_not_choose_between_two() -> None:
    found = await by_id(Register(PEOPLE), "77-7")
    assert ids(found) == ["tw1", "tw2"]
    assert found.only is None


@pytest.mark.parametrize(
    ("written", "id_", "note"), [("8800", "old", wanted.EARLIER_NUMBER), ("999345555", "ssn", wanted.CIVIL_NUMBER)]
)
async def test_numbers_that_prove_less_are_near(written: str, id_: str, note: str) -> None:
    register = Register([{**one, "identifier": _bare(one)} for one in PEOPLE])
    found = await by_id(register, written)
    assert [(match.person.id, match.exact, match.note) for match in found.matches] == [(id_, False, note)]


def _bare(one: dict[str, object]) -> list[dict[str, str]]:
    listed = one["identifier"]
    assert isinstance(listed, list)
    return [{**identifier, "value": identifier["value"].replace("-", "")} for identifier in listed]


async def test_a_merged_record_is_said_to_be_one() -> None:
    merged = patient("m-1", "Ann", "Lee", link=[{"type": "replaced-by", "other": {"reference": "Patient/m-2"}}])
    found = await by_id(Register([merged]), "m-1")
    assert [(match.exact, match.note) for match in found.matches] == [(False, wanted.MERGED)]


class _NoNumbers(Register):
    def __init__(self, error: ErrorType) -> None:
        super().__init__(PEOPLE)
        self._error: ErrorType = error

    async def search(self, kind: str, params: Params, *, most: int = 200) -> Hits:
        raise EhrError(self._error, "Refused.")


async def test_a_server_that_cannot_look_for_numbers_does_not_say_there_is_nobody() -> None:
    found = await by_id(_NoNumbers("invalid_args"), "abc-123")
    assert (ids(found), found.complete) == (["abc-123"], False)
    with pytest.raises(EhrError):
        await by_id(_NoNumbers("invalid_args"), "402")
    with pytest.raises(EhrError):
        await by_id(_NoNumbers("server_error"), "abc-123")


@given(st.text(max_size=120))
async def test_any_text_finds_nobody_or_a_whole_id(text: str) -> None:
    register = Register(PEOPLE)
    for match in (await by_id(register, text)).matches:
        assert match.person.id.lower() in text.lower() or match.person.mrn is not None
    assert len(register.asked) + len(register.reads) <= 8
