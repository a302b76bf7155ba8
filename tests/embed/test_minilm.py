"""The embedder as built: a text has one vector, alone or among others, and damaged files are refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from docgemma.embed import MiniLm, open_minilm
from docgemma.embed.wordpiece import WordPiece
from docgemma.errors import BadInput
from scripts.minilm_reference import SENTENCES

pytestmark = pytest.mark.weights


def test_like_meaning_lies_nearer_than_like_words(minilm: MiniLm) -> None:
    asked, same, other = minilm.embed(
        [
            "is this drug dangerous for the kidneys",
            "could the medicine harm renal function",
            "is this bean a kidney bean",
        ]
    )
    assert asked @ same > asked @ other


def test_vectors_have_length_one_and_the_declared_size(minilm: MiniLm) -> None:
    vectors = minilm.embed(SENTENCES)
    assert vectors.shape == (len(SENTENCES), minilm.dimensions)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_a_text_has_the_same_vector_alone_and_among_others(minilm: MiniLm) -> None:
    alone = np.vstack([minilm.embed([sentence]) for sentence in SENTENCES])
    np.testing.assert_allclose(minilm.embed(SENTENCES), alone, atol=1e-5)


def test_no_text_gives_no_vector_and_a_very_long_one_gives_one(minilm: MiniLm) -> None:
    assert minilm.embed([]).shape == (0, minilm.dimensions)
    assert np.isfinite(minilm.embed(["fever " * 20_000, ""])).all()


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Naïve café", [15743, 7668]),
        ("don't", [2123, 1005, 1056]),
        ("1.5 mg/kg", [1015, 1012, 1019, 11460, 1013, 4705]),
        ("sốt", [2061, 2102]),
        ("x\x85y\u200bz", [1060, 2100, 2480]),
    ],
)
def test_text_is_cut_as_the_model_learned_it(built: Path, text: str, ids: list[int]) -> None:
    tokens = WordPiece.read(built / "vocab.txt").ids(text)
    assert tokens[0] == 101
    assert tokens[-1] == 102
    assert tokens[1:-1] == ids


@pytest.mark.parametrize("name", ["model.onnx", "vocab.txt"])
def test_a_changed_file_is_refused_by_name(built: Path, tmp_path: Path, name: str) -> None:
    shutil.copytree(built, tmp_path / "copy")
    with (tmp_path / "copy" / name).open("r+b") as file:
        file.seek(100)
        file.write(b"\xff")
    with pytest.raises(BadInput, match=f"{name} is damaged or was changed"):
        open_minilm(tmp_path / "copy")


def test_a_missing_file_is_refused_by_name(built: Path, tmp_path: Path) -> None:
    shutil.copytree(built, tmp_path / "copy")
    (tmp_path / "copy" / "model.onnx").unlink()
    with pytest.raises(BadInput, match=r"model\.onnx is missing"):
        open_minilm(tmp_path / "copy")
