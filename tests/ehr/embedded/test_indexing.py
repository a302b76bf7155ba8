"""A resource in the index is found by every way of writing what it is called, and the index never hides a match."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from docgemma.ehr.embedded.contract import IndexEntry, Narrow
from docgemma.ehr.embedded.searches.indexing import entries
from docgemma.ehr.embedded.searches.query import Query, parse
from docgemma.ehr.folding import fold_words

_LETTERS = st.characters(categories=["Lu", "Ll", "Lo"], max_codepoint=0x24FF)
_NAMES = st.text(_LETTERS, min_size=1, max_size=12) | st.sampled_from(
    ["García López", "O’Hara", "Nguyễn", "Smith-Jones", "d'Angelo", "İpek", "ßen", "X" * 300]
)


def found(resource: dict[str, Any], query: Query) -> bool:
    """As the store would: the index first, then the resource itself."""
    have = entries(resource)
    return all(any(_meets(entry, one) for entry in have) for one in query.narrow) and query.matches(resource)


def _meets(entry: IndexEntry, narrow: Narrow) -> bool:
    if entry.param != narrow.param:
        return False
    return any(entry.value.startswith(one) if narrow.prefix else entry.value == one for one in narrow.values)


@given(st.lists(_NAMES, min_size=1, max_size=3), _NAMES, st.data())
def test_any_beginning_order_and_case_of_a_name_finds_it(given_: list[str], family: str, data: st.DataObject) -> None:
    person = {"resourceType": "Patient", "id": "x", "name": [{"family": family, "given": given_}]}
    words = fold_words(" ".join([family, *given_]))
    assume(words)
    chosen = data.draw(st.lists(st.sampled_from(words), min_size=1, max_size=4))
    cut = [word[: data.draw(st.integers(1, len(word)))] for word in chosen]
    # Half a letter is no beginning that anybody would type.
    assume(all(fold_words(part) == [part] and not unicodedata.combining(part[0]) for part in cut))
    assert found(person, parse("Patient", [("name", " ".join(cut))]))
    assert found(person, parse("Patient", [("name", " ".join(cut).upper())])) or any(
        fold_words(part.upper()) != [part] for part in cut
    )


@given(_NAMES)
def test_an_exact_name_is_found_as_it_was_written(family: str) -> None:
    person = {"resourceType": "Patient", "id": "x", "name": [{"family": family}]}
    assert found(person, parse("Patient", [("family:exact", family)]))


@given(st.text(min_size=1, max_size=250), st.text(max_size=250))
def test_an_identifier_is_found_with_and_without_its_system(value: str, system: str) -> None:
    identifier = {"system": system, "value": value} if system else {"value": value}
    resource = {"resourceType": "Encounter", "id": "x", "identifier": [identifier]}
    escaped, owner = (_escaped(text) for text in (value, system))
    assume(not value.isspace())
    assert found(resource, parse("Encounter", [("identifier", escaped)]))
    assert found(resource, parse("Encounter", [("identifier", f"{owner}|{escaped}")]))
    assert not found(resource, parse("Encounter", [("identifier", f"{owner}x|{escaped}")]))


def _escaped(text: str) -> str:
    for mark in "\\,|$":
        text = text.replace(mark, f"\\{mark}")
    return text


@pytest.mark.parametrize(
    ("born", "asked", "answers"),
    [
        ("1980-03-04", "1980-03-04", True),
        ("1980-03-04", "1980-03", True),
        ("1980-03-04", "1980", True),
        ("1980-03-04", "1980-04", False),
        ("1980-03", "1980", True),
        ("1980", "1980-03-04", False),
        ("1980-03-04", "1970,1980", True),
        ("1980-03-04", "ge1980-03-04", True),
        ("1980-03-04", "ne1980-03-04", False),
    ],
)
def test_dates_of_birth(born: str, asked: str, answers: bool) -> None:
    person = {"resourceType": "Patient", "id": "x", "birthDate": born}
    assert found(person, parse("Patient", [("birthdate", asked)])) is answers


def test_each_entry_once_and_always_in_the_same_order() -> None:
    person = {
        "resourceType": "Patient",
        "id": "x",
        "identifier": [{"system": "urn:a", "value": "1"}, {"system": "urn:a", "value": "1"}],
        "name": [{"family": "Lee", "given": ["Lee", "Ann"]}, {"text": "Ann Lee"}],
    }
    assert entries(person) == [
        IndexEntry("identifier", "urn:a|1"),
        IndexEntry("identifier", "|1"),
        IndexEntry("name", "lee"),
        IndexEntry("name", "ann"),
        IndexEntry("family", "lee"),
        IndexEntry("given", "lee"),
        IndexEntry("given", "ann"),
    ]


def test_a_provenance_is_found_by_what_it_is_about() -> None:
    resource = {"resourceType": "Provenance", "id": "x", "target": [{"reference": "MedicationRequest/m1/_history/2"}]}
    assert found(resource, parse("Provenance", [("target", "MedicationRequest/m1")]))
