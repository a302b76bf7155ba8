import bz2
import io
import json
import pickle
from pathlib import PurePosixPath

import pytest

from docgemma.errors import Unavailable
from docgemma.terminology.sources import core, drugs, genes, icd, mesh, ontologies
from docgemma.terminology.sources.first_edition import filed_under
from docgemma.terminology.sources.mesh_types import type_of_trees


def _term(own: str, name: str, parents: tuple[str, ...] = (), **more: object) -> dict[str, object]:
    return {"id": own, "name": name, "namespace": "x", "relations": {"is_a": list(parents)}, **more}


def test_ontology_terms_carry_their_references() -> None:
    xrefs = [{"namespace": "UMLS", "id": "C0014544"}, {"namespace": "GARD", "id": "10287"}]
    text = json.dumps([_term("0005027", "epilepsy", synonyms=["epilepsia", "Epilepsy"], xrefs=xrefs)]).encode()
    (record,) = ontologies.mondo(text)
    assert (record.id, record.name, record.synonyms) == ("MONDO:0005027", "epilepsy", ("epilepsia",))
    assert record.xrefs == (("UMLS", "C0014544"),)
    assert record.type == "Condition"


def test_doid_does_not_give_a_thing_the_number_of_what_is_left_over() -> None:
    """C0029531 is "other cataract"; C0086543 is cataract."""
    xrefs = [{"namespace": "UMLS_CUI", "id": cui} for cui in ("C0029531", "C0086543", "C0029882")]
    (record,) = ontologies.doid(json.dumps([_term("DOID:83", "cataract", xrefs=xrefs)]).encode())
    assert [ref for _, ref in record.xrefs] == ["C0086543", "C0029882"]


@pytest.mark.parametrize(
    ("cui", "name", "expected"),
    [
        ("C0027947", "neutropenia", True),
        ("C0020542", "pulmonary hypertension", True),
        ("C0033027", "myelodysplastic syndrome", False),
        ("C4021780", "liver disease", False),
        ("C0043541", "Zygomycosis", True),
    ],
)
def test_an_early_cui_stands_under_its_letter(cui: str, name: str, expected: bool) -> None:
    assert filed_under(cui, name) is expected


def test_hpo_keeps_abnormalities_however_deep() -> None:
    terms = [
        _term("HP:0000005", "Mode of inheritance", ("HP:0000001",)),
        _term("HP:0000118", "Phenotypic abnormality", ("HP:0000001",)),
        _term("HP:0000707", "Abnormality of the nervous system", ("HP:0000118",)),
        _term("HP:0001250", "Seizure", ("HP:0000707",)),
    ]
    found = [record.id for record in ontologies.hpo(json.dumps(terms).encode())]
    assert found == ["HP:0000707", "HP:0001250"]


def test_diseases_of_animals_are_left_out() -> None:
    terms = [_term("0005583", "non-human animal disease"), _term("0000002", "cat disease", ("0005583",))]
    assert list(ontologies.mondo(json.dumps(terms).encode())) == []


def test_efo_holds_more_than_diseases() -> None:
    terms = [
        _term("0000408", "disease"),
        _term("0000195", "metabolic syndrome", ("0000408",)),
        _term("0004458", "C-reactive protein measurement", ("0001444",)),
        _term("0000311", "cancer", xrefs=[{"namespace": "MONDO", "id": "0004992"}]),
        _term("0000098", "BY4741"),
    ]
    found = {record.name: record.type for record in ontologies.efo(json.dumps(terms).encode())}
    assert found == {
        "disease": "Condition",
        "metabolic syndrome": "Condition",
        "C-reactive protein measurement": "Lab_Value",
        "cancer": "Condition",
    }


@pytest.mark.parametrize(
    ("trees", "expected"),
    [
        (["C10.228.140.490"], "Condition"),
        (["C22.180"], None),
        (["F03.600.300"], "Condition"),
        (["F01.145.126.350"], "Condition"),
        (["F01.829"], None),
        (["D02.078.370.141.450"], "Medication"),
        (["D12.776.826.750.350"], "Biomarker"),
        (["D12.776.124.486.485"], "Medication"),
        (["E01.370.225.124"], "Lab_Value"),
        (["E01.370.390.400.300"], "Lab_Value"),
        (["E01.370.350"], "Procedure"),
        (["E05.318.740"], None),
        (["M01.060.116"], "Demographic"),
        (["A01.923"], None),
        (["G07.100", "C23.888"], "Condition"),
        ([], None),
    ],
)
def test_the_mesh_tree_says_the_kind(trees: list[str], expected: str | None) -> None:
    assert type_of_trees(trees) == expected


