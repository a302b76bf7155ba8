"""Who is working on a session, and whether that process still lives.

A lease is free when its time is over, or at once when its holder was a process of this machine that has died: after
a crash nobody should have to wait. Of a process elsewhere nothing is known, so its lease has to run out.
"""

from __future__ import annotations

import os
import secrets
import socket
import sys
import uuid
from functools import cache
from pathlib import Path

from docgemma.store.database import Row

_SEPARATOR = "|"


def make_holder() -> str:
    """A name for one worker of this process. A fresh one for each turn also tells two turns of a process apart."""
    pid = os.getpid()
    return _SEPARATOR.join((_place(), str(pid), _started(pid), secrets.token_hex(6)))


def holder_is_dead(holder: str) -> bool:
    """True only when it is certain; an unknown holder counts as alive."""
    parts = holder.split(_SEPARATOR)
    if len(parts) != 4 or parts[0] != _place() or not parts[1].isdecimal() or sys.platform == "win32":
        return False  # on Windows os.kill(pid, 0) would interrupt the process instead of asking for it
    pid, started = int(parts[1]), parts[2]
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return True
    except PermissionError:
        return False  # it belongs to another user, so it is there
    current = _started(pid)
    return bool(started and current) and current != started


def holder_is_elsewhere(holder: str) -> bool:
    """Whether it is a process that nothing can be known of from here: on another machine, or before the last boot."""
    return holder.split(_SEPARATOR)[0] != _place()


def lease_is_free(session: Row, now: str) -> bool:
    """Whether the next turn may take the lease that this row tells of."""
    holder: str = session["lease_holder"]
    return not holder or bool(session["lease_until"] <= now) or holder_is_dead(holder)


@cache
def _place() -> str:
    """Where a process id means the same process: the host, since its last boot, in one process namespace.

    Host names alone repeat among containers, and a wrong "it is dead" would let two turns run at once.
    """
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        namespace = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        boot, namespace = f"{uuid.getnode():x}", ""
    return "/".join((socket.gethostname(), boot, namespace)).replace(_SEPARATOR, "_")


def _started(pid: int) -> str:
    """When the process started, as the kernel counts; empty where that is not told.

    It tells a process from a later one with the same id. A zombie is dead already, though its parent has not looked.
    """
    try:
        status = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return ""
    fields = status.rpartition(b")")[2].decode("ascii").split()
    state, started = fields[0], fields[19]
    return "zombie" if state in "ZX" else started
