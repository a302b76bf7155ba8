"""Every invariant once kept and once broken, on objects that are otherwise well-formed."""

from __future__ import annotations

from typing import Any

import pytest

from docgemma.ehr.validation import check
from docgemma.ehr.validation.invariants import in_order, rules
from tests.support.tables import each_of

TERMS = "http://terminology.hl7.org/CodeSystem/"
UCUM = "http://unitsofmeasure.org"


def coded(system: str, code: str) -> dict[str, Any]:
    return {"coding": [{"system": TERMS + system, "code": code}]}


WRONG_ALLERGY = coded("allergyintolerance-verification", "entered-in-error")
WRONG_CONDITION = coded("condition-ver-status", "entered-in-error")
ACTIVE = coded("condition-clinical", "active")
CODE = {"coding": [{"system": "http://loinc.org", "code": "85354-9"}]}
OTHER = {"coding": [{"system": "http://loinc.org", "code": "8480-6"}]}
ENTRY = {"fullUrl": "u:1", "resource": {"resourceType": "Patient"}}
COMPOSED = {"resource": {"resourceType": "Composition"}}
HEADED = {"resource": {"resourceType": "MessageHeader"}}

CASES: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    # type, rule, kept, broken
    ("AllergyIntolerance", "ait-1", {"verificationStatus": WRONG_ALLERGY}, {"code": {"text": "x"}}),
    ("AllergyIntolerance", "ait-2", {"clinicalStatus": {}},
     {"clinicalStatus": {}, "verificationStatus": WRONG_ALLERGY}),
    ("Condition", "con-4", {"abatementString": "x", "clinicalStatus": coded("condition-clinical", "resolved")},
     {"abatementString": "x", "clinicalStatus": ACTIVE}),
    ("Condition", "con-4", {"clinicalStatus": ACTIVE}, {"_abatementDateTime": {"id": "x"}}),
    ("Condition", "con-5", {"clinicalStatus": ACTIVE},
     {"clinicalStatus": ACTIVE, "verificationStatus": WRONG_CONDITION}),
    ("Condition.stage", "con-1", {"summary": {"text": "x"}}, {"type": {"text": "x"}}),
    ("Condition.evidence", "con-2", {"code": [{"text": "x"}]}, {"id": "x", "extension": []}),
    ("Observation", "obs-6", {"dataAbsentReason": {}}, {"dataAbsentReason": {}, "valueInteger": 0}),
    ("Observation", "obs-7", {"code": CODE, "valueString": "x", "component": [{"code": OTHER}]},
     {"code": CODE, "valueString": "x", "component": [{"code": OTHER}, {"code": CODE}]}),
    ("Observation.referenceRange", "obs-3", {"text": "x"}, {"type": {"text": "x"}}),
    ("Bundle", "bdl-1", {"type": "searchset", "total": 0}, {"type": "batch", "total": 0}),
    ("Bundle", "bdl-2", {"type": "searchset", "entry": [{"search": {}}]}, {"type": "batch", "entry": [{"search": {}}]}),
    ("Bundle", "bdl-3", {"type": "batch", "entry": [{"request": {}}]}, {"type": "batch", "entry": [ENTRY]}),
    ("Bundle", "bdl-3", {"type": "collection", "entry": [ENTRY]}, {"type": "collection", "entry": [{"request": {}}]}),
    ("Bundle", "bdl-4", {"type": "batch-response", "entry": [{"response": {}}]},
     {"type": "batch-response", "entry": [ENTRY]}),
    ("Bundle", "bdl-7", {"type": "history", "entry": [ENTRY, ENTRY]}, {"type": "collection", "entry": [ENTRY, ENTRY]}),
    ("Bundle", "bdl-9", {"type": "document", "identifier": {"system": "u:x", "value": "1"}},
     {"type": "document", "identifier": {"value": "1"}}),
    ("Bundle", "bdl-10", {"type": "document", "timestamp": "2024-01-01T00:00:00Z"}, {"type": "document"}),
    ("Bundle", "bdl-11", {"type": "document", "entry": [COMPOSED, ENTRY]},
     {"type": "document", "entry": [ENTRY, COMPOSED]}),
    ("Bundle", "bdl-12", {"type": "message", "entry": [HEADED]}, {"type": "message"}),
    ("Bundle.entry", "bdl-5", ENTRY, {"fullUrl": "u:1"}),
    ("Bundle.entry", "bdl-8", ENTRY, {"fullUrl": "http://example.org/Patient/1/_history/2"}),
    ("List", "lst-1", {"emptyReason": {}}, {"emptyReason": {}, "entry": [{}]}),
    ("List", "lst-2", {"mode": "changes", "entry": [{"deleted": True}]},
     {"mode": "working", "entry": [{"deleted": True}]}),
    ("List", "lst-3", {"mode": "working", "entry": [{"date": "2024"}]},
     {"mode": "changes", "entry": [{"date": "2024"}]}),
    ("Timing.repeat", "tim-1", {"duration": 1, "durationUnit": "h"}, {"duration": 1}),
    ("Timing.repeat", "tim-2", {"period": 1, "periodUnit": "d"}, {"period": 1}),
    ("Timing.repeat", "tim-4", {"duration": 0}, {"duration": -1}),
    ("Timing.repeat", "tim-5", {"period": 0}, {"period": -1}),
    ("Timing.repeat", "tim-6", {"period": 1, "periodMax": 2}, {"periodMax": 2}),
    ("Timing.repeat", "tim-7", {"duration": 1, "durationMax": 2}, {"durationMax": 2}),
    ("Timing.repeat", "tim-8", {"count": 1, "countMax": 2}, {"countMax": 2}),
    ("Timing.repeat", "tim-9", {"offset": 30, "when": ["AC"]}, {"offset": 30, "when": ["C"]}),
    ("Timing.repeat", "tim-9", {"when": ["C"]}, {"offset": 30}),
    ("Timing.repeat", "tim-10", {"when": ["HS"]}, {"when": ["HS"], "timeOfDay": ["08:00:00"]}),
    ("Age", "age-1", {"value": 5, "code": "a", "system": UCUM}, {"value": 5, "unit": "years"}),
    ("Age", "age-1", {"unit": "years"}, {"value": 0, "code": "a", "system": UCUM}),
    ("Count", "cnt-3", {"value": 2, "code": "1", "system": UCUM}, {"value": 2.5, "code": "1", "system": UCUM}),
    ("Distance", "dis-1", {"value": 2, "code": "m", "system": UCUM}, {"value": 2, "code": "m", "system": "u:x"}),
    ("Duration", "drt-1", {"value": 2, "code": "h", "system": UCUM}, {"value": 2, "code": "h"}),
    ("MoneyQuantity", "mqty-1", {"value": 1, "code": "EUR"}, {"value": 1}),
    ("Attachment", "att-1", {"data": "QQ==", "contentType": "text/plain"}, {"data": "QQ=="}),
    ("AuditEvent.entity", "sev-1", {"query": "QQ=="}, {"query": "QQ==", "name": "x"}),
    ("CarePlan.activity", "cpl-3", {"detail": {}}, {"detail": {}, "reference": {}}),
    ("Composition.section", "cmp-1", {"text": {}}, {"title": "x"}),
    ("Composition.section", "cmp-2", {"emptyReason": {}}, {"emptyReason": {}, "entry": [{}]}),
    ("Consent", "ppc-1", {"policyRule": {}}, {"status": "active"}),
    ("ContactPoint", "cpt-2", {"system": "phone", "value": "1"}, {"value": "1"}),
    ("Expression", "exp-1", {"expression": "x"}, {"language": "text/cql"}),
    ("Extension", "ext-1", {"_valueString": {}}, {"url": "u:x"}),
    ("Extension", "ext-1", {"extension": []}, {"extension": [], "valueCode": "x"}),
    ("FamilyMemberHistory", "fhs-1", {"ageString": "x"}, {"ageString": "x", "bornString": "x"}),
    ("FamilyMemberHistory", "fhs-2", {"ageString": "x", "estimatedAge": True}, {"estimatedAge": True}),
    ("Goal.target", "gol-1", {"measure": {}, "detailString": "x"}, {"detailString": "x"}),
    ("Immunization.education", "imm-1", {"reference": "u:x"}, {"publicationDate": "2024"}),
    ("MedicationAdministration.dosage", "mad-1", {"rateRatio": {}}, {"text": "x"}),
    ("MedicationDispense", "mdd-1", {"whenPrepared": "2024", "whenHandedOver": "2024-05"},
     {"whenPrepared": "2024-06-01", "whenHandedOver": "2024-05"}),
    ("Organization", "org-1", {"name": "x"}, {"active": True}),
    ("Organization", "org-2", {"address": [{"use": "work"}]}, {"address": [{"use": "work"}, {"use": "home"}]}),
    ("Organization", "org-3", {"telecom": [{"use": "work"}]}, {"telecom": [{"use": "home"}]}),
    ("Parameters.parameter", "inv-1", {"name": "x", "part": []}, {"name": "x"}),
    ("Parameters.parameter", "inv-1", {"name": "x", "resource": {}}, {"name": "x", "resource": {}, "valueCode": "x"}),
    ("Patient.contact", "pat-1", {"organization": {}}, {"gender": "male"}),
    ("Period", "per-1", {"start": "2024-01-01", "end": "2024-01-01"}, {"start": "2024-01-02", "end": "2024-01-01"}),
    ("Quantity", "qty-3", {"code": "mg", "system": UCUM}, {"code": "mg"}),
    ("Range", "rng-2", {"low": {"value": 1, "unit": "g"}, "high": {"value": 1, "unit": "g"}},
     {"low": {"value": 2, "unit": "g"}, "high": {"value": 1, "unit": "g"}}),
    ("Range", "rng-2", {"low": {"value": 500, "unit": "mg"}, "high": {"value": 1, "unit": "g"}},
     {"low": {"value": 2}, "high": {"value": 1}}),
    ("Ratio", "rat-1", {"numerator": {}, "denominator": {}}, {"numerator": {}}),
    ("Ratio", "rat-1", {"extension": []}, {"id": "x"}),
    ("Reference", "ref-2", {"identifier": {}}, {"type": "Patient"}),
    ("ServiceRequest", "prr-1", {"orderDetail": [], "code": {}}, {"orderDetail": []}),
]  # fmt: skip


