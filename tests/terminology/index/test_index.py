"""What goes into an index comes out again; what is not an index is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from docgemma.errors import Unavailable
from docgemma.terminology.index.building import compile_index
from docgemma.terminology.index.learning import Bag, learn
from docgemma.terminology.index.opening import open_index
from docgemma.terminology.names.keys import key
from tests.terminology.concepts import CONCEPTS, index_of


def test_every_name_finds_its_concept(tmp_path: Path) -> None:
    index = index_of(tmp_path)
    for number, concept in enumerate(CONCEPTS):
        assert index.names_of(number) == list(dict.fromkeys(concept.names))
        for name in concept.names:
            assert number in [index.concept_of(found) for found in index.named(key(name))]
    assert not index.named("nothing of the kind")


def test_an_entry_is_what_was_given(tmp_path: Path) -> None:
    given = replace(CONCEPTS[0], cui="X1", snomed_code="X2", ids={"TEST": ("b", "a")})
    entry = index_of(tmp_path, (given,)).entry(0)
    assert (entry.display, entry.type, entry.cui, entry.snomed_code) == (given.display, given.type, "X1", "X2")
    assert entry.ids == {"TEST": ("b", "a")}


def test_the_version_follows_the_content(tmp_path: Path) -> None:
    once = index_of(tmp_path / "a").about()
    assert once == index_of(tmp_path / "b").about()
    changed = (*CONCEPTS[:-1], replace(CONCEPTS[-1], cui="X1"))
    assert index_of(tmp_path / "c", changed).about().version != once.version
    assert once.concepts == len(CONCEPTS)


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "terms.sqlite"
    path.write_bytes(b"not an index, but long enough to be looked at" * 100)
    with pytest.raises(Unavailable):
        open_index(path)
    with pytest.raises(Unavailable, match="terms build"):
        open_index(tmp_path / "missing.sqlite")


def test_a_failed_build_leaves_the_old_index(tmp_path: Path) -> None:
    before = index_of(tmp_path).about()

    def broken() -> object:
        yield CONCEPTS[0]
        raise RuntimeError("the source ends here")

    with pytest.raises(RuntimeError):
        compile_index(broken(), tmp_path / "terms.sqlite")  # type: ignore[arg-type]
    assert open_index(tmp_path / "terms.sqlite").about() == before


def test_words_are_learnt_from_names() -> None:
    bags: list[set[Bag]] = [
        {("cancer", "kidney"), ("cancer", "renal")},
        {("kidney", "stone"), ("renal", "stone")},
        {("failure", "kidney"), ("failure", "renal")},
        {("cancer", "lung")},
        {("lung", "stone")},
        {("disease", "rare"), ("rare",)},
    ]
    learnt = learn(bags)
    assert [other for other, _ in learnt.near["renal"]] == ["kidney"]
    assert "lung" not in learnt.near
    assert learnt.left_out["disease"] > learnt.left_out.get("kidney", 0.0)
