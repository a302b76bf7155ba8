"""Building a pack out of openFDA's bulk files: resumable, in bounded memory, published as a whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from docgemma import __version__
from docgemma.errors import Unavailable
from docgemma.sources.pack import database
from docgemma.sources.pack.intake import Heard, Step, look_into, read_all
from docgemma.sources.pack.manifest import (
    DATABASE,
    FILE,
    KIND,
    Counts,
    Manifest,
    PartFact,
    Place,
    places,
    read,
    written,
)
from docgemma.sources.pack.parts import Part, missing, parts, sha256_of
from docgemma.sources.pack.seal import seal
from docgemma.sources.pack.staging import Reached, Staging, Start
from docgemma.store.snapshot import Damaged, Handle, resumable

BUILDING = f".building-{KIND}"
KEEP = 10


@dataclass(frozen=True, slots=True)
class Built:
    """A published pack, and how it came about: `there_before` says that nothing was to do."""

    place: Place
    manifest: Manifest
    start: Start | Literal["there_before"]
    replaces: tuple[str, ...] = ()


def build(paths: Sequence[Path], folder: Path, *, keep: int = KEEP, heard: Heard = lambda _: None) -> Built:
    """Read the files and publish the pack in this folder. Killed at any moment, the same call carries on."""
    given = parts(paths)
    look_into(given)
    plan = _plan(given, keep)
    work = folder / BUILDING
    with _disk():
        work.mkdir(parents=True, exist_ok=True)
    with _mendable(), resumable(work / "staging.sqlite", "pack that is being built") as handle:
        staging, marks = Staging(handle, keep), [part.mark for part in given]
        built = _published(folder, plan)
        if built is None:
            start = staging.begin(_options(keep), marks)
            reached = read_all(given, staging, heard)
            manifest = _write(work, handle, given, reached, keep, plan, heard)
            built = _publish(folder, work, manifest, start)
        another = staging.holds(_options(keep), marks) is False
    if not another:
        shutil.rmtree(work, ignore_errors=True)
    return built


def _options(keep: int) -> str:
    return f"{KIND} {database.FORMAT} {__version__} {keep}"


def _plan(given: Sequence[Part], keep: int) -> str:
    """The same for the same files and options."""
    return seal(_options(keep).encode(), *(f"{part.name}\n{part.mark}".encode() for part in given)).hex()


def _published(folder: Path, plan: str) -> Built | None:
    """The pack that these very files and options made before, if it is whole."""
    for place in places(folder):
        try:
            manifest = read(place)
            if manifest.plan == plan and sha256_of(place.folder / DATABASE) == manifest.database_sha256:
                return Built(place, manifest, "there_before")
        except (Unavailable, OSError):
            continue
    return None


def _write(
    work: Path, handle: Handle, given: Sequence[Part], reached: Sequence[Reached], keep: int, plan: str, heard: Heard
) -> Manifest:
    total = sum(part.size for part in given)
    data_date = max(one.updated for one in reached)
    shutil.rmtree(work / "pack", ignore_errors=True)
    with _disk():
        (work / "pack").mkdir()
    file = work / "pack" / DATABASE
    about = database.write(
        file, handle, data_date, keep, lambda labels: heard(Step(total, total, labels, writing=True))
    )
    skipped = sum((one.skipped for one in reached), Counter[str]())
    records, replaced = sum(one.records for one in reached), sum(one.replaced for one in reached)
    dropped = records - skipped.total() - replaced - about["labels"]
    manifest = Manifest(
        data_date=data_date,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        docgemma=__version__,
        keep=keep,
        plan=plan,
        parts=tuple(
            PartFact(name=part.name, size=part.size, sha256=one.sha256, records=one.records)
            for part, one in zip(given, reached, strict=True)
        ),
        missing_parts=tuple(missing([part.name for part in given])),
        counts=Counts(
            records=records,
            kept=about["labels"],
            drugs=about["drugs"],
            replaced=replaced,
            dropped=dropped,
            skipped=dict(skipped),
        ),
        database_size=file.stat().st_size,
        database_sha256=sha256_of(file),
    )
    with _disk():
        (work / "pack" / FILE).write_bytes(written(manifest))
        for path in (file, work / "pack" / FILE, work / "pack"):
            _settle(path)
    return manifest


def _publish(folder: Path, work: Path, manifest: Manifest, start: Start) -> Built:
    """Rename the finished folder. An older pack of the same date goes only after the new one is in place."""
    older = [place for place in places(folder) if place.date == manifest.data_date]
    copy = older[0].copy + 1 if older else 1
    name = f"{KIND}-{manifest.data_date}" + (f".{copy}" if copy > 1 else "")
    with _disk():
        (work / "pack").rename(folder / name)
        _settle(folder)
    for place in older:
        shutil.rmtree(place.folder, ignore_errors=True)
    place = Place(folder / name, manifest.data_date, copy)
    return Built(place, manifest, start, replaces=tuple(one.name for one in older))


def _settle(path: Path) -> None:
    """Wait until it is on the disk, so that a power cut after the renaming finds a whole pack."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _disk() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Unavailable(
            f"The pack cannot be written: {error.strerror}. Nothing was published; "
            "mend that, or choose another folder with --out, and run the same command again."
        ) from error


@contextmanager
def _mendable() -> Iterator[None]:
    try:
        yield
    except Damaged as error:
        raise Unavailable(
            f"{error} Delete the folder {BUILDING} where packs are kept, and run the same command again."
        ) from error
