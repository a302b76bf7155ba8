"""Files that are named or lie in a folder: gone through in a fixed order, and opened without waiting for anybody."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from docgemma.errors import BadInput
from docgemma.ingest.problem import no_ordinary_file, shown, unreadable

_OF_THE_SYSTEM = ("/proc", "/sys")
_BUFFER = 1 << 16

Identity = tuple[int, int]


def identity_of(seen: os.stat_result) -> Identity:
    """What tells a file from another one that was put in its place."""
    return seen.st_dev, seen.st_ino


def is_folder(path: Path) -> bool:
    """False also for a name that no file can have."""
    try:
        return path.is_dir()
    except (OSError, ValueError):  # the latter for a name with a NUL
        return False


def of_the_system(path: Path) -> bool:
    """Whether it lies where the system shows itself as files: what stands there is not what somebody wrote."""
    where = os.path.realpath(path)
    return any(where == place or where.startswith(f"{place}/") for place in _OF_THE_SYSTEM)


def open_file(path: Path, name: str, identity: Identity | None = None) -> io.BufferedReader[Any]:
    """An ordinary file, or BadInput. With an `identity`, the very file that was looked at before."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        handle = os.open(path, flags)
    except (OSError, ValueError):
        raise unreadable(name) from None
    seen = os.fstat(handle)
    if identity is not None and (not stat.S_ISREG(seen.st_mode) or identity_of(seen) != identity):
        os.close(handle)
        raise BadInput(f"{name} was replaced while it was read. Nothing of it was taken; run it again.")
    if not stat.S_ISREG(seen.st_mode) or of_the_system(path):
        os.close(handle)
        raise no_ordinary_file(name)
    return io.BufferedReader(io.FileIO(handle), _BUFFER)


def files_in(root: Path, *, folders_last: bool, hidden_folders: bool = False) -> Iterator[tuple[Path, os.stat_result]]:
    """Whatever lies below and is no folder, by name. Links are given out as links and not followed.

    Hidden files are passed over. BadInput for what cannot be looked at: it must not pass for empty. The list of what is
    still to do is its own, so that no folder is too deep for it.
    """
    waiting = [root]
    while waiting:
        path = waiting.pop()
        try:
            seen = path.stat(follow_symlinks=path == root)
            if stat.S_ISDIR(seen.st_mode):
                inside = [(_is_real_folder(each), each.name, each) for each in path.iterdir()]
                kept = [each for each in inside if not each[1].startswith(".") or (hidden_folders and each[0])]
                kept.sort(key=lambda each: (folders_last and each[0], each[1]), reverse=True)
                waiting += [each[2] for each in kept]
                continue
        except OSError:
            raise unreadable(shown(path.name)) from None
        yield path, seen


def _is_real_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


class _Raw(io.RawIOBase):
    """What a function reads, as a stream. Closing it closes nothing else."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def stream_of(read: Callable[[int], bytes]) -> io.BufferedReader[Any]:
    """A stream of what this function gives for a number of bytes; nothing means the end."""
    return io.BufferedReader(_Raw(read), _BUFFER)
