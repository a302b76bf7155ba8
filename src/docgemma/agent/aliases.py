"""The seven tools of the first specification, under their names of then, and which of the ten each one stands for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from docgemma.llm.prompting import Trusted
from docgemma.tools.registry import REGISTRY, ToolName

OldName = Literal[
    "check_drug_safety",
    "search_medical_literature",
    "check_drug_interactions",
    "find_clinical_trials",
    "get_patient_record",
    "update_patient_record",
    "analyze_medical_image",
]
OLD_NAMES: tuple[OldName, ...] = get_args(OldName)

RECORD: OldName = "get_patient_record"
UPDATE: OldName = "update_patient_record"

MEANT: Mapping[OldName, tuple[ToolName, ...]] = {
    "check_drug_safety": ("check_drug_safety",),
    "search_medical_literature": ("search_medical_literature",),
    "check_drug_interactions": ("check_drug_interactions",),
    "find_clinical_trials": ("find_clinical_trials",),
    "get_patient_record": ("search_patient", "get_patient_chart"),
    "update_patient_record": ("prescribe_medication", "add_allergy", "save_clinical_note"),
    "analyze_medical_image": ("analyze_medical_image",),
}
"""A record is first searched for by name, then read by id; an update is the one entry that the user's words ask for."""

_OLD: Mapping[ToolName, OldName] = {tool: name for name, tools in MEANT.items() for tool in tools}
_DESCRIBED: Mapping[OldName, tuple[str, str]] = {
    RECORD: (
        "(patient: str)",
        "Fetch a patient's record by name or patient ID: diagnoses, medications, allergies, lab results and vitals.",
    ),
    UPDATE: (
        "(patient: str, …)",
        "Add to a patient's record: a prescription (medication_name, dosage, frequency), an allergy (substance, "
        "reaction, severity) or a clinical note (note_type). Use only when the clinician asks for such an entry.",
    ),
}


def old_name(tool: ToolName) -> OldName:
    """Under which of the seven names a tool is reached."""
    return _OLD[tool]


def _line(name: OldName) -> str:
    signature, description = _DESCRIBED.get(name, ("", ""))
    if not description:
        tool = REGISTRY[MEANT[name][0]]
        signature, description = tool.signature, tool.description
    return f"- {name}{signature} — {description}"


OLD_TOOL_LIST = Trusted("\n".join(_line(name) for name in OLD_NAMES))
"""As the model reads them. It never varies, so that a server can keep it in its cache."""
