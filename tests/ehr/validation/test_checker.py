"""What a FHIR server must not take: each wrong resource is refused by name of the element, and for one reason only."""

from __future__ import annotations

from copy import deepcopy
from decimal import Decimal
from typing import Any

import pytest

from docgemma.ehr.validation import check
from docgemma.ehr.validation.checker import DEEPEST, MOST_ISSUES
from tests.support.tables import each_of

CLINICAL = "http://terminology.hl7.org/CodeSystem/allergyintolerance-clinical"
UNKNOWN = {"extension": [{"url": "u:x", "valueCode": "unknown"}]}
PATIENT: dict[str, Any] = {
    "resourceType": "Patient",
    "id": "p-1",
    "meta": {"versionId": "1", "lastUpdated": "2024-02-29T10:00:00.123+01:00"},
    "text": {"status": "generated", "div": '<div xmlns="http://www.w3.org/1999/xhtml">A &amp; B&nbsp;<b>c</b></div>'},
    "extension": [{"url": "http://example.org/x", "valueQuantity": {"value": Decimal("7.50"), "unit": "mg"}}],
    "identifier": [{"system": "http://example.org/mrn", "value": "0012"}],
    "name": [{"family": "Lee", "given": ["Ann", None], "_given": [None, UNKNOWN]}],
    "gender": "female",
    "birthDate": "1970-01",
    "_birthDate": {"extension": [{"url": "http://example.org/t", "valueDateTime": "1970-01-02T03:04:05Z"}]},
    "deceasedBoolean": False,
    "contact": [{"gender": "male", "name": {"text": "B"}}],
    "managingOrganization": {"reference": "Organization/o-1"},
}  # fmt: skip
ALLERGY: dict[str, Any] = {
    "resourceType": "AllergyIntolerance",
    "clinicalStatus": {"coding": [{"system": CLINICAL, "code": "active"}]},
    "code": {"text": "Penicillin"},
    "patient": {"reference": "Patient/p-1"},
}
OBSERVATION: dict[str, Any] = {
    "resourceType": "Observation",
    "status": "final",
    "code": {"text": "Creatinine"},
    "subject": {"reference": "urn:uuid:0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0"},
    "valueQuantity": {"value": 88, "comparator": "<"},
}
REQUEST: dict[str, Any] = {
    "resourceType": "MedicationRequest",
    "status": "active",
    "intent": "order",
    "contained": [{"resourceType": "Medication", "id": "m", "code": {"text": "Metformin"}}],
    "medicationReference": {"reference": "#m"},
    "subject": {"reference": "http://example.org/fhir/Patient/p-1/_history/3"},
    "dosageInstruction": [{"timing": {"repeat": {"frequency": 2, "period": 1, "periodUnit": "d"}}}],
}
REMOVED = object()


