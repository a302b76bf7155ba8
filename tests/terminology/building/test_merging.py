from collections.abc import Iterable

import pytest

from docgemma.terminology.building.merging import merge, plain_drug
from docgemma.terminology.contract import Concept, EntityType
from docgemma.terminology.sources.record import Record


def _record(
    own: str, name: str, *synonyms: str, refs: Iterable[str] = (), type: EntityType | None = "Condition"
) -> Record:
    """`own` and `refs` as SYSTEM/id; the source is the system."""
    system, _, identifier = own.partition("/")
    pairs = [ref.split("/") for ref in refs]
    return Record(system, system, identifier, name, synonyms, tuple((held, ref) for held, ref in pairs), type)


def _core(name: str, *synonyms: str, refs: Iterable[str] = (), type: EntityType = "Lab_Value") -> Record:
    pairs = [ref.split("/") for ref in refs]
    return Record("CORE", "", "", name, synonyms, tuple((held, ref) for held, ref in pairs), type)


def _by_display(*records: Record) -> dict[str, Concept]:
    found = merge(records)
    assert len({concept.display for concept in found}) == len(found)
    return {concept.display: concept for concept in found}


def test_a_direct_reference_joins_in_both_directions() -> None:
    found = _by_display(
        _record("MONDO/m1", "hypertensive disorder", refs=["MESH/D1"]),
        _record("DOID/d1", "hypertension", refs=["MONDO/m1"]),
        _record("MESH/D1", "Hypertension", "High Blood Pressure"),
    )
    (concept,) = found.values()
    assert concept.names == ("hypertension", "hypertensive disorder", "High Blood Pressure")
    assert concept.ids == {"DOID": ("d1",), "MESH": ("D1",), "MONDO": ("m1",)}


def test_loose_references_do_not_chain_unrelated_things_together() -> None:
    """Each disease refers to its own heading and to the next one's: a chain of twenty must not become one thing."""
    diseases = [_record(f"MONDO/m{i}", f"disease {i}", refs=[f"MESH/D{i}", f"MESH/D{i + 1}"]) for i in range(20)]
    headings = [_record(f"MESH/D{i}", f"Disease {i}") for i in range(20)]
    found = merge([*diseases, *headings])
    assert len(found) == 20
    assert all(len(concept.names) == 1 for concept in found)


def test_of_several_headings_the_one_with_a_name_of_ours_comes_first() -> None:
    found = _by_display(
        _record("MONDO/m1", "hepatitis B", "serum hepatitis", refs=["MESH/D1", "MESH/D2"]),
        _record("MESH/D1", "Liver Diseases"),
        _record("MESH/D2", "Hepatitis B"),
    )
    assert found["hepatitis B"].ids["MESH"] == ("D2", "D1")
    assert "Liver Diseases" in found


def test_two_entries_of_one_vocabulary_are_two_things() -> None:
    found = merge([_record("MONDO/m1", "stroke", refs=["UMLS/C1"]), _record("MONDO/m2", "Stroke", refs=["UMLS/C1"])])
    assert len(found) == 2


def test_a_phenotype_is_not_the_disease_that_refers_to_it() -> None:
    found = _by_display(
        _record("MONDO/m1", "epilepsy", refs=["HP/h1", "UMLS/C1"]),
        _record("HP/h1", "Seizure", "Epilepsy", refs=["UMLS/C1", "UMLS/C2"]),
    )
    assert (found["epilepsy"].cui, found["Seizure"].cui) == ("C1", "C2")


def test_the_cui_that_most_vocabularies_give_wins() -> None:
    (concept,) = merge(
        [
            _record("MONDO/m1", "psychotic disorder", refs=["DOID/d1", "UMLS/C1"]),
            _record("DOID/d1", "psychotic disorder", refs=["UMLS/C2"]),
            _record("EFO/e1", "psychotic disorder", refs=["UMLS/C2"]),
        ]
    )
    assert concept.cui == "C2"


