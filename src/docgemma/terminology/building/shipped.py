"""What ships: the verified core and the frequent part of the open vocabularies, as text files beside the code.

The large ones are packed: together they took as much room as all of the code.
SNOMED CT codes lie in one file of their own. Without it everything works and every `snomed_code` is empty.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib.resources import files

from docgemma.terminology.building.merging import merge
from docgemma.terminology.building.tables import parse, parse_snomed
from docgemma.terminology.contract import Concept
from docgemma.terminology.sources.core import CORE, core
from docgemma.terminology.sources.drugs import dictionary, ingredient_names
from docgemma.terminology.sources.record import SNOMED, Record

SOURCES = (
    ("mondo.tsv.gz", "MONDO", "MONDO"),
    ("doid.tsv", "DOID", "DOID"),
    ("efo.tsv", "EFO", "EFO"),
    ("hpo.tsv.gz", "HP", "HP"),
    ("mesh.tsv.gz", "MESH", "MESH"),
    ("drugbank.tsv", "DRUGBANK", "DRUGBANK"),
    ("hgnc.tsv.gz", "HGNC", "HGNC"),
)
"""File, source and system of its ids."""
CORE_FILE = "core.tsv"
SNOMED_FILE = "snomed.tsv"
PACKED = ".gz"

Codes = Mapping[tuple[str, str], tuple[str, ...]]


def shipped_concepts(snomed: bool = True) -> list[Concept]:
    """The concepts of the small index, merged by the same rules as those of the full one."""
    return merge(shipped_records(snomed))


def shipped_records(snomed: bool = True) -> Iterator[Record]:
    """The records of the files that are there, the core first."""
    codes = _codes() if snomed else {}
    yield from _core(codes)
    for file, source, system in SOURCES:
        yield from parse(shipped_text(file), source, system, codes)
    yield from ingredient_names(dictionary())


def core_records(snomed: bool = True) -> Iterator[Record]:
    """The verified core alone."""
    return _core(_codes() if snomed else {})


def _core(codes: Codes) -> Iterator[Record]:
    lines = (line for line in shipped_text(CORE_FILE).splitlines() if not line.startswith("#"))
    for record in core(lines, delimiter="\t"):
        own = tuple((SNOMED, code) for code in codes.get((CORE, record.name), ()))
        yield replace(record, xrefs=(*record.xrefs, *own))


def _codes() -> Codes:
    return parse_snomed(shipped_text(SNOMED_FILE))


def shipped_text(file: str) -> str:
    """The file's text, unpacked; a file that somebody removed is empty."""
    path = files("docgemma.terminology") / "data" / file
    if not path.is_file():
        return ""
    content = path.read_bytes()
    return (gzip.decompress(content) if file.endswith(PACKED) else content).decode("utf-8")
