from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.entities.trial_status import TrialStatus
from docgemma.sources.contract import SourceError
from docgemma.sources.ctgov.client import params_of, term
from docgemma.sources.trials.contract import Phase, Sought
from tests.support.fake_ctgov import KNOWN
from tests.support.tables import each_of

OPERATORS = ["AND", "OR", "NOT", "AREA", "SEARCH", "RANGE", "MISSING", "ALL", "COVERAGE", "EXPANSION", "TILT"]


def asked(sought: Sought) -> dict[str, str]:
    params = params_of(sought)
    assert len(dict(params)) == len(params)
    return dict(params)


def test_the_question_is_what_the_register_understands() -> None:
    statuses: tuple[TrialStatus, ...] = ("RECRUITING", "NOT_YET_RECRUITING")
    phases: tuple[Phase, ...] = ("PHASE2", "PHASE3")
    sent = asked(Sought("lung cancer", "pembrolizumab", statuses, phases, "Vietnam", 64.0, "female"))
    assert sent["query.cond"] == "lung cancer"
    assert sent["query.intr"] == "pembrolizumab"
    assert sent["query.locn"] == "Vietnam"
    assert sent["filter.overallStatus"] == "RECRUITING|NOT_YET_RECRUITING"
    assert sent["filter.advanced"] == (
        "(AREA[Phase]PHASE2 OR AREA[Phase]PHASE3)"
        " AND (AREA[MinimumAge]RANGE[MIN, 64 years] OR AREA[MinimumAge]MISSING)"
        " AND (AREA[MaximumAge]RANGE[64 years, MAX] OR AREA[MaximumAge]MISSING)"
        " AND (AREA[Sex]ALL OR AREA[Sex]FEMALE OR AREA[Sex]MISSING)"
    )
    assert (sent["countTotal"], sent["pageSize"]) == ("true", "10")
    assert "LocationStatus" in sent["fields"].split("|")
    assert set(sent) <= KNOWN


def test_what_was_not_asked_for_filters_nothing() -> None:
    assert set(asked(Sought("gout"))) == {"query.cond", "countTotal", "pageSize", "sort", "fields", "format"}


@each_of(
    ("years", "to", "low", "high"),
    [
        (64.0, None, "64 years", "64 years"),
        (64.9, None, "64 years", "64 years"),
        (8 / 12, None, "8 months", "8 months"),
        (1.5, None, "18 months", "18 months"),
        (10 / 365.25, None, "10 days", "10 days"),
        (12.0, 17.0, "12 years", "17 years"),
        (65.0, 120.0, "65 years", "120 years"),
    ],
)
def test_ages_are_asked_for_in_the_units_of_the_register(years: float, to: float | None, low: str, high: str) -> None:
    sent = asked(Sought("gout", age_years=years, age_to=to))["filter.advanced"]
    assert f"RANGE[MIN, {high}]" in sent
    assert f"RANGE[{low}, MAX]" in sent


def test_a_group_from_birth_on_has_no_lower_end() -> None:
    sent = asked(Sought("gout", age_years=0.0, age_to=17.0))["filter.advanced"]
    assert sent == "(AREA[MinimumAge]RANGE[MIN, 17 years] OR AREA[MinimumAge]MISSING)"


@each_of(
    ("condition", "query"),
    [
        ("ALL", "acute lymphoblastic leukemia"),
        ("relapsed ALL", "relapsed acute lymphoblastic leukemia"),
        ("B-cell ALL", "B-cell acute lymphoblastic leukemia"),
        ("all lung cancers", "all lung cancers"),
        ("ALL LUNG CANCERS", "all LUNG CANCERS"),
        ("head AND neck cancer", "head and neck cancer"),
        ("GBM or DIPG", "(GBM) OR (DIPG)"),
        ("GBM OR DIPG", "(GBM) OR (DIPG)"),
        ("gout OR", "gout or"),
        ('"breast cancer"', "breast cancer"),
        ("melanoma AREA[Phase]PHASE4", "melanoma area Phase PHASE4"),
        ("melanoma) OR (ALL", "(melanoma) OR (acute lymphoblastic leukemia)"),
        ("NOT melanoma", "not melanoma"),
        ("Crohn's disease", "Crohn's disease"),
        ("HER2+ breast cancer", "HER2 breast cancer"),
        ("t(9;22) CML", "t 9 22 CML"),
        ("COVID-19 & long\\", "COVID-19 long"),
        ("gout|filter.ids=NCT00000001", "gout filter.ids NCT00000001"),
    ],
)
def test_no_word_of_a_condition_is_an_operator(condition: str, query: str) -> None:
    assert asked(Sought(condition))["query.cond"] == query


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from([*OPERATORS, "gout", '"', "(", ")", "[Phase]", "\\", "|", ",", "&", "=", "é"]), max_size=12
    ),
    st.text(max_size=30),
)
def test_no_text_adds_an_operator_or_a_parameter(parts: list[str], text: str) -> None:
    words = f"{' '.join(parts)} {text}"
    found = term(words)
    assert not re.search(r"[\"()\[\]\\|,&=]", found)
    assert not set(found.split()) & set(OPERATORS)
    try:
        sent = asked(Sought(words, words, place=words))
    except SourceError as error:
        assert error.error_type == "invalid_args"
        return
    assert set(sent) <= KNOWN
    alone = re.sub(r"\(([^()]*)\)", r"\1", sent.get("query.cond", "")).split(" OR ")
    assert len(alone) <= 4
    assert not any(set(option.split()) & set(OPERATORS) for option in alone)


def test_nothing_to_search_for_is_not_asked() -> None:
    with pytest.raises(SourceError) as caught:
        params_of(Sought("()[]", place="Boston"))
    assert caught.value.error_type == "invalid_args"
