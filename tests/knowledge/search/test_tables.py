"""The word lists that ship, and what the bench counts with."""

from __future__ import annotations

import unicodedata

import pytest

from bench.knowledge.scores import ndcg, scores
from docgemma.knowledge.search.aspects import aspects
from docgemma.knowledge.search.rarity import RAREST, rarity
from docgemma.knowledge.search.tables import FOLDER, lines, stop_words

TABLES = sorted(path.name for path in FOLDER.glob("*.txt"))


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_composed_unicode_and_not_empty(name: str) -> None:
    text = (FOLDER / name).read_text(encoding="utf-8")
    assert lines(name)
    assert unicodedata.is_normalized("NFC", text)


@pytest.mark.parametrize("language", ["en", "vi"])
def test_every_group_of_names_has_at_least_two(language: str) -> None:
    for line in lines(f"synonyms.{language}.txt"):
        names = [name.strip() for name in line.replace(">", "|").split("|")]
        assert len(names) >= 2, line
        assert all(names), line


def test_every_aspect_line_has_a_pattern() -> None:
    assert all(line.partition("\t")[2] for language in ("en", "vi") for line in lines(f"aspects.{language}.txt"))
    assert aspects("", "en") == aspects("", "vi") == frozenset()


def test_names_of_diseases_are_rarer_than_everyday_words() -> None:
    assert rarity("zzyzx") == RAREST > rarity("scleroderma") > rarity("diabet") > rarity("symptom")
    assert rarity("scleroderma") > rarity("yesterdai")


def test_no_stop_word_hides_a_disease() -> None:
    assert not stop_words("en") & {"down", "gout", "cold", "stroke", "shock", "measles"}
    assert not stop_words("vi") & {"điều", "sâu", "răng", "sốt", "gút"}


@pytest.mark.parametrize(
    ("keys", "expected"),
    [(["a"], 1.0), (["x", "a"], 0.631), (["a", "a", "b"], 1.0), (["x"], 0.0), ([], 0.0)],
    ids=["first", "second", "repeated", "wrong", "none"],
)
def test_ndcg_counts_an_answer_once_and_later_ones_less(keys: list[str], expected: float) -> None:
    right = frozenset({"a", "b"}) if "b" in keys else frozenset({"a"})
    assert ndcg(keys, right) == pytest.approx(expected, abs=1e-3)


def test_recall_looks_at_the_first_and_the_first_five() -> None:
    found = scores([(["a"], frozenset("a")), (["x", "y", "z", "v", "a"], frozenset("a")), (["x"], frozenset("a"))])
    assert found.asked == 3
    assert found.at_1 == pytest.approx(1 / 3)
    assert found.at_5 == pytest.approx(2 / 3)
