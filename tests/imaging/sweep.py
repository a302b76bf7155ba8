"""Many files through the decoder, each in a process of its own with the decoder's own limits, and what each one cost.

Run as `python -m tests.imaging.sweep`: for each case a line and the file come in, results go out as JSON. The decoder
is imported once and forked for every case, so a case costs milliseconds and not the start of a Python. No case is held
in memory here, because a fork would have it, too.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from docgemma.imaging.decoding import ENVIRONMENT

ROOT = Path(__file__).resolve().parents[2]
MEMORY_MB = 512
CPU_S = 5
PATIENCE_S = 60
"""For each case, by the clock, which a busy machine stretches. The limit that counts is the processor's."""


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    data: bytes
    job: str = ""
    """`dicom` or `picture`; empty: as `inspect` would choose."""
    order: dict[str, object] = field(default_factory=lambda: {"frame": 1, "frames": 8})


@dataclass(frozen=True, slots=True)
class Cost:
    """How a decoder ended: exit code, or the negative number of the signal; its peak memory and processor time."""

    name: str
    code: int
    peak_mb: float
    cpu_s: float
    told: str


def sweep(cases: list[Case]) -> list[Cost]:
    """Run them all, one after the other, outside of this process."""
    given = b"".join(_line(each) + each.data for each in cases)
    ended = subprocess.run(
        [sys.executable, "-m", "tests.imaging.sweep"],
        env=os.environ | ENVIRONMENT,
        input=given,
        capture_output=True,
        cwd=ROOT,
        timeout=PATIENCE_S * (1 + len(cases)),
    )
    assert ended.returncode == 0, ended.stderr.decode()[-2000:]
    return [Cost(*each) for each in json.loads(ended.stdout)]


def _job(case: Case) -> str:
    return case.job or ("picture" if case.data.startswith((b"\x89PNG", b"\xff\xd8\xff")) else "dicom")


def _line(case: Case) -> bytes:
    return json.dumps([case.name, len(case.data), _job(case), case.order]).encode() + b"\n"


def main() -> None:
    importlib.import_module("docgemma.imaging.dicom")  # here once, not in every fork
    from docgemma.imaging import worker

    found = []
    while line := sys.stdin.buffer.readline():
        name, size, job, order = json.loads(line)
        stdin = os.memfd_create("case")
        os.write(stdin, json.dumps(order).encode() + b"\n")
        while size:
            size -= os.write(stdin, sys.stdin.buffer.read(min(size, 1 << 16)))
        os.lseek(stdin, 0, os.SEEK_SET)
        reading, writing = os.pipe()
        if (child := os.fork()) == 0:
            os.dup2(stdin, 0)
            os.dup2(writing, 1)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            sys.stdin, sys.stdout = os.fdopen(0), os.fdopen(1, "w")
            sys.argv = ["worker", str(MEMORY_MB), str(CPU_S), job]
            _end(worker.main)
        os.close(writing)
        os.close(stdin)
        found.append([name, *_watched(child, reading)])
    json.dump(found, sys.stdout)


def _end(run: object) -> None:
    """As the interpreter would end: whatever is raised is exit code 1, and nothing of this process goes on."""
    try:
        run()  # type: ignore[operator]
        sys.stdout.flush()
        code = 0
    except SystemExit as ended:
        code = int(ended.code or 0)
    except BaseException:  # noqa: BLE001 - the fork must end here, whatever it is
        code = 1
    os._exit(code)


def _watched(child: int, reading: int) -> tuple[int, float, float, str]:
    said = bytearray()
    while part := os.read(reading, 1 << 20):
        if len(said) < 2000:
            said += part[:2000]
    os.close(reading)
    _, status, used = os.wait4(child, 0)
    code = os.waitstatus_to_exitcode(status)
    peak = used.ru_maxrss / 1024
    told = bytes(said[:2000]).partition(b"\n")[0].decode("utf-8", "replace")
    return code, peak, used.ru_utime + used.ru_stime, told


if __name__ == "__main__":
    main()
