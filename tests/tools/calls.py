"""One valid call and one typical result for each of the ten tools."""

from __future__ import annotations

from typing import Any

from docgemma.clinical import Source, ToolResult
from docgemma.tools import results as r
from docgemma.tools.registry import ToolName

CALLS: dict[ToolName, dict[str, Any]] = {
    "check_drug_safety": {"drug_name": "dofetilide"},
    "check_drug_interactions": {"drug_names": ["warfarin", "ibuprofen"]},
    "search_medical_literature": {"query": "SGLT2 inhibitors in heart failure"},
    "find_clinical_trials": {"condition": "melanoma", "status": "RECRUITING"},
    "search_patient": {"name": "John Smith"},
    "get_patient_chart": {"patient_id": "abc-123"},
    "prescribe_medication": {
        "patient_id": "abc-123",
        "medication_name": "metformin",
        "dosage": "500 mg",
        "frequency": "twice daily",
    },
    "add_allergy": {"patient_id": "abc-123", "substance": "penicillin", "reaction": "rash"},
    "save_clinical_note": {"patient_id": "abc-123", "note_type": "progress note", "note_text": "Feels  well.\n"},
    "analyze_medical_image": {"query": "any fracture?", "image": "img-1"},
}

RESULTS: dict[ToolName, ToolResult] = {
    "check_drug_safety": r.DrugSafetyReport(
        status="found",
        drug="dofetilide",
        boxed_warnings=("QT prolongation",),
        origin="pack",
        demonstration=True,
        sources=(Source(kind="label", title="US prescribing information", quote="QT prolongation"),),
    ),
    "check_drug_interactions": r.InteractionReport(
        status="found",
        interactions=(r.Interaction(drugs=("warfarin", "ibuprofen"), severity="major", significance="bleeding"),),
        not_checked=("food",),
    ),
    "search_medical_literature": r.LiteratureResult(
        status="found", articles=(r.Article(pmid="22663011", title="A trial", year=2012),)
    ),
    "find_clinical_trials": r.TrialsResult(
        status="found", trials=(r.Trial(nct_id="NCT02576665", title="A study"),), total=1
    ),
    "search_patient": r.PatientSearchResult(
        status="found", matches=(r.PatientMatch(patient_id="abc-123", name="John Smith", birth_date="1960-01-01"),)
    ),
    "get_patient_chart": r.PatientChart(
        status="found",
        patient_id="abc-123",
        banner="John Smith, born 1960-01-01",
        sections=(r.ChartSection(title="Allergies", entries=("penicillin",)),),
    ),
    "prescribe_medication": r.Proposal(
        status="proposed", approval_id="7f", card="metformin 500 mg", order={"dosage": "500 mg", "notes": None}
    ),
    "add_allergy": r.Proposal(status="proposed", approval_id="80", card="penicillin: rash"),
    "save_clinical_note": r.Proposal(status="proposed", approval_id="81", card="Feels  well."),
    "analyze_medical_image": r.ImageReport(status="found", modality="X-ray", findings=("no fracture seen",)),
}