@each_of(("type_", "name", "kept", "broken"), CASES)
def test_a_rule_tells_kept_from_broken(type_: str, name: str, kept: dict[str, Any], broken: dict[str, Any]) -> None:
    rule = next(rule for rule in rules()[type_] if rule.name == name)
    assert (rule.holds(kept), rule.holds(broken)) == (True, False)


def test_every_rule_has_a_case() -> None:
    assert {(type_, rule.name) for type_, own in rules().items() for rule in own} == {case[:2] for case in CASES}


def test_a_narrower_type_keeps_the_rules_of_the_wider_one() -> None:
    dose = {"doseQuantity": {"value": 1, "code": "mg"}}
    request = {
        "resourceType": "MedicationRequest",
        "status": "active",
        "intent": "order",
        "medicationCodeableConcept": {"text": "Metformin"},
        "subject": {"reference": "Patient/1"},
        "dosageInstruction": [{"doseAndRate": [dose]}],
    }
    assert [(issue.code, issue.where) for issue in check(request)] == [
        ("invariant", "MedicationRequest.dosageInstruction[0].doseAndRate[0].doseQuantity")
    ]


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("2024-01-01T10:00:00+02:00", "2024-01-01T09:00:00Z", True),
        ("2024-01-01T10:00:00Z", "2024-01-01T11:00:00+02:00", False),
        ("2024-01-01T10:00:00Z", "2024-01-01", True),
        ("2024-05-01", "2024", True),
        ("2024-05-01", "2024-04", False),
        ("2024-01-01T23:59:60Z", "2024-01-01T23:59:59Z", True),
        (None, "2024", True),
    ],
)
def test_moments_are_compared_as_far_as_they_are_known(start: Any, end: str, expected: bool) -> None:
    assert in_order(start, end) is expected
