"""How the tests that people ask for are called in charts. Written by hand and not reviewed by a clinician.

A phrase must stand in the folded name of an observation as whole words. What a test is easily taken for is excluded:
"hemoglobin" is not haemoglobin A1c, and creatinine in urine says nothing about the blood.
"""

from __future__ import annotations

from dataclasses import dataclass

from docgemma.ehr.folding import fold

_CALLED: dict[str, str] = {
    "bicarbonate": "bicarbonate, carbon dioxide, hco3, total co2, tco2",
    "eGFR": "egfr, gfr, glomerular filtration",
    "urea": "urea, bun",
    "HbA1c": "a1c, hba1c, glycated hemoglobin, glycated haemoglobin, glycosylated hemoglobin",
    "hemoglobin": "hemoglobin, haemoglobin, hgb, hb",
    "hematocrit": "hematocrit, haematocrit, hct",
    "platelets": "platelets, platelet count, platelet, plt",
    "white cell count": "leukocytes, leucocytes, wbc, white blood cell, white blood cells, white cell count",
    "neutrophils": "neutrophils, neutrophil",
    "eosinophils": "eosinophils, eosinophil",
    "INR": "inr, international normalized ratio, international normalised ratio",
    "prothrombin time": "prothrombin time, inr",
    "aPTT": "aptt, ptt, partial thromboplastin",
    "D-dimer": "d dimer, ddimer, fibrin d dimer",
    "ALT": "alt, alanine aminotransferase, sgpt",
    "AST": "ast, aspartate aminotransferase, sgot",
    "alkaline phosphatase": "alkaline phosphatase, alp",
    "GGT": "ggt, gamma glutamyl transferase, gamma gt",
    "bilirubin": "bilirubin",
    "total protein": "total protein, protein",
    "TSH": "tsh, thyrotropin, thyroid stimulating hormone",
    "thyroxine": "thyroxine, t4, t3, triiodothyronine",
    "BNP": "bnp, nt probnp, probnp, natriuretic peptide",
    "creatine kinase": "creatine kinase, ck, cpk",
    "LDH": "ldh, lactate dehydrogenase",
    "lactate": "lactate, lactic acid",
    "CRP": "crp, c reactive protein",
    "ESR": "esr, erythrocyte sedimentation rate, sedimentation rate",
    "cholesterol": "cholesterol",
    "LDL": "ldl, low density lipoprotein",
    "HDL": "hdl, high density lipoprotein",
    "triglycerides": "triglycerides, triglyceride",
    "uric acid": "uric acid, urate",
    "vitamin B12": "b12, cobalamin, cobalamins",
    "folate": "folate, folic acid",
    "vitamin D": "vitamin d, 25 hydroxyvitamin d, calcidiol",
    "PSA": "psa, prostate specific",
    "hCG": "hcg, choriogonadotropin, pregnancy test",
    "PTH": "pth, parathyrin, parathyroid hormone",
    "CD4 count": "cd4",
    "viral load": "viral load, hiv 1 rna",
    "urine albumin-creatinine ratio": "albumin creatinine, microalbumin creatinine, acr, albumin creatinine ratio",
    "urinalysis": "urinalysis, urine",
    "iron studies": "iron, tibc, transferrin",
    "blood group": "blood group, blood type, blood typing, abo group, rh typing, rhesus, rh positive, rh negative",
    "blood gas": "ph, pco2, po2, base excess, blood gas",
    "blood pressure": "blood pressure, bp, systolic, diastolic",
    "heart rate": "heart rate, pulse, pulse rate",
    "oxygen saturation": "oxygen saturation, spo2, sao2, o2 sat, o2 saturation",
    "temperature": "temperature, temp",
    "respiratory rate": "respiratory rate, breathing rate",
    "weight": "weight, body weight",
    "height": "height, body height, length, stature",
    "BMI": "bmi, body mass index",
    "peak flow": "peak flow, peak expiratory flow, pefr",
    "pain score": "pain severity, pain score",
    "head circumference": "head circumference, occipital frontal circumference",
    "birth weight": "birth weight",
}
_UNLESS: dict[str, str] = {
    "creatinine": "urine, clearance, ratio, kinase, albumin, microalbumin, protein, glomerular, egfr, fluid, dialysate",
    "hemoglobin": "a1c, hba1c, glycated, mean corpuscular, mch, mchc, fetal, urine, carboxyhemoglobin, methemoglobin",
    "glucose": "urine, tolerance",
    "albumin": "creatinine, urine, ratio, globulin",
    "total protein": "urine, reactive, creatinine",
    "calcium": "urine, score",
    "sodium": "urine",
    "potassium": "urine",
    "urea": "urine, breath",
    "bilirubin": "urine",
    "blood pressure": "cuff",
    "weight": "birth, molecular, target, percentile, ideal, dry",
    "height": "percentile, fundal",
    "platelets": "mean volume, distribution",
    "magnesium": "urine",
    "chloride": "urine, sweat",
}
_KIDNEY = "eGFR, creatinine, urea, potassium"
_MEMBERS: dict[str, str] = {
    "eGFR": _KIDNEY,
    "creatinine clearance": _KIDNEY,
    "renal panel": "eGFR, creatinine, urea, potassium, sodium, chloride, bicarbonate",
    "electrolytes": "sodium, potassium, chloride, bicarbonate, creatinine, urea, calcium, magnesium, phosphate",
    "basic metabolic panel": "sodium, potassium, chloride, bicarbonate, urea, creatinine, glucose, calcium",
    "comprehensive metabolic panel": "sodium, potassium, chloride, bicarbonate, urea, creatinine, glucose, calcium, "
    "albumin, total protein, ALT, AST, alkaline phosphatase, bilirubin",
    "hemoglobin and hematocrit": "hemoglobin, hematocrit",
    "complete blood count": "hemoglobin, hematocrit, white cell count, platelets, neutrophils, eosinophils",
    "liver function tests": "ALT, AST, alkaline phosphatase, bilirubin, GGT, albumin, total protein",
    "lipid panel": "cholesterol, LDL, HDL, triglycerides",
    "coagulation screen": "INR, prothrombin time, aPTT, fibrinogen",
    "thyroid function tests": "TSH, thyroxine",
    "vital signs": "blood pressure, heart rate, temperature, respiratory rate, oxygen saturation, weight",
}
VITAL_TESTS = frozenset(
    {
        "blood pressure", "heart rate", "oxygen saturation", "temperature", "respiratory rate", "weight", "height",
        "BMI", "peak flow", "pain score", "Glasgow coma scale", "early warning score", "vital signs", "birth weight",
        "dry weight", "head circumference", "mid-upper arm circumference", "Apgar score",
    }
)  # fmt: skip
KIDNEY_TESTS = frozenset({"eGFR", "creatinine", "creatinine clearance", "renal panel"})


