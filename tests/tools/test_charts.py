"""The chart tools against record systems that answer, answer in part, and do not answer."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import pytest

from docgemma.clinical import ErrorType
from docgemma.ehr.contract import CHART, EhrError, Gap, Hits, Params, Record, Resource
from docgemma.tools import arguments as a
from docgemma.tools.charts import Charts

TODAY = date(2026, 11, 15)


def person(id_: str, given: str, family: str, born: str = "1980-01-02", mrn: str = "5550001") -> Resource:
    number = {"type": {"coding": [{"code": "MR"}]}, "system": "urn:test:mrn", "value": mrn}
    return {
        "resourceType": "Patient",
        "id": id_,
        "name": [{"family": family, "given": [given]}],
        "birthDate": born,
        "gender": "female",
        "identifier": [number],
    }


ANN = person("p-1", "Ann", "Lee")
ALLERGY: Resource = {
    "resourceType": "AllergyIntolerance",
    "id": "a-1",
    "patient": {"reference": "Patient/p-1"},
    "clinicalStatus": {"coding": [{"code": "active"}]},
    "code": {"text": "Penicillin"},
}


class Records:
    """A record system with these patients; `fails` answers everything with an error, `gaps` leaves kinds unread."""

    def __init__(
        self,
        *patients: Resource,
        fails: ErrorType | None = None,
        gaps: Sequence[str] = (),
        strangers: int = 0,
        complete: bool = True,
    ) -> None:
        self.patients, self.fails, self.gaps = patients, fails, gaps
        self.strangers, self.complete = strangers, complete

    def _answer(self) -> None:
        if self.fails:
            raise EhrError(self.fails, "The record system did not answer.")

    async def read(self, kind: str, id_: str) -> Resource | None:
        self._answer()
        return next((one for one in self.patients if one["id"] == id_), None)

    async def search(self, kind: str, params: Params, *, most: int = 200) -> Hits:
        self._answer()
        numbers = [value.rpartition("|")[2] for name, value in params if name == "identifier"]
        found = [one for one in self.patients if not numbers or one["identifier"][0]["value"] in numbers]
        return Hits(tuple(found), self.complete)

    async def record(self, patient_id: str, kinds: Sequence[str] = CHART) -> Record | None:
        self._answer()
        patient = await self.read("Patient", patient_id)
        if patient is None:
            return None
        gaps = tuple(Gap(kind, "server_error") for kind in self.gaps)
        read = {} if "AllergyIntolerance" in self.gaps else {"AllergyIntolerance": (ALLERGY,)}
        return Record(patient, read, gaps, self.strangers)

    async def folds_names(self) -> bool:
        return True


def charts(records: Records) -> Charts:
    return Charts(records, today=lambda: TODAY)


async def test_one_exact_person() -> None:
    found = await charts(Records(ANN)).search(a.PatientSearchCall(name="Lee, Ann"))
    assert (found.status, found.error_type, [match.exact for match in found.matches]) == ("found", None, [True])
    assert found.matches[0].banner() == "Ann Lee, born 1980-01-02, female, MRN …0001"


async def test_several_people_of_one_name() -> None:
    twin = person("p-2", "Ann", "Lee", "1991-05-06", "5550002")
    found = await charts(Records(ANN, twin)).search(a.PatientSearchCall(name="Ann Lee"))
    assert (found.error_type, len(found.options())) == ("multiple_patient_matches", 2)


async def test_namesakes_that_are_not_listed_are_counted() -> None:
    people = [person(f"p-{number}", "Ann", "Lee", mrn=str(5550001 + number)) for number in range(30)]
    found = await charts(Records(*people)).search(a.PatientSearchCall(name="Ann Lee"))
    assert found.not_checked == (f"{30 - len(found.matches)} further patients of a similar name",)


async def test_nobody_is_the_only_one_where_somebody_may_be_missing() -> None:
    found = await charts(Records(ANN, complete=False)).search(a.PatientSearchCall(name="Ann Lee"))
    assert [match.exact for match in found.matches] == [False]
    assert found.not_checked


async def test_nobody_found_among_part_of_the_patients_is_said_so() -> None:
    found = await charts(Records(complete=False)).search(a.PatientSearchCall(name="Ann Lee"))
    assert found.status == "not_found"
    assert "only part of its patients" in found.message


@pytest.mark.parametrize("error", ["timeout", "server_error", "not_configured", "rate_limit", "invalid_response"])
async def test_an_error_is_typed_and_never_an_empty_chart(error: ErrorType) -> None:
    away = charts(Records(ANN, fails=error))
    answers = [
        await away.search(a.PatientSearchCall(name="Ann Lee")),
        await away.who("p-1"),
        await away.chart(a.PatientChartCall(patient_id="p-1")),
        await away.summary("p-1"),
    ]
    assert [(answer.status, answer.error_type) for answer in answers] == [("unavailable", error)] * 4
    assert all("Lee" not in answer.text() for answer in answers)


async def test_allergies_that_were_not_read_are_not_absent() -> None:
    partly = charts(Records(ANN, gaps=["AllergyIntolerance"]))
    chart = await partly.chart(a.PatientChartCall(patient_id="p-1", question="any allergies?"))
    summary = await partly.summary("p-1")
    for answer in (chart, summary):
        assert answer.status == "found"
        assert any("llerg" in item for item in answer.not_checked)
        assert "No allergy entry is recorded" not in answer.text()
        assert "no known" not in answer.text().lower()


async def test_others_entries_that_a_server_sent_are_told_of() -> None:
    chart = await charts(Records(ANN, strangers=3)).chart(a.PatientChartCall(patient_id="p-1"))
    assert any("3" in line for line in (*chart.warnings, *chart.not_checked))
    assert "Penicillin" in chart.text()


async def test_a_shared_record_number_is_put_to_the_user() -> None:
    twin = person("p-2", "Bea", "Ray")
    chart = await charts(Records(ANN, twin)).chart(a.PatientChartCall(patient_id="5550001"))
    assert chart.error_type == "multiple_patient_matches"
    assert [option.value for option in chart.options()] == ["p-1", "p-2"]
    assert not chart.sections


@pytest.mark.parametrize("written", ["p-9", "", " ", "../Patient", "x" * 64, "5559999"])
async def test_an_unknown_id_is_not_found(written: str) -> None:
    chart = await charts(Records(ANN)).chart(a.PatientChartCall(patient_id=written))
    assert (chart.status, chart.sections) == ("not_found", ())


async def test_the_record_systems_own_id_is_not_taken_for_a_record_number() -> None:
    """Typed, "5550002" may be two people; as the id that a search gave it is one."""
    one, other = person("5550002", "Nils", "Holm", mrn="5550009"), person("p-4", "Greta", "Voss", mrn="5550002")
    tool = charts(Records(one, other))
    typed = await tool.chart(a.PatientChartCall(patient_id="5550002"))
    assert {option.value for option in typed.options()} == {"5550002", "p-4"}
    found = await tool.chart(a.PatientChartCall(patient_id="5550002", resolved=True))
    assert (found.status, found.banner.partition(",")[0]) == ("found", "Nils Holm")
