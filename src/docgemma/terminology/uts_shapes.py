"""What the answers of UMLS Terminology Services hold, and which of our six types a semantic type is.

Everything from outside is checked on its way in: an identifier becomes a part of the next address, a name is shown to
people and to models. What does not have the promised shape is a fault and never "nothing found".
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from docgemma.entities.instructions import instructions_in
from docgemma.errors import Unavailable
from docgemma.fetch.door import Reply
from docgemma.terminology.contract import LONGEST_TERM, EntityType

SERVICE = "UMLS Terminology Services"
NOTHING = "NONE"
"""How the service writes "no results": as one result of this name."""

_CUI = re.compile(r"C\d{7}", re.ASCII)
_TUI = re.compile(r"T\d{3}", re.ASCII)
_SNOMED = re.compile(r"\d{6,18}", re.ASCII)
_RELEASE = re.compile(r"/content/(\d{4}A[AB])/", re.ASCII)

_TYPES: tuple[tuple[EntityType, frozenset[str]], ...] = (
    # Clinical Drug, Antibiotic, Pharmacologic Substance, Hormone, Vitamin
    ("Medication", frozenset({"T200", "T195", "T121", "T125", "T127"})),
    # Gene or Genome, Receptor, Nucleotide Sequence, Amino Acid Sequence, Genetic Function
    ("Biomarker", frozenset({"T028", "T192", "T086", "T087", "T045"})),
    # Laboratory Procedure, Laboratory or Test Result, Clinical Attribute
    ("Lab_Value", frozenset({"T059", "T034", "T201"})),
    # Therapeutic or Preventive Procedure, Diagnostic Procedure, Health Care Activity
    ("Procedure", frozenset({"T061", "T060", "T058"})),
    # Population, Family, Age, Patient or Disabled Group; Organism Attribute
    ("Demographic", frozenset({"T098", "T099", "T100", "T101", "T032"})),
    # Disease or Syndrome, Neoplastic Process, Mental or Behavioral Dysfunction, Pathologic Function, Sign or Symptom,
    # Injury or Poisoning, abnormalities, Cell or Molecular Dysfunction, Finding, Organism Function (pregnancy)
    ("Condition", frozenset({"T047", "T191", "T048", "T046", "T184", "T037", "T019", "T020", "T190", "T049"})),
    ("Condition", frozenset({"T033", "T040", "T055"})),
    # Organic and Inorganic Chemical, Protein, Immunologic Factor, Enzyme, Biologically Active Substance, Element
    ("Medication", frozenset({"T109", "T197", "T116", "T129", "T126", "T123", "T196"})),
)
"""First that fits: a protein that is also a drug is a drug. Types of the UMLS Semantic Network, by their ids."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One result of a search."""

    cui: str
    name: str
    source: str
    release: str


def object_in(reply: Reply) -> Mapping[str, Any]:
    """The JSON object of a reply."""
    try:
        found = json.loads(reply.body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise unusable()
    return found


def hits(found: Mapping[str, Any]) -> tuple[Hit, ...]:
    """The concepts of one page of results, in the order of the service."""
    rows = _list(_object(found.get("result")).get("results"))
    kept = []
    for row in map(_object, rows):
        cui = row.get("ui")
        if cui == NOTHING:
            continue
        if not is_cui(cui):
            raise unusable()
        if name := _name(row.get("name")):
            kept.append(Hit(str(cui), name, _name(row.get("rootSource")) or "UMLS", _release(row.get("uri"))))
    return tuple(kept)


def entity_type(found: Mapping[str, Any]) -> EntityType | None:
    """Which of our types a concept is; None when it is nothing that a criterion grounds."""
    rows = _list(_object(found.get("result")).get("semanticTypes"))
    ids = {str(row.get("uri", "")).rstrip("/").rsplit("/", 1)[-1] for row in map(_object, rows)}
    known = {one for one in ids if _TUI.fullmatch(one)}
    return next((kind for kind, members in _TYPES if known & members), None)


def snomed_codes(found: Mapping[str, Any]) -> tuple[str, ...]:
    """The codes of a page of atoms, those of preferred terms first; what is obsolete or suppressed does not count."""
    preferred: list[str] = []
    others: list[str] = []
    for row in map(_object, _list(found.get("result"))):
        code = str(row.get("code", "")).rstrip("/").rsplit("/", 1)[-1]
        gone = any(str(row.get(flag, "false")).lower() == "true" for flag in ("obsolete", "suppressible"))
        if row.get("rootSource") == "SNOMEDCT_US" and not gone and _SNOMED.fullmatch(code):
            (preferred if row.get("termType") == "PT" else others).append(code)
    return tuple(dict.fromkeys(preferred + others))


def pages(found: Mapping[str, Any]) -> int:
    """How many pages there are; 1 where the service does not say."""
    count = found.get("pageCount")
    return count if isinstance(count, int) and not isinstance(count, bool) and 0 < count < 10_000 else 1


def is_cui(value: object) -> bool:
    return isinstance(value, str) and _CUI.fullmatch(value) is not None


def unusable() -> Unavailable:
    return Unavailable(f"{SERVICE} gave an answer that cannot be read. Try again later.")


def _release(uri: object) -> str:
    match = _RELEASE.search(uri) if isinstance(uri, str) else None
    return match.group(1) if match else ""


def _name(value: object) -> str:
    """A name as it may be shown. What is too long for one, or gives orders, is none."""
    if not isinstance(value, str):
        return ""
    text = " ".join(value.split())
    return "" if len(text) > LONGEST_TERM or not text.isprintable() or instructions_in(text) else text


def _object(value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise unusable()
    return value


def _list(value: object) -> Sequence[Any]:
    if not isinstance(value, list):
        raise unusable()
    return value