@dataclass(frozen=True, slots=True)
class _Member:
    phrases: tuple[str, ...]
    unless: tuple[str, ...]

    def fits(self, spaced: str) -> bool:
        return any(phrase in spaced for phrase in self.phrases) and not any(word in spaced for word in self.unless)


@dataclass(frozen=True, slots=True)
class NamedTest:
    """A test or a panel that was asked for by name."""

    name: str
    members: tuple[_Member, ...]

    def fits(self, spaced_name: str) -> bool:
        """Whether an observation of this name, as `spaced` gives it, is it or belongs to it."""
        return any(member.fits(spaced_name) for member in self.members)

    def named_in(self, text: str) -> bool:
        """Whether a text, such as a note, speaks of it: by the same names, whatever else the text speaks of."""
        words = spaced(text)
        return any(phrase in words for member in self.members for phrase in member.phrases)

    @property
    def kidney(self) -> bool:
        return self.name in KIDNEY_TESTS


def test_called(name: str) -> NamedTest:
    """The test under the canonical name that the language rules give it."""
    members = _MEMBERS.get(name, name).split(", ")
    return NamedTest(name, tuple(_member(member) for member in dict.fromkeys((*members, name))))


def _member(name: str) -> _Member:
    phrases = _CALLED.get(name, name.removesuffix(" level")).split(", ")
    unless = _UNLESS[name].split(", ") if name in _UNLESS else ()
    return _Member(tuple(map(spaced, phrases)), tuple(map(spaced, unless)))


def spaced(phrase: str) -> str:
    """Folded words with a space around each, so that a phrase is found only as whole words."""
    return f" {' '.join(fold(phrase).split())} "
