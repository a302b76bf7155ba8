"""F10 and F13: what the patient's chart has against an order stops it, and a chart that cannot be read stops it too."""

from __future__ import annotations

from pathlib import Path

import pytest

from docgemma.errors import BadInput, HardStop, Unavailable
from tests.safety.people import ANN, Resource, allergy, creatinine, days_ago, medicine, no_allergies, person, weight
from tests.safety.support import OVERRIDE, YES, Desk, desk
from tests.support.scripted_fhir import Answer, Asked, Fault, ScriptedFhir, outcome

WHO = "pat-101"


def pregnancy() -> Resource:
    clinical = {"system": "http://terminology.hl7.org/CodeSystem/condition-clinical", "code": "active"}
    return {
        "resourceType": "Condition",
        "id": f"{WHO}-c1",
        "clinicalStatus": {"coding": [clinical]},
        "code": {"coding": [{"system": "http://snomed.info/sct", "code": "77386006"}], "text": "Pregnancy"},
        "subject": {"reference": f"Patient/{WHO}"},
        "onsetDateTime": days_ago(60),
    }


def child(*more: Resource) -> list[Resource]:
    return [person(WHO, "Tim", "Small", age=4), no_allergies(WHO), *more]


def woman(age: int, *more: Resource) -> list[Resource]:
    return [person(WHO, "Ria", "Stone", sex="female", age=age), no_allergies(WHO), *more]


STOPS: dict[str, tuple[str, list[Resource], str]] = {
    "renal": ("metformin 500 mg twice daily", woman(60, creatinine(WHO, 2.6)), f"Observation/{WHO}-2160-0"),
    "weight": ("acetaminophen 1 g every 6 hours", child(weight(WHO, 16)), f"Observation/{WHO}-29463-7"),
    "age": ("codeine 15 mg every 6 hours", child(weight(WHO, 16)), "boxed warning"),
    "pregnancy": ("lisinopril 10 mg once daily", woman(29, pregnancy()), f"Condition/{WHO}-c1"),
    "weekly": ("methotrexate 10 mg daily", woman(50, creatinine(WHO, 0.8)), "boxed warning"),
    "dose": ("warfarin 50 mg once daily", woman(50), "not reviewed by a clinician"),
    "allergy": ("amoxicillin 500 mg three times daily", [person(WHO, "Al", "Pine"), allergy(WHO, "Penicillin")], "-a1"),
    "duplicate": ("lisinopril 10 mg once daily", woman(70, medicine(WHO, "Zestril 5 mg tablet")), "-m1"),
    "route": ("vincristine 2 mg intrathecal once weekly", woman(50), "not reviewed by a clinician"),
}


@pytest.mark.parametrize("rule", STOPS)
async def test_f10_f13_each_rule_stops_an_order_until_a_reason_is_typed(rule: str, tmp_path: Path) -> None:
    text, people, basis = STOPS[rule]
    async with desk(tmp_path, people=people) as on:
        card = await on.card(f"Prescribe {text} for {WHO}")
        assert card.approval is not None
        [stop] = [check for check in card.approval.checks if check["outcome"] == "hard_stop"]
        assert stop["name"] == rule
        assert basis in stop["basis"]
        with pytest.raises(HardStop):
            await on.sessions.approve(card.approval.id, YES)
        assert on.wire.writes == []


MISSING: dict[str, tuple[str, list[Resource]]] = {
    "renal": ("metformin 500 mg twice daily", woman(60)),
    "weight": ("acetaminophen 200 mg every 6 hours", child()),
    "pregnancy": ("lisinopril 10 mg once daily", woman(29, creatinine(WHO, 0.8))),
}


@pytest.mark.parametrize("rule", MISSING)
async def test_f10_a_missing_value_is_asked_for_and_blocks_until_that_is_acknowledged(
    rule: str, tmp_path: Path
) -> None:
    text, people = MISSING[rule]
    async with desk(tmp_path, people=people) as on:
        record = await on.ask(f"Prescribe {text} for {WHO}")
        if record.approval is None:
            assert record.outcome == "ask_user"
            return
        [outcome_] = {check["outcome"] for check in record.approval.checks if check["name"] == rule}
        assert outcome_ in ("not_checked", "hard_stop", "warning") if rule == "pregnancy" else outcome_ == "not_checked"
        with pytest.raises((BadInput, HardStop)):
            await on.sessions.approve(record.approval.id, YES.model_copy(update={"acknowledged": False}))
        assert on.wire.writes == []


REASON = OVERRIDE.override