def test_of_equal_cuis_the_vocabulary_that_agrees_with_the_others_wins() -> None:
    (concept,) = merge(
        [
            _record("MONDO/m1", "psychotic disorder", refs=["SNOMED/69322001"]),
            _record("EFO/e1", "psychotic disorder", refs=["UMLS/C1"]),
            _record("HP/h1", "Psychotic disorder", refs=["UMLS/C2", "SNOMED/69322001"]),
        ]
    )
    assert (concept.cui, concept.ids["UMLS"]) == ("C2", ("C2", "C1"))


@pytest.mark.parametrize(
    ("records", "display", "ontology"),
    [
        (
            [
                _record("MONDO/m1", "interstitial lung disease 2", refs=["DOID/d1", "MESH/D1"]),
                _record("DOID/d1", "idiopathic pulmonary fibrosis"),
                _record("MESH/D1", "Idiopathic Pulmonary Fibrosis"),
            ],
            "idiopathic pulmonary fibrosis",
            "DOID",
        ),
        (
            [
                _record("MONDO/m1", "lung disorder", refs=["DOID/d1", "MESH/D1"]),
                _record("DOID/d1", "disease of lung"),
                _record("MESH/D1", "Lung Diseases"),
            ],
            "lung disorder",
            "MONDO",
        ),
        (
            [
                _record("MONDO/m1", "kidney stone", refs=["DOID/d1", "MESH/D1"]),
                _record("DOID/d1", "nephrolithiasis"),
                _record("MESH/D1", "Stones, Kidney"),
            ],
            "kidney stone",
            "MONDO",
        ),
        (
            [
                _core("weight loss", refs=["UMLS/C1"], type="Condition"),
                _record("MONDO/m1", "weight loss", refs=["DOID/d1", "MESH/D1"]),
                _record("DOID/d1", "body weight decrease"),
                _record("MESH/D1", "Body Weight Decrease"),
            ],
            "weight loss",
            "CORE",
        ),
    ],
    ids=["most agree", "nobody agrees", "word order and number do not count", "the core keeps its name"],
)
def test_the_display_is_the_name_that_most_vocabularies_share(
    records: list[Record], display: str, ontology: str
) -> None:
    (concept,) = merge(records)
    assert (concept.display, concept.names[0], concept.ontology) == (display, display, ontology)


@pytest.mark.parametrize(
    ("records", "cuis"),
    [
        (
            [
                _record("MONDO/m1", "inherited porphyria", refs=["DOID/d1", "MESH/D011164", "UMLS/C1275125"]),
                _record("DOID/d1", "porphyria", refs=["UMLS/C0032708"]),
                _record("MESH/D011164", "Porphyrias"),
            ],
            ("C0032708", "C1275125"),
        ),
        (
            [
                _record("MONDO/m1", "neutropenia", refs=["UMLS/C0853697"]),
                _record("DOID/d1", "neutropenia", refs=["UMLS/C0027947"]),
                _record("HP/h1", "Neutropenia", refs=["UMLS/C0853697"]),
                _record("MESH/D009503", "Neutropenia"),
            ],
            ("C0027947", "C0853697"),
        ),
        (
            [
                _record("MONDO/m1", "pulmonary arterial hypertension", refs=["UMLS/C2973725"]),
                _record("DOID/d1", "pulmonary arterial hypertension", refs=["UMLS/C0020542"]),
                _record("MESH/D000081029", "Pulmonary Arterial Hypertension"),
            ],
            ("C2973725", "C0020542"),
        ),
        (
            [
                _record("MONDO/m1", "myelodysplastic syndrome", refs=["UMLS/C3463824", "MESH/D009190"]),
                _record("DOID/d1", "myelodysplastic syndrome", refs=["UMLS/C0033027"]),
                _record("MESH/D009190", "Myelodysplastic Syndromes"),
            ],
            ("C3463824", "C0033027"),
        ),
        (
            [
                _record("DOID/d1", "diarrhea", refs=["UMLS/C0013369"]),
                _record("HP/h1", "Diarrhea", refs=["UMLS/C0011991"]),
            ],
            ("C0011991", "C0013369"),
        ),
    ],
    ids=[
        "who calls it as we display it",
        "the first edition, where MeSH has the name",
        "not for a young heading",
        "not under another letter",
        "not DOID alone",
    ],
)
def test_of_several_cuis_all_are_kept_and_the_best_comes_first(records: list[Record], cuis: tuple[str, ...]) -> None:
    (concept,) = merge(records)
    assert (concept.cui, concept.ids["UMLS"]) == (cuis[0], cuis)


