"""How much memory this process may still take, before the system starts to kill or to swap."""

from __future__ import annotations

import os
import re
from pathlib import Path

_AVAILABLE = re.compile(r"^MemAvailable:\s{1,20}(\d{1,15}) kB$", re.MULTILINE)


def free_bytes(root: Path = Path("/")) -> int | None:
    """What the machine has left, or less where a container is allowed less. None where this system does not say."""
    found = [_of_machine(root), *_of_groups(root)]
    known = [amount for amount in found if amount is not None]
    return max(min(known), 0) if known else None


def _of_machine(root: Path) -> int | None:
    told = _AVAILABLE.search(_read(root / "proc/meminfo"))
    if told:
        return int(told[1]) * 1024
    try:  # macOS tells only how much there is
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if root == Path("/") else None
    except (ValueError, OSError):
        return None


def _of_groups(root: Path) -> list[int | None]:
    """The limits of the control groups around this process, in both of their layouts."""
    left: list[int | None] = []
    mounted = root / "sys/fs/cgroup"
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, controllers, path = (*line.split(":", 2), "", "")[:3]
        if controllers == "":
            names, top = ("memory.max", "memory.current"), mounted
        elif "memory" in controllers.split(","):
            names, top = ("memory.limit_in_bytes", "memory.usage_in_bytes"), mounted / "memory"
        else:
            continue
        group = top / path.strip("/")
        for folder in (group, *group.parents):
            left.append(_left_in(folder, *names))
            if folder == top:
                break
    return left


def _left_in(group: Path, limit: str, used: str) -> int | None:
    """What the group may still take; what it only keeps of files can be given back."""
    most, taken = _read(group / limit).strip(), _read(group / used).strip()
    if not (most.isdecimal() and taken.isdecimal()):  # "max" is no limit
        return None
    kept = re.search(r"^(?:total_)?inactive_file (\d{1,18})$", _read(group / "memory.stat"), re.MULTILINE)
    return int(most) - int(taken) + (int(kept[1]) if kept else 0)


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
