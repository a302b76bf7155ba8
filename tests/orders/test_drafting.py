"""Every door passes here: what cannot be read for certain is asked about, and what was said is never altered."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.drugs.rxnorm import rxnorm_of
from docgemma.entities.amounts.doses import dose_key, parse_dose
from docgemma.entities.amounts.found import find_amounts
from docgemma.entities.amounts.frequencies import parse_frequency
from docgemma.entities.drugs.names import drugs_in, names, same_drug
from docgemma.entities.drugs.spelling import resolve
from docgemma.orders import drafting
from docgemma.orders.drafting import Unclear
from docgemma.orders.model import Allergy, Note, Prescription
from tests.support.tables import each_of

ATTACKS = Path(__file__).parent.parent / "fixtures" / "attacks"


def rows(name: str) -> list[dict[str, Any]]:
    lines = (ATTACKS / name).read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def ordered(drug: str = "metformin", dose: str = "500 mg", often: str = "twice daily", notes: str = "") -> Any:
    return drafting.prescription("p-1", drug, dose, often, notes)


def test_an_order_in_standard_words() -> None:
    assert ordered("Lipitor", "10mg", "qHS", "po; x 7 days; for cholesterol; dispense 30") == Prescription(
        patient_id="p-1",
        medication="lipitor",
        ingredients=("atorvastatin",),
        dose="10 mg",
        frequency="at bedtime",
        route="by mouth",
        duration="for 7 days",
        reason="cholesterol",
        notes="dispense 30",
        rxnorm="83367",
    )


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        (("p-1", "", "", ""), ("medication_name", "dosage", "frequency")),
        (("p-1", "metformin", "500 mg", " "), ("frequency",)),
        (("", "metformin", "500 mg", "daily"), ("patient_id",)),
        (("p 1/x", "metformin", "500 mg", "daily"), ("patient_id",)),
    ],
)
def test_what_is_missing_is_named_exactly(given: tuple[str, str, str, str], missing: tuple[str, ...]) -> None:
    asked = drafting.prescription(*given)
    assert isinstance(asked, Unclear)
    assert asked.missing == missing


@pytest.mark.parametrize(
    ("dose", "often", "field"),
    [
        ("some", "daily", "dosage"),
        ("500", "daily", "dosage"),
        ("0 mg", "daily", "dosage"),
        ("5-10 mg", "daily", "dosage"),
        ("500 mg and 250 mg", "daily", "dosage"),
        ("500 mg orally", "daily", "dosage"),
        ("500 mg", "sometimes", "frequency"),
        ("500 mg", "QD", "frequency"),
        ("500 mg", "daily and twice daily", "frequency"),
        ("500 mg", "twice daily for a while", "frequency"),
    ],
)
def test_an_amount_that_cannot_be_read_is_asked_about(dose: str, often: str, field: str) -> None:
    asked = ordered(dose=dose, often=often)
    assert isinstance(asked, Unclear)
    assert (asked.error_type, asked.missing) == ("unclear_amount", (field,))
    assert asked.question.endswith("?")


@pytest.mark.parametrize(
    ("notes", "fields"),
    [
        (
            "by mouth; for 7 days; for gout",
            {"route": "by mouth", "duration": "for 7 days", "reason": "gout", "notes": ""},
        ),
        ("for pain; for fever", {"reason": "pain, fever", "notes": ""}),
        ("no refills; over 30 minutes", {"notes": "no refills; over 30 minutes", "duration": ""}),
        ("take with food", {"frequency": "twice daily with meals", "notes": ""}),
        ("swallow whole with food", {"frequency": "twice daily with meals", "notes": "swallow whole with food"}),
        ("prn", {"frequency": "twice daily as needed"}),
        ("give intrathecally", {"route": "intrathecal", "notes": "give intrathecally"}),
        ("not IV, check INR weekly", {"route": "", "frequency": "twice daily", "notes": "not IV, check INR weekly"}),
        ("do not exceed 4 g a day", {"notes": "do not exceed 4 g a day"}),
    ],
)
def test_details_go_to_their_fields_and_nothing_is_lost(notes: str, fields: dict[str, str]) -> None:
    made = ordered(notes=notes)
    assert isinstance(made, Prescription), made
    assert {name: getattr(made, name) for name in fields} == fields


@pytest.mark.parametrize(
    ("notes", "field"),
    [
        ("by mouth; intravenous", "notes"),
        ("switched from IV to by mouth", "notes"),
        ("for 7 days; for 10 days", "notes"),
        ("take 1 g first", "notes"),
        ("by mouth; for 7 da…", "notes"),
        ("at bedtime", "frequency"),
        ("three times daily", "frequency"),
        ("give QD", "frequency"),
        ("\u202egnidda", "notes"),
    ],
)
def test_details_that_contradict_are_asked_about(notes: str, field: str) -> None:
    asked = ordered(notes=notes)
    assert isinstance(asked, Unclear)
    assert asked.missing == (field,)


def test_the_route_is_offered_for_picking() -> None:
    asked = ordered(notes="po; IV")
    assert isinstance(asked, Unclear)
    assert asked.suggestions == ("by mouth", "intravenous")


@pytest.mark.parametrize("row", rows("homoglyph_drugs.jsonl"), ids=lambda row: row["kind"])
@pytest.mark.parametrize("kind", ["prescription", "allergy"])
def test_a_disguised_name_is_never_written_nor_corrected(row: dict[str, Any], kind: str) -> None:
    name = row["text"]
    asked = ordered(name) if kind == "prescription" else drafting.allergy("p-1", name, "rash")
    assert isinstance(asked, Unclear)
    assert asked.missing == ("medication_name" if kind == "prescription" else "substance",)
    if row["looks_like"] != "?":
        assert row["looks_like"] in asked.suggestions
    assert not any(sign in asked.question for sign in "\u200b\u00ad\u202e\u2028\ue000")


@each_of("pair", list(csv.DictReader((ATTACKS / "lasa_pairs.csv").open(encoding="utf-8"))), ids=str)
def test_a_look_alike_stays_the_drug_that_was_named(pair: dict[str, str]) -> None:
    for name, other in ((pair["a"], pair["b"]), (pair["b"], pair["a"])):
        made = ordered(name)
        if isinstance(made, Prescription):
            assert made.medication == resolve(name).name and same_drug(made.medication, name)
            assert not same_drug(made.medication, other) or same_drug(name, other)
        else:
            assert made.missing == ("medication_name",)


def spoken_orders() -> Iterator[tuple[dict[str, Any], Any]]:
    """Each trap as the agent would hand it over, and as another program would: name, first amount, the rest."""
    for row in rows("dose_traps.jsonl"):
        drugs = drugs_in(row["text"])
        found = find_amounts(row["text"], drugs)
        drug = drugs[0].text if drugs else row["text"].split()[0]
        dose = found.doses[0].text if found.doses else row["text"]
        often = " ".join(mention.text for mention in found.frequencies) or "daily"
        routes = "; ".join(mention.value for mention in found.routes)
        yield row, drafting.prescription("p-1", drug, dose, often, routes)
        yield row, drafting.prescription("p-1", "metformin", dose, often, routes)


def test_no_trap_becomes_another_amount() -> None:
    """Taken only where the reading is certain; then as the same amount. All that is to be asked is asked."""
    taken = 0
    for row, made in spoken_orders():
        if row["expect"].startswith(("ask_drug", "ask_M", "ask_weight")):
            continue
        if row["expect"].startswith(("ask", "reject")):
            assert isinstance(made, Unclear), row
        elif isinstance(made, Unclear):
            assert made.missing == ("medication_name",), row
        else:
            taken += 1
            unit = {"unit": "units"}.get(row["unit"], row["unit"])
            assert dose_key(made.dose) == dose_key(f"{row['amount']} {unit}"), row
    assert taken >= 40


def test_shorthand_of_a_drug_is_asked_about() -> None:
    for row in rows("dose_traps.jsonl"):
        if row["expect"] in ("ask_MS", "ask_MSO4", "ask_MgSO4", "ask_drug_abbrev"):
            asked = ordered(row["text"].split()[0], "10 mg")
            assert isinstance(asked, Unclear) and asked.missing == ("medication_name",), row


HIDDEN = [
    "\u200b",
    "\u00ad",
    "\u202e",
    "\u2066",
    "\ufeff",
    "\x00",
    "\x07",
    "\u2028",
    "\ue000",
    "\ufe0f",
    "\U000e0041",
    "\u3164",
]


@pytest.mark.parametrize("sign", HIDDEN, ids=ascii)
def test_a_character_that_nobody_sees_is_refused_in_every_field(sign: str) -> None:
    for field in range(5):
        given = ["p-1", "metformin", "500 mg", "twice daily", "by mouth"]
        given[field] = given[field][:2] + sign + given[field][2:]
        assert isinstance(drafting.prescription(*given), Unclear), field
    for field in range(4):
        given = ["p-1", "penicillin", "rash", "mild"]
        given[field] = given[field][:2] + sign + given[field][2:]
        assert isinstance(drafting.allergy(*given), Unclear), field
    for field in range(3):
        given = ["p-1", "progress note", "Slept well."]
        given[field] = given[field][:2] + sign + given[field][2:]
        asked = drafting.note(*given)
        assert isinstance(asked, Unclear), field
        assert sign not in asked.question


@given(st.sampled_from(sorted(names())))
@settings(max_examples=300, deadline=None)
def test_every_name_of_the_dictionary_is_ordered_as_itself(name: str) -> None:
    made = ordered(name)
    if isinstance(made, Unclear):  # "MS", "HCT": names that are error-prone abbreviations too
        assert made.missing == ("medication_name",)
    else:
        assert made.medication == name and made.ingredients == names()[name]


@given(
    st.decimals(min_value="0.001", max_value="99999", places=3),
    st.sampled_from(["mg", "mcg", "g", "mL", "units", "tablets", "mg/kg", "mcg/h", "mEq"]),
    st.sampled_from(["once daily", "every 8 hours", "3 times weekly", "on Monday", "every morning as needed"]),
)
@settings(max_examples=200, deadline=None)
def test_an_amount_is_never_altered(number: Any, unit: str, often: str) -> None:
    made = ordered(dose=f"{number} {unit}", often=often)
    if isinstance(made, Prescription):
        read, again = parse_dose(made.dose), parse_frequency(made.frequency)
        assert read is not None and read.amounts == (number,) and read.render() == made.dose
        assert again is not None and again.render() == made.frequency


@given(st.text(max_size=80), st.text(max_size=40), st.text(max_size=40), st.text(max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_text_gives_a_draft_or_a_question(name: str, dose: str, often: str, notes: str) -> None:
    for made in (
        drafting.prescription("p-1", name, dose, often, notes),
        drafting.prescription("p-1", "metformin", "500 mg", "daily", notes),
        drafting.allergy("p-1", name, notes, dose),
        drafting.note("p-1", name, notes),
    ):
        assert not isinstance(made, Unclear) or (made.question and made.missing)


@pytest.mark.parametrize(
    ("substance", "severity", "expected"),
    [
        ("Penicillin", "Severe", ("penicillin", "severe", "medication", "", ("penicillin",))),
        ("Lipitor", "mild", ("lipitor", "mild", "medication", "", ("atorvastatin",))),
        ("peanuts", "life-threatening", ("peanut", "severe", "food", "high", ())),
        ("bee stings", "anaphylaxis", ("bee stings", "severe", "environment", "high", ())),
        ("sulfa drugs", "", ("sulfa", "", "medication", "", ())),
        ("latex", "low-risk", ("latex", "", "environment", "low", ())),
        ("Kinesio tape", "", ("Kinesio tape", "", "", "", ())),
        ("penicillin tablets", "", ("penicillin tablets", "", "medication", "", ("penicillin",))),
    ],
)
def test_an_allergy_in_standard_words(substance: str, severity: str, expected: tuple[Any, ...]) -> None:
    made = drafting.allergy("p-1", substance, "rash", severity)
    assert isinstance(made, Allergy), made
    assert (made.substance, made.severity, made.category, made.criticality, made.ingredients) == expected


@pytest.mark.parametrize(
    ("substance", "reaction", "severity", "field"),
    [
        ("penicillin", "", "", "reaction"),
        ("", "rash", "", "substance"),
        ("penicillin", "rash", "awful", "severity"),
        ("penicillin", "no reaction", "", "reaction"),
        ("penicillin", "none", "", "reaction"),
        ("penicillin", "not allergic", "", "reaction"),
        ("penicillin", "tolerates it well", "", "reaction"),
        ("NKDA", "unknown", "", "substance"),
        ("none", "unknown", "", "substance"),
        ("no known drug allergies", "unknown", "", "substance"),
        ("penicilin", "rash", "", "substance"),
        ("PCN", "rash", "", "substance"),
        ("penicillin and sulfa", "rash", "", "substance"),
    ],
)
def test_an_allergy_that_is_not_clear_is_asked_about(substance: str, reaction: str, severity: str, field: str) -> None:
    asked = drafting.allergy("p-1", substance, reaction, severity)
    assert isinstance(asked, Unclear)
    assert asked.missing == (field,)


def test_an_unknown_reaction_may_stay_unknown() -> None:
    for said in ("unknown", "Not known", "reaction unknown", "unsure"):
        made = drafting.allergy("p-1", "latex", said)
        assert isinstance(made, Allergy) and made.reaction == "unknown"


def test_a_name_that_the_user_stands_by_is_recorded_as_it_is() -> None:
    made = drafting.allergy("p-1", "penicilin", "rash", confirmed=("penicilin",))
    assert isinstance(made, Allergy)
    assert (made.substance, made.ingredients, made.category) == ("penicilin", (), "")


def test_anaphylaxis_is_of_high_risk_unless_it_is_denied() -> None:
    grave = drafting.allergy("p-1", "latex", "anaphylactic shock")
    harmless = drafting.allergy("p-1", "latex", "rash, no anaphylaxis")
    assert isinstance(grave, Allergy) and isinstance(harmless, Allergy)
    assert (grave.criticality, harmless.criticality) == ("high", "")


@pytest.mark.parametrize(
    ("said", "kind", "loinc"),
    [
        ("progress", "progress note", "11506-3"),
        ("Consultation", "consult note", "11488-4"),
        ("Discharge Summary", "discharge summary", "18842-5"),
        ("H&P", "history and physical note", "34117-2"),
        ("procedure note", "procedure note", "28570-0"),
        ("op note", "operative note", "11504-8"),
        ("renal consult note", "renal consult note", "11488-4"),
        ("SOAP", "SOAP note", "34109-9"),
        ("Chat with the family", "Chat with the family", "34109-9"),
    ],
)
def test_a_note_has_a_kind_and_its_code(said: str, kind: str, loinc: str) -> None:
    made = drafting.note("p-1", said, "Slept well.")
    assert isinstance(made, Note)
    assert (made.note_type, made.loinc) == (kind, loinc)


def test_a_note_keeps_every_word() -> None:
    text = "Plan:\n\t1. Start metformin 500 mg QD.\n\t2. “Über” weekly"
    made = drafting.note("p-1", "progress", f"  {text}\r\n".replace("\n", "\r\n"))
    assert isinstance(made, Note)
    assert made.text == text and not made.by_model
    assert isinstance(drafting.note("p-1", "progress", " \n "), Unclear)
    assert isinstance(drafting.note("p-1", "progress", "x" * 20_001), Unclear)


def test_only_a_single_ingredient_has_an_identifier() -> None:
    assert rxnorm_of(("metformin",)) == "6809"
    assert rxnorm_of(("amoxicillin", "clavulanate")) == ""
    assert rxnorm_of(("penicillin",)) == ""  # a family, not the one salt that carries an identifier
    assert rxnorm_of(()) == ""
