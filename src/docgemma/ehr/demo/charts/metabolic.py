"""Diabetes, kidney disease, thyroid, gout: charts that live from trends."""

from __future__ import annotations

from docgemma.ehr.demo.writing import Chart


def diabetes(chart: Chart) -> None:
    """John Smith: HbA1c climbs on metformin alone, kidneys still good."""
    chart.problem("Type 2 diabetes mellitus", "2019-05-14")
    chart.problem("Hypertension", "2016-02-01")
    chart.problem("Hyperlipidemia", "2018-10-09")
    chart.problem("Acute bronchitis", "2024-01-15", until="2024-01-29")
    chart.allergy(
        "Sulfonamide antibiotics", "2011-08-30", category="medication", criticality="low",
        reaction=["Itchy rash on the trunk"], severity="mild",
    )  # fmt: skip
    chart.medicine(
        "Metformin 500 mg extended-release tablet", "2 tablets once daily with the evening meal", "2021-06-10"
    )
    chart.medicine("Metformin 500 mg tablet", "1 tablet twice daily", "2019-05-14", state="stopped")
    chart.medicine("Lisinopril 10 mg tablet", "1 tablet once daily", "2016-02-01", why="Hypertension")
    chart.medicine("Atorvastatin 20 mg tablet", "1 tablet once daily at bedtime", "2018-10-09", why="Hyperlipidemia")
    chart.takes("Ibuprofen 200 mg tablet", "1 to 2 tablets when his knee aches, a few times a month", "2025-04-01")
    chart.visit("2026-09-08", "Check-up", why="Diabetes review")
    chart.trend(
        "hba1c",
        {"2024-09-10": "6.9", "2025-03-11": "7.2", "2025-09-09": "7.6", "2026-03-10": "7.9", "2026-09-08": "8.4"},
    )
    chart.panel(
        "Basic metabolic panel", "2026-09-08",
        {"glucose": "171", "creatinine": "0.98", "egfr": "84", "urea": "16", "sodium": "139", "potassium": "4.3"},
    )  # fmt: skip
    chart.panel(
        "Lipid panel", "2026-03-10", {"cholesterol": "182", "ldl": "101", "hdl": "41", "triglycerides": "198"}
    )  # fmt: skip
    chart.lab("urine-acr", "2026-09-08", "22")
    chart.vital("height", "2026-09-08", "178")
    for date, weight in {"2025-09-09": "94.1", "2026-03-10": "95.0", "2026-09-08": "96.3"}.items():
        chart.vital("weight", date, weight)
    chart.pressure("2026-03-10", 138, 84)
    chart.pressure("2026-09-08", 142, 86)
    chart.smoking("2026-09-08", "Former smoker")
    chart.vaccine("Influenza", "2024-10-08", "2025-10-07")
    chart.vaccine("Pneumococcal polysaccharide, 23 valent", "2023-05-02")
    chart.procedure("Colonoscopy", "2022-04-19", outcome="No polyps; repeat in ten years")
    chart.note(
        "Progress note", "2026-09-08",
        "Diabetes review. Takes metformin every evening, no stomach upset. Walks less since the knee got worse.\n"
        "HbA1c 8.4 %, up from 7.9 %. Feet: pulses present, monofilament felt at all sites.\n"
        "Plan: more metformin or a second agent, to be talked over at the next visit; dietitian; eye screening is due.",
    )  # fmt: skip
    chart.impression("2026-09-08", "Type 2 diabetes above target on metformin alone. Kidney function preserved.")


