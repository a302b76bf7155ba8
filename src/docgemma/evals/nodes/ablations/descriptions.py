"""The list of tools as the ablations show it. The long form of the product is the registry's own."""

from __future__ import annotations

from docgemma.llm.prompting import Trusted
from docgemma.tools.registry import TOOLS, ToolName

SHORT: dict[ToolName, str] = {
    "check_drug_safety": "drug safety information (drug_name)",
    "check_drug_interactions": "drug interactions (drug_names)",
    "search_medical_literature": "medical literature (query)",
    "find_clinical_trials": "clinical trials (condition, status)",
    "search_patient": "find a patient (name)",
    "get_patient_chart": "patient record (patient_id)",
    "prescribe_medication": "medication order (patient_id, medication_name, dosage, frequency)",
    "add_allergy": "allergy entry (patient_id, substance, reaction, severity)",
    "save_clinical_note": "clinical note (patient_id, note_type, note_text)",
    "analyze_medical_image": "image analysis (query)",
}
"""A few words and the arguments in brackets: the form that confused the model which the specification measured."""

FULL_LIST = Trusted("\n".join(tool.line() for tool in TOOLS))
SHORT_LIST = Trusted("\n".join(f"- {tool.name}: {SHORT[tool.name]}" for tool in TOOLS))
BARE_LIST = Trusted("\n".join(f"- {tool.name}" for tool in TOOLS))
