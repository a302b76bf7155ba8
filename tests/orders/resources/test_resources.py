"""What would be written: valid FHIR for every draft, and in it what a clinician would look for in the chart."""

from __future__ import annotations

import base64
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings

from docgemma.ehr import fhir_json
from docgemma.ehr.chart.sections.medications import directions
from docgemma.ehr.contract import Change, Resource
from docgemma.ehr.validation import check
from docgemma.entities.amounts.doses import parse_dose
from docgemma.entities.amounts.frequencies import parse_frequency
from docgemma.orders.model import Check, Decision, Draft, Prescription
from docgemma.orders.resources import KINDS, ORDER_SYSTEM, changes_of, is_undone, resource_of, undo_changes
from tests.orders.resources.made import DECISIONS, DRAFTS, allergic, noted, prescribed, row

UCUM = "http://unitsofmeasure.org"
UNDO = Decision(who="dr.oak", reason="wrong patient, noticed at once")


def changes(draft: Draft, decision: Decision) -> tuple[Change, ...]:
    made = row(draft, decision)
    stored = resource_of(made) | {"id": "e1", "meta": {"versionId": "3"}}
    taken_back = replace(made, state="undoing", approval=decision, approved_at=made.decided_at, decision=UNDO)
    return (*changes_of(made), *undo_changes(taken_back, stored))


@given(DRAFTS, DECISIONS)
@settings(max_examples=250, deadline=None)
def test_everything_that_is_written_is_fhir(draft: Draft, decision: Decision) -> None:
    for change in changes(draft, decision):
        assert check(change.resource) == []
        assert fhir_json.loads(fhir_json.dumps(change.resource)) == change.resource


@given(DRAFTS, DECISIONS)
@settings(max_examples=100, deadline=None)
def test_another_implementation_takes_it_too(draft: Draft, decision: Decision) -> None:
    models = pytest.importorskip("fhir.resources.R4B", reason="fhir.resources is not installed")
    for change in changes(draft, decision):
        kind = change.resource["resourceType"]
        models.get_fhir_model_class(kind).model_validate_json(fhir_json.dumps(change.resource))


@given(DRAFTS)
@settings(max_examples=100, deadline=None)
def test_amounts_in_the_chart_are_read_back_as_those_of_the_draft(draft: Draft) -> None:
    if not isinstance(draft, Prescription):
        return
    dose, often = parse_dose(draft.dose), parse_frequency(draft.frequency)
    assert dose is not None and dose.render() == draft.dose
    assert often is not None and often.render() == draft.frequency
    (instruction,) = resource_of(row(draft))["dosageInstruction"]
    assert instruction["text"].startswith(draft.dose) and draft.frequency in instruction["text"]
    for amount in instruction.get("doseAndRate", ()):
        (coded,) = amount.values()
        whole = dose.total()
        assert whole is not None and (coded["value"],) == whole.amounts


def entry(draft: Draft, decision: Decision | None = None, **card: Any) -> Resource:
    return resource_of(row(draft, decision, **card) if decision else row(draft, **card))


def test_an_order_in_the_chart() -> None:
    made = entry(prescribed("Lipitor", "10mg", "qhs", "po; for 2 weeks; for cholesterol; dispense 30; 2 refills"))
    assert made == {
        "resourceType": "MedicationRequest",
        "meta": {
            "security": [{"system": "http://terminology.hl7.org/CodeSystem/v3-ObservationValue", "code": "AIAST"}]
        },
        "identifier": [{"system": ORDER_SYSTEM, "value": made["identifier"][0]["value"]}],
        "status": "active",
        "intent": "order",
        "medicationCodeableConcept": {
            "text": "lipitor (atorvastatin)",
            "coding": [
                {
                    "system": "http://www.nlm.nih.gov/research/umls/rxnorm",
                    "code": "83367",
                    "display": "atorvastatin",
                }
            ],
        },
        "subject": {"reference": "Patient/p-1"},
        "authoredOn": "2026-03-01T12:10:00.123Z",
        "requester": {"type": "Practitioner", "display": "dr.lee"},
        "recorder": {"type": "Practitioner", "display": "dr.lee"},
        "dosageInstruction": [
            {
                "text": "10 mg by mouth at bedtime for 2 weeks",
                "timing": {
                    "repeat": {
                        "frequency": 1,
                        "period": 1,
                        "periodUnit": "d",
                        "when": ["HS"],
                        "boundsDuration": {"value": 2, "unit": "weeks", "system": UCUM, "code": "wk"},
                    }
                },
                "route": {"text": "by mouth"},
                "doseAndRate": [{"doseQuantity": {"value": Decimal(10), "unit": "mg", "system": UCUM, "code": "mg"}}],
            }
        ],
        "reasonCode": [{"text": "cholesterol"}],
        "dispenseRequest": {"quantity": {"value": 30}, "numberOfRepeatsAllowed": 2},
    }


