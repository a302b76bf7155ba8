"""One table a rule: an order, a chart, and how the check ends. What is not known is never passed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from docgemma.ehr.contract import Gap, Resource
from docgemma.entities.amounts.doses import find_doses
from docgemma.entities.amounts.frequencies import combine, find_frequencies
from docgemma.entities.amounts.routes import find_routes
from docgemma.entities.drugs.names import drugs_in, ingredients, names
from docgemma.orders.facts import Facts
from docgemma.orders.model import Prescription
from tests.orders.checks.given import checked, facts, lines, order, outcomes
from tests.support import chart_records as chart

TRAPS = Path(__file__).parents[2] / "fixtures" / "attacks" / "dose_traps.jsonl"


def weighing(kilograms: str, on: str = "2026-10-06") -> Resource:
    return chart.vital("Body weight", kilograms, "kg", on)


def filtering(rate: str, on: str = "2026-10-06") -> Resource:
    return chart.lab("eGFR", rate, "mL/min/{1.73_m2}", on)


@pytest.mark.parametrize(
    ("medication", "entry", "expected"),
    [
        ("amoxicillin", "Penicillin", "hard_stop"),
        ("amoxicillin", "Amoxicillin", "hard_stop"),
        ("co-amoxiclav", "Penicillin", "hard_stop"),
        ("ceftriaxone", "Penicillin", "warning"),
        ("azithromycin", "Penicillin", "passed"),
        ("lisinopril", "ACE inhibitors", "hard_stop"),
        ("celecoxib", "Aspirin", "hard_stop"),
        ("ibuprofen", "Aspirin", "hard_stop"),
        ("amoxicillin", "Peanut", "passed"),
        ("amoxicillin", "zorglub", "not_checked"),
        ("amoxicillin", "not allergic to penicillin", "not_checked"),
    ],
)
async def test_allergy(medication: str, entry: str, expected: str) -> None:
    of = facts(chart.allergy(entry, id="a1", reaction=[{"manifestation": [{"text": "Anaphylaxis"}]}]))
    found = await lines("allergy", order(medication), of)
    assert {check.outcome for check in found} == {expected}
    assert all("AllergyIntolerance/a1" in check.basis for check in found)
    if expected in ("hard_stop", "warning"):
        assert all("Anaphylaxis" in check.detail for check in found)


async def test_an_empty_list_is_no_statement_and_a_statement_is_shown() -> None:
    empty = await lines("allergy", order("amoxicillin"), facts(gaps=(Gap("Observation", "timeout"),)))
    assert [check.outcome for check in empty] == ["not_checked"]
    stated = await lines("allergy", order("amoxicillin"), facts())
    assert [(check.outcome, check.basis) for check in stated] == [("passed", "AllergyIntolerance/nka")]


async def test_a_list_that_was_not_read_never_passes() -> None:
    unread = (Gap("AllergyIntolerance", "server_error"), Gap("MedicationRequest", "server_error"))
    found = await checked(order("amoxicillin", "500 mg"), facts(gaps=unread))
    assert not [check for check in found if check.name in ("allergy", "duplicate", "interaction")]
    assert [check.outcome for check in found if check.name == "patient"] == ["not_checked"] * 2
    half = await lines("allergy", order("amoxicillin"), facts(chart.allergy("Penicillin"), gaps=unread))
    assert [check.outcome for check in half] == ["hard_stop"]


@pytest.mark.parametrize("state", ["resolved", "inactive"])
async def test_an_allergy_that_is_over_is_a_warning_and_a_refuted_one_is_none(state: str) -> None:
    over = await lines("allergy", order("amoxicillin"), facts(chart.allergy("Penicillin", state)))
    assert ("warning", True) in {(check.outcome, state in check.detail) for check in over}
    assert "hard_stop" not in {check.outcome for check in over}
    refuted = facts(chart.allergy("Penicillin", verified="refuted"), chart.allergy("No known allergy"))
    assert await outcomes("allergy", order("amoxicillin"), refuted) == {"passed"}


async def test_none_known_beside_an_allergy_is_for_a_person_to_clear_up() -> None:
    both = facts(chart.allergy("Latex"), chart.allergy("No known allergy"))
    assert await outcomes("allergy", order("metformin"), both) == {"not_checked"}
    of_drugs = facts(chart.allergy("Latex", category=["environment"]), chart.allergy("No known drug allergies"))
    assert await outcomes("allergy", order("metformin"), of_drugs) == {"passed"}


@pytest.mark.parametrize(
    ("medication", "taken", "expected"),
    [
        ("metformin", "Metformin 500 mg tablet", "hard_stop"),
        ("metformin", "Glucophage", "hard_stop"),
        ("amoxicillin", "Augmentin", "hard_stop"),
        ("simvastatin", "Atorvastatin 40 mg tablet", "warning"),
        ("metformin", "Warfarin 5 mg tablet", "passed"),
        ("metformin", "Zorglub drops", "not_checked"),
        ("metformin", "Warfarin / zorgliptin tablet", "not_checked"),
    ],
)
async def test_duplicate(medication: str, taken: str, expected: str) -> None:
    found = await lines("duplicate", order(medication), facts(chart.order(taken, id="m1")))
    assert {check.outcome for check in found} == {expected}
    if expected != "passed":
        assert all("MedicationRequest/m1" in check.basis and taken in check.detail for check in found)


async def test_what_was_stopped_is_no_duplicate() -> None:
    assert await outcomes("duplicate", order("metformin"), facts(chart.order(state="stopped"))) == {"passed"}


async def test_an_order_not_to_give_it_is_a_stop() -> None:
    found = await lines("patient", order("warfarin"), facts(chart.order("Warfarin", doNotPerform=True, id="m1")))
    assert [(check.outcome, check.basis) for check in found] == [("hard_stop", "MedicationRequest/m1")]


@pytest.mark.parametrize(
    ("medication", "resources", "expected"),
    [
        ("metformin", [filtering("22")], "hard_stop"),
        ("metformin", [filtering("29.96")], "hard_stop"),
        ("metformin", [filtering("40")], "warning"),
        ("metformin", [filtering("80")], "passed"),
        ("metformin", [], "not_checked"),
        ("metformin", [filtering("80", "2024-01-01")], "not_checked"),
        ("metformin", [filtering("22", "2024-01-01")], "hard_stop"),
        ("metformin", [filtering("80"), chart.condition("Normal pregnancy")], "not_checked"),
        ("bexarotene", [filtering("80")], "not_checked"),
    ],
)
async def test_renal(medication: str, resources: list[Resource], expected: str) -> None:
    found = await lines("renal", order(medication), facts(*map(dict, resources)))
    assert {check.outcome for check in found} == {expected}
    if expected in ("hard_stop", "warning"):
        assert all("Observation/" in check.basis and "eGFR" in check.detail for check in found)


async def test_missing_values_say_why_and_half_read_observations_never_pass() -> None:
    (missing,) = await lines("renal", order("metformin"), facts())
    assert "no creatinine is recorded" in missing.detail
    unread = facts(filtering("80"), gaps=(Gap("Observation", "timeout"),))
    assert await outcomes("renal", order("metformin"), unread) == {"not_checked"}


@pytest.mark.parametrize(
    ("medication", "born", "expected"),
    [
        ("aspirin", "2020-01-01", {"warning"}),
        ("codeine", "2018-01-01", {"hard_stop"}),
        ("diazepam", "1940-01-01", {"warning"}),
        ("amoxicillin", "1971-01-01", {"passed"}),
        ("aspirin", "1971", {"not_checked"}),
        ("bexarotene", "1971-01-01", {"not_checked"}),
    ],
)
async def test_age(medication: str, born: str, expected: set[str]) -> None:
    assert await outcomes("age", order(medication), facts(birthDate=born)) == expected


@pytest.mark.parametrize(
    ("medication", "resources", "patient", "expected"),
    [
        ("lisinopril", [chart.condition("Normal pregnancy")], {}, "hard_stop"),
        ("amoxicillin", [chart.condition("Normal pregnancy")], {}, "passed"),
        ("lisinopril", [], {"birthDate": "1990-01-01"}, "not_checked"),
        ("lisinopril", [], {"birthDate": "1990-01-01", "gender": "male"}, "passed"),
        ("lisinopril", [], {"birthDate": "1950-01-01"}, "passed"),
        ("lisinopril", [], {"gender": "unknown", "birthDate": "1990-01-01"}, "not_checked"),
    ],
)
async def test_pregnancy(medication: str, resources: list[Resource], patient: dict[str, str], expected: str) -> None:
    found = await lines("pregnancy", order(medication), facts(*map(dict, resources), **patient))
    assert {check.outcome for check in found} == {expected}
    if expected == "hard_stop":
        assert all("Condition/" in check.basis and "Normal pregnancy" in check.detail for check in found)


@pytest.mark.parametrize(
    ("dose", "born", "resources", "expected"),
    [
        ("150 mg", "2019-01-01", [weighing("15")], "passed"),
        ("500 mg", "2019-01-01", [weighing("15")], "hard_stop"),
        ("150 mg", "2019-01-01", [], "not_checked"),
        ("150 mg", "2019-01-01", [weighing("15", "2026-03-01")], "not_checked"),
        ("500 mg", "2019-01-01", [weighing("15", "2026-03-01")], "hard_stop"),
        ("400 mg", "1971-01-01", [], "passed"),
    ],
)
async def test_weight(dose: str, born: str, resources: list[Resource], expected: str) -> None:
    draft = order("ibuprofen", dose, "three times daily")
    assert await outcomes("weight", draft, facts(*map(dict, resources), birthDate=born)) == {expected}


@pytest.mark.parametrize(
    ("medication", "dose", "often", "expected"),
    [
        ("methotrexate", "10 mg", "once daily", "hard_stop"),
        ("methotrexate", "10 mg", "once weekly", "passed"),
        ("alendronate", "70 mg", "once daily", "hard_stop"),
        ("alendronate", "10 mg", "once daily", "passed"),
        ("metformin", "500 mg", "twice daily", "passed"),
        ("methotrexate", "10 mg", "", "not_checked"),
    ],
)
async def test_weekly(medication: str, dose: str, often: str, expected: str) -> None:
    assert await outcomes("weekly", order(medication, dose, often), facts()) == {expected}


@pytest.mark.parametrize(
    ("medication", "dose", "often", "expected"),
    [
        ("metformin", "500 mg", "twice daily", "passed"),
        ("digoxin", "2.5 mg", "once daily", "hard_stop"),
        ("levothyroxine", "100 mg", "once daily", "hard_stop"),
        ("acetaminophen", "1 g", "every 4 hours", "hard_stop"),
        ("insulin glargine", "100 units", "at bedtime", "warning"),
        ("co-amoxiclav", "875/125 mg", "twice daily", "not_checked"),
        ("co-amoxiclav", "8750/1250 mg", "twice daily", "not_checked"),
        ("lisinopril/hydrochlorothiazide", "200/250 mg", "once daily", "hard_stop"),
        ("lisinopril/hydrochlorothiazide", "20/25 mg", "once daily", "not_checked"),
        ("metformin", "", "twice daily", "not_checked"),
        ("bexarotene", "300 mg", "once daily", "not_checked"),
    ],
)
async def test_dose(medication: str, dose: str, often: str, expected: str) -> None:
    route = "subcutaneous" if "insulin" in medication else "by mouth"
    assert await outcomes("dose", order(medication, dose, often, route), facts()) == {expected}


@pytest.mark.parametrize(
    ("medication", "route", "expected"),
    [
        ("vincristine", "intrathecal", "hard_stop"),
        ("vincristine", "intravenous", "passed"),
        ("vincristine", "", "not_checked"),
        ("metformin", "intravenous", "not_checked"),
        ("metformin", "by mouth", None),
        ("metformin", "", None),
    ],
)
async def test_route(medication: str, route: str, expected: str | None) -> None:
    wanted = {expected} if expected else set()
    assert await outcomes("route", order(medication, route=route), facts()) == wanted


@pytest.mark.parametrize(
    ("patient", "outcome"),
    [
        ({"deceasedBoolean": True}, "hard_stop"),
        ({"deceasedDateTime": "2026-02-11"}, "hard_stop"),
        ({"link": [{"type": "replaced-by", "other": {"reference": "Patient/p2"}}]}, "hard_stop"),
        ({"active": False}, "warning"),
        ({"strangers": 3}, "warning"),
    ],
)
async def test_patient(patient: dict[str, object], outcome: str) -> None:
    assert await outcomes("patient", order("amoxicillin"), facts(**patient)) == {outcome}


def trap(row: dict[str, str]) -> tuple[Prescription, Facts]:
    """A line of the traps as it would come out of the user's words."""
    text = row["text"]
    drug, amount = drugs_in(text)[0], find_doses(text)[0]
    often = find_frequencies(text, ends=(drug.end, amount.end))
    routes = find_routes(text, [drug.end, amount.end, *(each.end for each in often)], [drug.start])
    frequency = combine(each.value for each in often)
    draft = Prescription(
        patient_id="p1",
        medication=drug.value,
        ingredients=ingredients(drug.value),
        dose=amount.value,
        frequency=frequency.render() if frequency else "",
        route=routes[0].value if routes else "",
    )
    told = [filtering(text.rpartition("eGFR")[2].strip())] if "eGFR" in text else []
    return draft, facts(*told)


