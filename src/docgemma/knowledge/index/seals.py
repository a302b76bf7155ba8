"""Whether the files of a version are the ones that were written.

The engine maps its files into memory and believes them: a shortened file ends the process, a changed offset may. So
they are checked before it sees them. Vectors are the exception: they are most of the bytes, a changed one moves a
single score and nothing else, and checking them would cost more than opening the index does; of them only the size is
looked at.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from docgemma.seal import CONTENT

_BLOCK = 64 * 1024
_ZEROS = bytes(_BLOCK)
_VECTORS = "vector_storage-meaning"


class Seal(NamedTuple):
    """`digest` is empty for a file of which only the size is checked."""

    size: int
    digest: str


def sealed(folder: Path) -> dict[str, Seal]:
    """A seal for every file. The engine has flushed them; what a power cut loses all the same, the seal shows."""
    seals: dict[str, Seal] = {}
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        name = path.relative_to(folder).as_posix()
        seals[name] = Seal(path.stat().st_size, "" if _is_vectors(name) else CONTENT.of(_blocks(path)))
    return seals


def broken(folder: Path, seals: Mapping[str, Seal]) -> bool:
    """Sizes first: they cost least. Files that are not sealed are the engine's own and do not matter."""
    try:
        if any((folder / name).stat().st_size != seal.size for name, seal in seals.items()):
            return True
        return any(
            seal.digest and not CONTENT.fits(seal.digest, _blocks(folder / name)) for name, seal in seals.items()
        )
    except FileNotFoundError:
        return True


def _is_vectors(name: str) -> bool:
    """The numbers themselves; which of them are deleted lies in small files beside them."""
    return _VECTORS in name and name.endswith(("matrix.dat", ".mmap"))


def _blocks(path: Path) -> Iterator[bytes]:
    """All that are not empty, each after its place: the engine's files are mostly holes, which need not be read."""
    with path.open("rb", buffering=0) as file:
        handle = file.fileno()
        for start in _starts(handle, os.fstat(handle).st_size):
            block = os.pread(handle, _BLOCK, start) if hasattr(os, "pread") else _read(handle, start)
            if block != _ZEROS[: len(block)]:
                yield start.to_bytes(8, "big") + block


def _read(handle: int, start: int) -> bytes:
    os.lseek(handle, start, os.SEEK_SET)
    return os.read(handle, _BLOCK)


def _starts(handle: int, size: int) -> Iterator[int]:
    """Where blocks with data begin; where the system cannot tell, where any block begins."""
    start = 0
    while start < size:
        if hasattr(os, "SEEK_DATA"):
            try:
                start = max(start, os.lseek(handle, start, os.SEEK_DATA) // _BLOCK * _BLOCK)
            except OSError as error:
                if error.errno == errno.ENXIO:  # nothing but a hole from here on
                    return
        yield start
        start += _BLOCK