@pytest.mark.parametrize(
    ("dose", "coded"),
    [
        ("12.5 mcg", {"doseQuantity": {"value": Decimal("12.5"), "unit": "mcg", "system": UCUM, "code": "ug"}}),
        ("1,000 mg", {"doseQuantity": {"value": Decimal(1000), "unit": "mg", "system": UCUM, "code": "mg"}}),
        ("40 mEq", {"doseQuantity": {"value": Decimal(40), "unit": "mEq", "system": UCUM, "code": "meq"}}),
        ("10 units", {"doseQuantity": {"value": Decimal(10), "unit": "units"}}),
        ("1 tablet", {"doseQuantity": {"value": Decimal(1), "unit": "tablet"}}),
        ("half a tablet", {"doseQuantity": {"value": Decimal("0.5"), "unit": "tablet"}}),
        ("1 tablet of 500 mg", {"doseQuantity": {"value": Decimal(500), "unit": "mg", "system": UCUM, "code": "mg"}}),
        ("5 mg/kg", {"doseQuantity": {"value": Decimal(5), "unit": "mg/kg", "system": UCUM, "code": "mg/kg"}}),
        ("25 mcg/h", {"rateQuantity": {"value": Decimal(25), "unit": "mcg/h", "system": UCUM, "code": "ug/h"}}),
        ("5 units/h", {"rateQuantity": {"value": Decimal(5), "unit": "units/h"}}),
    ],
)
def test_a_dose_is_coded_with_the_unit_it_was_given_in(dose: str, coded: Resource) -> None:
    (instruction,) = entry(prescribed(dose=dose))["dosageInstruction"]
    assert instruction["doseAndRate"] == [coded]


@pytest.mark.parametrize("dose", ["875/125 mg", "15 mg/kg/day", "20 mg/day", "0.1%", "10 mg/kg/dose"])
def test_what_is_no_single_amount_at_a_time_stays_in_words(dose: str) -> None:
    """An amount for a whole day, coded as a dose, would be given several times."""
    (instruction,) = entry(prescribed(dose=dose))["dosageInstruction"]
    assert "doseAndRate" not in instruction
    assert instruction["text"] == f"{dose} twice daily"


def test_further_words_stand_in_the_instruction_and_nothing_is_lost() -> None:
    draft = prescribed(
        "paracetamol", "1 g", "every 6 hours as needed", "po; maximum 4 g in 24 hours; for pain; keep dry"
    )
    (instruction,) = entry(draft)["dosageInstruction"]
    assert instruction["text"] == "1 g by mouth every 6 hours as needed; maximum 4 g in 24 hours; keep dry"
    assert instruction["asNeededBoolean"] is True
    assert instruction["maxDosePerPeriod"]["numerator"]["value"] == 4
    assert instruction["maxDosePerPeriod"]["denominator"]["code"] == "h"
    assert directions([instruction]).startswith("1 g by mouth every 6 hours as needed")
    counted = entry(prescribed("paracetamol", "1 g", "every 6 hours", "maximum 4 doses in 24 hours"))
    assert "maxDosePerPeriod" not in counted["dosageInstruction"][0]


def test_who_may_not_prescribe_leaves_a_draft() -> None:
    nurse = Decision(who="nurse O’Neil")
    assert entry(prescribed(), nurse)["status"] == "draft"
    assert entry(noted(), nurse)["docStatus"] == "preliminary"
    assert entry(noted())["docStatus"] == "final"


def test_an_override_and_what_was_not_checked_stand_in_the_entry() -> None:
    checks = (
        Check(name="allergy", outcome="hard_stop", detail="penicillin is recorded."),
        Check(name="interactions", outcome="not_checked", detail="no source answered"),
    )
    decision = Decision(who="dr.lee", may_prescribe=True, override="desensitised last week", acknowledged=True)
    stop, seen = entry(prescribed(), decision, checks=checks)["note"]
    assert stop["text"] == (
        "Approved against a stop (allergy: penicillin is recorded). Reason given: desensitised last week"
    )
    assert seen["text"] == "Not checked, and acknowledged: interactions: no source answered."
    assert {stop["authorString"], seen["authorString"]} == {"dr.lee"}