async def test_f13_a_recorded_allergy_is_shown_and_only_a_typed_reason_releases_it(demo: Path) -> None:
    async with desk(demo) as on:
        card = await on.card("Prescribe amoxicillin 500 mg three times daily for jkl-012")
        assert card.approval is not None
        id_ = card.approval.id
        assert "Needed adrenaline" in card.response
        assert "AllergyIntolerance/jkl-012-allergy-penicillin-1998-06-22" in card.response
        with pytest.raises(HardStop):
            await on.sessions.approve(id_, YES)
        for reason in ("ok", "..........", "1234567890", "          "):
            with pytest.raises(BadInput):
                await on.sessions.approve(id_, OVERRIDE.model_copy(update={"override": reason}))
        assert on.wire.writes == []
        receipt = await on.sessions.approve(id_, OVERRIDE)
        assert (receipt.status, receipt.override) == ("written", REASON)
        row = await on.orders.get(id_)
        assert row.decision is not None
        assert (row.decision.override, row.decision.who) == (REASON, "dr-lee")
        [entry] = await on.entries()
        assert REASON in str(entry["note"])
        [told] = [each for each in await on.records.log.entries() if each.action == "approve"]
        assert (told.who, told.resource_id) == ("dr-lee", id_)


def _failing(kinds: tuple[str, ...]) -> Fault:
    def fault(asked: Asked) -> Answer | None:
        return outcome(500, "exception") if asked.kind in kinds or asked.path.endswith("$everything") else None

    return fault


def _half_a_page(asked: Asked) -> Answer | None:
    """The allergy list breaks off in the middle, and with it whatever comes in one answer with it."""
    if asked.kind == "AllergyIntolerance" or asked.path.endswith("$everything"):
        return Answer(
            body=b'{"resourceType": "Bundle", "type": "searchset", "total": 2, "entry": [{"resource": {"resou'
        )
    return None


def _second_page_missing(asked: Asked) -> Answer | None:
    return outcome(500, "exception") if "_start" in asked.params else None


UNREADABLE: dict[str, tuple[Fault, int]] = {
    "the allergy list fails": (_failing(("AllergyIntolerance",)), 1000),
    "the medicines fail": (_failing(("MedicationRequest",)), 1000),
    "half an answer": (_half_a_page, 1000),
    "half the pages": (_second_page_missing, 1),
}


@pytest.mark.parametrize("fault", UNREADABLE)
@pytest.mark.parametrize("everything", [True, False])
async def test_f13_who_cannot_be_read_cannot_be_prescribed_for(fault: str, everything: bool, tmp_path: Path) -> None:
    broken, page = UNREADABLE[fault]
    chart = [
        person(WHO, "Al", "Pine"),
        allergy(WHO, "Penicillin"),
        allergy(WHO, "Latex", "a2"),
        medicine(WHO, "aspirin"),
    ]
    server = ScriptedFhir(chart, broken, everything=everything, page=page)
    async with desk(tmp_path, server=server) as on:
        record = await on.ask(f"Prescribe lisinopril 10 mg once daily for {WHO}")
        assert record.approval is None, record.response
        assert [call.status for call in record.tool_calls] == ["unavailable"]
        assert "othing was prepared" in record.response
        assert (await on.rows(), on.wire.writes) == ((), [])


async def test_f13_an_empty_allergy_list_is_not_a_pass(tmp_path: Path) -> None:
    async with desk(tmp_path, people=[person(WHO, "Al", "Pine"), creatinine(WHO, 0.9), weight(WHO, 80)]) as on:
        card = await on.card(f"Prescribe lisinopril 10 mg once daily for {WHO}")
        assert card.approval is not None
        assert [check["outcome"] for check in card.approval.checks if check["name"] == "allergy"] == ["not_checked"]
        with pytest.raises(BadInput, match="allergy"):
            await on.sessions.approve(card.approval.id, YES.model_copy(update={"acknowledged": False}))
        assert on.wire.writes == []


async def test_f13_a_chart_that_cannot_be_read_any_more_cannot_be_approved_for(on: Desk) -> None:
    card = await on.card("Prescribe lisinopril 10 mg once daily by mouth", patient_id=ANN)
    assert card.approval is not None
    on.wire.trouble = lambda _: "503 before"
    with pytest.raises(Unavailable):
        await on.sessions.approve(card.approval.id, YES)
    assert on.wire.writes == []
    on.wire.trouble = lambda _: None
    assert (await on.sessions.approve(card.approval.id, YES)).status == "written"
