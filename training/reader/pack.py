"""Cut a file into parts of at most 15 MB, or join them: `cut FILE FOLDER`, `join FOLDER FILE`."""

from __future__ import annotations

import sys
from pathlib import Path

PART = 15 * 1024 * 1024


def main(verb: str, source: Path, target: Path) -> None:
    if verb == "cut":
        data = source.read_bytes()
        target.mkdir(parents=True, exist_ok=True)
        for number, start in enumerate(range(0, len(data), PART)):
            (target / f"part{number}").write_bytes(data[start : start + PART])
    else:
        target.write_bytes(b"".join(path.read_bytes() for path in sorted(source.glob("part*"))))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
