"""The ten clinical tools, declared once: this table is the registry, the MCP server and the model's schemas.

Descriptions are the long form of the specification, word for word: with them a 4B model picks the right tool
95 % of the time, with short ones 80 %.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from docgemma.clinical import ToolResult
from docgemma.tools import arguments as a
from docgemma.tools import results as r

ToolName = Literal[
    "check_drug_safety",
    "check_drug_interactions",
    "search_medical_literature",
    "find_clinical_trials",
    "search_patient",
    "get_patient_chart",
    "prescribe_medication",
    "add_allergy",
    "save_clinical_note",
    "analyze_medical_image",
]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `args` is what a model fills in; `call` adds what only code may give.

    `patient`: the call or its answer carries patient data. `open_world`: it may ask a source outside this machine.
    """

    name: ToolName
    label: str
    signature: str
    description: str
    args: type[a.Arguments]
    result: type[ToolResult]
    call: type[a.Arguments]
    writes: bool = False
    patient: bool = False
    open_world: bool = False

    def line(self) -> str:
        """The tool as the model reads it in the list."""
        return f"- {self.name}{self.signature} — {self.description}"


def _tool(
    name: ToolName,
    label: str,
    signature: str,
    description: str,
    args: type[a.Arguments],
    result: type[ToolResult],
    *,
    call: type[a.Arguments] | None = None,
    writes: bool = False,
    patient: bool = False,
    open_world: bool = False,
) -> Tool:
    return Tool(name, label, signature, description, args, result, call or args, writes, patient, open_world)


TOOLS: tuple[Tool, ...] = (
    _tool(
        "check_drug_safety",
        "Drug Safety Report",
        "(drug_name: str)",
        "Look up FDA boxed warnings, contraindications, and major safety alerts for a specific drug. Use when a "
        "clinician asks about drug safety, warnings, or whether a drug is safe for a particular patient.",
        a.DrugSafetyArgs,
        r.DrugSafetyReport,
        open_world=True,
    ),
    _tool(
        "check_drug_interactions",
        "Drug Interaction Check",
        "(drug_names: list[str])",
        "Check for known interactions between two or more drugs. Returns severity, mechanism, and clinical "
        "significance. Use when a clinician asks about combining medications or potential drug-drug interactions.",
        a.DrugInteractionArgs,
        r.InteractionReport,
        open_world=True,
    ),
    _tool(
        "search_medical_literature",
        "Medical Literature",
        "(query: str)",
        "Search PubMed and medical literature databases for published studies, systematic reviews, and clinical "
        "evidence. Use when a clinician asks about research, evidence, studies, or medical literature on a topic.",
        a.LiteratureSearchArgs,
        r.LiteratureResult,
        call=a.LiteratureSearchCall,
        open_world=True,
    ),
    _tool(
        "find_clinical_trials",
        "Clinical Trials",
        "(condition: str, status: str = None)",
        "Search ClinicalTrials.gov for active, recruiting, or completed clinical trials for a specific condition or "
        "treatment. Use when a clinician asks about experimental treatments, ongoing trials, or new therapies being "
        "studied.",
        a.ClinicalTrialsArgs,
        r.TrialsResult,
        call=a.ClinicalTrialsCall,
        open_world=True,
    ),
    _tool(
        "search_patient",
        "Patient Search",
        "(name: str)",
        "Search the electronic health record system for a patient by name. Returns matching patient IDs and basic "
        "demographics. Use when a clinician mentions a patient by name and needs to look them up.",
        a.PatientSearchArgs,
        r.PatientSearchResult,
        call=a.PatientSearchCall,
        patient=True,
    ),
    _tool(
        "get_patient_chart",
        "Patient Record",
        "(patient_id: str)",
        "Retrieve the full clinical summary for a patient, including diagnoses, medications, allergies, lab results, "
        "and vitals. Requires a patient ID (not a name). Use when a clinician wants to review a patient's record.",
        a.PatientChartArgs,
        r.PatientChart,
        call=a.PatientChartCall,
        patient=True,
    ),
    _tool(
        "prescribe_medication",
        "Prescription",
        "(patient_id: str, medication_name: str, dosage: str, frequency: str)",
        "Create a new medication order for a patient in the EHR. Use when a clinician wants to prescribe, order, or "
        "start a medication for a specific patient.",
        a.PrescribeMedicationArgs,
        r.Proposal,
        writes=True,
        patient=True,
    ),
    _tool(
        "add_allergy",
        "Allergy Documentation",
        "(patient_id: str, substance: str, reaction: str, severity: str = None)",
        "Document an allergy or adverse reaction in a patient's record. Use when a clinician wants to record, "
        "document, or note an allergy.",
        a.AddAllergyArgs,
        r.Proposal,
        writes=True,
        patient=True,
    ),
    _tool(
        "save_clinical_note",
        "Clinical Note",
        "(patient_id: str, note_type: str, note_text: str)",
        "Save a clinical note (progress note, consult note, procedure note, etc.) to a patient's record. Use when a "
        "clinician wants to write, save, or document a clinical note.",
        a.ClinicalNoteArgs,
        r.Proposal,
        call=a.ClinicalNoteCall,
        writes=True,
        patient=True,
    ),
    _tool(
        "analyze_medical_image",
        "Image Analysis",
        "(query: str)",
        "Analyze an attached medical image (X-ray, CT, MRI, histopathology slide, etc.) for findings relevant to the "
        "specified query. Use when a clinician shares a medical image and asks for analysis or interpretation.",
        a.ImageAnalysisArgs,
        r.ImageReport,
        call=a.ImageAnalysisCall,
    ),
)

REGISTRY: dict[str, Tool] = {tool.name: tool for tool in TOOLS}
TOOL_NAMES: tuple[ToolName, ...] = get_args(ToolName)
RESULT_TYPES: dict[str, type[ToolResult]] = {tool.name: tool.result for tool in TOOLS}
READS: frozenset[str] = frozenset(tool.name for tool in TOOLS if not tool.writes)
PATIENT: frozenset[str] = frozenset(tool.name for tool in TOOLS if tool.patient)
EXTRAS: dict[str, frozenset[str]] = {
    tool.name: frozenset(name for name, info in tool.call.model_fields.items() if not info.is_required())
    - tool.args.model_fields.keys()
    for tool in TOOLS
}
"""What code may add to a call: a server that does not declare it is called without."""


def offered(*, chart: bool) -> tuple[ToolName, ...]:
    """The tools an outside MCP client may see: without `chart`, none that touches patient data."""
    return tuple(tool.name for tool in TOOLS if chart or not tool.patient)
