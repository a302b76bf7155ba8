"""CPU time and memory of one piece of work, in a process that does nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_MEASURED = """
import re, resource, sys, time
from pathlib import Path
start = time.process_time()
{work}
spent = time.process_time() - start
status = Path("/proc/self/status")
own = re.search(r"VmHWM:\\s+(\\d+)", status.read_text()) if status.exists() else None
print(spent, (int(own[1]) if own else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) / 1024)
"""
"""On Linux `ru_maxrss` of a process begins with what its parent held when it was started; VmHWM is its own."""


def child(work: str, file: Path, packs: Path) -> tuple[float, float]:
    """CPU seconds and peak memory in MB."""
    code = _MEASURED.format(work=work)
    done = subprocess.run(
        [sys.executable, "-c", code, str(file), str(packs)], capture_output=True, text=True, check=True
    )
    seconds, memory = done.stdout.split()
    return float(seconds), float(memory)
