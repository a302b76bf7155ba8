"""Names as they are compared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.ehr.folding import fold, fold_words


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("García LÓPEZ", ["garcia", "lopez"]),
        ("Garcia\u0301", ["garcia"]),
        ("O'Hara O’Hara O´Hara Oʻhara", ["ohara"] * 4),
        ("Smith-Jones, A.", ["smith", "jones", "a"]),
        ("Nguyễn Thị Đức", ["nguyen", "thi", "duc"]),
        ("Łukasz Żółć Straße Ærø", ["lukasz", "zolc", "strasse", "aero"]),
        ("ÇELİK Işık", ["celik", "isik"]),
        ("Ma\u200bria \u202eLee", ["maria", "lee"]),
        ("राम कुमार", ["राम", "कुमार"]),
        ("கார்த்திக்", ["கார்த்திக்"]),
        ("김민수 王小明", ["김민수", "王小明"]),
        ("Андрій", ["андрій"]),
        ("𝐀𝐧𝐧 ŉ ＡＮＮ", ["ann", "n", "ann"]),
        ("_%,|$", []),
    ],
)
def test_words(written: str, words: list[str]) -> None:
    assert fold_words(written) == words


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold_words(fold(text)) == fold_words(text)


@given(st.text(st.characters(max_codepoint=127)))
def test_plain_letters_fold_as_among_others(text: str) -> None:
    assert fold_words(f"{text} é") == [*fold_words(text), "e"]
