"""The marked words of a message, and what the register is asked for them. The table was read line by line."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.entities.trial_status import TrialStatus
from docgemma.errors import Unavailable
from docgemma.reader.contract import Request
from docgemma.reader.loading import PACKAGED
from docgemma.sources.trials import sought
from docgemma.sources.trials.contract import Sought
from docgemma.sources.trials.sought import Understood
from tests.support.tables import each_of

CLOSED = ("ACTIVE_NOT_RECRUITING", "COMPLETED", "SUSPENDED", "TERMINATED", "WITHDRAWN")
RECRUITING: tuple[TrialStatus, ...] = ("RECRUITING",)
CHILDREN = {"age_years": 0.0, "age_to": 17.0}
ELDERLY = {"age_years": 65.0, "age_to": 120.0}


def sought_in(condition: str, status: str | None = None, question: str | None = None, **given: Any) -> Understood:
    return sought.sought_in(condition, status, question, reader=PACKAGED, **given)


def asked(condition: str, **spans: Any) -> Understood:
    """As the agent asks: each value in its own argument, and all of them joined."""
    status = spans.pop("status", None)
    return sought_in(condition, status, "; ".join(filter(None, (condition, status, *spans.values()))), **spans)


@each_of(
    ("condition", "expected"),
    [
        ("NASH", {"condition": "NASH"}),
        ("pembrolizumab in melanoma", {"condition": "melanoma", "intervention": "pembrolizumab"}),
        ("pembrolizumab NSCLC", {"condition": "NSCLC", "intervention": "pembrolizumab"}),
        ("semaglutide for NASH", {"condition": "NASH", "intervention": "semaglutide"}),
        ("tirzepatide vs semaglutide for obesity", {"condition": "obesity", "intervention": "tirzepatide semaglutide"}),
        ("gene therapy for haemophilia B", {"condition": "haemophilia B", "intervention": "gene therapy"}),
        ("CAR-T in myeloma", {"condition": "myeloma", "intervention": "CAR-T"}),
        (
            "psilocybin for treatment-resistant depression",
            {"condition": "treatment-resistant depression", "intervention": "psilocybin"},
        ),
        (
            "fecal transplant for recurrent C. difficile",
            {"condition": "recurrent C. difficile", "intervention": "fecal transplant"},
        ),
        (
            "GLP-1s for heart failure with preserved EF",
            {"condition": "heart failure with preserved EF", "intervention": "GLP-1s"},
        ),
        ("bispecifics in follicular lymphoma", {"condition": "follicular lymphoma", "intervention": "bispecifics"}),
        ("AML with magrolimab", {"condition": "AML", "intervention": "magrolimab"}),
        ("metformin in pregnancy", {"condition": "pregnancy", "intervention": "metformin"}),
        ("malaria vaccine", {"condition": "malaria vaccine"}),
        ("methotrexate toxicity", {"condition": "methotrexate toxicity"}),
        ("trastuzumab-resistant breast cancer", {"condition": "trastuzumab-resistant breast cancer"}),
        ("Sepsis in pregnancy", {"condition": "Sepsis in pregnancy"}),
        ("cerebral vasospasm after aneurysmal SAH", {"condition": "cerebral vasospasm after aneurysmal SAH"}),
        ("haemophilia A", {"condition": "haemophilia A"}),
        ("new onset type 1 diabetes", {"condition": "new onset type 1 diabetes"}),
        ("open fracture", {"condition": "open fracture"}),
        ("osteoarthritis knee", {"condition": "osteoarthritis knee"}),
        ("post-stroke depression", {"condition": "post-stroke depression"}),
        ("patient with MND", {"condition": "MND"}),
        ("asthma in children", {"condition": "asthma", **CHILDREN}),
        ("64-year-old woman with lung cancer", {"condition": "lung cancer", "age_years": 64.0, "sex": "female"}),
        ("male breast cancer", {"condition": "male breast cancer", "sex": "male"}),
        ("lung cancer in Ho Chi Minh City", {"condition": "lung cancer", "place": "Ho Chi Minh City"}),
        (
            "recruiting phase 3 glioblastoma trials",
            {"condition": "glioblastoma", "phases": ("PHASE3",), "statuses": RECRUITING},
        ),
        ("active tuberculosis", {"condition": "active tuberculosis"}),
        ("open-angle glaucoma", {"condition": "open-angle glaucoma"}),
        ("NCT02576665", {"condition": "NCT02576665"}),
        ("women", {"sex": "female"}),
    ],
)
def test_a_condition_in_its_own_words_becomes_a_search(condition: str, expected: dict[str, Any]) -> None:
    found = asked(condition)
    assert found.sought == Sought(**{"condition": "", **expected})
    assert found.notes == ()


@each_of(
    ("spans", "expected"),
    [
        ({"status": "still recruiting", "place": "Nairobi"}, {"statuses": RECRUITING, "place": "Nairobi"}),
        ({"status": "no longer recruiting"}, {"statuses": CLOSED}),
        ({"status": "any open trial", "place": "in the UK"}, {"statuses": RECRUITING, "place": "United Kingdom"}),
        (
            {"status": "not yet recruiting", "phase": "phase II/III"},
            {"statuses": ("NOT_YET_RECRUITING",), "phases": ("PHASE2", "PHASE3")},
        ),
        ({"phase": "2", "place": "Kisumu"}, {"phases": ("PHASE2",), "place": "Kisumu"}),
        ({"place": "US only"}, {"place": "United States"}),
        ({"place": "Malawi, Zambia, Kenya"}, {"place": "Malawi or Zambia or Kenya"}),
        ({"place": "Uganda or Kenya"}, {"place": "Uganda or Kenya"}),
        ({"place": "Portland, Oregon"}, {"place": "Portland, Oregon"}),
        ({"place": "Cambridge, UK"}, {"place": "Cambridge United Kingdom"}),
        ({"place": "at Mayo"}, {"place": "Mayo Clinic"}),
        ({"place": "Ōtautahi"}, {"place": "Ōtautahi"}),
        ({"age": "64", "sex": "women"}, {"age_years": 64.0, "sex": "female"}),
        ({"age": "3 yrs"}, {"age_years": 3.0}),
        ({"age": "6 months old", "sex": "boy"}, {"age_years": 0.5, "sex": "male"}),
        ({"age": "children"}, CHILDREN),
        ({"age": "over 65", "sex": "men"}, {"sex": "male", **ELDERLY}),
        ({"intervention": "empagliflozin"}, {"intervention": "empagliflozin"}),
    ],
)
def test_what_narrows_is_read_as_it_was_written(spans: dict[str, str], expected: dict[str, Any]) -> None:
    found = asked("psoriasis", **spans)
    assert found.sought == Sought("psoriasis", **expected)
    assert found.notes == ()


def test_the_parts_of_the_question_fill_in_what_no_argument_gives() -> None:
    found = sought_in("gout", None, "gout; completed; phase 2; Ohio; Michigan; women; 64 year old")
    assert found.sought == Sought(
        "gout", "", ("COMPLETED",), ("PHASE2",), "Ohio or Michigan", age_years=64.0, sex="female"
    )


def test_a_place_that_only_the_user_knows_is_said() -> None:
    found = sought_in("melanoma", place="near me")
    assert found.sought == Sought("melanoma")
    assert found.notes[0].startswith("“near me” names no place")


@each_of("question", ["gout; still enrolling", "gout; accepting patients"])
def test_a_status_in_other_words_is_read(question: str) -> None:
    assert sought_in("gout", None, question).sought == Sought("gout", statuses=RECRUITING)


def test_a_denial_in_the_question_outweighs_the_argument() -> None:
    assert sought_in("gout", "recruiting", "gout trials that are no longer recruiting").sought.statuses == CLOSED


def test_without_a_reader_the_words_themselves_are_searched_for() -> None:
    class Closed:
        def request(self, message: str, **_: Any) -> Request:
            raise Unavailable("The reader is not installed.")

    found = sought.sought_in("psoriatic arthritis", "recruiting", "psoriatic arthritis; recruiting", reader=Closed())
    assert found.sought == Sought("psoriatic arthritis", statuses=RECRUITING)


def test_arguments_count_before_the_question() -> None:
    found = sought_in(
        "gout",
        "completed",
        "gout; recruiting; phase 2; women; France; completed",
        intervention="colchicine",
        place="the UK",
        age="8 months",
        sex="male",
        phase="3",
        page=2,
    )
    assert found.notes == ()
    assert found.sought == Sought(
        "gout", "colchicine", ("COMPLETED",), ("PHASE3",), "United Kingdom", 8 / 12, "male", 2
    )


def test_words_that_are_not_understood_are_said_and_filter_nothing() -> None:
    found = sought_in("gout", "xyz", age="old enough", sex="blue", phase="nine")
    assert found.sought == Sought("gout")
    assert found.notes[0] == "“xyz” is no status I know; all statuses were searched."
    assert {note.split("”")[0].lstrip("“") for note in found.notes} == {"xyz", "old enough", "blue", "nine"}


@each_of(
    "words",
    [
        "melanoma MRN 4471123",
        "melanoma, born 12/03/1961",
        "melanoma DOB 1961-03-12",
        "patient id 4471123; melanoma",
    ],
)
def test_no_id_and_no_birth_date_gets_into_a_search(words: str) -> None:
    for found in (sought_in(words), sought_in("melanoma", None, words), sought_in(words, None, words)):
        said = f"{found.sought.condition} {found.sought.intervention} {found.sought.place}".lower()
        assert "melanoma" in said
        assert not any(number in said for number in ("4471123", "1961", "12", "03"))
        assert found.sought.age_years is None


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=60), st.text(max_size=20), st.text(max_size=120), st.text(max_size=10))
def test_no_text_breaks_it(condition: str, status: str, question: str, other: str) -> None:
    found = sought_in(condition, status, question, age=other, sex=other, phase=other, place=other)
    assert found.sought.page == 1
    assert all(len(note) < 200 for note in found.notes)
