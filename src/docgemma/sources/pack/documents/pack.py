"""A built pack of records: opened on the first question; one that cannot be read says so at every question.

SQLite notices little damage, and one flipped byte in an index can hide an article: then "nothing found" would be
wrong. So the whole index is compared with the checksum in the pack's description before the first question, on the
thread that reads it: 0.1 s for 150 MB. It is not trusted because it was sound last week: a disk changes bytes without
changing a date. While the program runs it is compared again only when its size or time of change has changed."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, TypeVar

from docgemma.errors import Unavailable
from docgemma.seal import CONTENT
from docgemma.sources.contract import SourceError
from docgemma.sources.literature.contract import Paper
from docgemma.sources.pack.asking import asked
from docgemma.sources.pack.content import unpacked
from docgemma.sources.pack.manifest import Manifest, Place, read
from docgemma.sources.pack.rows import body_of, damage, described
from docgemma.sources.trials.contract import Study
from docgemma.store.snapshot import Damaged, Handle, Snapshot, needs_full_text

_CHUNK = 1 << 20


class Proof:
    """For one thread. `stop` ends a comparison that nobody waits for any more."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._file: BinaryIO | None = None
        self._manifest: Manifest | None = None
        self._sound: tuple[int, int] | None = None
        self._unsound: tuple[int, int] | None = None
        self._stopped = threading.Event()
        self.said: Mapping[str, Any] = {}
        """What the index says of itself, once it is proved."""

    @property
    def is_done(self) -> bool:
        return self._sound is not None

    def stop(self) -> None:
        self._stopped.set()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        self._file = self._manifest = self._sound = self._unsound = None
        self._stopped.clear()

    def check(self, index: Handle) -> None:
        """Raises Damaged or Unavailable."""
        try:
            if self._file is None:
                self._file = self._place.index.open("rb")
            manifest = self._manifest or read(self._place)
            facts = os.fstat(self._file.fileno())
            seen = (facts.st_size, facts.st_mtime_ns)
            if seen == self._unsound:
                raise self._damaged()
            if seen != self._sound:
                self._compare(self._file, manifest, seen)
                self.said = described(index)
                belongs(manifest, self.said)
        except OSError as error:
            what = f"index of the pack {self._place.name}"
            raise Unavailable(f"The {what} cannot be read: {error.strerror}. Check that it is there.") from error
        self._manifest, self._sound = manifest, seen

    def _compare(self, file: BinaryIO, manifest: Manifest, seen: tuple[int, int]) -> None:
        self._sound = None
        if seen[0] != manifest.index_size or not CONTENT.fits(manifest.index_sha256, self._blocks(file)):
            self._unsound = seen
            raise self._damaged()

    def _blocks(self, file: BinaryIO) -> Iterator[bytes]:
        file.seek(0)
        while data := file.read(_CHUNK):
            if self._stopped.is_set():
                raise Unavailable(f"The {self._place.source} was closed.")
            yield data

    def _damaged(self) -> Damaged:
        return Damaged(f"The index of the pack {self._place.name} is not the one that was built.")


def belongs(manifest: Manifest, said: Mapping[str, Any]) -> None:
    """Whether a database that says this of itself is one of this description."""
    expected = (manifest.kind, manifest.format, manifest.data_date, manifest.counts.kept)
    if (said.get("kind"), said.get("format"), said.get("data_date"), said.get("searched")) != expected:
        raise Damaged("The databases and the description of the pack do not belong together.")


T = TypeVar("T")
R = TypeVar("R", Paper, Study)


class DocumentPack:
    """The index and the records behind it. Nothing is said before the index is proved to be the one that was built."""

    def __init__(self, place: Place) -> None:
        self.name, self.data_date = place.source, place.date
        self._index = Snapshot(place.index, what=f"index of the pack {place.name}")
        self._records = Snapshot(place.database, what=f"database of the pack {place.name}")
        self._proof = Proof(place)
        self._joined = False

    async def find(self, look: Callable[[Handle], T], *, ends_at: float) -> T:
        """What the index says."""
        try:
            async with asked(self.name, ends_at):
                return await self._index.run(lambda handle: self._proved(handle, look))
        except SourceError as error:
            if error.error_type == "timeout" and not self._proof.is_done:
                raise SourceError(
                    "timeout", f"The {self.name} is still being checked. Ask again in a moment."
                ) from None
            raise

    async def read(self, numbers: Sequence[int], into: type[R], *, ends_at: float) -> tuple[R, ...]:
        """These records, in this order."""
        async with asked(self.name, ends_at):
            return await self._records.run(lambda handle: self._read(handle, numbers, into))

    async def close(self) -> None:
        self._proof.stop()
        await self._index.close()
        await self._records.close()
        self._proof.close()
        self._joined = False

    def _proved(self, handle: Handle, look: Callable[[Handle], T]) -> T:
        if not self._proof.is_done:
            needs_full_text()
        self._proof.check(handle)
        return look(handle)

    def _read(self, handle: Handle, numbers: Sequence[int], into: type[R]) -> tuple[R, ...]:
        if not self._joined and described(handle) != self._proof.said:
            raise Damaged("The databases of the pack do not belong together.")
        self._joined = True
        try:
            return tuple(unpacked(body_of(handle, "record", number), into) for number in numbers)
        except ValueError:
            raise damage() from None
