"""How much disk a default install takes: requirements/lock.txt in a fresh environment, without pip itself."""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
import tempfile
import venv
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOT_OURS = {"pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils"}


def packages(environment: Path) -> Path:
    """The environment's site-packages."""
    return Path(sysconfig.get_path("purelib", "venv", {"base": str(environment), "platbase": str(environment)}))


def allocated(folder: Path) -> Iterator[int]:
    """Bytes on disk of every file, as `du` counts them, leaving out what every environment carries."""
    for entry in folder.iterdir():
        if re.split("[-.]", entry.name)[0] in NOT_OURS:
            continue
        files = entry.rglob("*") if entry.is_dir() else (entry,)
        yield from (file.lstat().st_blocks * 512 for file in files)


def installed_bytes() -> int:
    """Install the locked packages and DocGemma into a throw-away environment and weigh them."""
    with tempfile.TemporaryDirectory() as folder:
        environment = Path(folder)
        venv.create(environment, with_pip=True)
        python = str(environment / "bin" / "python")
        pip = [python, "-m", "pip", "--disable-pip-version-check", "-qq", "install"]
        for what in (["-r", str(ROOT / "requirements" / "lock.txt")], ["--no-deps", str(ROOT)]):
            subprocess.run([*pip, *what], check=True)  # noqa: S603
        return sum(allocated(packages(environment)))


def main() -> None:
    sys.stdout.write(f"{installed_bytes() / 1e6:.0f} MB\n")


if __name__ == "__main__":
    main()
