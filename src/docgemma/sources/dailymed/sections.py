"""The section codes of SPL documents, and what openFDA calls the sections."""

from __future__ import annotations

UNCLASSIFIED = "42229-5"
ELEMENTS = "48780-1"

FIELDS = {
    "34066-1": "boxed_warning",
    "34067-9": "indications_and_usage",
    "34068-7": "dosage_and_administration",
    "34070-3": "contraindications",
    "34071-1": "warnings",
    "34072-9": "general_precautions",
    "34073-7": "drug_interactions",
    "34074-5": "drug_and_or_laboratory_test_interactions",
    "34075-2": "laboratory_tests",
    "34076-0": "information_for_patients",
    "34077-8": "teratogenic_effects",
    "34078-6": "nonteratogenic_effects",
    "34079-4": "labor_and_delivery",
    "34080-2": "nursing_mothers",
    "34081-0": "pediatric_use",
    "34082-8": "geriatric_use",
    "34084-4": "adverse_reactions",
    "34085-1": "controlled_substance",
    "34086-9": "abuse",
    "34087-7": "dependence",
    "34088-5": "overdosage",
    "34090-1": "clinical_pharmacology",
    "42227-9": "drug_abuse_and_dependence",
    "42228-7": "pregnancy",
    "42230-3": "spl_patient_package_insert",
    "42231-1": "spl_medguide",
    "42232-9": "precautions",
    "43678-2": "dosage_forms_and_strengths",
    "43679-0": "mechanism_of_action",
    "43681-6": "pharmacodynamics",
    "43682-4": "pharmacokinetics",
    "43683-2": "recent_major_changes",
    "43684-0": "use_in_specific_populations",
    "43685-7": "warnings_and_cautions",
    "49489-8": "microbiology",
    "50565-1": "keep_out_of_reach_of_children",
    "50566-9": "stop_use",
    "50567-7": "when_using",
    "50568-5": "ask_doctor_or_pharmacist",
    "50569-3": "ask_doctor",
    "50570-1": "do_not_use",
    "50741-8": "safe_handling_warning",
    "51727-6": "inactive_ingredient",
    "53414-9": "pregnancy_or_breast_feeding",
    "54433-8": "user_safety_warnings",
    "55105-1": "purpose",
    "55106-9": "active_ingredient",
    "59845-8": "instructions_for_use",
    "60561-8": "other_safety_information",
    "66106-6": "pharmacogenomics",
    "68498-5": "patient_medication_information",
    "69759-9": "risks",
    "71744-7": "health_care_provider_letter",
    UNCLASSIFIED: "spl_unclassified_section",
}
"""Those worth keeping."""

LEFT_OUT = frozenset(
    {
        "34069-5",  # how supplied
        "34083-6",  # carcinogenesis
        "34089-3",  # description
        "34091-9",  # animal pharmacology
        "34092-7",  # clinical studies
        "34093-5",  # references
        "43680-8",  # nonclinical toxicology
        "44425-7",  # storage
        "48779-3",  # indexing
        "51945-4",  # package panel
        "53413-1",  # questions
        ELEMENTS,  # read as product data
    }
)
"""Known, and of no use to whoever asks whether a drug is safe. A code in neither list counts as unclassified."""
