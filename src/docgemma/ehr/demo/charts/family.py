"""A pregnancy and a child: charts in which time and weight decide."""

from __future__ import annotations

from docgemma.ehr.demo.writing import Chart


def pregnancy(chart: Chart) -> None:
    """Maria Garcia, born 1994: 26 weeks on 27 October 2026, due on 2 February 2027."""
    chart.problem("Normal pregnancy", "2026-04-28")
    chart.problem("Perennial allergic rhinitis", "2016-05")
    chart.problem("Appendicitis", "2012-03-02", until="2012-03-20")
    chart.allergy("No known allergy", "2026-06-16", note="Asked at the first prenatal visit.")
    chart.medicine("Prenatal vitamin tablet", "1 tablet once daily", "2026-06-16")
    chart.medicine("Ferrous sulfate 325 mg tablet", "1 tablet once daily", "2026-09-29", why="Low ferritin")
    chart.medicine("Cetirizine 10 mg tablet", "1 tablet once daily", "2020-04-14", state="stopped")
    visits = {
        "2026-06-16": ("7", "61.2", (112, 68)),
        "2026-07-14": ("11", "61.8", (110, 66)),
        "2026-08-11": ("15", "63.0", (108, 64)),
        "2026-09-08": ("19", "64.9", (112, 68)),
        "2026-09-29": ("22", "66.3", (116, 70)),
        "2026-10-27": ("26", "68.0", (118, 72)),
    }
    for date, (weeks, weight, (systolic, diastolic)) in visits.items():
        chart.visit(date, "Prenatal visit")
        chart.vital("gestation", date, weeks)
        chart.vital("weight", date, weight)
        chart.pressure(date, systolic, diastolic)
    chart.vital("fundal-height", "2026-09-29", "22")
    chart.vital("fundal-height", "2026-10-27", "26")
    chart.vital("height", "2026-06-16", "163")
    chart.due("2026-07-14", "2027-02-02")
    chart.panel("Complete blood count", "2026-09-29", {"hemoglobin": "10.9", "leukocytes": "9.8", "platelets": "236"})
    chart.lab("ferritin", "2026-09-29", "11")
    chart.lab("glucose", "2026-10-27", "88")
    chart.procedure("Blood typing, Rh typing", "2026-06-16", outcome="O, Rh positive")
    chart.blood_group("2026-06-16", "O, Rh positive")
    chart.procedure("Fetal anatomy scan", "2026-09-08", outcome="No abnormality seen; placenta high")
    chart.vaccine("Influenza", "2026-09-29")
    chart.vaccine("MMR", "1996-01-10", "1999-09-01")
    chart.note(
        "Progress note", "2026-10-27",
        "First pregnancy, 26 weeks and 0 days by early scan, due 2 February 2027. Feels movements. No bleeding, no\n"
        "headache. Fundal height 26 cm, fetal heart 144 a minute. Glucose test passed. Takes iron, some constipation.",
    )  # fmt: skip
    chart.impression("2026-10-27", "Normal pregnancy at 26 weeks with mild iron deficiency.")


def child(chart: Chart) -> None:
    """José Miguel Hernández, seven years old: the weight that counts is the last one, and it keeps growing."""
    chart.problem("Otitis media", "2026-09-22", state="active")
    chart.problem("Otitis media", "2025-02-03", until="2025-02-17")
    chart.problem("Eczema", "2020-01")
    chart.allergy(
        "Peanut", "2021-08-19", category="food", criticality="high",
        reaction=["Hives", "Vomiting", "Swollen lips"], severity="moderate",
    )  # fmt: skip
    chart.allergy(
        "Amoxicillin", "2022-11-28", category="medication", criticality="low", certainty="unconfirmed",
        reaction=["Spotty rash on day five"], severity="mild", note="May have been the virus. Never tested.",
    )  # fmt: skip
    chart.medicine(
        "Epinephrine 0.15 mg auto-injector", "1 injection into the thigh for anaphylaxis", "2026-06-23", as_needed=True
    )
    chart.medicine("Hydrocortisone 1 % cream", "Thin layer twice daily to itchy patches", "2024-03-05", as_needed=True)
    chart.medicine(
        "Azithromycin suspension 200 mg/5 mL",
        "5.8 mL on day one, then 2.9 mL daily for four days",
        "2026-09-22",
        state="completed",
    )
    measured = {
        "2019-06-18": ("3.4", "51"), "2019-12-17": ("7.9", "67"), "2020-06-23": ("9.8", "76"),
        "2021-06-22": ("12.4", "88"), "2022-06-21": ("14.6", "96"), "2023-06-20": ("16.5", "103"),
        "2024-06-25": ("18.6", "110"), "2025-06-24": ("20.9", "116"), "2026-06-23": ("22.8", "122"),
    }  # fmt: skip
    for date, (weight, height) in measured.items():
        chart.visit(date, "Check-up")
        chart.vital("weight", date, weight)
        chart.vital("height", date, height)
    chart.visit("2026-09-22", "Problem visit", why="Ear pain and fever")
    chart.vital("weight", "2026-09-22", "23.2")
    chart.vital("temperature", "2026-09-22", "38.7")
    chart.lab("hemoglobin", "2025-06-24", "12.3", ranged=False)
    chart.vaccine("DTaP", "2019-08-20", "2019-10-22", "2019-12-17", "2020-09-22", "2023-06-20")
    chart.vaccine("IPV", "2019-08-20", "2019-10-22", "2019-12-17", "2023-06-20")
    chart.vaccine("MMR", "2020-06-23", "2023-06-20")
    chart.vaccine("Varicella", "2020-06-23", "2023-06-20")
    chart.note(
        "Progress note", "2026-09-22",
        "Two days of right ear pain, 38.7 degrees, 23.2 kg. Right ear drum red and bulging.\n"
        "Mother reports a rash with amoxicillin in 2022, so azithromycin by weight. Allergy test advised.\n"
        "Peanut: carries the auto-injector; at 23 kg the 0.15 mg one is still right, check again at 25 kg.",
    )  # fmt: skip
