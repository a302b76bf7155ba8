from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.entities.words import word_set
from docgemma.fetch.door import Reply
from docgemma.sources.contract import SourceError
from docgemma.sources.ctgov.client import Page, read_first, read_next, read_one
from docgemma.sources.ctgov.record import day_of, nct_id_of, study_of, words_of
from docgemma.sources.trials.contract import Site, Study
from tests.support.tables import each_of

FIXTURE = Path(__file__).resolve().parents[1] / "fixtures" / "trials" / "page.json"
CAPTURED = Path(__file__).resolve().parents[3] / "shared" / "data" / "api"


def page() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FIXTURE.read_text(encoding="utf-8"))
    return found


def own(number: int) -> Study:
    study = study_of(page()["studies"][number])
    assert study is not None
    return study


def test_a_whole_record_is_read() -> None:
    study = own(0)
    assert (study.nct_id, study.title) == ("NCT90000001", "Evening Walks [EVE] in Knee Pain")
    assert (study.status, study.phases, study.study_type) == ("RECRUITING", ("NA",), "INTERVENTIONAL")
    assert study.conditions == ("Knee Pain", "Osteoarthritis, Knee")
    assert study.interventions == ("Evening walk",)
    assert (study.started, study.completed, study.updated) == ("2025-03", "2027-12-31", "2026-06-02")
    assert (study.minimum_age, study.maximum_age, study.sex) == ("6 Months", "", "ALL")
    assert study.healthy_volunteers is False
    assert study.sites == (
        Site("Example Hospital", "Hanoi", "", "Vietnam", "RECRUITING"),
        Site("Other Clinic", "Boston", "Massachusetts", "United States", "WITHDRAWN"),
    )
    assert study.url == "https://clinicaltrials.gov/study/NCT90000001"
    assert "Nobody" not in str(study) + study.summary + str(study.sites)
    assert "Not To Be Read" not in repr(study)


def test_markup_is_gone_and_no_word_is_changed() -> None:
    assert own(0).summary == ("Do walks help? pain < 5 of 10 weight >= 40 kg & stable Nothing else is changed.")


def test_numbers_that_stand_for_nothing_are_none() -> None:
    rows = {99999999: None, 9999999: None, 999999: None, -1: None, 10**12: None, 0: 0, 698: 698, 99999: 99999}
    for count, read in rows.items():
        raw = page()["studies"][1]
        raw["protocolSection"]["designModule"]["enrollmentInfo"]["count"] = count
        found = study_of(raw)
        assert found is not None
        assert found.enrolment == read, count


def test_what_is_not_known_is_kept_and_what_is_no_date_is_none() -> None:
    study = own(1)
    assert study.status == "BEING_REINVENTED"
    assert (study.title, study.started, study.completed) == ("An Official Title Alone", "", "")
    assert (study.minimum_age, study.maximum_age, study.has_results) == ("", "17 Years", True)


def test_a_record_of_nothing_but_a_number_is_a_trial() -> None:
    study = own(2)
    assert (study.title, study.status, study.phases, study.sites) == ("Trial without a title", "", (), ())


@each_of(
    ("given", "read"),
    [
        ("NCT00000001", "NCT00000001"),
        (" nct00000001 ", "NCT00000001"),
        ("NCT0000001", ""),
        ("NCT000000011", ""),
        ("NCT0000000１", ""),
        ("NCT00000001/../x", ""),
        (None, ""),
        (["NCT00000001"], ""),
    ],
)
def test_a_number_has_one_shape(given: object, read: str) -> None:
    assert nct_id_of(given) == read


@each_of(
    ("given", "read"),
    [
        ("2016-07", "2016-07"),
        ("2019-12-20", "2019-12-20"),
        ("2019-02-30", ""),
        ("2019", ""),
        (2019, ""),
        ("July 2016", ""),
    ],
)
def test_a_date_is_a_month_or_a_day(given: object, read: str) -> None:
    assert day_of(given) == read


def test_a_comparison_is_no_tag() -> None:
    assert words_of("platelets <100 and >50; CO<sub>2</sub>", 100) == "platelets <100 and >50; CO2"
    assert words_of("x" * 500, 100) == "x" * 100


def test_a_very_large_record_is_read_up_to_a_limit() -> None:
    raw = page()["studies"][0]
    raw["protocolSection"]["descriptionModule"]["briefSummary"] = "word " * 200_000
    raw["protocolSection"]["contactsLocationsModule"]["locations"] *= 5_000
    found = study_of(raw)
    assert found is not None
    assert len(found.summary) <= 20_000
    assert len(found.sites) == 3_000


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just("NCT00000001")
NAMES = st.sampled_from(
    sorted(
        word_set(
            "protocolSection identificationModule nctId statusModule designModule phases enrollmentInfo count "
            "locations contactsLocationsModule eligibilityModule studies totalCount nextPageToken"
        )
    )
)
THINGS = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4), max_leaves=12
)


@settings(max_examples=150, deadline=None)
@given(THINGS, st.sampled_from([200, 200, 200, 301, 400, 404, 500]))
def test_whatever_comes_is_a_trial_a_page_nothing_or_a_source_error(thing: Any, status: int) -> None:
    study = study_of({"protocolSection": {"identificationModule": {"nctId": "NCT00000001"}, "statusModule": thing}})
    assert study is not None
    assert isinstance(study_of(thing), Study | None)
    reply = Reply(status, {}, json.dumps(thing).encode())
    for read in (read_first, read_next, read_one):
        with suppress(SourceError):
            assert isinstance(read(reply), Study | Page | None)


@pytest.mark.skipif(not CAPTURED.exists(), reason="the captured answers are not beside this checkout")
def test_captured_answers_are_read() -> None:
    one = read_one(Reply(200, {}, (CAPTURED / "ctgov_get_nct02576665_20260811.json").read_bytes()))
    assert one is not None
    assert (one.nct_id, one.status, one.started, one.enrolment) == ("NCT02576665", "TERMINATED", "2016-07", 21)
    assert "[rHGG]" in one.summary
    counted = read_first(Reply(200, {}, (CAPTURED / "ctgov_search_age_count_20260811.json").read_bytes()))
    assert counted is not None
    assert (counted.total, len(counted.studies), counted.token[:6]) == (598101, 1, "ZVt07c")
    several = read_next(Reply(200, {}, (CAPTURED / "ctgov_search_phelan_next_20260811.json").read_bytes()))
    assert several is not None
    assert {study.status for study in several.studies} >= {"COMPLETED", "ENROLLING_BY_INVITATION", "RECRUITING"}
