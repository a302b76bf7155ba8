"""`Charts.panel` against record systems that answer, answer in part, and do not answer."""

from __future__ import annotations

from datetime import date

from docgemma.tools.charts import Charts
from tests.tools.test_charts import ANN, Records

TODAY = date(2026, 11, 15)


def charts(records: Records) -> Charts:
    return Charts(records, today=lambda: TODAY)


async def test_who_it_is_and_what_is_known() -> None:
    shown = await charts(Records(ANN)).panel("p-1")
    assert shown.status == "found"
    assert shown.patient is not None
    assert (shown.patient.name, shown.patient.birth_date, shown.patient.mrn_tail) == ("Ann Lee", "1980-01-02", "0001")
    assert shown.age == "46 years"
    assert [line.short for line in shown.allergies.lines] == ["Penicillin"]
    assert shown.medications.state == "none_recorded"
    assert "Penicillin" in shown.text()


async def test_a_record_system_that_is_down_leaves_nothing_that_looks_like_none() -> None:
    shown = await charts(Records(ANN, fails="timeout")).panel("p-1")
    assert (shown.status, shown.error_type, shown.patient) == ("unavailable", "timeout", None)
    parts = (shown.allergies, shown.medications, shown.problems, shown.labs, shown.vitals)
    assert {part.state for part in parts} == {"not_read"}
    assert shown.not_checked


async def test_a_gap_is_said_beside_what_was_read() -> None:
    shown = await charts(Records(ANN, gaps=["AllergyIntolerance", "Observation"])).panel("p-1")
    assert (shown.status, shown.allergies.state, shown.labs.state) == ("found", "not_read", "not_read")
    assert len(shown.not_checked) == 2


async def test_nobody_of_this_id() -> None:
    shown = await charts(Records(ANN)).panel("p-9")
    assert (shown.status, shown.allergies.state) == ("not_found", "not_read")
