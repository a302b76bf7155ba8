"""What was written is compared with what was sent: every change of ours is told, a server's own additions are not."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings

from docgemma.ehr import fhir_json
from docgemma.ehr.contract import Resource
from docgemma.orders.model import Check, Decision, Draft
from docgemma.orders.resources import differences, resource_of
from tests.orders.resources.made import DECISIONS, DRAFTS, allergic, noted, prescribed, row

CHECKS = (Check(name="dose", outcome="hard_stop", detail="too much"),)
DECISION = Decision(who="dr.lee", may_prescribe=True, override="discussed with the patient")
FULL: list[Draft] = [
    prescribed(
        "Lipitor", "10 mg", "qhs as needed", "po; for 7 days; for gout; dispense 30; 2 refills; keep dry; max 4 g/day"
    ),
    allergic("Lipitor", "rash", "life-threatening"),
    allergic("latex", "unknown", "mild"),
    noted("Seen today.", "renal consult note", by_model=True),
]


def sent(draft: Draft) -> Resource:
    return resource_of(row(draft, DECISION, checks=CHECKS))


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place that holds something: parts, whole objects and entries of lists."""
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in items:
        yield from leaves(inner, (*path, step))


def at(resource: Any, path: tuple[Any, ...]) -> tuple[Any, Any]:
    for step in path[:-1]:
        resource = resource[step]
    return resource, path[-1]


@pytest.mark.parametrize("draft", FULL)
def test_whatever_is_missing_is_told(draft: Draft) -> None:
    ours = sent(draft)
    for path in leaves(ours):
        found = deepcopy(ours)
        place, step = at(found, path)
        del place[step]
        assert differences(ours, found), path


@pytest.mark.parametrize("draft", FULL)
def test_whatever_is_changed_is_told(draft: Draft) -> None:
    ours = sent(draft)
    for path in leaves(ours):
        found = deepcopy(ours)
        place, step = at(found, path)
        value = place[step]
        if isinstance(value, (dict, list)):
            place[step] = [] if isinstance(value, dict) else {}
        else:
            place[step] = (
                not value if isinstance(value, bool) else value + 1 if not isinstance(value, str) else value + "0"
            )
        assert differences(ours, found), path


@given(DRAFTS, DECISIONS)
@settings(max_examples=100, deadline=None)
def test_what_a_server_adds_or_spells_in_another_way_is_not_told(draft: Draft, decision: Decision) -> None:
    ours = resource_of(row(draft, decision))
    found = fhir_json.loads(fhir_json.dumps(ours))
    found["id"] = "e1"
    found["meta"] |= {"versionId": "1", "lastUpdated": "2026-03-01T12:10:01Z", "project": "x"}
    found["meta"]["tag"] = [{"system": "urn:hospital", "code": "intake"}]
    found["text"] = {"status": "generated", "div": "<div>as stored</div>"}
    found["identifier"].insert(0, {"system": "urn:hospital", "value": "77"})
    about = found.get("subject") or found["patient"]
    about["reference"] = f"http://server/fhir/{about['reference']}"
    about["display"] = "Ann Lee"
    when = "authoredOn" if "authoredOn" in found else "recordedDate" if "recordedDate" in found else "date"
    found[when] = "2026-03-01T13:10:00.123000+01:00"
    for dose in found.get("dosageInstruction", [{}])[0].get("doseAndRate", ()):
        for amount in dose.values():
            amount["value"] = Decimal(f"{amount['value']:f}" + ("0" if "." in f"{amount['value']:f}" else ".0"))
    assert differences(ours, found) == ()


def test_a_changed_dose_is_told_in_plain_words() -> None:
    ours = sent(FULL[0])
    found = deepcopy(ours)
    found["dosageInstruction"][0]["doseAndRate"][0]["doseQuantity"]["value"] = Decimal(100)
    found["dosageInstruction"][0]["timing"]["repeat"]["frequency"] = 2
    found["dosageInstruction"][0]["route"] = {"text": "intravenous"}
    found["medicationCodeableConcept"] = {"text": "lamivudine"}
    found["status"] = "draft"
    del found["reasonCode"]
    assert set(differences(ours, found)) == {
        "dose: sent 10 mg, found 100 mg",
        "how often: sent once a day, at bedtime, for 7 days, found twice a day, at bedtime, for 7 days",
        "route: sent by mouth, found intravenous",
        "medicine: sent lipitor (atorvastatin), found lamivudine",
        "status: sent active, found draft",
        "reason: sent gout, found nothing",
    }


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("doNotPerform", True, "do not perform: sent nothing, found yes"),
        ("modifierExtension", [{"url": "u:x", "valueBoolean": True}], "modifier extension: "),
        ("statusReason", {"text": "stopped by pharmacy"}, "status reason: sent nothing, found stopped by pharmacy"),
    ],
)
def test_what_a_server_adds_to_the_meaning_is_told(name: str, value: Any, told: str) -> None:
    ours = sent(FULL[0])
    (line,) = differences(ours, ours | {name: value})
    assert line.startswith(told)


def test_a_second_instruction_is_told() -> None:
    ours = sent(FULL[0])
    found = deepcopy(ours)
    found["dosageInstruction"].append({"text": "and 80 mg at noon"})
    assert differences(ours, found) == ("instructions: sent nothing, found and 80 mg at noon",)


def test_neither_the_patient_nor_a_note_is_repeated() -> None:
    ours = sent(FULL[3])
    found = deepcopy(ours)
    found["subject"]["reference"] = "Patient/somebody-else"
    found["content"][0]["attachment"]["data"] = "c2VjcmV0"
    told = differences(ours, found)
    assert set(told) == {"patient: not as it was sent", "text of the note: not as it was sent"}
