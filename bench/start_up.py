"""What starting the product costs: `docgemma --help`, importing it whole, and the size of a default install."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median

from bench.report import Row, skipped
from scripts.install_size import installed_bytes

RUNS = 5
GOAL_HELP_S, GOAL_INSTALL_MB = 0.3, 250


def rows() -> Iterator[Row]:
    yield Row("docgemma --help, CPU", help_cpu_s(), "s", goal=GOAL_HELP_S)
    yield Row("import docgemma.wiring.app, CPU", import_cpu_s(), "s")
    try:
        yield Row("Default install", install_mb(), "MB", goal=GOAL_INSTALL_MB)
    except subprocess.CalledProcessError:
        yield skipped("Default install", "the locked packages cannot be installed here; pip's reason stands above")


def child_cpu_s(arguments: list[str]) -> float:
    """User and system seconds of one child that must succeed: the median of a few, after one that warms the disk."""
    spent = []
    for _ in range(RUNS + 1):
        before = getrusage(RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
        after = getrusage(RUSAGE_CHILDREN)
        spent.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return median(spent[1:])


def help_cpu_s() -> float:
    return child_cpu_s(["-m", "docgemma", "--help"])


def import_cpu_s() -> float:
    return child_cpu_s(["-c", "import docgemma.wiring.app"])


def install_mb() -> float:
    return installed_bytes() / 1e6
