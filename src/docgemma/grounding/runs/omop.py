"""Lines as rows of a table in the words of the OMOP common data model, one row for an entity.

`concept_id` is 0 in every row, OMOP's own word for "not mapped": no OMOP vocabulary is loaded here, and the codes in
the other columns are what one is mapped with. A row that waits for an expert has no codes: whoever loads the table
without a look at `status` must not load a guess.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

from docgemma.grounding.contract import Entity, Grounded
from docgemma.terminology.contract import Candidate, EntityType

DOMAINS: dict[EntityType, str] = {
    "Condition": "Condition",
    "Medication": "Drug",
    "Procedure": "Procedure",
    "Lab_Value": "Measurement",
    "Demographic": "Observation",
    "Biomarker": "Measurement",
}
COLUMNS = (
    "criterion_id", "protocol_id", "criterion_type", "domain_id", "concept_id", "source_value", "source_vocabulary_id",
    "source_concept_code", "source_concept_name", "umls_cui", "snomed_code", "operator", "value_as_number",
    "value_upper_as_number", "value_as_string", "unit_source_value", "window_operator", "window_value", "window_unit",
    "window_anchor", "window_source_value", "negated", "confidence", "method", "status", "reason", "entity_id",
    "span_start", "span_end", "batch_id",
)  # fmt: skip

_VOCABULARIES = {"RXNORM": "RxNorm", "LOINC": "LOINC", "MESH": "MeSH", "ICD10CM": "ICD10CM", "HGNC": "HGNC"}
"""Systems of an index under the names that OMOP has for them."""
_FIRST: dict[EntityType, str] = {"Medication": "RXNORM", "Lab_Value": "LOINC"}
_NUMBER = re.compile(r"[+-]?[0-9]{1,30}(?:\.[0-9]{1,30})?", re.ASCII)
_RUN = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


def header() -> bytes:
    return _row(COLUMNS)


def rows(line: Grounded) -> bytes:
    """A criterion without entities has no row; one that was not grounded has one that says so."""
    if line.error is not None:
        cells = {"source_value": line.text, "status": "error", "reason": line.error}
        return _row(_filled(line, cells))
    return b"".join(_row(_filled(line, _entity(entity))) for entity in line.entities)


def _filled(line: Grounded, cells: dict[str, str]) -> Iterator[str]:
    shared = {
        "criterion_id": line.criterion_id,
        "protocol_id": line.protocol_id,
        "criterion_type": line.type,
        "concept_id": "0",
        "batch_id": line.batch_id,
    }
    for name in COLUMNS:
        yield shared.get(name) or cells.get(name, "")


def _entity(entity: Entity) -> dict[str, str]:
    window = entity.time
    return {
        **(_codes(entity) if entity.status == "grounded" else {}),
        "domain_id": DOMAINS[entity.entity_type],
        "source_value": entity.text,
        "operator": entity.comparator or "",
        "value_as_number": _number(entity.value),
        "value_upper_as_number": _number(entity.upper),
        "value_as_string": " to ".join(part for part in (entity.value, entity.upper) if part),
        "unit_source_value": entity.unit or "",
        "window_operator": (window and window.comparator) or "",
        "window_value": _number(window.value if window else None),
        "window_unit": (window and window.unit) or "",
        "window_anchor": window.anchor if window else "",
        "window_source_value": window.text if window else "",
        "negated": "1" if entity.negated else "0",
        "confidence": repr(entity.grounding_confidence),
        "method": entity.grounding_method,
        "status": entity.status,
        "reason": entity.reason,
        "entity_id": entity.entity_id,
        "span_start": str(entity.span_start),
        "span_end": str(entity.span_end),
    }


def _codes(entity: Entity) -> dict[str, str]:
    vocabulary, code = _source(entity)
    return {
        "source_vocabulary_id": vocabulary,
        "source_concept_code": code,
        "source_concept_name": entity.preferred_term or "",
        "umls_cui": entity.umls_cui or "",
        "snomed_code": entity.snomed_code or "",
    }


def _source(entity: Entity) -> tuple[str, str]:
    """The code that OMOP maps this kind of thing by, as far as there is one."""
    ids = dict(chosen.ids) if (chosen := _chosen(entity)) else {}
    first = _FIRST.get(entity.entity_type)
    if first and ids.get(first):
        return _VOCABULARIES[first], ids[first][0]
    if entity.snomed_code:
        return "SNOMED", entity.snomed_code
    for system, name in _VOCABULARIES.items():
        if ids.get(system):
            return name, ids[system][0]
    return ("UMLS", entity.umls_cui) if entity.umls_cui else ("", "")


def _chosen(entity: Entity) -> Candidate | None:
    """The candidate that the entity was grounded to; None for a concept that an expert brought in."""
    same = (each for each in entity.candidates if each.cui == entity.umls_cui and each.display == entity.preferred_term)
    return next(same, None)


def _number(value: str | None) -> str:
    """Only what every reader takes for a number: this column is not guarded, so that -2.5 stays one."""
    return value if value and _NUMBER.fullmatch(value) else ""


def _row(cells: Iterator[str] | tuple[str, ...]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow([_harmless(cell) for cell in cells])  # so that both are quoted
    return text.getvalue().removesuffix("\r\n").encode() + b"\n"


def _harmless(cell: str) -> str:
    """An apostrophe before what a spreadsheet would run; plain numbers cannot be run, and stay numbers."""
    return f"'{cell}" if cell.startswith(_RUN) and not _NUMBER.fullmatch(cell) else cell
