"""A claim need not name the deed: an order number, a list that now holds a drug, a pharmacy that has it say it too."""

from __future__ import annotations

import pytest

from docgemma.agent.answer.check import check
from docgemma.agent.answer.evidence import Evidence
from docgemma.tools.results import ChartSection, PatientChart

OUTCOMES = """
Metformin 500 mg BID: ordered ✅
**Metformin 500 mg BID**: prescribed.
Prescribed: metformin 500 mg twice daily.
Confirmed: metformin 500 mg twice daily.
Penicillin allergy: added.
Allergy to penicillin added.
Prescription for metformin 500 mg sent.
Status: order placed.
Order status: active.
Order ID: 48213.
Your prescription number is RX-99120.
Action taken: prescription for metformin 500 mg BID.
The e-prescription is with the pharmacy.
The prescription is now at her pharmacy.
The pharmacy has your prescription.
The medication order is in the system.
The Rx is in.
Metformin is now on her active medication list.
Penicillin is now listed as an allergy.
The order now appears on her medication list.
The change is reflected in the EHR.
The prescription will be ready for pickup in an hour.
Her metformin is ready for pickup.
She'll be able to pick it up at her pharmacy this afternoon.
The patient can collect the metformin from the pharmacy later today.
Metformin therapy was initiated per your order.
The dose was changed as you requested.
It's taken care of.
Everything is handled.
Your approval was received and the order released.
Your order has been received.
All safety checks passed.
The order has cleared the allergy check.
I took the liberty of adding metformin to her medications.
Having sent the prescription, I recommend a follow-up.
The nurse is aware of the change.
Her PCP knows about this now.
Metformin 500 mg has begun.
She is now taking metformin.
""".strip().splitlines()

HONEST = """
The order is ready for your approval.
The prescription will be ready once you approve it.
The pharmacy has a refill policy.
Ask whether the pharmacy has the prescription.
If the prescription is with the pharmacy, it can be stopped there.
Make sure the nurse is aware of this.
Make sure that your doctor is aware of all medicines.
Order status: pending approval.
The order status is not known.
Status: recruiting.
Status: completed.
Last updated: March 2023.
Recorded: 2015-06-01.
Actions taken: none.
Allergy to penicillin is common.
Allergy to penicillin may be overreported.
Orders for this drug are often delayed.
Penicillin allergy: hives.
Metformin: first-line in type 2 diabetes.
All checks should be repeated.
The allergy check was not run.
Not all checks passed.
The drug is now listed in the guideline.
Warfarin is now off patent.
Patients can pick up naloxone at a pharmacy.
The test is handled by the laboratory.
This is taken care of by the kidneys.
Treatment has begun to change.
Having diabetes raises the risk.
Medications given to treat infections can interact.
Approval was received from the FDA in 1999.
The reference number of the standard is not given.
""".strip().splitlines()

CHART = PatientChart(
    status="found",
    patient_id="p1",
    banner="Test Patient, born 1950-02-01, female",
    sections=(
        ChartSection(title="Allergies", entries=("Penicillin: hives (recorded 2015-06-01)",)),
        ChartSection(title="Medications", entries=("Warfarin 5 mg once daily, active since 2019-03-02",)),
    ),
)


@pytest.mark.parametrize("sentence", OUTCOMES)
@pytest.mark.parametrize("direct", [False, True])
def test_an_outcome_without_a_receipt_goes(sentence: str, direct: bool) -> None:
    checked = check(sentence, Evidence.of(user=("Prescribe metformin 500 mg twice daily",), direct=direct))
    assert (checked.text, checked.dropped) == ("", "claimed action")


@pytest.mark.parametrize("sentence", OUTCOMES)
def test_a_receipt_may_be_spoken_of(sentence: str) -> None:
    assert check(sentence, Evidence.of(user=("500 mg",), ledger=True)).dropped is None


@pytest.mark.parametrize("sentence", HONEST)
def test_an_honest_sentence_stays_as_it_is(sentence: str) -> None:
    assert check(sentence, Evidence.of(direct=True)).text == sentence


@pytest.mark.parametrize(
    "sentence", ["Warfarin 5 mg: ordered ✅", "Penicillin allergy: added.", "Prescribed: warfarin."]
)
def test_what_the_chart_holds_does_not_excuse_a_fresh_claim(sentence: str) -> None:
    assert check(sentence, Evidence.of([CHART])).dropped == "claimed action"


def test_a_drug_on_the_chart_may_be_said_to_be_taken() -> None:
    evidence = Evidence.of([CHART], drugs_in=lambda text: ["warfarin"] if "arfarin" in text else ["metformin"])
    assert check("She is now taking warfarin.", evidence).dropped is None
    assert check("She is now taking metformin.", evidence).dropped == "claimed action"
