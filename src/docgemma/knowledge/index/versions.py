"""The versions of the embedded index on disk: made beside each other, switched by replacing one small file.

CURRENT                     the name of the folder that is answered from
v-<generation>-<hash>/      one version; the hash is of its manifest, which has a hash of every file
build-…/ gone-…/            being made, being removed; what a killed process left of these the next build removes
building.lock               held while building, and let go by the system when the builder dies
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from docgemma.clinical import Frozen
from docgemma.errors import Conflict, Unavailable
from docgemma.knowledge.index.contract import Version
from docgemma.knowledge.index.layout import damaged
from docgemma.knowledge.index.seals import Seal, broken, sealed
from docgemma.seal import CONTENT
from docgemma.store.snapshot import resumable

SHARD = "shard"
_CURRENT, _MANIFEST, _LOCK = "CURRENT", "manifest.json", "building.lock"
_NAME = re.compile(r"v-[0-9]{1,19}-[0-9a-f]{12}", re.ASCII)
_LONGEST_MANIFEST = 4 * 1024 * 1024
_ROOM_PER_ENTRY, _ROOM = 8 * 1024, 64 * 1024 * 1024


class Manifest(Frozen):
    """What a version is, and what its files must be."""

    format: Literal["docgemma-knowledge-1"] = "docgemma-knowledge-1"
    version: Version
    files: dict[str, Seal]


class Versions:
    """For one thread at a time. Errors of the disk come out as one sentence."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def current(self) -> str | None:
        """The name of the version to answer from. Read anew each time: it costs some microseconds."""
        data = _read(self._folder / _CURRENT, 64)
        if data is None:
            return None
        name = data.decode("ascii", "replace").strip()
        if not _NAME.fullmatch(name):
            raise damaged()
        return name

    def manifest(self, name: str) -> Manifest:
        """What the folder says of itself, if that is what was written."""
        data = _read(self._folder / name / _MANIFEST, _LONGEST_MANIFEST)
        if data is None or not name.endswith(CONTENT.of(data)[:12]):
            raise damaged()
        try:
            return Manifest.model_validate_json(data)
        except ValidationError:
            raise damaged() from None

    def checked(self, name: str) -> tuple[Path, Manifest]:
        """Where the engine finds this version, once its files were seen to be the ones that were written."""
        manifest = self.manifest(name)
        shard = self._folder / name / SHARD
        with _explained():
            if broken(shard, manifest.files):
                raise damaged()
        return shard, manifest

    @contextmanager
    def building(self, version: Version) -> Iterator[Path]:
        """An empty folder to make a version in; nobody else gets one meanwhile. Not published, it is removed."""
        with ExitStack() as held:
            with _explained():
                self._folder.mkdir(parents=True, exist_ok=True)
                if not os.access(self._folder, os.W_OK):
                    raise PermissionError(errno.EACCES, "not writable")
                self._lock(held)
                self._tidy()
                enough_room(shutil.disk_usage(self._folder).free, version)
                site = Path(tempfile.mkdtemp(prefix="build-", dir=self._folder))
                held.callback(shutil.rmtree, site, ignore_errors=True)
            yield site

    def publish(self, site: Path, version: Version) -> None:
        """Seal what was made and switch to it. Older versions go, all but the one that readers may still be using."""
        with _explained():
            before = self._before()
            name = self._sealed(site, version)
            switch = self._folder / f"build-{name}"
            _write(switch, f"{name}\n".encode())
            switch.replace(self._folder / _CURRENT)
            _sync_folder(self._folder)
            for path in self._folder.glob("v-*"):
                if path.name not in (name, before):
                    self._remove(path)

    def _sealed(self, site: Path, version: Version) -> str:
        """Finished, and under its final name."""
        manifest = Manifest(version=version, files=sealed(site / SHARD))
        data = manifest.model_dump_json().encode()
        _write(site / _MANIFEST, data)
        _sync_folder(site)
        name = f"v-{version.generation}-{CONTENT.of(data)[:12]}"
        site.rename(self._folder / name)
        return name

    def _lock(self, held: ExitStack) -> None:
        try:
            held.enter_context(resumable(self._folder / _LOCK, f"lock file {_LOCK} of the knowledge index"))
        except Conflict:
            raise Conflict(
                "The knowledge index is being built by another process. Wait until that has ended."
            ) from None

    def _before(self) -> str | None:
        with suppress(Unavailable):  # a damaged one is what the build is there to replace
            return self.current()
        return None

    def _tidy(self) -> None:
        """Whoever began these is dead: the lock is ours."""
        for path in self._folder.iterdir():
            if path.name.startswith(("build-", "gone-")):
                self._remove(path)

    def _remove(self, path: Path) -> None:
        """Out of the way in one step, so that no reader opens half a version. What is in use elsewhere stays."""
        with suppress(OSError):
            if path.is_dir() and not path.name.startswith("gone-"):
                path = path.rename(path.with_name(f"gone-{path.name}"))
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink()


def enough_room(free: int, version: Version) -> None:
    """The engine writes through memory maps: on a disk that is full the system would end the process, not refuse."""
    need = _ROOM + version.entries * (_ROOM_PER_ENTRY + 12 * version.dimensions)
    if free < need:
        raise Unavailable(
            f"The knowledge index needs about {need // 1_000_000} MB of disk space, there are {free // 1_000_000}. "
            "Free some and run `docgemma kb index` again."
        )


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _told(error) from error


def _told(error: OSError) -> Unavailable:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Unavailable(
            "The disk of the knowledge index is full. Free some space and run `docgemma kb index` again."
        )
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST):
        return Unavailable(
            "The folder of the knowledge index cannot be used. Check that it is a folder, and its rights."
        )
    return Unavailable(
        f"The knowledge index cannot be read or written: {error.strerror or 'the disk reports an error'}."
    )


def _read(path: Path, longest: int) -> bytes | None:
    """The file up to this length; None where there is none."""
    with _explained():
        try:
            with path.open("rb") as file:
                return file.read(longest)
        except FileNotFoundError:
            return None


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(path: Path) -> None:
    if os.name == "nt":  # folders cannot be opened there, and need not be
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
