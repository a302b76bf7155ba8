"""Absence and safety are asserted only where a source of the turn asserts them; advice and open questions stay."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from docgemma.agent.answer.check import check
from docgemma.agent.answer.evidence import Evidence
from docgemma.clinical import ToolResult
from docgemma.tools.results import ChartSection, DrugSafetyReport, Interaction, InteractionReport, PatientChart
from tests.support.tables import each_of

DRUGS = re.compile(
    r"\b(?:warfarin|ibuprofen|metformin|dofetilide|aspirin|lisinopril|penicillin|amoxicillin|atorvastatin|digoxin)\b",
    re.IGNORECASE,
)
REASON = "reassurance not in the sources"


def drugs_in(text: str) -> Sequence[str]:
    return [name.lower() for name in DRUGS.findall(text)]


def chart(*allergies: str) -> PatientChart:
    return PatientChart(
        status="found",
        patient_id="p1",
        banner="Test Patient, born 1958-11-20, female",
        sections=(
            ChartSection(title="Allergies", entries=allergies),
            ChartSection(title="Medications", entries=("Warfarin 5 mg once daily",)),
            ChartSection(title="Labs", entries=("eGFR 71 mL/min", "Potassium 4.1 mmol/L")),
        ),
    )


PARTLY = InteractionReport(
    status="found",
    interactions=(Interaction(drugs=("warfarin", "aspirin"), severity="major", significance="more bleeding"),),
    not_checked=("warfarin with ibuprofen",),
)
BOXED = DrugSafetyReport(
    status="found",
    drug="dofetilide",
    boxed_warnings=("Torsade de pointes.",),
    contraindications=("Long QT syndrome.",),
)
FOUND = [chart("Penicillin: hives"), PARTLY, BOXED]

REASSURING = """
Dofetilide is fine.
Yes, dofetilide is perfectly OK here.
There are no interactions between these drugs.
There are no known interactions between warfarin and ibuprofen.
No clinically significant interactions were found.
No drug-drug interactions were identified.
No other interactions were found.
I did not find any interactions.
The check did not reveal any interactions.
There aren't any interactions.
There is no evidence of an interaction.
**Interactions:** None.
Contraindications: none known
- None
None known.
Warfarin does not interact with ibuprofen.
These medications don't interact.
Neither drug interacts with the other.
Warfarin and ibuprofen can be combined safely.
Warfarin and ibuprofen can be taken together.
These drugs can be given together.
It is safe to combine warfarin and ibuprofen.
Dofetilide is safe.
Dofetilide is safe for use.
Dofetilide is **safe** for use.
Dofetilide is generally considered safe in renal impairment.
Dofetilide can be safely used.
Dofetilide is a safe alternative.
Yes, it is safe.
Safe to use.
It's okay to take ibuprofen with warfarin.
Ibuprofen should be safe for her.
You can safely prescribe ibuprofen.
She has no known drug allergies.
No known drug allergies.
NKDA.
No allergies on file.
She has no penicillin allergy.
She is not allergic to penicillin.
The patient doesn't have any allergies.
No record of any drug allergy was found.
Her renal function is normal.
Kidney function: normal.
She has normal renal function.
Her labs are within normal limits.
The patient has no history of heart failure.
She has no risk factors for bleeding.
There are no contraindications to metformin.
Metformin is not contraindicated.
There is no boxed warning for dofetilide.
Dofetilide does not carry a boxed warning.
No warnings apply.
There is no increased risk of bleeding.
This combination poses no risk.
Ibuprofen can be given without risk.
No adverse effects are expected.
There are no safety concerns.
There is no cause for concern.
There is nothing to worry about.
I can confirm that there are no interactions.
I reviewed the chart and found no contraindications.
The allergy check found no conflicts.
When taken together, there are no interactions.
I believe there are no interactions.
I was able to confirm that there are no interactions.
Ibuprofen, which has no interactions, is preferred.
Once daily dofetilide is safe.
There is no doubt that dofetilide is safe.
Studies have shown that dofetilide is safe.
Warfarin need not be stopped and there are no interactions.
No interactions were found; the dose was not confirmed.
She can take ibuprofen safely.
Ibuprofen and warfarin are compatible.
Interaction check: no issues found.
I see no problem with this combination.
No red flags.
The risk of bleeding is not increased.
This is a risk-free option.
You don't need to worry about interactions.
Her allergy list is empty.
Allergies - none
She's not allergic to anything.
Nothing in the chart contraindicates ibuprofen.
There is no contraindication to dofetilide.
""".strip().splitlines()

OPEN = """
If no contraindications exist, an alternative may be started.
If there are no allergies, continue.
Ensure that there are no contraindications before starting.
Verify that the patient has no sulfa allergy.
Please confirm that renal function is normal.
Before starting, check that she has no allergies.
Use it only if renal function is normal.
It is safe only if the dose is reduced.
It is not safe to combine them.
This combination is unsafe.
It may not be safe.
It is never safe to do so.
Safety has not been established in pregnancy.
It is unclear whether the combination is safe.
It is not known whether this is safe.
There is no evidence that this is safe.
Whether it is safe was not checked.
The interaction was not checked.
No interaction check was performed.
No interaction data were found for this pair.
No interactions could be ruled out.
No interactions were checked.
No allergy information is available.
No articles on this interaction were found.
No trials were found.
No dose is considered safe in pregnancy.
None of these is safe.
There is no safe level of exposure.
NSAIDs are not without risk.
No treatment is without risk.
Bleeding can occur without warning.
In patients without contraindications it is first-line.
It is preferred for patients with no allergies.
In adults with normal renal function no change is needed.
In people with no history of heart failure it may be tried.
Is it safe to combine them?
Does she have no known allergies?
Do not assume that she has no allergies.
This does not mean that there is no interaction.
A missing entry does not mean that there are no allergies.
Consider a safer alternative.
Monitor for adverse effects.
The risk of bleeding is increased.
There is a risk of bleeding.
It is contraindicated in long QT syndrome.
Allergies: penicillin (hives).
The boxed warning concerns torsade de pointes.
Keep it in a safe place.
Ask which medicines are safe.
Safe use requires ECG monitoring.
There are often no warning signs.
No dose adjustment is described.
Her eGFR of 71 mL/min is within normal limits.
Her potassium is normal at 4.1 mmol/L.
They can be taken together only with close monitoring.
I cannot confirm that this is safe.
I recommend checking that there are no contraindications.
If the dose is stable and there are no contraindications, continue.
Consider an alternative without bleeding risk.
Without monitoring, the risk of torsade de pointes is higher.
There is not enough information to say that it is safe.
Serious reactions can occur even in patients with no prior allergy.
No conclusion about safety can be drawn.
To use dofetilide safely, start it in hospital.
Vertigo comes with little or no warning.
These stretches of DNA can be combined in different ways.
There are ways to keep blood pressure normal.
Talk to the patient about which medicines are safe.
""".strip().splitlines()


@each_of("sentence", REASSURING)
def test_what_no_source_says_is_not_promised(sentence: str) -> None:
    checked = check(sentence, Evidence.of(FOUND, drugs_in=drugs_in))
    assert (checked.text, checked.dropped) == ("", REASON)


@each_of("sentence", [line for line in REASSURING if "function" not in line])
def test_nor_from_memory(sentence: str) -> None:
    evidence = Evidence.of(user=("Is it safe for her?",), chart=("Test Patient",), direct=True, drugs_in=drugs_in)
    assert check(sentence, evidence).dropped == REASON


@pytest.mark.parametrize("sentence", OPEN)
@pytest.mark.parametrize("direct", [False, True])
def test_advice_conditions_and_gaps_stay(sentence: str, direct: bool) -> None:
    evidence = Evidence.of(FOUND, direct=direct, drugs_in=drugs_in)
    assert check(sentence, evidence).dropped is None


CHECKED = "No interaction is described in the labels of metformin and lisinopril."
NO_INTERACTION = [
    "No interactions were found.",
    "There is no known interaction between metformin and lisinopril.",
    "Metformin does not interact with lisinopril.",
]


@pytest.mark.parametrize("sentence", NO_INTERACTION)
def test_none_on_full_sources_may_be_said(sentence: str) -> None:
    evidence = Evidence.of([InteractionReport(status="none", message=CHECKED)], drugs_in=drugs_in)
    assert check(sentence, evidence).text == sentence


@pytest.mark.parametrize("sentence", NO_INTERACTION)
@pytest.mark.parametrize(
    "report",
    [
        InteractionReport(status="none", not_checked=("metformin with lisinopril",)),
        InteractionReport(status="none", demonstration=True),
        InteractionReport(status="not_found", message="The drug is not known."),
        InteractionReport(status="unavailable", message="The source did not answer."),
    ],
)
def test_a_gap_clears_nothing(sentence: str, report: ToolResult) -> None:
    evidence = Evidence.of([report], user=("metformin with lisinopril",), drugs_in=drugs_in)
    assert check(sentence, evidence).dropped == REASON


def test_one_clear_report_does_not_speak_for_another() -> None:
    reports = [InteractionReport(status="none", message=CHECKED), PARTLY]
    evidence = Evidence.of(reports, drugs_in=drugs_in)
    assert check("There are no interactions.", evidence).dropped == REASON
    assert check("There is no interaction between warfarin and lisinopril.", evidence).dropped == REASON
    assert check("There is no interaction between metformin and lisinopril.", evidence).dropped is None


def test_nothing_besides_what_was_found() -> None:
    report = PARTLY.model_copy(update={"not_checked": ()})
    evidence = Evidence.of([report], drugs_in=drugs_in)
    assert check("No other interactions were found.", evidence).dropped is None
    assert check("No interactions were found.", evidence).dropped == REASON


def test_none_found_is_still_not_safe() -> None:
    evidence = Evidence.of([InteractionReport(status="none", message=CHECKED)], drugs_in=drugs_in)
    assert check("Metformin and lisinopril can be combined safely.", evidence).dropped == REASON


@pytest.mark.parametrize("entry", ["No known allergies", "NKDA", "None recorded", "No known drug allergies"])
def test_a_chart_without_allergies_may_be_quoted(entry: str) -> None:
    evidence = Evidence.of([chart(entry)], drugs_in=drugs_in)
    for sentence in (
        "She has no known drug allergies.",
        "No allergies are recorded.",
        "She has no penicillin allergy.",
    ):
        assert check(sentence, evidence).dropped is None, sentence


def test_one_denied_allergy_is_not_all() -> None:
    evidence = Evidence.of([chart("No allergy to latex")], drugs_in=drugs_in)
    assert check("She has no allergies.", evidence).dropped == REASON
    assert check("She has no allergy to latex.", evidence).dropped is None


def test_a_label_without_a_boxed_warning_may_be_quoted() -> None:
    plain = DrugSafetyReport(status="found", drug="amoxicillin", contraindications=("Serious hypersensitivity.",))
    evidence = Evidence.of([plain, BOXED], drugs_in=drugs_in)
    assert check("Amoxicillin has no boxed warning.", evidence).dropped is None
    assert check("Amoxicillin has no contraindications.", evidence).dropped == REASON
    assert check("Dofetilide has no boxed warning.", evidence).dropped == REASON
    assert check("There are no boxed warnings.", evidence).dropped == REASON


@pytest.mark.parametrize(
    ("sentence", "stays"),
    [
        ("No clinically significant interaction was seen when atorvastatin was given with digoxin.", True),
        ("Atorvastatin has no clinically significant interaction with digoxin.", True),
        ("Atorvastatin has no interactions.", False),
        ("Atorvastatin has no interaction with warfarin.", False),
        ("Atorvastatin is safe with digoxin.", False),
        ("It was found to be safe in adults with hypertension.", True),
        ("It was found to be safe.", False),
    ],
)
def test_a_source_backs_its_own_words_and_not_more(sentence: str, stays: bool) -> None:
    label = ToolResult(
        status="found",
        message=(
            "Atorvastatin: no clinically significant interaction was seen with digoxin. Warfarin was not studied.\n"
            "The drug was found to be safe in adults with hypertension."
        ),
    )
    checked = check(sentence, Evidence.of([label], drugs_in=drugs_in))
    assert (checked.dropped is None) == stays