def changed(resource: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """The resource with one place set; `REMOVED` takes it away."""
    copy = deepcopy(resource)
    *way, last = [int(step) if step.isdecimal() else step for step in path.split(".")]
    place: Any = copy
    for step in way:
        place = place[step]
    if value is REMOVED:
        del place[last]
    else:
        place[last] = value
    return copy


@pytest.mark.parametrize("resource", [PATIENT, ALLERGY, OBSERVATION, REQUEST, {"resourceType": "Patient"}])
def test_what_is_right_is_taken(resource: dict[str, Any]) -> None:
    assert check(resource) == []


@each_of(
    ("resource", "path", "value", "code", "where"),
    [
        (OBSERVATION, "status", "banana", "code-invalid", "Observation.status"),
        (OBSERVATION, "status", REMOVED, "required", "Observation.status"),
        (OBSERVATION, "status", None, "value", "Observation.status"),
        (OBSERVATION, "status", ["final"], "value", "Observation.status"),
        (OBSERVATION, "code", REMOVED, "required", "Observation.code"),
        (OBSERVATION, "subject", {}, "structure", "Observation.subject"),
        (OBSERVATION, "subject", {"id": "x"}, "structure", "Observation.subject"),
        (OBSERVATION, "subject", "Patient/p-1", "structure", "Observation.subject"),
        (OBSERVATION, "subject", {"reference": ""}, "value", "Observation.subject.reference"),
        (OBSERVATION, "subject.reference", "p-1", "value", "Observation.subject"),
        (OBSERVATION, "subject.reference", "Patient/", "value", "Observation.subject"),
        (OBSERVATION, "subject.reference", "Patients/p-1", "value", "Observation.subject"),
        (OBSERVATION, "subject.reference", "Practitioner/p-1", "value", "Observation.subject"),
        (OBSERVATION, "subject.reference", "http://example.org/Practitioner/1", "value", "Observation.subject"),
        (OBSERVATION, "subject.reference", "#p-1", "invariant", "Observation.subject"),
        (OBSERVATION, "subject", {"type": "Patient"}, "invariant", "Observation.subject"),
        (OBSERVATION, "subject", {"type": "Patient", "reference": "Group/1"}, "value", "Observation.subject"),
        (OBSERVATION, "valueString", "88", "structure", "Observation.value"),
        (OBSERVATION, "value", 88, "structure", "Observation"),
        (OBSERVATION, "valueMoney", {"value": 1}, "structure", "Observation"),
        (OBSERVATION, "valueQuantity.value", "88", "value", "Observation.valueQuantity.value"),
        (OBSERVATION, "valueQuantity.value", True, "value", "Observation.valueQuantity.value"),
        (OBSERVATION, "valueQuantity.comparator", "~", "code-invalid", "Observation.valueQuantity.comparator"),
        (OBSERVATION, "category", {"text": "x"}, "structure", "Observation.category"),
        (OBSERVATION, "category", [], "structure", "Observation.category"),
        (OBSERVATION, "category", [None], "structure", "Observation.category[0]"),
        (OBSERVATION, "resourceType", "Banana", "structure", "Resource.resourceType"),
        (OBSERVATION, "resourceType", "DomainResource", "structure", "Resource.resourceType"),
        (PATIENT, "gender", "M", "code-invalid", "Patient.gender"),
        (PATIENT, "contact.0.gender", "M", "code-invalid", "Patient.contact[0].gender"),
        (PATIENT, "contact.0", {"gender": "male"}, "invariant", "Patient.contact[0]"),
        (PATIENT, "birthDate", "2023-02-29", "value", "Patient.birthDate"),
        (PATIENT, "birthDate", "02.01.1970", "value", "Patient.birthDate"),
        (PATIENT, "birthDate", 1970, "value", "Patient.birthDate"),
        (PATIENT, "_birthDate", "x", "structure", "Patient.birthDate"),
        (PATIENT, "_birthDate", {}, "structure", "Patient.birthDate"),
        (PATIENT, "_birthDate", {"value": "1970"}, "structure", "Patient.birthDate"),
        (PATIENT, "_name", [{"id": "x"}], "structure", "Patient"),
        (PATIENT, "active", "true", "value", "Patient.active"),
        (PATIENT, "active", None, "value", "Patient.active"),
        (PATIENT, "multipleBirthInteger", Decimal("2.0"), "value", "Patient.multipleBirthInteger"),
        (PATIENT, "id", "with blank", "value", "Patient.id"),
        (PATIENT, "meta.project", "x", "structure", "Patient.meta"),
        (PATIENT, "colour", "blue", "structure", "Patient"),
        (PATIENT, "name.0.given", ["", None], "value", "Patient.name[0].given[0]"),
        (PATIENT, "contact.0.name.given", ["Bo", None], "value", "Patient.contact[0].name.given[1]"),
        (PATIENT, "name.0._given", [None, UNKNOWN, UNKNOWN], "structure", "Patient.name[0].given"),
        (PATIENT, "name.0._prefix", {"id": "x"}, "structure", "Patient.name[0].prefix"),
        (PATIENT, "name.0.given", REMOVED, "structure", "Patient.name[0].given[0]"),
        (PATIENT, "name.0.family", " ", "value", "Patient.name[0].family"),
        (PATIENT, "name.0.family", "A\x00B", "value", "Patient.name[0].family"),
        (PATIENT, "name.0.family", "A\ud800", "value", "Patient.name[0].family"),
        (PATIENT, "name.0.resourceType", "HumanName", "structure", "Patient.name[0]"),
        (PATIENT, "extension.0.url", REMOVED, "required", "Patient.extension[0].url"),
        (PATIENT, "extension.0.valueQuantity", REMOVED, "invariant", "Patient.extension[0]"),
        (PATIENT, "extension.0.extension", [{"url": "u:x", "valueCode": "y"}], "invariant", "Patient.extension[0]"),
        (PATIENT, "text.div", "<div><script>x()</script></div>", "value", "Patient.text.div"),
        (PATIENT, "managingOrganization.reference", "Patient/p-1", "value", "Patient.managingOrganization"),
        (ALLERGY, "clinicalStatus", REMOVED, "invariant", "AllergyIntolerance"),
        (ALLERGY, "clinicalStatus", {"text": "active"}, "code-invalid", "AllergyIntolerance.clinicalStatus"),
        (ALLERGY, "clinicalStatus.coding.0.code", "asleep", "code-invalid", "AllergyIntolerance.clinicalStatus"),
        (ALLERGY, "clinicalStatus.coding.0.system", REMOVED, "code-invalid", "AllergyIntolerance.clinicalStatus"),
        (ALLERGY, "patient", REMOVED, "required", "AllergyIntolerance.patient"),
        (ALLERGY, "category", ["food", "shoe"], "code-invalid", "AllergyIntolerance.category[1]"),
        (ALLERGY, "reaction", [{"severity": "mild"}], "required", "AllergyIntolerance.reaction[0].manifestation"),
        (REQUEST, "medicationReference", REMOVED, "required", "MedicationRequest.medication"),
        (REQUEST, "medicationReference", {"reference": "#n"}, "invariant", "MedicationRequest.medicationReference"),
        (REQUEST, "contained.0.code", "x", "structure", "MedicationRequest.contained[0].code"),
        (REQUEST, "contained", [REQUEST["contained"][0], "x"], "structure", "MedicationRequest.contained[1]"),
        (REQUEST, "contained.0", {"id": "m"}, "structure", "MedicationRequest.contained[0].resourceType"),
        (REQUEST, "contained.0.meta", {"versionId": "2"}, "invariant", "MedicationRequest.contained[0]"),
        (REQUEST, "contained.0.contained", [{"resourceType": "Basic", "code": {"text": "x"}}], "invariant",
         "MedicationRequest.contained[0]"),
        (REQUEST, "dosageInstruction.0.timing.repeat.periodUnit", "day", "code-invalid",
         "MedicationRequest.dosageInstruction[0].timing.repeat.periodUnit"),
        (REQUEST, "dosageInstruction.0.timing.repeat.frequency", 0, "value",
         "MedicationRequest.dosageInstruction[0].timing.repeat.frequency"),
        (REQUEST, "dispenseRequest", {"quantity": {"value": 1, "comparator": "<"}}, "structure",
         "MedicationRequest.dispenseRequest.quantity"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(resource: dict[str, Any], path: str, value: Any, code: str, where: str) -> None:
    assert [(issue.code, issue.where) for issue in check(changed(resource, path, value))] == [(code, where)]


def test_a_contained_resource_that_nothing_refers_to_is_refused() -> None:
    lonely = changed(REQUEST, "contained.0.id", "other")
    assert [issue.code for issue in check(lonely)] == ["invariant"]
    unused = changed(REQUEST, "medicationReference", {"reference": "Medication/1"})
    assert ["dom-3" in issue.text for issue in check(unused)] == [True]


def test_a_contained_resource_may_refer_to_the_one_around_it() -> None:
    inner = {
        "resourceType": "Provenance",
        "id": "x",
        "recorded": "2024-01-01T00:00:00Z",
        "target": [{"reference": "#"}],
        "agent": [{"who": {"display": "Ward"}}],
    }
    assert check({"resourceType": "Patient", "contained": [inner]}) == []


def test_each_resource_of_a_bundle_is_a_root_of_its_own() -> None:
    bundle = {"resourceType": "Bundle", "type": "collection", "entry": [{"resource": REQUEST}, {"resource": ALLERGY}]}
    assert check(bundle) == []
    bundle["entry"][1] = {"resource": changed(ALLERGY, "patient", {"reference": "#m"})}  # type: ignore[index]
    assert [issue.where for issue in check(bundle)] == ["Bundle.entry[1].resource.patient"]


@pytest.mark.parametrize("value", [None, True, 7, "x", [], [PATIENT], {}])
def test_what_is_no_resource_at_all_is_refused(value: Any) -> None:
    assert [issue.code for issue in check(value)] == ["structure"]


def test_sentences_name_the_rule_and_never_the_value() -> None:
    texts = [
        issue.text for issue in check({**PATIENT, "gender": "Smith", "birthDate": "Smith", "Smith, 1970": "Smith"})
    ]
    assert texts == [
        "Patient.gender must be one of its closed codes: female, male, other, unknown.",
        "Patient.birthDate must be a date that exists: YYYY, YYYY-MM or YYYY-MM-DD.",
        "Patient has no element of this name in FHIR R4: a name that no element has.",
    ]


def test_a_resource_full_of_faults_gives_the_first_twenty_in_order() -> None:
    issues = check({"resourceType": "Patient", "name": [{"use": "x"} for _ in range(1000)]})
    assert [issue.where for issue in issues] == [f"Patient.name[{index}].use" for index in range(MOST_ISSUES)]


def test_nesting_has_an_end() -> None:
    def nested(levels: int) -> dict[str, Any]:
        extension: dict[str, Any] = {"url": "u:x", "valueCode": "y"}
        for _ in range(levels):
            extension = {"url": "u:x", "extension": [extension]}
        return {"resourceType": "Patient", "extension": [extension]}

    assert check(nested(DEEPEST - 2)) == []
    assert [issue.code for issue in check(nested(100_000))] == ["too-costly"]
