"""The facts of a chart: what counts, what does not, what is unknown, and when the version changes."""

from __future__ import annotations

import copy
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.ehr.contract import VITAL, Gap, Record, Resource
from docgemma.orders.facts import NEEDED, facts_of, version_for
from docgemma.orders.facts.measures import age_on
from docgemma.orders.facts.medicines import understood
from docgemma.orders.model import Allergy, Note, Prescription
from tests.orders.checks.given import TODAY, facts
from tests.support import chart_records as chart
from tests.support.scripted_fhir import Answer, Fault, ScriptedFhir, in_process, outcome

RX = Prescription(patient_id="p1", medication="x", ingredients=("x",), dose="", frequency="")
ALLERGY = Allergy(patient_id="p1", substance="x", reaction="unknown")
NOTE = Note(patient_id="p1", note_type="Progress note", text="x")


@pytest.mark.parametrize(
    ("clinical", "verified", "counts", "past"),
    [
        ("active", "confirmed", True, False),
        ("active", "unconfirmed", True, False),
        ("", "", True, False),
        ("nonsense", "confirmed", True, False),
        ("resolved", "confirmed", False, True),
        ("inactive", "confirmed", False, True),
        ("active", "refuted", False, False),
        ("active", "entered-in-error", False, False),
    ],
)
def test_which_allergies_count(clinical: str, verified: str, counts: bool, past: bool) -> None:
    found = facts(chart.allergy("Penicillin", clinical, verified, id="a1"))
    assert bool(found.allergies) == counts
    assert bool(found.past_allergies) == past
    assert all(entry.reference == "AllergyIntolerance/a1" for entry in found.allergies)


@pytest.mark.parametrize(
    ("entry", "stated"),
    [
        (chart.allergy("No known allergy"), True),
        (chart.allergy("No known drug allergies"), True),
        (chart.allergy("NKDA"), True),
        (chart.allergy("nil known"), True),
        (chart.allergy("No known food allergies"), False),
        (chart.allergy("No known allergy", clinical="inactive"), False),
        (chart.allergy("No known allergy", verified="unconfirmed"), False),
        (chart.allergy("No known allergy", verified="refuted"), False),
        (chart.allergy("Penicillin"), False),
    ],
)
def test_when_the_record_states_that_there_are_none(entry: Resource, stated: bool) -> None:
    assert facts(copy.deepcopy(entry)).stated_none is stated


def test_an_entry_keeps_its_words_and_its_other_names() -> None:
    reaction = {"substance": {"text": "Amoxicillin"}, "manifestation": [{"text": "Anaphylaxis"}]}
    named = chart.concept("PCN", code="1", display="Penicillin G")
    (entry,) = facts(chart.allergy(named, id="a1", reaction=[reaction])).allergies
    assert "Anaphylaxis" in entry.words
    assert set(entry.names) == {"PCN", "Penicillin G", "Amoxicillin"}


def test_the_wording_of_a_code_makes_no_allergy_to_every_antibiotic() -> None:
    wording = "Substance with penicillin structure and antibacterial mechanism of action (substance)"
    alone = facts(chart.allergy(chart.concept(code="1", display=wording))).allergies[0]
    beside = facts(chart.allergy(chart.concept("Penicillins", code="1", display=wording))).allergies[0]
    assert alone.names == ("penicillin",)
    assert set(beside.names) == {"Penicillins", "penicillin"}


def test_a_codes_wordy_display_adds_its_drugs_and_no_doubt() -> None:
    named = chart.concept("Penicillins", code="1", display="Penicillin of some kind from the old registry")
    (entry,) = facts(chart.allergy(named)).allergies
    assert entry.names == ("Penicillins", "penicillin")


@pytest.mark.parametrize(
    ("state", "current"),
    [("active", 1), ("on-hold", 1), ("unknown", 1), ("draft", 1), ("odd", 1), ("", 1), ("stopped", 0),
     ("completed", 0), ("cancelled", 0), ("entered-in-error", 0)],
)  # fmt: skip
def test_which_medicines_are_current(state: str, current: int) -> None:
    assert len(facts(chart.order("Warfarin 5 mg tablet", state)).medications) == current


