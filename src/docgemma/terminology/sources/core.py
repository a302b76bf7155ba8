"""The verified core: frequent names whose identifiers were each seen beside that name in a public source."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator

from docgemma.terminology.contract import ENTITY_TYPES
from docgemma.terminology.sources.record import SNOMED, UMLS, Record, distinct, well_formed

CORE = "CORE"
_COLUMNS = (("umls_cui", UMLS), ("snomed_ct", SNOMED), ("rxnorm_in", "RXNORM"), ("loinc", "LOINC"))


def core(lines: Iterable[str], delimiter: str = ",") -> Iterator[Record]:
    """One record a row."""
    for row in csv.DictReader(lines, delimiter=delimiter):
        kind = next(known for known in ENTITY_TYPES if known == row["entity_type"])
        synonyms = distinct(row["synonyms"].split("|"), but=row["name"])
        refs = ((system, row.get(column) or "") for column, system in _COLUMNS)
        kept = tuple((system, ref) for system, ref in refs if well_formed(system, ref))
        yield Record(CORE, "", "", row["name"], synonyms, kept, kind)
