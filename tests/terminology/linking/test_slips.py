"""Misspelt words in an index: a slip of a name is found, an ordinary word that merely looks like one is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from docgemma.terminology.contract import Concept, EntityType
from docgemma.terminology.index.building import compile_index
from docgemma.terminology.index.opening import open_index
from docgemma.terminology.linking.lexicon import IndexLexicon
from docgemma.terminology.linking.linking import find

NAMES: list[tuple[EntityType, tuple[str, ...]]] = [
    ("Medication", ("thalidomide", "Thalomidex")),
    ("Medication", ("titin", "connectin")),
    ("Condition", ("dysphasia",)),
    ("Condition", ("dysplasia of the hip",)),
    ("Condition", ("dysplasia of the cervix",)),
    ("Condition", ("vein obstruction", "thrombosis")),
]


@pytest.fixture(scope="module")
def lexicon(tmp_path_factory: pytest.TempPathFactory) -> IndexLexicon:
    path: Path = tmp_path_factory.mktemp("terms") / "small.sqlite"
    concepts = [Concept(display=names[0], type=kind, ontology="TEST", names=names) for kind, names in NAMES]
    compile_index(concepts, path)
    return IndexLexicon(open_index(path))


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("treated with thalidomid", ["thalidomide"]),
        ("treated with thalidommide", ["thalidomide"]),
        ("treated with Thalomidexx", ["Thalomidex"]),
        ("treated with thalomidexx", []),
        ("deep trombosis", ["deep thrombosis"]),
        ("severe dysplasia", []),
        ("a connection to it", []),
    ],
    ids=["ending", "letter", "brand", "brand in small letters", "another name", "a word of names", "English ending"],
)
def test_a_slip_is_a_word_that_no_name_has(lexicon: IndexLexicon, text: str, terms: list[str]) -> None:
    assert [span.term for span in find(text, lexicon)] == terms
