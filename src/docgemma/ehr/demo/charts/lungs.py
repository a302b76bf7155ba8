"""Asthma without any word on allergies, and a chart that ended."""

from __future__ import annotations

from docgemma.ehr.demo.writing import Chart


def asthma(chart: Chart) -> None:
    """James Wilson Jr.: nobody ever recorded whether he has allergies. That is not the same as none."""
    chart.problem("Asthma", "1991")
    chart.problem("Prediabetes", "2025-11-04")
    chart.medicine("Fluticasone 44 mcg inhaler", "2 puffs twice daily, rinse mouth", "2022-03-15", why="Asthma")
    chart.medicine("Albuterol 90 mcg inhaler", "2 puffs every 4 to 6 hours as needed", "2015-09-08", as_needed=True)
    chart.medicine("Prednisone 5 mg tablet", "8 tablets daily for five days", "2025-12-27", state="completed")
    chart.visit("2025-12-27", "Emergency room", why="Asthma attack", place="EMER")
    chart.visit("2026-04-14", "Asthma follow-up")
    chart.vital("saturation", "2025-12-27", "91")
    chart.vital("breaths", "2025-12-27", "28")
    chart.vital("pulse", "2025-12-27", "118")
    chart.vital("saturation", "2026-04-14", "98")
    chart.vital("weight", "2026-04-14", "90.6")
    chart.pressure("2026-04-14", 126, 80)
    chart.trend("hba1c", {"2025-11-04": "5.9", "2026-04-14": "6.0"})
    chart.procedure("Spirometry", "2026-04-14", outcome="Mild obstruction, better after albuterol")
    chart.vaccine("Influenza", "2025-11-04")
    chart.note(
        "Discharge summary", "2025-12-27",
        "Came in short of breath after a cold. Saturation 91 %, better after three nebulisers and\n"
        "prednisone. Home the same day.",
    )  # fmt: skip
    chart.note(
        "Progress note", "2026-04-14",
        "Uses albuterol twice a week, wakes at night once a month. Technique shown again. A beta blocker would be\n"
        "unwise. To do: ask about allergies, nothing is written down.",
    )  # fmt: skip


def died(chart: Chart) -> None:
    """Arthur Pemberton: died in February 2026; the chart still lists what he took."""
    chart.problem("Chronic obstructive bronchitis", "2001")
    chart.problem("Osteoporosis", "2013-07-09")
    chart.problem("Chronic congestive heart failure", "2022-05-31")
    chart.allergy("Trimethoprim", "2014-12-01", category="medication", criticality="low", reaction=["Rash"])
    chart.medicine("Alendronic acid 10 mg tablet", "1 tablet in the morning, upright for 30 minutes", "2013-07-09")
    chart.medicine("Tiotropium 18 mcg inhaled capsule", "1 capsule inhaled once daily", "2012-02-14")
    chart.medicine("Furosemide 40 mg tablet", "1 tablet in the morning", "2022-05-31")
    chart.visit("2026-02-05", "Inpatient stay", why="Pneumonia", place="IMP", until="2026-02-11")
    chart.panel("Complete blood count", "2026-02-05", {"hemoglobin": "11.1", "leukocytes": "18.2", "platelets": "398"})
    chart.vital("saturation", "2026-02-05", "84")
    chart.vital("weight", "2026-02-05", "58.7")
    chart.procedure("Bone density scan", "2013-06-25", outcome="Osteoporosis of hip and spine")
    chart.vaccine("Influenza", "2025-10-09")
    chart.note(
        "Discharge summary", "2026-02-11",
        "Admitted with pneumonia on top of severe COPD. Declined ventilation, as he had written down. Died on\n"
        "11 February 2026 with his family present.",
    )  # fmt: skip