@pytest.mark.parametrize(
    ("names", "parts", "unknown"),
    [
        (["Metformin 500 mg extended-release tablet"], {"metformin"}, ()),
        (["24 HR Metformin hydrochloride 500 MG Extended Release Oral Tablet"], {"metformin"}, ()),
        (["Sacubitril 49 mg / valsartan 51 mg tablet"], {"sacubitril", "valsartan"}, ()),
        (["60 ACTUAT Fluticasone propionate 0.25 MG/ACTUAT / salmeterol 0.05 MG/ACTUAT Dry Powder Inhaler"],
         {"fluticasone", "salmeterol"}, ()),
        (["Lasix 40mg"], {"furosemide"}, ()),
        (["Fish oil capsule"], set(), ("Fish oil capsule",)),
        (["his water tablet", "Furosemide 40 MG Oral Tablet"], {"furosemide"}, ()),
        (["Metformin / zorgliptin 500 mg tablet"], {"metformin"}, ("zorgliptin",)),
        (["Metformin / zorgliptin", "Metformin 500 MG Oral Tablet"], {"metformin"}, ("zorgliptin",)),
        (["Warfarin", "Metoprolol 50 MG Oral Tablet"], {"warfarin", "metoprolol"}, ()),
    ],
)  # fmt: skip
def test_what_a_medicine_is_made_of(names: list[str], parts: set[str], unknown: tuple[str, ...]) -> None:
    found, left = understood(names)
    assert set(found) == parts
    assert left == unknown


def test_a_medicine_named_by_another_resource_is_read_with_its_ingredients() -> None:
    drug = {"resourceType": "Medication", "id": "m1", "ingredient": [{"itemCodeableConcept": {"text": "Warfarin"}}]}
    by_reference = chart.order(medicationReference={"reference": "Medication/m1"})
    del by_reference["medicationCodeableConcept"]
    (entry,) = facts(by_reference, drug).medications
    assert entry.ingredients == ("warfarin",)


def test_an_order_not_to_give_a_drug_is_no_medicine_that_is_taken() -> None:
    found = facts(chart.order("Warfarin", doNotPerform=True))
    assert not found.medications
    assert found.forbidden[0].ingredients == ("warfarin",)


@pytest.mark.parametrize("kind", VITAL)
@pytest.mark.parametrize("reason", ["server_error", "timeout", "invalid_response"])
def test_a_vital_list_that_was_not_read_is_told(kind: str, reason: Any) -> None:
    found = facts(gaps=(Gap(kind, reason),))
    assert len(found.unread) == 1 and "could not be read" in found.unread[0]
    assert kind in found.gaps
    assert not facts(gaps=(Gap("Observation", reason),)).unread


def hers() -> list[Resource]:
    who = {"reference": "Patient/p1"}
    patient = {"resourceType": "Patient", "id": "p1", "gender": "female", "birthDate": "1971-03-05"}
    listed = [chart.allergy(name, id=f"a{number}", patient=who) for number, name in enumerate(("Penicillin", "Latex"))]
    return [patient, *listed, chart.order("Warfarin 5 mg tablet", id="m1", subject=who)]


