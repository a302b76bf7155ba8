"""The sections of a label that safety rests on: their order, and what a clinician calls them."""

from __future__ import annotations

SECTIONS: dict[str, str] = {
    "boxed_warning": "Boxed warning",
    "contraindications": "Contraindications",
    "do_not_use": "Do not use",
    "drug_interactions": "Drug interactions",
    "interactions": "Drug interactions",
    "drug_and_or_laboratory_test_interactions": "Drug and laboratory test interactions",
    "ask_doctor_or_pharmacist": "Ask a doctor or pharmacist before use",
    "ask_doctor": "Ask a doctor before use",
    "when_using": "When using this product",
    "stop_use": "Stop use",
    "pregnancy_or_breast_feeding": "Pregnancy or breast-feeding",
    "pregnancy": "Pregnancy",
    "teratogenic_effects": "Teratogenic effects",
    "nonteratogenic_effects": "Nonteratogenic effects",
    "labor_and_delivery": "Labor and delivery",
    "lactation": "Lactation",
    "nursing_mothers": "Nursing mothers",
    "pediatric_use": "Pediatric use",
    "geriatric_use": "Geriatric use",
    "renal": "Renal impairment",
    "keep_out_of_reach_of_children": "Keep out of reach of children",
    "user_safety_warnings": "User safety warnings",
    "other_safety_information": "Other safety information",
    "information_for_patients": "Information for patients",
    "general_precautions": "General precautions",
    "use_in_specific_populations": "Use in specific populations",
    "warnings_and_cautions": "Warnings and precautions",
    "warnings": "Warnings",
    "precautions": "Precautions",
    "dosage_and_administration": "Dosage and administration",
    "spl_unclassified_section": "Unclassified section",
    "pharmacogenomics": "Pharmacogenomics",
    "mechanism_of_action": "Mechanism of action",
    "pharmacodynamics": "Pharmacodynamics",
    "pharmacokinetics": "Pharmacokinetics",
    "clinical_pharmacology": "Clinical pharmacology",
}
"""In the order in which they are read. A text that a label gives twice stays where it is met first: what forbids
comes first, and a part comes before the whole that repeats it."""

_PEOPLE = (
    "pregnancy",
    "teratogenic_effects",
    "nonteratogenic_effects",
    "labor_and_delivery",
    "lactation",
    "nursing_mothers",
    "pediatric_use",
    "geriatric_use",
)
PARTS: dict[str, tuple[str, ...]] = {
    "warnings": (
        "do_not_use",
        "ask_doctor",
        "ask_doctor_or_pharmacist",
        "when_using",
        "stop_use",
        "pregnancy_or_breast_feeding",
        "keep_out_of_reach_of_children",
    ),
    "precautions": (
        "general_precautions",
        "drug_interactions",
        "drug_and_or_laboratory_test_interactions",
        "information_for_patients",
        *_PEOPLE,
    ),
    "use_in_specific_populations": _PEOPLE,
    "pregnancy": ("teratogenic_effects", "nonteratogenic_effects", "labor_and_delivery"),
    "clinical_pharmacology": ("mechanism_of_action", "pharmacodynamics", "pharmacokinetics", "pharmacogenomics"),
}
"""Sections that a label prints inside another one, and gives a second time by themselves."""

_NUMBERS = {
    "dosage_and_administration": 2,
    "contraindications": 4,
    "warnings_and_cautions": 5,
    "drug_interactions": 7,
    "use_in_specific_populations": 8,
    "clinical_pharmacology": 12,
    "information_for_patients": 17,
}

PRODUCT_DATA = "spl_product_data_elements"
TABLE = "_table"
"""What the name of a section's tables ends with."""


def section_name(field: str) -> str:
    """What a clinician calls a section: "warnings_and_cautions" is "Warnings and precautions"."""
    name = field.removesuffix(TABLE)
    return SECTIONS.get(name) or name.replace("_", " ").strip().capitalize()


def section_number(field: str) -> int:
    """Under which number current US labels print a section; 0 where it has none of its own."""
    return _NUMBERS.get(field, 0)
