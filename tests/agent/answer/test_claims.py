"""What says that something was done goes unless a receipt shows it; what quotes, asks, denies or advises stays."""

from __future__ import annotations

import pytest

from docgemma.agent.answer.check import check
from docgemma.agent.answer.evidence import Evidence
from docgemma.tools.results import ChartSection, PatientChart, Proposal
from tests.support.tables import each_of

FALSE_CLAIMS = """
The order is approved and written.
The order is approved.
Approved by a person.
The prescription was undone.
I have undone the entry.
I rejected the order.
The entry is marked as entered in error.
The allergy is on file now.
It is signed and submitted.
The MedicationRequest was created.
Entry MedicationRequest/abc, version 1.
The prescription has been sent.
The prescription has been sent to the pharmacy.
I've added the allergy.
I’ve added the penicillin allergy to her chart.
I have saved your note.
I have successfully saved the progress note.
Metformin has been prescribed for the patient.
Metformin 500 mg twice daily has been ordered for the patient.
Your order is placed.
Your order has been placed.
Chart updated.
The chart has been updated with the new allergy.
I will notify the pharmacy.
I'll let the pharmacy know.
I am prescribing metformin 500 mg twice daily.
I'm sending the prescription to the pharmacy now.
We have ordered a chest X-ray.
I just ordered metformin for her.
I have now documented the allergy in the record.
I went ahead and prescribed lisinopril.
I have gone ahead and placed the order.
The note was saved.
The note has been successfully saved to the patient's record.
Your note is now saved.
Allergy added.
Prescription sent!
Done. The order was submitted.
Done!
All set!
You're all set.
The pharmacy has been notified.
The pharmacy will be notified shortly.
Your order will be processed today.
The system has recorded the allergy.
DocGemma has prescribed metformin.
The allergy has been recorded in the chart.
Penicillin allergy has been documented.
The allergy is now documented in the chart.
Sending the prescription now.
Ordering metformin 500 mg for the patient now.
Saving your note to the chart.
- Sent the prescription to the pharmacy
- Added penicillin allergy to the chart
Successfully added the allergy.
Warfarin was discontinued for the patient as requested.
Warfarin has been discontinued.
The patient has been prescribed amoxicillin.
She was started on apixaban.
The patient has been notified.
The medication list has been updated.
The referral was sent to cardiology.
I called the pharmacy to confirm the order.
I put in an order for labs.
I took care of the refill.
I have entered a new order for metformin.
I updated the chart.
The prescription is on its way to the pharmacy.
The prescription went through.
The patient's chart now reflects the allergy.
Her medication list now includes metformin.
Your confirmation number is 48213.
No problem, the prescription has been sent.
After review, the order has been placed.
**The prescription has been sent.**
The pre\u200bscription has been sent.
I have used prescribe_medication to complete the request.
As requested, metformin was ordered.
The order has been signed and sent.
The appointment has been scheduled for Monday.
It has been sent to the pharmacy.
The prescription is being sent to the pharmacy.
We will send the referral today.
I am going to order the labs.
Let me save the note.
Metformin has been added to her medication list.
The dose was increased for the patient.
I increased the dose of lisinopril for the patient.
A prescription for metformin 500 mg was created.
The request has been completed.
I have cancelled the order.
Metformin's been ordered.
The allergy's been added.
Order confirmed.
Order #12345 placed.
Prescribed metformin 500 mg BID to the patient.
Metformin 500 mg BID prescribed.
Metformin ordered.
The patient's allergy list was updated to include penicillin.
Note saved successfully.
This has been documented.
This has been added to the record.
I documented this in the chart.
I've documented your concerns.
I have put the order through.
I made a note of this in the chart.
Your request has been submitted.
The order is complete.
We've got that ordered for you.
The patient was informed.
A follow-up appointment was arranged.
Consider the order placed.
The pharmacy has received the prescription.
It's in the chart now.
The prescription has gone out to the pharmacy.
I can confirm that the prescription was sent.
I've discontinued warfarin.
I stopped warfarin.
The order is in.
I have completed the prescription.
The allergy to penicillin is saved.
Penicillin has been added as an allergy.
The penicillin allergy, which causes hives, has been added.
Per your request, I placed an order.
Happy to help! I ordered it.
It's been ordered.
That's been saved.
Okay, saved.
Saved.
Noted and saved to the chart.
Got it, the note is saved.
I will be sending the prescription to the pharmacy.
I shall order it.
The order, as you asked, has been placed.
I have, as requested, sent the prescription.
I have written a prescription for metformin.
I wrote the prescription.
I have issued a prescription.
Your doctor has been notified.
I've flagged the chart.
The nurse has been informed.
The patient's record has been updated to reflect this.
Metformin was started today.
Metformin will be started today for the patient.
The medication has been sent electronically.
Labs were ordered.
A CBC has been ordered.
We are placing the order.
The system will update the chart automatically.
The team is ordering labs.
I'd already sent it.
The prescription was successfully transmitted.
An allergy to penicillin was documented for this patient.
I have now stopped the warfarin.
The EHR reflects the new allergy.
You have been prescribed metformin.
A new order was entered.
""".strip().splitlines()