def test_mesh_descriptors_without_a_kind_stay_for_the_core() -> None:
    lines = [
        "D000006\tAbdomen, Acute\tAcute Abdomen|Abdomens, Acute\tC23.888\t\n",
        "D011247\tPregnancy\t\tG08.686\t\n",
        "\n",
    ]
    found = [(record.id, record.synonyms, record.type) for record in mesh.descriptors(lines)]
    assert found == [("D000006", ("Acute Abdomen", "Abdomens, Acute"), "Condition"), ("D011247", (), None)]


def test_supplementary_records_take_the_kind_of_their_heading() -> None:
    lines = [
        "C000002\tbevonium\t\tD001561\n",
        "C000009\tsome syndrome\t\tD001561,D000006\n",
        "C588418\tKCNMB2 protein, human\t\tD051038\n",
        "C588419\tKcnmb2 protein, mouse\t\tD051038\n",
        "C588420\tnowhere filed\t\tD999999\n",
    ]
    types = {"D001561": "Medication", "D000006": "Condition", "D051038": "Medication"}
    found = {record.id: record.type for record in mesh.supplementary(lines, types)}  # type: ignore[arg-type]
    assert found == {"C000002": "Medication", "C000009": "Condition", "C588418": "Biomarker"}


def test_withdrawn_genes_are_left_out() -> None:
    columns = [
        "HGNC ID",
        "Approved symbol",
        "Approved name",
        "Status",
        "Alias symbols",
        "Previous symbols",
        "Locus type",
    ]
    rows = [
        [
            "HGNC:3236",
            "EGFR",
            "epidermal growth factor receptor",
            "Approved",
            "ERBB1, HER1",
            "ERBB",
            genes.PROTEIN_CODING,
        ],
        ["HGNC:6", "A1S9T", "symbol withdrawn", "Symbol Withdrawn", "", "", "unknown"],
        ["HGNC:37133", "A1BG-AS1", "A1BG antisense RNA 1", "Approved", "", "", "RNA, long non-coding"],
    ]
    lines = ["\t".join(row) + "\n" for row in [columns, *rows]]
    assert [record.name for record in genes.genes(lines)] == ["EGFR", "A1BG-AS1"]
    (gene,) = genes.genes(lines, only=genes.PROTEIN_CODING)
    assert gene.synonyms == ("epidermal growth factor receptor", "ERBB1", "HER1", "ERBB")


def _packed(tables: object) -> bytes:
    return bz2.compress(pickle.dumps(tables))


def test_a_brand_of_a_combination_is_no_name_of_one_ingredient() -> None:
    tables = {
        "drug_variant_to_canonical": {"metformin": ["metformin"], "trijardy": ["metformin"], "fortamet": ["metformin"]},
        "drug_canonical_to_data": {"metformin": {"name": "Metformin", "drugbank_id": "DB00331", "mesh_id": "D007004"}},
    }
    known = {"metformin": "metformin", "trijardy": "empagliflozin+linagliptin+metformin"}
    (record,) = drugs.drug_names(_packed(tables), known)
    assert (record.system, record.id, record.synonyms) == ("DRUGBANK", "DB00331", ("fortamet",))


def test_the_wrong_mesh_ids_of_the_drug_package_are_not_read() -> None:
    tables = {
        "drug_variant_to_canonical": {"gentamicin": ["gentamicins"]},
        "drug_canonical_to_data": {"gentamicins": {"name": "Gentamicins", "mesh_id": "D007004"}},
    }
    (record,) = drugs.drug_names(_packed(tables), {})
    assert (record.id, record.xrefs) == ("", ())


def test_a_pickle_that_names_a_class_is_refused() -> None:
    with pytest.raises(Unavailable, match="only plain values"):
        list(drugs.drug_names(_packed({"a": PurePosixPath("x")}), {}))


def test_icd_codes_have_their_own_names_at_every_depth() -> None:
    text = b"""<ICD10CM.tabular><chapter><section><diag><name>E11</name><desc>Type 2 diabetes mellitus</desc>
    <diag><name>E11.9</name><desc>Type 2 diabetes mellitus without complications</desc></diag></diag>
    <diag><name>V00</name><desc>Pedestrian conveyance accident</desc></diag></section></chapter></ICD10CM.tabular>"""
    found = {record.id: record.name for record in icd.codes(io.BytesIO(text))}
    assert found == {
        "E11": "Type 2 diabetes mellitus",
        "E11.9": "Type 2 diabetes mellitus without complications",
    }


def test_the_core_leaves_out_what_is_not_of_its_form() -> None:
    lines = [
        "name,synonyms,entity_type,umls_cui,snomed_ct,rxnorm_in,loinc,evidence,n_sources\n",
        "acetaminophen,paracetamol|APAP,Medication,C0000970,387517005,161,,seen,8\n",
    ]
    (record,) = core.core(lines)
    assert record.names == ("acetaminophen", "paracetamol", "APAP")
    assert record.xrefs == (("UMLS", "C0000970"), ("RXNORM", "161"))