@pytest.mark.parametrize(
    ("cui", "code"),
    [("C1", "35489007"), ("C2", "78667006")],
    ids=["the same CUI may have the same code", "another thing has another code"],
)
def test_of_several_codes_a_national_one_is_the_last(cui: str, code: str) -> None:
    codes = ["SNOMED/21061000119107", "SNOMED/35489007", "SNOMED/78667006"]
    found = _by_display(
        _record("MONDO/m1", "depressive disorder", refs=["UMLS/C1", "SNOMED/35489007"]),
        _record("HP/h1", "Depression", refs=[f"UMLS/{cui}", *codes]),
    )
    assert found["Depression"].snomed_code == code


def test_a_namesake_goes_before_a_reference() -> None:
    """Both headings are references of the vein's thrombosis; only one of them can be it."""
    found = _by_display(
        _record("MONDO/m1", "hepatic vein thrombosis", "Budd-Chiari syndrome", refs=["HP/h1", "HP/h2"]),
        _record("HP/h1", "Budd-Chiari syndrome", refs=["UMLS/C1"]),
        _record("HP/h2", "Hepatic vein thrombosis", refs=["UMLS/C2"]),
    )
    assert (found["hepatic vein thrombosis"].cui, found["Budd-Chiari syndrome"].cui) == ("C2", "C1")


def test_a_record_moves_to_a_namesake_that_comes_later() -> None:
    found = _by_display(
        _record("MONDO/m1", "depressive disorder", "depression", refs=["HP/h1", "MESH/D1"]),
        _record("HP/h1", "Depression", refs=["UMLS/C1"]),
        _record("MESH/D1", "Depressive Disorder"),
        _record("MESH/D2", "Depression"),
    )
    assert found["Depression"].ids == {"HP": ("h1",), "MESH": ("D2",)}
    assert (found["Depression"].cui, found["depressive disorder"].cui) == ("C1", None)


def test_the_core_keeps_its_own_identifiers() -> None:
    found = _by_display(
        _core("proteinuria", refs=["UMLS/C9", "SNOMED/29738008"], type="Condition"),
        _record("MONDO/m1", "proteinuria", refs=["UMLS/C1", "SNOMED/84757009"]),
        _record("HP/h1", "Proteinuria", refs=["UMLS/C1"]),
    )
    assert (found["proteinuria"].cui, found["proteinuria"].snomed_code) == ("C9", "29738008")
    assert found["proteinuria"].ontology == "CORE"
    assert set(found["proteinuria"].ids) == {"MONDO", "HP", "UMLS"}
    assert found["proteinuria"].ids["UMLS"] == ("C9", "C1")


def test_a_synonym_of_the_core_does_not_lend_a_code() -> None:
    """The core's allergy lists drug allergy; the code of a drug allergy is not that of any allergy."""
    found = _by_display(
        _core("allergy", "drug allergy", refs=["UMLS/C1"], type="Condition"),
        _record("MONDO/m1", "drug allergy", refs=["SNOMED/84757009"]),
    )
    assert found["allergy"].snomed_code is None
    assert found["drug allergy"].snomed_code == "84757009"