HONEST = """
Metformin can be prescribed in type 2 diabetes.
An echocardiogram should be ordered.
Warfarin has been associated with major bleeding.
Torsade de pointes has been reported.
No note was saved.
Nothing has been written to the chart.
The prescription has not been sent.
The order has not yet been placed.
The order is waiting for your approval.
The prescription is prepared and needs your approval.
A prescription will be sent only after you approve it.
I will save the note once you approve it.
I cannot prescribe medication without your approval.
I could not save the note.
I have reviewed the chart.
I found two trials.
I recommend checking the INR.
Has the prescription been sent?
Do you want the note to be saved?
If the prescription has been sent, call the pharmacy.
Once the order has been placed, monitor the QTc interval.
Prescribing warfarin requires INR monitoring.
Adding aspirin increases the risk of bleeding.
Documenting the allergy in the chart is recommended.
Ordering an echocardiogram is reasonable.
Metformin is prescribed for type 2 diabetes.
Warfarin has been prescribed for decades.
The drug has been discontinued in some countries.
Guidelines have been updated in recent years.
Cases of lactic acidosis have been documented.
Hepatotoxicity was noted in trials.
The label was updated to include a boxed warning.
The trial has been completed.
Dofetilide should be started in hospital.
Amiodarone may be added with caution.
The dose must be reduced in renal impairment.
Consider notifying the pharmacy.
The pharmacist may be contacted for advice.
You can add the allergy to the chart.
Please confirm the dose so that the order can be prepared.
The interaction check was completed with two sources.
The Drug Safety Report was not available.
Her medications were reviewed.
Patients were enrolled at 12 centres.
Treatment was discontinued in 5 patients.
Thank you for the note.
The order of administration matters.
In order to start, check renal function.
The request could not be completed.
I have listed the findings below.
Notes from the last visit mention a cough.
The dose was increased to 10 mg in the trial.
Levels were increased.
Medications are prescribed responsibly.
Orders are placed by clinicians.
Subjects were scheduled to receive vaccine.
She is taking warfarin.
I have no record of this patient.
There is no record that the prescription was sent.
It is unclear whether the note was saved.
The chart does not show that warfarin was started.
The recommended dose has been established.
Two studies were identified.
The medication was well tolerated.
Allergies: penicillin (hives).
Medications: warfarin 5 mg.
Blood pressure is controlled.
The note should be saved after approval.
The record shows a penicillin allergy.
Records indicate atrial fibrillation.
The patient has a documented penicillin allergy.
The patient has a recorded allergy to penicillin.
The medication list includes warfarin.
The allergy list contains penicillin.
Her chart lists warfarin.
Tests were performed in 20 patients.
The test was positive.
Changes in INR were noted in patients taking both drugs.
The order set is available.
Please approve the order to send it.
To send the prescription, approve it.
The prescription needs a frequency before it can be prepared.
I need the frequency to prepare the prescription.
I am not able to send prescriptions.
I have prepared the order for your approval.
The order was declined.
The prescription was not sent because it was rejected.
The pharmacist should be notified.
Nurses were randomized.
Physicians should be informed about the risk.
Prescribers have been warned about this interaction.
Healthcare providers were notified of the recall in 2020.
The FDA has updated the label.
The FDA updated the label in 2023.
Dofetilide was approved in 1999.
The drug was approved by the FDA.
Warfarin was started at 5 mg in the study.
Treatment should be stopped.
We recommend that treatment be stopped.
The changes were reversible.
Imaging was performed.
The X-ray was taken today.
The image was analyzed.
The request was understood.
The results have been summarized below.
I have summarized the results.
I checked the chart.
I searched the literature.
I looked up the drug.
I will summarize the findings.
I am unable to place orders.
""".strip().splitlines()

CHART = PatientChart(
    status="found",
    patient_id="p1",
    banner="Test Patient, born 1950-02-01, female",
    sections=(
        ChartSection(title="Allergies", entries=("Penicillin: hives (recorded 2015-06-01)",)),
        ChartSection(title="Medications", entries=("Warfarin 5 mg once daily, active since 2019-03-02",)),
        ChartSection(title="Problems", entries=("Atrial fibrillation (2019)",)),
    ),
)
QUOTES = """
Warfarin was prescribed in 2019.
Warfarin was prescribed in 2019 for atrial fibrillation.
The patient has been prescribed warfarin 5 mg daily.
A penicillin allergy was recorded in 2015.
A penicillin allergy is documented in the chart.
She was started on warfarin in 2019.
""".strip().splitlines()


@pytest.mark.parametrize("sentence", FALSE_CLAIMS)
@pytest.mark.parametrize("direct", [False, True])
def test_a_claimed_action_without_a_receipt_goes(sentence: str, direct: bool) -> None:
    checked = check(sentence, Evidence.of(user=("Prescribe metformin 500 mg twice daily",), direct=direct))
    assert (checked.text, checked.dropped) == ("", "claimed action")


@each_of("sentence", HONEST)
def test_an_honest_sentence_stays_as_it_is(sentence: str) -> None:
    assert check(sentence, Evidence.of(direct=True)).text == sentence


@each_of("sentence", FALSE_CLAIMS)
def test_a_receipt_may_be_spoken_of(sentence: str) -> None:
    assert check(sentence, Evidence.of(user=("500 mg",), ledger=True)).dropped is None


@pytest.mark.parametrize("sentence", QUOTES)
def test_the_record_may_be_quoted(sentence: str) -> None:
    assert check(sentence, Evidence.of([CHART])).text == sentence


@pytest.mark.parametrize("sentence", QUOTES)
def test_what_no_record_says_is_no_quote(sentence: str) -> None:
    assert check(sentence, Evidence.of()).dropped == "claimed action"


@pytest.mark.parametrize(
    "sentence",
    [
        "Warfarin has been prescribed for the patient.",
        "Warfarin has now been prescribed.",
        "The prescription for warfarin has been sent.",
        "Warfarin was prescribed in 2021.",
    ],
)
def test_a_drug_on_the_chart_is_no_licence_while_an_order_waits(sentence: str) -> None:
    evidence = Evidence.of([CHART, Proposal(status="proposed", card="Warfarin 5 mg once daily")])
    assert check(sentence, evidence).dropped == "claimed action"
