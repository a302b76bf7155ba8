"""Two years of heart failure watched from home: the chart that is too long to read."""

from __future__ import annotations

import random
from datetime import date, timedelta

from docgemma.ehr.demo.writing import Chart

SEED = 20260101
FIRST, LAST = date(2024, 10, 1), date(2026, 9, 30)


def heart_failure(chart: Chart) -> None:
    """Márta Kovács: weight, pressure and pulse every day, labs every month, a week in hospital."""
    chart.problem("Chronic congestive heart failure", "2022-11-08")
    chart.problem("Atrial fibrillation", "2023-06-20")
    chart.problem("Hypertension", "2001")
    chart.problem("Hyperlipidemia", "2010")
    chart.allergy(
        "Spironolactone",
        "2024-02-06",
        category="medication",
        criticality="low",
        kind="intolerance",
        reaction=["Breast tenderness"],
    )
    chart.allergy(
        "Grass pollen", "1980", category="environment", criticality="low", reaction=["Runny nose"], severity="mild"
    )
    for what, dosage, since in (
        ("Apixaban 5 mg tablet", "1 tablet twice daily", "2023-06-20"),
        ("Bisoprolol 5 mg tablet", "1 tablet in the morning", "2022-11-15"),
        ("Sacubitril 49 mg / valsartan 51 mg tablet", "1 tablet twice daily", "2024-03-12"),
        ("Eplerenone 25 mg tablet", "1 tablet once daily", "2024-02-13"),
        (
            "Furosemide 40 mg tablet",
            "1 tablet in the morning, a second one at noon if 2 kg up in three days",
            "2022-11-08",
        ),
        ("Dapagliflozin 10 mg tablet", "1 tablet once daily", "2023-09-05"),
        ("Digoxin 125 mcg tablet", "1 tablet once daily", "2025-03-18"),
        ("Rosuvastatin 10 mg tablet", "1 tablet once daily", "2018-01-30"),
    ):
        chart.medicine(what, dosage, since)
    _at_home(chart)
    _labs(chart)
    for day, ejection in {"2022-11-08": "29", "2023-11-14": "34", "2024-11-19": "37", "2025-11-18": "39"}.items():
        chart.procedure("Transthoracic echocardiography", day)
        chart.lab("ejection-fraction", day, ejection)
    chart.vaccine("Influenza", "2024-10-15", "2025-10-14")
    chart.vaccine("Pneumococcal conjugate PCV13", "2023-01-17")
    chart.vital("height", "2024-10-01", "161")
    chart.note(
        "Discharge summary", "2025-03-18",
        "A week in hospital: nearly 4 kg of fluid after a family feast. Furosemide by vein, then tablets.\n"
        "Digoxin added. Home at 75.4 kg.",
    )  # fmt: skip
    chart.note(
        "Progress note", "2026-09-22",
        "Climbs two floors with one rest. Home weights between 72 and 75 kg over the last month. No swelling.\n"
        "Digoxin level in range, potassium 4.8. Goes on sending weight, pressure and pulse every day.",
    )  # fmt: skip
    chart.impression("2026-09-22", "Stable heart failure with reduced pumping function, mildly limited.")


def _at_home(chart: Chart) -> None:
    """Every day weight and pressure, every second day the pulse: noise around a slow swing, the same every time."""
    noise = random.Random(SEED)  # noqa: S311 - a fixed seed is the point: the same chart on every machine
    chart.visit("2025-03-11", "Inpatient stay", why="Fluid overload", place="IMP", until="2025-03-18")
    chart.visit("2025-12-02", "Emergency room", why="Short of breath", place="EMER")
    chart.visit("2026-09-22", "Follow-up", why="Heart failure clinic")
    weight = 74.0
    for number in range((LAST - FIRST).days + 1):
        day = str(FIRST + timedelta(days=number))
        weight += (73.5 - weight) * 0.1 + noise.random() - 0.5
        if "2025-03-01" <= day <= "2025-03-10":
            weight += 0.7
        chart.vital("weight", day, f"{weight:.1f}")
        chart.pressure(day, 108 + round(noise.random() * 18), 62 + round(noise.random() * 12))
        if number % 2 == 0:
            chart.vital("pulse", day, str(62 + round(noise.random() * 16)))


def _labs(chart: Chart) -> None:
    noise = random.Random(SEED + 1)  # noqa: S311 - as above
    for number in range(24):
        day = str(
            FIRST.replace(
                year=FIRST.year + (FIRST.month - 1 + number) // 12, month=(FIRST.month - 1 + number) % 12 + 1, day=21
            )
        )
        creatinine = 1.05 + noise.random() * 0.2
        chart.panel(
            "Basic metabolic panel", day,
            {
                "creatinine": f"{creatinine:.2f}",
                "potassium": f"{4.2 + noise.random() * 0.7:.1f}",
                "sodium": str(134 + round(noise.random() * 6)),
                "urea": str(18 + round(noise.random() * 10)),
            },
        )  # fmt: skip
        if number % 3 == 2:
            chart.lab("nt-probnp", day, str(900 + round(noise.random() * 700)))
        if number >= 7 and number % 3 == 1:
            chart.lab("digoxin-level", day, f"{0.6 + noise.random() * 0.25:.2f}")
