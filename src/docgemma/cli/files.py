"""Files that commands write: exports that are whole or not there, and a batch that goes on after it was killed.

A batch writes one flushed line at a time. Beside OUT lies `.OUT.keys`, one line for each line of OUT: the key of the
input line it answers, `-` when that line should be tried again. Only lines that stand in both files count, so a kill
at any moment costs one line at most. When the input changed in the middle, what follows is set aside in `.OUT.kept`
and taken from there by key.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from docgemma.errors import BadInput, Unavailable

TRY_AGAIN = "-"


class Output:
    """Takes results in the order of the input. This one is a stream: nothing to resume."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out

    def has(self, key: str) -> bool:
        """Whether the next line is there already, from an earlier run."""
        return False

    def kept(self, key: str) -> bytes | None:
        """A result of an earlier run that only has to be put in its place."""
        return None

    def write(self, key: str, line: bytes) -> None:
        self._out.write(line + b"\n")
        self._out.flush()


class FileOutput(Output):
    """A file that can be resumed. Both files are read along with the input while they agree, then written on."""

    def __init__(self, out: BinaryIO, keys: BinaryIO, kept: BinaryIO) -> None:
        super().__init__(out)
        self._keys, self._kept = keys, kept
        self._agree = True
        self._index: dict[str, int] = {}

    def has(self, key: str) -> bool:
        if not self._agree:
            return False
        before = self._out.tell(), self._keys.tell()
        line, found = self._out.readline(), self._keys.readline()
        if line.endswith(b"\n") and found == f"{key}\n".encode():
            return True
        self._out.seek(before[0])
        self._keys.seek(before[1])
        self.settle()
        return False

    def settle(self) -> None:
        """From here on the files are written. What stood here is set aside first, then cut off."""
        if not self._agree:
            return
        self._agree = False
        place, key_place = self._out.tell(), self._keys.tell()
        self._kept.seek(0, os.SEEK_END)
        while (found := self._keys.readline()).endswith(b"\n") and (line := self._out.readline()).endswith(b"\n"):
            if found[:1] not in (b"!", TRY_AGAIN.encode()):
                self._kept.write(found.strip() + b"\t" + line)
        self._kept.flush()
        os.fsync(self._kept.fileno())
        for file, start in ((self._keys, key_place), (self._out, place)):
            file.seek(start)
            file.truncate()
        self._read_index()

    def _read_index(self) -> None:
        self._kept.seek(0)
        while True:
            start = self._kept.tell()
            line = self._kept.readline()
            if not line.endswith(b"\n"):
                return
            self._index[line.partition(b"\t")[0].decode()] = start

    def kept(self, key: str) -> bytes | None:
        start = self._index.get(key)
        if start is None:
            return None
        self._kept.seek(start)
        return self._kept.readline().partition(b"\t")[2].rstrip(b"\n")

    def write(self, key: str, line: bytes) -> None:
        try:
            for file, text in ((self._out, line), (self._keys, key.encode())):
                file.write(text + b"\n")
                file.flush()
        except OSError as error:
            raise Unavailable(f"The output cannot be written: {error.strerror}. Run it again with --resume.") from None


def refuse_own_input(out: str, source: str) -> None:
    if "-" not in (out, source) and Path(out).exists() and Path(out).samefile(source):
        raise BadInput("--out is the input file itself; give another one.")


@contextmanager
def open_output(path: Path, *, resume: bool, overwrite: bool) -> Iterator[FileOutput]:
    """OUT for a new run or a resumed one. An existing file is never written over unless that was said."""
    keys, kept = path.with_name(f".{path.name}.keys"), path.with_name(f".{path.name}.kept")
    filled = path.exists() and path.stat().st_size > 0
    if filled and not (resume or overwrite):
        raise BadInput(f"{path.name} exists. Give --resume to go on with it, or --overwrite to start anew.")
    if filled and resume and not keys.exists():
        raise BadInput(f"{path.name} cannot be resumed: {keys.name} is missing. Give --overwrite to start anew.")
    if not (filled and resume):
        keys.unlink(missing_ok=True)
        kept.unlink(missing_ok=True)
    with ExitStack() as files:
        try:
            out = files.enter_context(_private(path, fresh=not resume))
            key_file, kept_file = files.enter_context(_private(keys)), files.enter_context(_private(kept))
        except OSError as error:
            raise BadInput(f"{path.name} cannot be written: {error.strerror}.") from None
        output = FileOutput(out, key_file, kept_file)
        yield output
        output.settle()
    kept.unlink(missing_ok=True)


def _private(path: Path, *, fresh: bool = False) -> BinaryIO:
    """Records hold what was asked about patients: for the user's eyes only."""
    flags = os.O_RDWR | os.O_CREAT | (os.O_TRUNC if fresh else 0)
    return os.fdopen(os.open(path, flags, 0o600), "r+b")


@contextmanager
def open_export(out: Path | None) -> Iterator[BinaryIO]:
    """A place to write to: standard output, or a file that is put in its place when it is whole."""
    if out is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    place = Path(os.path.realpath(out))
    if place.exists() and not place.is_file():
        raise BadInput("--out is no file. Give the name of a file, or leave it away for standard output.")
    with written_whole(new=False) as stream:
        yield stream(place)


@contextmanager
def written_whole(*, new: bool) -> Iterator[Callable[[Path], BinaryIO]]:
    """Opens files to write to, of which none is kept unless all are whole.

    A new file is for its owner alone and never over one that is there; else it is put in its place at the end.
    """
    files: dict[Path, tuple[Path, BinaryIO]] = {}

    def stream(place: Path) -> BinaryIO:
        if place not in files:
            made = place if new else place.with_name(f".{place.name}.{os.getpid()}.part")
            handle = os.open(made, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600 if new else 0o666)
            files[place] = made, os.fdopen(handle, "wb")
        return files[place][1]

    try:
        yield stream
        for _, file in files.values():
            file.flush()
            os.fsync(file.fileno())
        for place, (made, file) in files.items():
            file.close()
            made.replace(place)
        files.clear()
    except OSError as error:
        raise Unavailable(f"The export cannot be written: {error.strerror}. Nothing of it was kept.") from error
    finally:
        for made, file in files.values():
            with suppress(OSError):
                file.close()
            with suppress(OSError):
                made.unlink(missing_ok=True)
