"""What a search gives, as somebody who grounds criteria would see it."""

from __future__ import annotations

import pytest

from docgemma.terminology.contract import EntityType
from docgemma.terminology.search.searching import Searcher
from tests.terminology.concepts import index_of

SURE = 0.7


@pytest.fixture(scope="module")
def searcher(tmp_path_factory: pytest.TempPathFactory) -> Searcher:
    return Searcher(index_of(tmp_path_factory.mktemp("index")))


@pytest.mark.parametrize(
    ("term", "kind", "display"),
    [
        ("Renal Disease", "Condition", "kidney disease"),
        ("cancer of the kidney", "Condition", "kidney cancer"),
        ("hypertensive", "Condition", "hypertension"),
        ("nephrotoxicity", "Condition", "kidney disease"),
        ("renal dysfunction", "Condition", "kidney disease"),
        ("severe breast cancer", "Condition", "breast cancer"),
        ("brest cancer of the breast", "Condition", "breast cancer"),
        ("acetaminophenn", "Medication", "acetaminophen"),
        ("IL2", "Medication", "interleukin 2"),
        ("metformin hydrochloride", "Medication", "metformin"),
        ("Na", "Medication", "sodium"),
        ("EGFR mutation", None, "EGFR gene"),
        ("EGFR-positive", "Biomarker", "EGFR gene"),
        ("ALT", None, "alanine aminotransferase"),
        ("ALT", "Condition", "atypical lipomatous tumor"),
        ("eGFR", None, "estimated glomerular filtration rate"),
        ("stroke", None, "stroke disorder"),
        ("type II diabetes mellitus", "Condition", "type 2 diabetes mellitus"),
    ],
)
def test_the_first_candidate(searcher: Searcher, term: str, kind: EntityType | None, display: str) -> None:
    assert searcher.search(term, type=kind)[0].display == display


def test_a_preferred_name_is_sure_and_a_loose_one_is_not(searcher: Searcher) -> None:
    assert searcher.search("kidney cancer", type="Condition")[0].confidence > 0.9
    assert searcher.search("kidney trouble", type="Condition")[0].confidence < SURE
    assert all(found.confidence < SURE for found in searcher.search("acetaminofenol", type="Medication"))


def test_a_short_form_needs_a_type_or_a_definition(searcher: Searcher) -> None:
    bare = searcher.search("DM")[0]
    told = searcher.search("DM", context="Myotonic dystrophy (DM) is excluded.")[0]
    assert bare.display == "diabetes mellitus"
    assert told.display == "myotonic dystrophy"
    assert told.confidence > SURE
    assert searcher.search("IDDM", type="Condition")[0].confidence > SURE


def test_a_definition_inside_a_longer_term(searcher: Searcher) -> None:
    context = "Chronic kidney (CK) problems. CK cancer was seen."
    found = searcher.search("CK cancer", type="Condition", context=context)
    assert found[0].display == "kidney cancer"


def test_a_list_gives_each_of_its_things_in_order(searcher: Searcher) -> None:
    found = searcher.search("breast and ovarian cancer", type="Condition")
    assert [candidate.display for candidate in found[:2]] == ["breast cancer", "ovarian cancer"]


def test_the_contrary_is_never_sure(searcher: Searcher) -> None:
    for candidate in searcher.search("nonalcoholic liver disease", type="Condition"):
        assert candidate.display != "alcoholic liver disease" or candidate.confidence < SURE
    first = searcher.search("type 3 diabetes mellitus", type="Condition")[0]
    assert first.confidence < SURE


def test_candidates_are_in_order_and_bounded(searcher: Searcher) -> None:
    found = searcher.search("renal cancer", max_results=3)
    confidences = [candidate.confidence for candidate in found]
    assert len(found) <= 3
    assert confidences == sorted(confidences, reverse=True)
    assert len({candidate.display for candidate in found}) == len(found)


@pytest.mark.parametrize("term", ["zzzzqqq", "()", "the of", "ß", "٣", "a" * 300])
def test_nothing_fits_and_nothing_breaks(searcher: Searcher, term: str) -> None:
    assert all(candidate.confidence < SURE for candidate in searcher.search(term))
