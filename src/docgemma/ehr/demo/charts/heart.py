"""Warfarin, and an elderly man with too many tablets."""

from __future__ import annotations

from docgemma.ehr.demo.writing import Chart


def anticoagulation(chart: Chart) -> None:
    """James Wilson Sr.: warfarin for atrial fibrillation, INR that wanders, anaphylaxis to penicillin."""
    chart.problem("Atrial fibrillation", "2017-10-12")
    chart.problem("Hypertension", "2005")
    chart.problem("Stroke", "2017-10-11", until="2018-01-10")
    chart.allergy(
        "Penicillin", "1998-06-22", category="medication", criticality="high",
        reaction=["Anaphylaxis", "Hives"], severity="severe", note="Needed adrenaline after an injection.",
    )  # fmt: skip
    chart.allergy("Shellfish", "2003-01-09", category="food", criticality="low", reaction=["Hives"], severity="mild")
    chart.medicine("Warfarin 5 mg tablet", "1 tablet daily, except half a tablet on Mondays and Fridays", "2026-08-25")
    chart.medicine("Warfarin 5 mg tablet", "1 tablet daily", "2017-10-20", state="stopped")
    chart.medicine("Metoprolol succinate 50 mg extended-release tablet", "1 tablet once daily", "2017-10-20")
    chart.medicine("Amlodipine 5 mg tablet", "1 tablet once daily", "2011-03-08", why="Hypertension")
    chart.medicine("Atorvastatin 40 mg tablet", "1 tablet at bedtime", "2017-10-20")
    chart.takes("Fish oil capsule", "1 capsule daily, from the supermarket", "2024-01-01")
    chart.visit("2026-08-25", "Follow-up", why="Anticoagulation clinic")
    chart.trend(
        "inr",
        {
            "2026-03-03": "2.4", "2026-03-31": "2.6", "2026-04-28": "2.2", "2026-05-26": "2.9", "2026-06-23": "3.1",
            "2026-07-21": "2.7", "2026-08-11": "3.8", "2026-08-25": "3.4", "2026-09-08": "2.8", "2026-10-06": "2.5",
        },
    )  # fmt: skip
    chart.panel("Complete blood count", "2026-08-25", {"hemoglobin": "13.9", "leukocytes": "6.4", "platelets": "221"})
    chart.panel("Basic metabolic panel", "2026-08-25", {"creatinine": "1.12", "egfr": "68", "potassium": "4.5"})
    chart.vital("weight", "2026-08-25", "82.4")
    chart.vital("height", "2026-08-25", "175")
    chart.vital("pulse", "2026-08-25", "74")
    chart.pressure("2026-08-25", 134, 78)
    chart.smoking("2026-08-25", "Never smoker")
    chart.vaccine("Influenza", "2025-10-02")
    chart.vaccine("Zoster", "2014-09-16")
    chart.procedure(
        "Transthoracic echocardiography", "2025-11-18", outcome="Left atrium enlarged, pumping function normal"
    )
    chart.lab("ejection-fraction", "2025-11-18", "60")
    chart.note(
        "Progress note", "2026-08-25",
        "INR 3.8 two weeks ago after a course of an antibiotic from a walk-in clinic; 3.4 today. No bleeding.\n"
        "Warfarin lowered: half a tablet on Mondays and Fridays, else one tablet. INR again in two weeks.\n"
        "Reminded him to call before any new medicine, also those without prescription. Penicillin: anaphylaxis.",
    )  # fmt: skip


def polypharmacy(chart: Chart) -> None:
    """James Wilson, born 1949: fourteen active orders, among them omeprazole twice and two statins."""
    for what, since in (
        ("Hypertension", "1999"),
        ("Type 2 diabetes mellitus", "2008-06"),
        ("Osteoarthritis of knee", "2010"),
        ("Chronic obstructive bronchitis", "2014-11-18"),
        ("Enlarged prostate", "2016-03-22"),
        ("Acid reflux", "2012"),
        ("Coronary artery disease", "2015-08-04"),
        ("Insomnia", "2021-01"),
    ):
        chart.problem(what, since)
    chart.allergy(
        "Aspirin", "1987-05-05", category="medication", criticality="unable-to-assess", certainty="unconfirmed"
    )
    for what, dosage, since in (
        ("Metformin 1000 mg tablet", "1 tablet twice daily", "2015-09-01"),
        ("Glipizide 5 mg tablet", "1 tablet before breakfast", "2019-02-12"),
        ("Lisinopril 20 mg tablet", "1 tablet once daily", "2008-06-17"),
        ("Amlodipine 10 mg tablet", "1 tablet once daily", "2013-04-30"),
        ("Metoprolol tartrate 25 mg tablet", "1 tablet twice daily", "2015-08-11"),
        ("Atorvastatin 80 mg tablet", "1 tablet at bedtime", "2015-08-11"),
        ("Simvastatin 20 mg tablet", "1 tablet at bedtime", "2009-10-06"),
        ("Clopidogrel 75 mg tablet", "1 tablet once daily", "2015-08-11"),
        ("Omeprazole 20 mg capsule", "1 capsule before breakfast", "2012-05-15"),
        ("Omeprazole 20 mg capsule", "1 capsule twice daily", "2026-04-22"),
        ("Tamsulosin 0.4 mg capsule", "1 capsule after the evening meal", "2016-03-22"),
        ("Fluticasone 250 mcg / salmeterol 50 mcg inhaler", "1 puff twice daily, rinse mouth", "2014-11-18"),
        ("Albuterol 90 mcg inhaler", "2 puffs every 4 to 6 hours as needed", "2014-11-18"),
        ("Zolpidem 5 mg tablet", "1 tablet at bedtime as needed", "2021-01-26"),
    ):
        chart.medicine(what, dosage, since, as_needed="as needed" in dosage)
    chart.takes("Naproxen sodium 220 mg tablet", "1 tablet most mornings for the knees", "2025-02-01")
    chart.visit("2026-04-20", "Inpatient stay", why="Chest infection", place="IMP", until="2026-04-22")
    chart.visit("2026-06-02", "Follow-up", why="After hospital")
    chart.panel(
        "Basic metabolic panel", "2026-06-02",
        {"glucose": "148", "creatinine": "1.44", "egfr": "50", "potassium": "4.9", "sodium": "134"},
    )  # fmt: skip
    chart.trend("hba1c", {"2025-06-03": "7.4", "2025-12-02": "7.1", "2026-06-02": "6.6"})
    chart.vital("weight", "2026-06-02", "88.0")
    chart.vital("height", "2026-06-02", "172")
    chart.pressure("2026-06-02", 108, 62)
    chart.procedure("Chest X-ray", "2026-04-20", outcome="Shadowing at the right base")
    chart.vaccine("Influenza", "2025-09-30")
    chart.vaccine("Pneumococcal conjugate PCV13", "2016-01-12")
    chart.note(
        "Discharge summary", "2026-04-22",
        "Two nights for a chest infection, treated with doxycycline, home with his usual medicines.\n"
        "Omeprazole was raised to twice daily on the ward.",
    )  # fmt: skip
    chart.note(
        "Progress note", "2026-06-02",
        "Light-headed when standing up; 108/62 today. Brings a bag of boxes: he takes both omeprazole orders and\n"
        "both statins. His wife is worried about the number of tablets. Full medication review is booked.",
    )  # fmt: skip
