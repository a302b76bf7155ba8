"""A small vocabulary for trying the linker: names that an index has, traps among them."""

from __future__ import annotations

from docgemma.terminology.contract import EntityType
from docgemma.terminology.linking.lexicon import Known, ListedLexicon
from docgemma.terminology.linking.words import phrase_key

NAMES: dict[EntityType, str] = {
    "Condition": """breast cancer, ovarian cancer, lung cancer, type 1 diabetes, type 2 diabetes, melanoma, stroke,
        diabetes,
        type 2 diabetes mellitus, hepatitis B, hepatitis C, tuberculosis, active tuberculosis, latent tuberculosis,
        heart failure, major depressive disorder, alcohol abuse, drug abuse, hypertension, asthma, hemophilia A, gout,
        disease, history, rheumatoid arthritis, hepatic impairment, renal impairment, prostate cancer, epilepsy,
        seizure, cirrhosis""",
    "Medication": """warfarin, docetaxel, thalidomide, metformin, testosterone, alcohol, platinum, bronchodilator,
        methotrexate, prednisone, tacrolimus, corticosteroids, aspirin""",
    "Procedure": "biopsy, kidney transplant, surgery, radiotherapy, chemotherapy, castration, treatment",
    "Lab_Value": "eGFR, potassium, serum potassium, total bilirubin, platelets, hemoglobin, BMI",
    "Biomarker": "EGFR, HER2, BRAF, MET, PD-L1, CAT",
    "Demographic": "women, men, pregnant, informed consent, age, adults",
}


class Slips(ListedLexicon):
    """The same, with one name that misspelt words are near to."""

    def meant(self, key: str, *, proper: bool = False) -> str | None:
        return {"thalidomid": "thalidomide", "docetaxell": "docetaxel", "protection": "protectin"}.get(key)


def lexicon() -> Slips:
    """Every name by its key; two names may share one ("eGFR" and "EGFR")."""
    entries: dict[str, Known] = {}
    for kind, listed in NAMES.items():
        for name in listed.split(","):
            key = phrase_key(name)
            before = entries.get(key, Known((), ()))
            entries[key] = Known((*before.types, kind), (*before.names, " ".join(name.split())))
    return Slips(entries)
