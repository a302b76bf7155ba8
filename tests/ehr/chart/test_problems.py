"""Active problems, each diagnosis once; what is over or was withdrawn is counted."""

from __future__ import annotations

from typing import Any

import pytest

from docgemma.ehr.chart.projection import project
from docgemma.ehr.chart.sections.problems import NONE_RECORDED
from docgemma.ehr.contract import Gap
from tests.support.chart_records import TODAY, concept, condition, lines, lines_of, record, status


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({}, "Asthma, since 2011-05-06"),
        ({"clinicalStatus": status("recurrence")}, "Asthma, recurrence, since 2011-05-06"),
        ({"verificationStatus": status("provisional")}, "Asthma, provisional diagnosis, since 2011-05-06"),
        ({"verificationStatus": status("differential")}, "Asthma, differential diagnosis, since 2011-05-06"),
        ({"verificationStatus": None}, "Asthma, verification not recorded, since 2011-05-06"),
        ({"clinicalStatus": None}, "Asthma, clinical status not recorded, since 2011-05-06"),
        ({"severity": concept("Severe")}, "Asthma, Severe, since 2011-05-06"),
        ({"onsetDateTime": "2011"}, "Asthma, since 2011"),
        ({"onsetDateTime": None, "onsetString": "in childhood"}, "Asthma, onset in childhood"),
        ({"onsetDateTime": None, "onsetAge": {"value": 12, "unit": "years"}}, "Asthma, onset at age 12 years"),
        ({"onsetDateTime": None, "recordedDate": "2020-01-02"}, "Asthma, recorded 2020-01-02"),
        ({"onsetDateTime": None}, "Asthma, undated"),
        (
            {"abatementDateTime": "2020-01-02"},
            "Asthma, recorded as ended 2020-01-02, yet not as resolved, since 2011-05-06",
        ),
        ({"bodySite": [concept("left wrist")]}, "Asthma (left wrist), since 2011-05-06"),
    ],
)
def test_shows_a_problem(fields: dict[str, Any], line: str) -> None:
    assert lines(condition(**fields), "problems") == (line,)


@pytest.mark.parametrize("clinical", ["resolved", "inactive", "remission"])
def test_what_is_over_is_counted_until_it_is_asked_for(clinical: str) -> None:
    chart = record(condition("Sinusitis", clinical, abatementDateTime="2019-02-03"))
    plain = project(chart, today=TODAY)
    assert lines_of(plain, "problems") == (NONE_RECORDED,)
    assert any("none of 1 resolved problem" in sentence for sentence in plain.omitted)
    assert "ended 2019-02-03" in lines(chart, "past_problems", "any past problems?")[0]
    assert lines(chart, "past_problems", "did she have sinusitis?") != ()


@pytest.mark.parametrize("verified", ["refuted", "entered-in-error"])
def test_what_was_withdrawn_is_counted(verified: str) -> None:
    chart = project(record(condition("Leprosy", verified=verified)), today=TODAY)
    assert "Leprosy" not in chart.text()
    assert "Problems: 1 refuted or entered in error, not shown." in chart.omitted


def test_one_diagnosis_of_many_encounters_is_one_line() -> None:
    chart = record(*(condition("Hypertension", onsetDateTime=f"20{year}-01-02") for year in range(10, 22)))
    assert lines(chart, "problems") == ("Hypertension, since 2010-01-02, recorded 12 times, last 2021-01-02",)


def test_different_certainty_stays_apart() -> None:
    chart = record(condition("Gout"), condition("Gout", verified="provisional"))
    assert len(lines(chart, "problems")) == 2


def test_a_problem_without_a_name_is_still_there() -> None:
    assert lines({"resourceType": "Condition", "id": "c9"}, "problems")[0].startswith(
        "A problem entry that cannot be read (Condition/c9)"
    )


def test_a_list_that_was_not_read_never_looks_empty() -> None:
    chart = project(record(gaps=(Gap("Condition", "service_unavailable"),)), today=TODAY)
    assert NONE_RECORDED not in lines_of(chart, "problems")
    assert any("Problems could not be read" in sentence for sentence in chart.not_checked)
