"""One worked example for each tool: a model that sees the one for the suggested tool selects better."""

from __future__ import annotations

from docgemma.tools.registry import ToolName

_EXAMPLES: dict[ToolName, str] = {
    "check_drug_safety": "Does flecainide carry a boxed warning?",
    "check_drug_interactions": "Can I give clarithromycin to someone who takes simvastatin and amlodipine?",
    "search_medical_literature": "What has been published on colchicine after pericarditis?",
    "find_clinical_trials": "Which studies are enrolling people with cystic fibrosis?",
    "search_patient": "Look up Helen Brandt in our system",
    "get_patient_chart": "Show me the latest labs of patient kdm-204",
    "prescribe_medication": "Order doxycycline 100 mg twice daily for patient kdm-204",
    "add_allergy": "Record that patient kdm-204 gets hives from shellfish",
    "save_clinical_note": "Put a procedure note into the chart of kdm-204: knee aspirated, 20 mL clear fluid",
    "analyze_medical_image": "Is the line tip in the right place on this film?",
}


def example_for(tool: ToolName) -> tuple[str, ToolName]:
    """A request and the tool that serves it."""
    return _EXAMPLES[tool], tool