FAULTS: dict[str, tuple[Fault | None, bool]] = {
    "nothing wrong": (None, False),
    "500 for allergies": (lambda ask: outcome(500) if ask.path == "AllergyIntolerance" else None, True),
    "half a page": (lambda ask: outcome(500) if "_start" in ask.params else None, True),
    "no access": (lambda ask: outcome(403, "forbidden") if ask.path == "MedicationRequest" else None, True),
    "cut off": (lambda ask: Answer(200, b'{"resourceType":"Bun') if ask.path == "Condition" else None, True),
    "500 for observations": (lambda ask: outcome(500) if ask.path == "Observation" else None, False),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
async def test_a_chart_that_cannot_be_read_is_never_an_empty_one(name: str) -> None:
    fault, unread = FAULTS[name]
    server = ScriptedFhir(hers(), *([fault] if fault else []), everything=False, page=1)
    record = await in_process(server).record("p1", NEEDED)
    assert record is not None
    assert bool(facts_of(record, today=TODAY).unread) == unread


def test_entries_of_somebody_else_that_left_no_doubt_do_not_make_the_chart_unreadable() -> None:
    found = facts(strangers=2)
    assert found.strangers == 2 and not found.unread


@pytest.mark.parametrize(
    ("born", "on", "age"),
    [
        ("2008-10-28", date(2026, 10, 28), 18.0),
        ("2026-04-28", date(2026, 10, 28), 0.5),
        ("2026-10-28", date(2026, 10, 28), 0.0),
        ("2026-10-29", date(2026, 10, 28), None),
        ("1971", date(2026, 10, 28), None),
        (None, date(2026, 10, 28), None),
    ],
)
def test_age(born: object, on: date, age: float | None) -> None:
    assert age_on(born, on) == age


@given(st.dates(date(1930, 1, 1), date(2025, 12, 31)), st.integers(0, 30_000))
def test_nobody_gets_younger(born: date, days: int) -> None:
    first, second = (
        date.fromordinal(min(born.toordinal() + later, date(2049, 1, 1).toordinal())) for later in (days, days + 1)
    )
    one, other = age_on(born.isoformat(), first), age_on(born.isoformat(), second)
    assert one is not None and other is not None and one <= other


def test_kidney_values_say_what_they_rest_on() -> None:
    found = facts(
        chart.lab("Creatinine", "2.31", "mg/dL", "2026-10-06"), chart.vital("Body weight", "71.5", "kg", "2026-10-06")
    )
    assert found.egfr is not None and 20 < found.egfr < 30
    assert found.crcl is not None and found.weight_kg == 71.5
    assert "CKD-EPI" in found.filtration.words and "2026-10-06" in found.filtration.words


def test_a_laboratorys_own_value_counts_where_it_is_the_newer_or_the_lower_one() -> None:
    creatinine = chart.lab("Creatinine", "0.9", "mg/dL", "2026-09-01", id="c")
    newer = chart.lab("eGFR", "28", "mL/min/{1.73_m2}", "2026-10-01", id="e")
    same_day = chart.lab("eGFR", "28", "mL/min/{1.73_m2}", "2026-09-01", id="e")
    older = chart.lab("eGFR", "28", "mL/min/{1.73_m2}", "2026-08-01", id="e")
    assert facts(newer).egfr == 28
    assert facts(creatinine, newer).egfr == 28
    assert facts(creatinine, same_day).egfr == 28
    assert (facts(creatinine, older).egfr or 0) > 60


def test_without_observations_nothing_is_known_and_what_is_half_read_is_in_doubt() -> None:
    unread = (Gap("Observation", "timeout"),)
    empty = facts(gaps=unread)
    assert (empty.weight_kg, empty.egfr, empty.crcl, empty.pregnant) == (None, None, None, None)
    half = facts(chart.vital("Body weight", "71.5", "kg", "2026-10-06"), gaps=unread)
    assert half.weight.doubt


@pytest.mark.parametrize(
    ("resources", "pregnant"),
    [
        ([], None),
        ([chart.condition("Normal pregnancy")], True),
        ([chart.condition("Normal pregnancy", "resolved")], None),
        ([chart.condition("History of pregnancy")], None),
        ([chart.observation("Pregnancy status", "2026-10-20", valueCodeableConcept={"text": "Not pregnant"})], False),
        ([chart.observation("Pregnancy status", "2026-07-20", valueCodeableConcept={"text": "Not pregnant"})], None),
        ([chart.observation("hCG pregnancy test", "2026-10-20", valueString="negative")], False),
        ([chart.observation("hCG pregnancy test", "2026-10-20", valueString="positive")], True),
        ([chart.condition("Normal pregnancy"), chart.observation("hCG", "2026-10-20", valueString="negative")], True),
    ],
)  # fmt: skip
def test_pregnancy(resources: list[Resource], pregnant: bool | None) -> None:
    assert facts(*copy.deepcopy(resources)).pregnant is pregnant


def test_a_no_beside_unread_entries_is_no_answer() -> None:
    asked = chart.observation("Pregnancy status", "2026-10-20", valueCodeableConcept={"text": "Not pregnant"})
    assert facts(asked, gaps=(Gap("Observation", "timeout"),)).pregnant is None


def test_a_hormone_level_of_a_man_is_no_pregnancy() -> None:
    assert facts(chart.lab("Choriogonadotropin", "300", "IU/L", "2026-10-20"), gender="male").pregnant is None


# Versions


def base() -> list[Resource]:
    return [
        chart.allergy("Latex", id="a1", meta={"versionId": "1"}),
        chart.order("Warfarin 5 mg tablet", id="m1", meta={"versionId": "4"}),
        chart.condition("Asthma", id="c1"),
        chart.vital("Body weight", "71.5", "kg", "2026-10-06", id="w1"),
        chart.lab("Potassium", "4.1", "mmol/L", "2026-10-06", id="k1"),
    ]


def versions(resources: list[Resource], **patient: Any) -> tuple[str, str, str]:
    found = facts_of(chart.record(*copy.deepcopy(resources), **patient), today=TODAY)
    return version_for(RX, found), version_for(ALLERGY, found), version_for(NOTE, found)


def bumped(what: int) -> list[Resource]:
    resources = base()
    resources[what]["meta"] = {"versionId": "99"}
    return resources


CHANGES: dict[str, tuple[list[Resource], dict[str, Any], tuple[bool, bool, bool]]] = {
    "an allergy changed": (bumped(0), {}, (True, True, False)),
    "an allergy added": ([*base(), chart.allergy("Egg", id="a2")], {}, (True, True, False)),
    "an allergy gone": (base()[1:], {}, (True, True, False)),
    "a medicine changed": (bumped(1), {}, (True, False, False)),
    "a medicine added": ([*base(), chart.order(id="m2")], {}, (True, False, False)),
    "a problem without versions changed": (
        [each if each["id"] != "c1" else chart.condition("Asthma", "resolved", id="c1") for each in base()],
        {}, (True, False, False),
    ),
    "another weight": (
        [*base(), chart.vital("Body weight", "80", "kg", "2026-10-07", id="w2")], {}, (True, False, False),
    ),
    "a creatinine": ([*base(), chart.lab("Creatinine", "1", "mg/dL", "2026-10-07", id="x")], {}, (True, False, False)),
    "another potassium": ([*base(), chart.lab("Potassium", "6.0", "mmol/L", "2026-10-07", id="k2")], {}, (False,) * 3),
    "the same weight again": (
        [*base(), chart.vital("Body weight", "71.5", "kg", "2026-10-07", id="w2")], {}, (False,) * 3,
    ),
    "a note": ([*base(), {"resourceType": "DocumentReference", "id": "d"}], {}, (False,) * 3),
    "the patient changed": (base(), {"birthDate": "1972-03-05"}, (True, True, True)),
    "the patient died": (base(), {"deceasedBoolean": True}, (True, True, True)),
    "only the server's own notes changed": (
        base(), {"meta": {"lastUpdated": "2026-10-28T10:00:00Z"}}, (False,) * 3,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_the_version_changes_with_what_the_checks_rest_on(name: str) -> None:
    resources, patient, expected = CHANGES[name]
    before, after = versions(base()), versions(resources, **patient)
    assert tuple(one != other for one, other in zip(before, after, strict=True)) == expected


@settings(max_examples=60, deadline=None)
@given(st.permutations(range(7)), st.sampled_from(range(5)), st.sampled_from(["status", "note", "code"]))
def test_order_never_changes_the_version_and_content_always_does(places: list[int], what: int, field: str) -> None:
    more = [chart.allergy("Egg", id="a0"), chart.order("Metformin", id="m0")]
    resources = [{name: value for name, value in each.items() if name != "meta"} for each in (*base(), *more)]
    before = versions(resources)
    assert versions([resources[place] for place in places]) == before
    resources[what] = dict(reversed(resources[what].items()))
    assert versions(resources) == before
    resources[what] = {**resources[what], field: [{"text": "something else"}]}
    vital = resources[what]["resourceType"] in VITAL
    assert not vital or versions(resources)[0] != before[0]
    assert versions(resources)[2] == before[2]


def test_another_name_of_the_drug_that_an_order_refers_to_is_another_version() -> None:
    by_reference = chart.order(id="m1", meta={"versionId": "1"}, medicationReference={"reference": "Medication/d1"})
    del by_reference["medicationCodeableConcept"]
    drugs = [{"resourceType": "Medication", "id": "d1", "code": {"text": name}} for name in ("Warfarin", "Metformin")]
    before, after = ([*base(), by_reference, drug] for drug in drugs)
    assert versions(before)[0] != versions(after)[0]


def test_ids_are_told_apart_from_versions() -> None:
    """Two entries must never add up to the same text by chance."""
    one = chart.record(chart.allergy(id="a", meta={"versionId": "12"}))
    other = chart.record(chart.allergy(id="a1", meta={"versionId": "2"}))
    assert facts_of(one, today=TODAY).version != facts_of(other, today=TODAY).version


def test_a_record_of_the_patient_alone_is_enough_for_a_note() -> None:
    found = facts_of(Record({"resourceType": "Patient", "id": "p1"}), today=TODAY)
    assert version_for(NOTE, found) and not found.unread
