"""Beside an answer about drugs: allergies on record that concern them, and what was asked and not looked up."""

from __future__ import annotations

import pytest

from docgemma.agent.answer.gaps import CONFLICT, Call, allergy_conflicts, gaps
from docgemma.tools.results import (
    ChartSection,
    DrugSafetyReport,
    Interaction,
    InteractionReport,
    PatientChart,
    PatientSearchResult,
)

SAFETY = DrugSafetyReport(status="found", drug="amoxicillin", contraindications=("Allergy to a penicillin.",))
PAIR = InteractionReport(
    status="found",
    interactions=(Interaction(drugs=("lisinopril", "ibuprofen"), severity="moderate", quote="Kidney injury."),),
)


def chart(*allergies: str, medicines: tuple[str, ...] = ()) -> Call:
    sections = (
        ChartSection(title="Allergies and intolerances", entries=allergies),
        ChartSection(title="Active medications", entries=medicines),
    )
    return {"patient_id": "x"}, PatientChart(status="found", patient_id="x", sections=sections)


def safety(drug: str) -> Call:
    return {"drug_name": drug}, SAFETY.model_copy(update={"drug": drug})


def pair(*drugs: str) -> Call:
    return {"drug_names": list(drugs)}, PAIR


@pytest.mark.parametrize(
    ("recorded", "drug", "conflict"),
    [
        ("Penicillin: Anaphylaxis (severe); criticality high; active, confirmed", "amoxicillin", True),
        ("Penicillin: Hives; active, confirmed", "Augmentin", True),
        ("Sulfonamide antibiotics: Rash; active, confirmed", "Bactrim", True),
        ("Codeine: Nausea; intolerance, medication; active", "codeine", True),
        ("Penicillin: Hives; active, confirmed", "metformin", False),
        ("No known allergy (stated in the record; recorded 2025-01-28, confirmed)", "amoxicillin", False),
        ("REFUTED, not an allergy: Penicillin: tolerated amoxicillin in 2022", "amoxicillin", False),
        ("No longer in force: the statement “No known allergy” (now inactive)", "amoxicillin", False),
        ("Nitrofurantoin: Rash; “Tolerates amoxicillin.”", "amoxicillin", False),
    ],
)
def test_an_allergy_of_the_chart_is_held_against_the_drug(recorded: str, drug: str, conflict: bool) -> None:
    lines = allergy_conflicts([chart(recorded), safety(drug)])
    assert bool(lines) == conflict
    assert all(line.startswith(f"{CONFLICT} ({drug}): ") for line in lines)


def test_what_rests_on_a_table_of_ours_says_so() -> None:
    (by_kind,) = allergy_conflicts([chart("Penicillin: Hives"), safety("amoxicillin")])
    (itself,) = allergy_conflicts([chart("Codeine: Nausea"), safety("codeine")])
    assert by_kind.endswith("not reviewed by a clinician)")
    assert "not reviewed" not in itself


def test_without_a_chart_the_patient_on_screen_counts_and_nobody_else() -> None:
    known = ("Penicillin (high criticality)",)
    assert allergy_conflicts([safety("amoxicillin")], known)
    assert allergy_conflicts([({"drug_names": ["warfarin", "amoxicillin"]}, PAIR)], known)
    searched: Call = ({"name": "Somebody Else"}, PatientSearchResult(status="none"))
    assert not allergy_conflicts([searched, safety("amoxicillin")], known)
    assert not allergy_conflicts([chart("Latex: Rash"), safety("amoxicillin")], known)


def test_a_drug_whose_label_could_not_be_read_is_held_against_allergies_too() -> None:
    failed: Call = ({"drug_name": "amoxicillin"}, DrugSafetyReport(status="unavailable", error_type="timeout"))
    assert allergy_conflicts([chart("Penicillin: Hives"), failed])


MEDICINES = ("Warfarin 5 mg tablet: 1 tablet daily", "Metformin 500 mg tablet: twice daily")


@pytest.mark.parametrize(
    ("question", "calls", "told"),
    [
        ("Check his meds for interactions", [chart(medicines=MEDICINES)], "interactions between the medicines"),
        ("any black box warnings on his drugs?", [chart(medicines=MEDICINES)], "boxed warnings of the medicines"),
        (
            "Can I give him amiodarone?",
            [chart(medicines=MEDICINES), safety("amiodarone")],
            "amiodarone with the medicines on record",
        ),
        ("Are lisinopril and ibuprofen ok in pregnancy?", [pair("lisinopril", "ibuprofen")], "pregnancy"),
        ("Is amoxicillin ok while breastfeeding?", [safety("amoxicillin")], "breastfeeding"),
    ],
)
def test_what_was_asked_and_not_looked_up_is_said(question: str, calls: list[Call], told: str) -> None:
    (line,) = gaps(calls, question)
    assert told in line
    assert line.startswith(("Not checked: ", "On "))


@pytest.mark.parametrize(
    ("question", "calls"),
    [
        ("Show me his chart", [chart(medicines=MEDICINES)]),
        ("Is warfarin safe for him?", [chart(medicines=MEDICINES), safety("warfarin")]),
        ("Does amiodarone interact with his meds?", [chart(medicines=MEDICINES), pair("amiodarone", "warfarin")]),
        ("Can I give him amiodarone?", [chart(medicines=()), safety("amiodarone")]),
        ("Are lisinopril and ibuprofen ok with weak kidneys?", [pair("lisinopril", "ibuprofen")]),
        ("Is amoxicillin ok in penicillin allergy?", [safety("amoxicillin")]),
    ],
)
def test_what_was_answered_leaves_no_gap(question: str, calls: list[Call]) -> None:
    assert gaps(calls, question) == ()


def test_the_medicines_of_the_patient_on_screen_count_where_something_is_to_be_given() -> None:
    calls = [safety("amiodarone")]
    assert gaps(calls, "any problem adding amiodarone?", taken=MEDICINES)
    assert gaps(calls, "What is the boxed warning of amiodarone?", taken=MEDICINES) == gaps(
        calls, "What is the boxed warning of amiodarone?"
    )