@pytest.mark.parametrize(
    ("rival", "name"),
    [
        (_record("MONDO/m1", "atypical lipomatous tumor", "ALT"), "ALT"),
        (_record("HGNC/h1", "CYREN", "Alt", type="Biomarker"), "Alt"),
    ],
    ids=["tumour", "gene"],
)
def test_a_short_name_of_the_core_is_weak_elsewhere(rival: Record, name: str) -> None:
    found = _by_display(_core("alanine aminotransferase", "ALT", "SGPT"), rival)
    assert found["alanine aminotransferase"].weak == frozenset()
    assert found[rival.name].weak == {name}


@pytest.mark.parametrize(
    ("record", "weak"),
    [
        (_core("estrogen receptor", "ER", "estrogen receptors", type="Biomarker"), {"ER"}),
        (_record("MONDO/m1", "multiple sclerosis", "MS", "disseminated sclerosis"), {"MS"}),
        (_record("HGNC/h1", "ACTB", "REST", "PS1TP5", type="Biomarker"), {"REST"}),
        (_record("MONDO/m1", "flu", "influenza"), set()),
    ],
    ids=["core", "two letters", "a gene's alias that is a word", "the display is never weak"],
)
def test_what_says_little_is_weak(record: Record, weak: set[str]) -> None:
    (concept,) = merge([record])
    assert concept.weak == weak


def test_an_abbreviation_of_two_things_is_weak_for_both_and_a_word_for_neither() -> None:
    found = _by_display(
        _record("MONDO/m1", "stroke disorder", "stroke", "CVAX"),
        _record("MONDO/m2", "cerebrovascular disorder", "stroke", "CVAX"),
    )
    assert [concept.weak for concept in found.values()] == [{"CVAX"}, {"CVAX"}]


def test_a_descriptor_without_a_kind_lends_its_id_to_the_core_and_is_nothing_alone() -> None:
    found = _by_display(
        _core("pregnancy", refs=["UMLS/C1"], type="Demographic"),
        _record("MESH/D1", "Pregnancy", type=None),
        _record("MESH/D2", "Abdomen", type=None),
    )
    assert set(found) == {"pregnancy"}
    assert found["pregnancy"].ids == {"MESH": ("D1",)}


def test_a_lab_value_and_a_substance_of_one_name_stay_two() -> None:
    found = merge([_core("creatinine"), _record("MESH/D1", "Creatinine", type="Medication")])
    assert [(concept.type, dict(concept.ids)) for concept in found] == [
        ("Lab_Value", {}),
        ("Medication", {"MESH": ("D1",)}),
    ]


def test_icd_names_only_lend_their_codes() -> None:
    found = _by_display(
        _record("MONDO/m1", "asthma"), _record("ICD10CM/J45", "Asthma"), _record("ICD10CM/J46", "Something else")
    )
    assert found["asthma"].ids["ICD10CM"] == ("J45",)
    assert len(found) == 1


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Venlafaxine Hydrochloride", "venlafaxine"),
        ("Gentamicins", "gentamicin"),
        ("Tenofovir Disoproxil Fumarate", "tenofovir"),
        ("Sodium", None),
        ("Digitalis", None),
        ("Warfarin", None),
        ("Zinc Sulfate", None),
    ],
)
def test_the_plain_name_of_a_medicine(name: str, expected: str | None) -> None:
    assert plain_drug(name) == expected


def test_a_salt_joins_its_medicine_unless_the_vocabulary_has_both() -> None:
    drug = _core("venlafaxine", type="Medication")
    salt = _record("MESH/D2", "Venlafaxine Hydrochloride", type="Medication")
    plain = _record("MESH/D1", "Venlafaxine", type="Medication")
    assert [dict(concept.ids) for concept in merge([drug, salt])] == [{"MESH": ("D2",)}]
    assert [dict(concept.ids) for concept in merge([drug, salt, plain])] == [{"MESH": ("D1",)}, {"MESH": ("D2",)}]
