"""Where a run writes. The file is a function of the input and the store: what stands in it is compared, not trusted.

A run writes its lines from the beginning every time. While they are what the file has, it only reads along; at the
first byte that differs (a line torn by a kill, an error that was mended, a decision of an expert) it cuts the file and
writes on. So however a run ended, the next one ends with the same bytes as a run that nothing happened to.

Beside OUT lies `.OUT.run`: the lock against a second run, and the mark that OUT is ours, from what and made how.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Protocol

from docgemma.errors import BadInput, Unavailable
from docgemma.grounding.reading.sources import mark_of
from docgemma.store.snapshot import Handle, resumable

_SYNC_S = 1.0
_FRESH, _BYTES = "fresh", "bytes"


class Output(Protocol):
    @property
    def fresh(self) -> str:
        """The name of the last start anew, empty when there was none: results from before it do not count."""
        ...

    def write(self, data: bytes) -> None: ...


class StreamOutput:
    """Standard output or a pipe: nothing stands there from before."""

    def __init__(self, out: BinaryIO, *, fresh: bool = False) -> None:
        self._out = out
        self.fresh = secrets.token_hex(8) if fresh else ""

    def write(self, data: bytes) -> None:
        with _explained():
            self._out.write(data)
            self._out.flush()


class FileOutput:
    """A file, read along while it agrees and written on from there."""

    def __init__(self, file: BinaryIO, fresh: str) -> None:
        self._file = file
        self.fresh = fresh
        self._agrees = True
        self._synced = time.monotonic()

    def write(self, data: bytes) -> None:
        with _explained():
            if self._agrees:
                place = self._file.tell()
                if self._file.read(len(data)) == data:
                    return
                self._cut(place)
            self._file.write(data)
            self._file.flush()
            if time.monotonic() - self._synced > _SYNC_S:
                self._sync()

    def finish(self) -> int:
        """The last line was written; whatever stands behind it is not ours to keep. The file's length."""
        with _explained():
            if self._agrees:
                self._cut(self._file.tell())
            self._sync()
            return self._file.tell()

    def _cut(self, place: int) -> None:
        self._agrees = False
        self._file.seek(place)
        self._file.truncate()

    def _sync(self) -> None:
        os.fsync(self._file.fileno())
        self._synced = time.monotonic()


@contextmanager
def open_output(path: Path, marks: Mapping[str, str], *, fresh: bool, force: bool) -> Iterator[FileOutput]:
    """OUT for this run alone. `marks` say what it is made of, and how; another making needs `force`.

    Conflict while another run has it. It counts as finished when the block ends without an error.
    """
    place = Path(os.path.realpath(path))
    if not place.parent.is_dir():
        raise BadInput(f"The folder for {path.name} does not exist. Make it, or give another --out.")
    new = not place.exists()
    exists = not new and place.stat().st_size > 0
    marked = mark_of(place)
    if exists and not marked.exists() and not force:
        raise _not_ours(path)
    with resumable(marked, f"output {path.name}") as handle:
        before = _read(handle)
        if exists and not force:
            _refuse(path, place, before, marks)
        kept = exists and not (force or fresh)
        token = secrets.token_hex(8) if fresh else before.get(_FRESH, "") if kept else ""
        _write(handle, {**marks, _FRESH: token})
        with _opened(place, empty=not kept) as file, _left(place, new=new):
            output = FileOutput(file, token)
            yield output
            _write(handle, {**marks, _FRESH: token, _BYTES: str(output.finish())})


def _refuse(path: Path, place: Path, before: Mapping[str, str], marks: Mapping[str, str]) -> None:
    """Nothing that somebody may miss is written over because of a command that was meant for something else."""
    if not before:
        raise _not_ours(path)
    other = [name for name, value in marks.items() if before.get(name) != value]
    if other:
        raise BadInput(
            f"{path.name} was made with another {' and '.join(other)}. Give --force to write it anew, or another --out."
        )
    if before.get(_BYTES) not in (None, str(place.stat().st_size)):
        raise BadInput(
            f"{path.name} was changed after it was finished. Give --force to write it anew, or another --out."
        )


def _not_ours(path: Path) -> BadInput:
    return BadInput(
        f"{path.name} exists and was not written by `docgemma ground`. Give another --out, or --force to overwrite it."
    )


def _read(handle: Handle) -> dict[str, str]:
    handle.execute("CREATE TABLE IF NOT EXISTS run (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
    return {str(name): str(value) for name, value in handle.each("SELECT name, value FROM run")}


def _write(handle: Handle, marks: Mapping[str, str]) -> None:
    handle.begin()
    handle.execute("DELETE FROM run")
    handle.many("INSERT INTO run (name, value) VALUES (?, ?)", list(marks.items()))
    handle.commit()


@contextmanager
def _opened(place: Path, *, empty: bool) -> Iterator[BinaryIO]:
    try:
        flags = os.O_RDWR | os.O_CREAT | (os.O_TRUNC if empty else 0)
        file = os.fdopen(os.open(place, flags, 0o644), "r+b")
    except OSError as error:
        raise BadInput(f"{place.name} cannot be written: {error.strerror}.") from None
    with closed_in_the_end(file):
        yield file


@contextmanager
def closed_in_the_end(file: BinaryIO) -> Iterator[BinaryIO]:
    """What could not be written is tried once more by closing: that must not hide the error that said so."""
    try:
        yield file
    except BaseException:
        with suppress(OSError):
            file.close()
        raise
    with _explained():
        file.close()


@contextmanager
def _left(place: Path, *, new: bool) -> Iterator[None]:
    """A run that ended before its first line leaves no empty file, which would read as "nothing was found"."""
    try:
        yield
    except BaseException:
        if new and place.stat().st_size == 0:
            place.unlink()
        raise


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise  # the reader has left, which is no fault
    except OSError as error:
        raise Unavailable(
            f"The output cannot be written: {error.strerror}. Mend that and run the same command again."
        ) from None