def kidneys(chart: Chart) -> None:
    """Maria Garcia, born 1961: creatinine and potassium rise together over three years."""
    chart.problem("Chronic kidney disease, stage 3b", "2024-02-20")
    chart.problem("Hypertension", "2009")
    chart.problem("Anemia", "2025-08-12")
    chart.problem("Osteoarthritis of knee", "2017-11-03")
    chart.allergy(
        "Iodinated contrast medium", "2015-03-17", category="medication", criticality="high",
        reaction=["Wheezing", "Low blood pressure"], severity="severe",
    )  # fmt: skip
    chart.allergy(
        "Codeine", "2018-06-05", category="medication", kind="intolerance", reaction=["Nausea"], severity="mild"
    )
    chart.medicine("Losartan 50 mg tablet", "1 tablet once daily", "2020-01-14", why="Hypertension")
    chart.medicine("Amlodipine 10 mg tablet", "1 tablet once daily", "2013-09-24", why="Hypertension")
    chart.medicine("Furosemide 40 mg tablet", "1 tablet in the morning", "2025-08-12", why="Swollen ankles")
    chart.medicine("Ferrous sulfate 325 mg tablet", "1 tablet on alternate days", "2025-08-12", why="Anemia")
    chart.medicine("Naproxen sodium 220 mg tablet", "1 tablet twice daily", "2017-11-03", state="stopped")
    chart.medicine("Acetaminophen 325 mg tablet", "2 tablets up to three times daily", "2024-02-20", as_needed=True)
    chart.visit("2026-10-06", "Follow-up", why="Kidney clinic")
    dates = (
        "2023-10-03",
        "2024-02-20",
        "2024-09-17",
        "2025-02-25",
        "2025-08-12",
        "2026-02-10",
        "2026-06-09",
        "2026-10-06",
    )
    for test, values in {
        "creatinine": ("1.32", "1.48", "1.57", "1.66", "1.81", "1.94", "2.10", "2.31"),
        "egfr": ("46", "40", "37", "34", "31", "28", "26", "23"),
        "potassium": ("4.4", "4.6", "4.7", "4.9", "5.0", "5.1", "5.3", "5.6"),
        "bicarbonate": ("25", "24", "24", "23", "22", "22", "21", "20"),
        "hemoglobin": ("12.6", "12.1", "11.8", "11.4", "10.6", "10.9", "10.8", "10.4"),
        "urea": ("21", "24", "26", "29", "33", "37", "41", "46"),
    }.items():
        chart.trend(test, dict(zip(dates, values, strict=True)))
    chart.lab("urine-acr", "2026-10-06", "412")
    chart.lab("ferritin", "2026-06-09", "88")
    chart.lab("calcium", "2026-10-06", "8.6")
    chart.report(
        "Kidney ultrasound", "2025-03-04", of="RAD",
        conclusion="Both kidneys slightly small with thin cortex. No obstruction.",
    )  # fmt: skip
    chart.vital("weight", "2026-10-06", "71.5")
    chart.vital("height", "2026-10-06", "158")
    chart.pressure("2026-06-09", 146, 82)
    chart.pressure("2026-10-06", 151, 84)
    chart.smoking("2026-10-06", "Never smoker")
    chart.vaccine("Influenza", "2025-10-14")
    chart.vaccine("Hepatitis B, adult", "2026-06-09")
    chart.note(
        "Consult note", "2026-10-06",
        "Kidney clinic. Creatinine 2.31 mg/dL, eGFR 23, potassium 5.6 mmol/L today. No chest pain, no palpitations.\n"
        "Still takes a salt substitute; asked her to stop it, as it holds potassium.\n"
        "Repeat potassium within the week. Discussed what dialysis and transplant would mean; she wants her daughter\n"
        "to come along next time. No anti-inflammatory pain killers.",
    )  # fmt: skip
    chart.impression("2026-10-06", "Kidney disease has passed into stage 4. Potassium above range on losartan.")


def thyroid(chart: Chart) -> None:
    """Nguyen Thi Mai without accents: a short, plain chart that must not be taken for the other one."""
    chart.problem("Underactive thyroid", "2015-07")
    chart.allergy("No known allergy", "2025-05-20")
    chart.medicine("Levothyroxine 75 mcg tablet", "1 tablet in the morning on an empty stomach", "2023-05-16")
    chart.visit("2026-05-19", "Check-up", why="Yearly thyroid check")
    chart.trend("tsh", {"2024-05-21": "2.8", "2025-05-20": "3.1", "2026-05-19": "2.4"})
    chart.vital("weight", "2026-05-19", "54.2")
    chart.pressure("2026-05-19", 112, 70)
    chart.vaccine("Td (adult)", "2021-05-18")
    chart.note(
        "Progress note", "2026-05-19", "Feels well on the same dose of levothyroxine. TSH in range. Back in a year."
    )


def gout(chart: Chart) -> None:
    """Kwame Mensah: an ACE inhibitor nearly closed his airway; that must be seen before anything else."""
    chart.problem("Hypertension", "2012-03-13")
    chart.problem("Gout", "2020-09-01")
    chart.problem("Obesity", "2018-04-10")
    chart.allergy(
        "Lisinopril", "2012-05-02", category="medication", criticality="high", kind="intolerance",
        reaction=["Angioedema of tongue and lips"], severity="severe",
        note="Watched overnight in hospital. No ACE inhibitor again.",
    )  # fmt: skip
    chart.medicine("Lisinopril 10 mg tablet", "1 tablet once daily", "2012-03-13", state="stopped", why="Hypertension")
    chart.medicine("Amlodipine 5 mg tablet", "1 tablet once daily", "2012-05-09", why="Hypertension")
    chart.medicine("Hydrochlorothiazide 25 mg tablet", "1 tablet in the morning", "2014-02-04", why="Hypertension")
    chart.medicine("Allopurinol 100 mg tablet", "2 tablets once daily", "2021-01-19", why="Gout")
    chart.medicine(
        "Colchicine 0.6 mg tablet", "1 tablet once daily for a flare, three days at most", "2020-09-01", as_needed=True
    )
    chart.visit("2026-07-21", "Problem visit", why="Painful big toe")
    chart.trend("uric-acid", {"2024-07-16": "8.1", "2025-07-22": "7.6", "2026-07-21": "8.4"})
    chart.panel(
        "Basic metabolic panel", "2026-07-21", {"creatinine": "1.14", "egfr": "75", "potassium": "3.4", "sodium": "138"}
    )
    chart.vital("weight", "2026-07-21", "104.5")
    chart.vital("height", "2026-07-21", "176")
    chart.pressure("2026-07-21", 148, 92)
    chart.vaccine("Influenza", "2025-10-21")
    chart.note(
        "Progress note", "2026-07-21",
        "Third gout flare this year, right big toe. Has been taking allopurinol most days. The water tablet may not\n"
        "help: uric acid 8.4 mg/dL, potassium 3.4 mmol/L. Consider replacing it. Reminder: angioedema from lisinopril.",
    )  # fmt: skip
