"""Where `docgemma ehr export` writes: standard output, one file, or a file for each kind. Never over what is there."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from docgemma.errors import BadInput, Unavailable

if TYPE_CHECKING:
    from docgemma.ehr.transfer.exporting import Write

_FILE = (".ndjson", ".jsonl")


@contextmanager
def opened(out: Path | None) -> Iterator[Write]:
    """A place for lines. What was begun is taken away again when the export fails: half an export is no export."""
    if out is None:
        yield _to(sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    files = _Files(out)
    try:
        files.begin()
        yield files.write
        files.close()
    except OSError as error:
        files.discard()
        raise Unavailable(f"The export cannot be written: {error.strerror}. Nothing of it was kept.") from error
    except BaseException:
        files.discard()
        raise


def _to(stream: BinaryIO) -> Write:
    def write(_: str, line: str) -> None:
        stream.write(line.encode() + b"\n")

    return write


class _Files:
    """New files, readable by their owner alone: they hold charts."""

    def __init__(self, out: Path) -> None:
        self._out = out
        self._one = out.suffix.lower() in _FILE
        self._open: dict[str, BinaryIO] = {}
        self._made: list[Path] = []

    def begin(self) -> None:
        """Before anything is read: an export that cannot be written need not be made."""
        if self._out.exists() and (self._one or not self._out.is_dir() or any(self._out.iterdir())):
            raise BadInput("--out is there already. Give a new file name, or an empty or new folder.")
        if self._one:
            self._stream("")
        else:
            self._out.mkdir(mode=0o700, parents=True, exist_ok=True)

    def write(self, kind: str, line: str) -> None:
        self._stream("" if self._one else kind).write(line.encode() + b"\n")

    def close(self) -> None:
        for stream in self._open.values():
            stream.close()

    def discard(self) -> None:
        """The files alone: an empty folder does no harm."""
        for path in self._made:
            path.unlink(missing_ok=True)

    def _stream(self, kind: str) -> BinaryIO:
        if kind not in self._open:
            path = self._out / f"{kind}.ndjson" if kind else self._out
            handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            self._made.append(path)
            self._open[kind] = os.fdopen(handle, "wb")
        return self._open[kind]
