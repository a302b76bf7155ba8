"""Tool results that several tests use. Fictional patients; label texts in our own words."""

from __future__ import annotations

from docgemma.clinical import Source
from docgemma.tools.results import (
    ChartSection,
    Check,
    DrugSafetyReport,
    Interaction,
    InteractionReport,
    PatientChart,
    PatientMatch,
    PatientSearchResult,
    Proposal,
)


def safety(drug: str, boxed: str) -> DrugSafetyReport:
    return DrugSafetyReport(
        status="found",
        origin="live",
        data_date="2026-08-11",
        drug=drug,
        boxed_warnings=(boxed,),
        sources=(Source(kind="label", title=f"{drug} label, boxed warning", date="2026-08-11", quote=boxed),),
    )


DOFETILIDE = safety(
    "dofetilide",
    "Torsade de pointes: start only where continuous ECG monitoring is available for at least 3 days.",
)
AMIODARONE = safety("amiodarone", "Pulmonary toxicity, hepatic injury and arrhythmia can be fatal.")
METFORMIN = safety("metformin", "Lactic acidosis: the risk rises with renal impairment.")

INTERACTIONS = InteractionReport(
    status="found",
    origin="live",
    interactions=(
        Interaction(drugs=("warfarin", "aspirin"), severity="major", significance="more bleeding"),
        Interaction(drugs=("warfarin", "ibuprofen"), severity="major", significance="more bleeding"),
        Interaction(drugs=("aspirin", "ibuprofen"), severity="moderate", significance="less platelet inhibition"),
    ),
)


def patients(*rows: tuple[str, str, str], exact: bool = True) -> PatientSearchResult:
    """Rows of id, name, birth date."""
    matches = tuple(
        PatientMatch(
            patient_id=id_,
            name=name,
            birth_date=born,
            sex="male" if name.split()[0] in ("John", "James") else "female",
            mrn_tail=id_[-3:],
            exact=exact,
        )
        for id_, name, born in rows
    )
    several = len(matches) > 1
    return PatientSearchResult(
        status="found", origin="ehr", matches=matches, error_type="multiple_patient_matches" if several else None
    )


MARIA = patients(("mgr-204", "Maria Garcia", "1962-04-17"))
JOHN = patients(("abc-123", "John Smith", "1958-09-30"))
WILSONS = patients(
    ("jwa-101", "James Wilson", "1948-01-20"),
    ("jwb-102", "James Wilson", "1955-06-02"),
    ("jwc-103", "James A. Wilson", "1990-11-11"),
)


def chart(patient_id: str, banner: str) -> PatientChart:
    return PatientChart(
        status="found",
        origin="ehr",
        patient_id=patient_id,
        banner=banner,
        sections=(
            ChartSection(title="Allergies", entries=("penicillin: hives",)),
            ChartSection(
                title="Active medications", entries=("metformin 500 mg twice daily", "lisinopril 10 mg daily")
            ),
            ChartSection(title="Labs", entries=("eGFR 71 mL/min/1.73 m2 (2026-09-01)", "HbA1c 7.9 % (2026-09-01)")),
        ),
        sources=(Source(kind="chart", title="Patient record", date="2026-09-01"),),
    )


def proposal(card: str, approval_id: str = "ord-7f3a") -> Proposal:
    return Proposal(
        status="proposed",
        origin="ehr",
        approval_id=approval_id,
        card=card,
        checks=(Check(name="allergy", outcome="passed"),),
        expires_at="2026-11-15T12:00:00+00:00",
    )
