"""Equations for the function of the kidneys, with the constants as they were published. Creatinine is in mg/dL.

CKD-EPI 2021: Inker et al., N Engl J Med 2021;385:1737. Bedside Schwartz: Schwartz et al., J Am Soc Nephrol 2009;20:629.
Cockcroft and Gault, Nephron 1976;16:31. None is valid while creatinine is changing.
"""

from __future__ import annotations

from typing import Literal

Sex = Literal["female", "male"]

MICROMOLES_PER_MILLIGRAM = 88.4
"""µmol/L of creatinine in 1 mg/dL."""


def ckd_epi_2021(creatinine: float, age: int, sex: Sex) -> float:
    """mL/min/1.73 m², from 18 years of age."""
    kappa, alpha, factor = (0.7, -0.241, 1.012) if sex == "female" else (0.9, -0.302, 1.0)
    ratio = creatinine / kappa
    return float(142 * min(ratio, 1) ** alpha * max(ratio, 1) ** -1.200 * 0.9938**age * factor)


def bedside_schwartz(creatinine: float, height: float) -> float:
    """mL/min/1.73 m², from 1 to 17 years of age; height in cm."""
    return 0.413 * height / creatinine


def cockcroft_gault(creatinine: float, age: int, sex: Sex, weight: float) -> float:
    """mL/min, in adults; weight in kg."""
    return (140 - age) * weight / (72 * creatinine) * (0.85 if sex == "female" else 1.0)
