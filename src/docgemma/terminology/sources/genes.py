"""HGNC's genes: the approved symbol is the name; the approved name and all other symbols are synonyms."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator

from docgemma.terminology.sources.record import Record, distinct, well_formed

HGNC = "HGNC"
PROTEIN_CODING = "gene with protein product"


def genes(lines: Iterable[str], *, only: str = "") -> Iterator[Record]:
    """Approved genes; `only` keeps one locus type."""
    for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
        if row["Status"] != "Approved" or (only and row["Locus type"] != only):
            continue
        if well_formed(HGNC, row["HGNC ID"]):
            yield _gene(row)


def _gene(row: dict[str, str]) -> Record:
    symbol = row["Approved symbol"]
    others = [*row["Alias symbols"].split(","), *row["Previous symbols"].split(",")]
    synonyms = distinct([row["Approved name"], *others], but=symbol)
    return Record(HGNC, HGNC, row["HGNC ID"], symbol, synonyms, (), "Biomarker")
