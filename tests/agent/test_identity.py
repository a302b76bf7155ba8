"""What code makes of the words that were marked: who is meant, what is refused, what belongs together.

The marks stand in the messages as in the training data, so that no row depends on what a reader has learned.
"""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from docgemma.agent.patients import settle_namesakes
from docgemma.agent.understanding.entities import understand
from docgemma.agent.understanding.identity import contradictions, relatives_beside
from docgemma.entities.model import Entities
from docgemma.reader.contract import Asked, Request, Span
from docgemma.reader.labels import Ask
from docgemma.tools.results import PatientMatch, PatientSearchResult
from training.marks import unmarked

TODAY = date(2026, 11, 19)


def marked(say: str, ask: Ask = "prescribe_medication") -> Entities:
    text, marks = unmarked(say)
    spans: list[Any] = [Span(m.type, m.start, m.end, text[m.start : m.end], 0.99, ask) for m in marks]  # type: ignore[arg-type]
    return understand(text, Request((Asked(ask, 0.99, "sure"),), tuple(spans), urgent=False, conditional=False))


def patient(name: str, born: str, sex: str, id_: str = "abc-123") -> PatientMatch:
    return PatientMatch(patient_id=id_, name=name, birth_date=born, sex=sex, mrn_tail="812", exact=True)


LAN = patient("Nguyen Thi Lan", "1967-09-25", "female")
SIOBHAN = patient("Siobhan O'Connor", "1971-07-09", "female")
JOHN = patient("John Smith", "1955-03-02", "male")
KUMAR = patient("Ramesh Kumar", "1990-04-04", "male")
ANNE = patient("Anne-Marie Lefèvre", "1980-12-01", "female")
BABY = patient("Baby of Fatima Sheikh", "2026-10-02", "female")


@pytest.mark.parametrize(
    ("say", "who", "against"),
    [
        ("for the [nonagenarian](age) [Nguyen Thi Lan](person)", LAN, True),
        ("for the [pensioner](age) [John Smith](person)", JOHN, False),
        ("[Nguyen Thi Lan](person), she has [fifty-nine years](age)", LAN, False),
        ("[Anne-Marie Lefèvre](person), she has [sixty-two years](age)", ANNE, True),
        ("[Siobhan O'Connor](person), [schoolgirl](sex)", SIOBHAN, True),
        ("[Mevrouw O'Connor, Siobhan](person)", SIOBHAN, False),
        ("[Señora John Smith](person)", JOHN, True),
        ("[Master Ramesh Kumar](person)", KUMAR, True),
        ("[Mr Ramesh Kumar](person), [36](age)", KUMAR, False),
        ("Not [Anne-Marie](person) this time, for the [lady](sex) who was here at nine", ANNE, True),
        ("[John Smith](person) has asthma as well, for the [son](relative)", JOHN, True),
        ("for [Siobhan O'Connor](person)'s [daughter](relative)", SIOBHAN, True),
        ("for the [mother](relative), [Siobhan O'Connor](person)", SIOBHAN, False),
    ],
)
def test_words_about_a_person_are_held_against_the_record(say: str, who: PatientMatch, against: bool) -> None:
    assert bool(contradictions(marked(f"[nystatin](drug) {say}"), who, TODAY)) is against


def test_the_baby_on_screen_is_the_baby_and_its_twin_is_not() -> None:
    said = marked("[nystatin](drug) for [the baby](relative)")
    assert relatives_beside(said, BABY, TODAY) == ()
    assert [one.text for one in relatives_beside(said, SIOBHAN, TODAY)] == ["the baby"]
    assert relatives_beside(marked("[nystatin](drug) for [the twin](relative)"), BABY, TODAY)


@pytest.mark.parametrize(
    ("say", "found"),
    [
        ("[James Wilson](person), [48](age)", ["b"]),
        ("[James Wilson](person), born [1950](birth_date)", ["a"]),
        ("[James Wilson](person), [seventies](age)", ["a"]),
        ("[James Wilson](person), [male](sex)", ["a", "b"]),
        ("[James Wilson](person), [30](age)", ["a", "b"]),
    ],
)
def test_namesakes_are_told_apart_only_by_what_fits_one_of_them(say: str, found: list[str]) -> None:
    wilsons = (
        patient("James Wilson", "1950-06-01", "male", "a"),
        patient("James Wilson", "1978-02-11", "male", "b"),
    )
    search = PatientSearchResult(status="found", origin="ehr", matches=wilsons, error_type="multiple_patient_matches")
    settled = settle_namesakes({"entities": marked(f"[nystatin](drug) {say}"), "today": TODAY}, search)
    assert isinstance(settled, PatientSearchResult)
    assert [match.patient_id for match in settled.matches] == found


@pytest.mark.parametrize(
    ("say", "ask", "kept"),
    [
        ("any trials? do not prescribe [amoxicillin](drug) [500 mg](dose)", "prescribe_medication", False),
        ("don't wait. [amoxicillin](drug) [500 mg](dose)", "prescribe_medication", True),
        ("“give [amoxicillin](drug)” is what he wrote", "prescribe_medication", False),
        ("had a rash then give him [azithromycin](drug) [500 mg](dose)", "prescribe_medication", True),
        ("listed as allergic to [ibuprofen](substance), de-labelled 2024", "add_allergy", False),
        ("allergic to [ibuprofen](substance), tolerates paracetamol", "add_allergy", True),
    ],
)
def test_a_veto_takes_away_what_is_refused_quoted_or_denied_and_nothing_else(say: str, ask: Ask, kept: bool) -> None:
    found = marked(say, ask)
    assert bool(found.writes) is kept
    assert (ask in found.doubtful) is not kept


def test_parts_of_one_note_are_one_text_and_one_name_in_two_marks_is_one_name() -> None:
    noted = marked("note for [Lefèvre,](person) [Anne-Marie](person): [seen today](note_text); [plan: rest](note_text)",
                   "save_clinical_note")  # fmt: skip
    assert [one.value for one in noted.person_names] == ["Lefèvre, Anne-Marie"]
    assert [one.text for one in noted.note_texts] == ["seen today; plan: rest"]


def test_no_name_reaches_a_search_with_its_topic() -> None:
    found = marked("trials on [Kwame Mensah's gout](condition)", "find_clinical_trials")
    assert [one.value for one in found.conditions] == ["gout"]