def test_an_allergy_in_the_chart() -> None:
    made = entry(allergic("peanuts", "anaphylaxis", "life-threatening"))
    assert made["clinicalStatus"]["coding"][0]["code"] == "active"
    assert made["verificationStatus"]["coding"][0]["code"] == "unconfirmed"
    assert (made["category"], made["criticality"], made["code"]) == (["food"], "high", {"text": "peanut"})
    assert made["reaction"] == [{"manifestation": [{"text": "anaphylaxis"}], "severity": "severe"}]
    assert "type" not in made and made["patient"] == {"reference": "Patient/p-1"}


def test_an_unknown_reaction_is_a_remark_and_keeps_its_severity() -> None:
    made = entry(allergic("Lipitor", "unknown", "severe"))
    assert "reaction" not in made
    assert made["note"][0]["text"] == "Reaction: unknown. Severity as stated: severe."
    assert made["code"]["text"] == "lipitor (atorvastatin)" and made["code"]["coding"][0]["code"] == "83367"


def test_a_note_in_the_chart_says_the_words_and_who_wrote_them() -> None:
    text = "Müde.\n\tTemp 37,5 °C — “besser”."
    made = entry(noted(text, "SOAP", by_model=True))
    attachment = made["content"][0]["attachment"]
    assert base64.b64decode(attachment["data"]).decode() == text
    assert attachment["contentType"] == "text/plain; charset=utf-8"
    assert made["type"]["text"] == "SOAP note" and made["type"]["coding"][0]["code"] == "34109-9"
    assert made["description"] == "Drafted by a language model, read and approved by dr.lee."
    assert "description" not in entry(noted(text))


def test_the_provenance_names_software_person_and_conversation() -> None:
    made = row(prescribed())
    target, vouched = changes_of(made)
    proof = vouched.resource
    assert proof["target"] == [{"reference": target.full_url}] and target.full_url.startswith("urn:uuid:")
    assert target.if_none_exist == f"identifier={ORDER_SYSTEM}|{made.id}"
    assert vouched.if_none_exist == f"_tag={ORDER_SYSTEM}|{made.id}"
    assert proof["meta"]["tag"] == [{"system": ORDER_SYSTEM, "code": made.id}]
    software, author = proof["agent"]
    assert software["who"]["display"] == "docgemma 0.1.0, rules"
    assert software["onBehalfOf"]["display"] == author["who"]["display"] == "dr.lee"
    assert [one["what"]["identifier"]["value"] for one in proof["entity"]] == ["s1", "t1"]
    assert changes_of(made) == changes_of(made)


def roles(made: Resource) -> dict[str, str]:
    return {agent["who"]["display"]: agent["type"]["coding"][0]["code"] for agent in made["agent"]}


def test_whoever_approves_what_another_asked_for_vouches_for_it() -> None:
    asked = changes_of(row(prescribed(), proposed_by="nurse O’Neil"))[1].resource
    assert roles(asked) == {"docgemma 0.1.0, rules": "assembler", "nurse O’Neil": "author", "dr.lee": "verifier"}
    drafted = changes_of(row(noted(by_model=True)))[1].resource
    assert roles(drafted) == {"docgemma 0.1.0, rules": "author", "dr.lee": "verifier"}


@pytest.mark.parametrize("draft", [prescribed(), allergic(), noted()])
def test_an_undone_entry_is_marked_and_changed_in_nothing_else(draft: Draft) -> None:
    made = row(draft)
    stored = resource_of(made) | {"id": "e1", "meta": {"versionId": "3", "lastUpdated": "2026-03-01T12:11:00Z"}}
    undone = replace(made, state="undoing", approval=made.decision, approved_at=made.decided_at, decision=UNDO)
    assert resource_of(undone) == resource_of(made)
    marked, proof = undo_changes(undone, stored)
    assert is_undone(marked.resource) and not is_undone(stored)
    assert marked.if_match == "3" and not marked.if_none_exist
    changed = {name for name in {*stored, *marked.resource} if stored.get(name) != marked.resource.get(name)}
    assert changed <= {"status", "statusReason", "clinicalStatus", "verificationStatus"}
    assert proof.if_none_exist == f"_tag={ORDER_SYSTEM}|{made.id}-undo"
    assert proof.resource["target"] == [{"reference": f"{KINDS[draft.kind]}/e1"}]
    assert proof.resource["reason"] == [{"text": UNDO.reason}]
    assert "dr.oak" in roles(proof.resource)


def test_nothing_is_made_of_a_card_that_nobody_approved() -> None:
    with pytest.raises(ValueError, match="nobody approved"):
        resource_of(replace(row(prescribed()), decision=None, decided_at=""))


def test_the_moment_of_the_decision_is_told_as_it_was() -> None:
    at = replace(row(prescribed()), decided_at="2026-03-01T23:59:59+05:30")
    assert resource_of(at)["authoredOn"] == "2026-03-01T18:29:59.000Z"