def traps(beginning: str) -> list[dict[str, str]]:
    rows = [json.loads(line) for line in TRAPS.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [row for row in rows if row["expect"].startswith(beginning)]


@pytest.mark.parametrize("row", traps("block_"), ids=lambda row: row["text"])
async def test_traps_that_must_be_blocked_are_stops(row: dict[str, str]) -> None:
    draft, of = trap(row)
    assert "hard_stop" in {check.outcome for check in await checked(draft, of)}


@pytest.mark.parametrize("row", [row for row in traps("ok") if row["expect"] == "ok"], ids=lambda row: row["text"])
async def test_what_is_no_trap_is_not_stopped(row: dict[str, str]) -> None:
    draft, of = trap(row)
    assert "hard_stop" not in {check.outcome for check in await checked(draft, of)}


async def test_no_medicine_passes_silently() -> None:
    """Over the whole dictionary by steps: where no rule knows a medicine, at least one line says so."""
    of = facts(chart.order("Warfarin 5 mg tablet"))
    for name in sorted(names())[::400]:
        found = await checked(order(name, "10 mg"), of)
        assert any(check.outcome == "not_checked" for check in found), name
        assert {check.name for check in found} >= {"allergy", "interaction", "duplicate", "dose", "weekly", "renal"}


async def test_without_ingredients_nothing_is_passed() -> None:
    draft = Prescription(patient_id="p1", medication="zorglub", ingredients=(), dose="5 mg", frequency="once daily")
    found = await checked(draft, facts(chart.order("Warfarin 5 mg tablet")))
    assert {check.outcome for check in found} == {"not_checked"}


async def test_the_gravest_stands_first_and_two_ingredients_share_a_line() -> None:
    of = facts(chart.allergy("Penicillin"), chart.order("Warfarin 5 mg tablet"))
    found = await checked(order("co-amoxiclav", "875/125 mg", "twice daily", "intravenous"), of)
    grades = [("hard_stop", "not_checked", "warning", "passed").index(check.outcome) for check in found]
    assert grades == sorted(grades) and found[0].name == "allergy"
    assert len([check for check in found if check.name == "route"]) == 1


async def test_what_rests_on_the_shipped_tables_says_so() -> None:
    of = facts(filtering("22"))
    tabled = [
        check
        for check in await checked(order("metformin", "500 mg", "twice daily"), of)
        if check.outcome in ("hard_stop", "warning", "passed")
        and check.name in ("dose", "renal", "weekly", "age", "weight")
    ]
    assert tabled and all("not reviewed by a clinician" in check.basis for check in tabled)
    assert all(check.basis.count("not reviewed") == 1 for check in tabled)
