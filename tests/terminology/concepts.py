"""A small vocabulary for tests: invented identifiers, real-sounding names."""

from __future__ import annotations

from pathlib import Path

from docgemma.terminology.contract import Concept, EntityType
from docgemma.terminology.index.building import compile_index
from docgemma.terminology.index.opening import Index, open_index


def concept(display: str, kind: EntityType, *names: str, ontology: str = "TEST", weak: tuple[str, ...] = ()) -> Concept:
    """One concept; its identifier is made of its name."""
    own = {"TEST": (display.upper().replace(" ", "-"),)}
    return Concept(display, kind, ontology, (display, *names), ids=own, weak=frozenset(weak))


CONCEPTS = (
    concept("kidney disease", "Condition", "renal disease", "Kidney Diseases", "nephropathy"),
    concept("kidney cancer", "Condition", "renal cancer", "cancer of the kidney"),
    concept("kidney stone", "Condition", "renal stone", "renal calculus"),
    concept("kidney failure", "Condition", "renal failure"),
    concept("lung disease", "Condition", "pulmonary disease"),
    concept("lung cancer", "Condition", "pulmonary cancer"),
    concept("lung abscess", "Condition", "pulmonary abscess"),
    concept("breast cancer", "Condition", "malignant tumor of breast", "Breast Neoplasms"),
    concept("ovarian cancer", "Condition", "cancer of ovary"),
    concept("hypertension", "Condition", "high blood pressure"),
    concept("type 1 diabetes mellitus", "Condition", "diabetes mellitus type 1", "IDDM"),
    concept("type 2 diabetes mellitus", "Condition", "diabetes mellitus type 2", "NIDDM"),
    concept("myotonic dystrophy", "Condition", "dystrophia myotonica", "DM", weak=("DM",)),
    concept("diabetes mellitus", "Condition", "DM", weak=("DM",)),
    concept("alcoholic liver disease", "Condition"),
    concept("atypical lipomatous tumor", "Condition", "ALT", weak=("ALT",)),
    concept("alanine aminotransferase", "Lab_Value", "ALT", "SGPT", ontology="CORE"),
    concept("estimated glomerular filtration rate", "Lab_Value", "eGFR", ontology="CORE"),
    concept("EGFR gene", "Biomarker", "EGFR", "epidermal growth factor receptor"),
    concept("interleukin 2", "Medication", "IL-2"),
    concept("metformin", "Medication", "metformin hydrochloride", "Glucophage"),
    concept("acetaminophen", "Medication", "paracetamol"),
    concept("sodium", "Medication"),
    concept("stroke disorder", "Condition", "stroke"),
    concept("cerebrovascular disorder", "Condition", "stroke"),
)


def index_of(folder: Path, concepts: tuple[Concept, ...] = CONCEPTS) -> Index:
    path = folder / "terms.sqlite"
    compile_index(concepts, path)
    return open_index(path)
