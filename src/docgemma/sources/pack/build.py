"""Building a pack out of bulk files: resumable, in bounded memory, published as a whole or not at all."""

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
from docgemma.errors import BadInput, Unavailable
from docgemma.seal import CONTENT, DESCRIBED
from docgemma.sources.pack.intake import Heard, Progress, Reached, Recipe, Start, Step, Written, look_into, read_all
from docgemma.sources.pack.manifest import (
    CALLED,
    DATABASES,
    FILE,
    FORMATS,
    INDEX,
    Counts,
    Kind,
    Manifest,
    PartFact,
    Place,
    places,
    read,
    written,
)
from docgemma.sources.pack.parts import Part, missing, parts
from docgemma.store.snapshot import Damaged, Handle, resumable


@dataclass(frozen=True, slots=True)
class Built:
    """A published pack, and how it came about: `there_before` says that nothing was to do."""

    place: Place
    manifest: Manifest
    start: Start | Literal["there_before"]
    replaces: tuple[str, ...] = ()


def building(kind: Kind) -> str:
    """The folder of a build that is going on, beside the packs."""
    return f".building-{kind}"


def build(recipe: Recipe, paths: Sequence[Path], folder: Path, heard: Heard = lambda _: None) -> Built:
    """Read the files and publish the pack in this folder. Killed at any moment, the same call carries on."""
    recipe.check()
    given = parts(paths, recipe.kind)
    look_into(given, recipe)
    plan = _plan(given, recipe)
    work = folder / building(recipe.kind)
    with _disk():
        work.mkdir(parents=True, exist_ok=True)
    with _mendable(work), resumable(work / "staging.sqlite", "pack that is being built") as handle:
        progress, marks = Progress(handle, recipe.tables), [part.mark for part in given]
        built = _published(folder, recipe.kind, plan)
        if built is None:
            start = progress.begin(_options(recipe), marks)
            reached = read_all(given, recipe, handle, progress, heard)
            manifest = _write(work, recipe, handle, given, reached, plan, heard)
            built = _publish(folder, work, manifest, start)
        another = progress.holds(_options(recipe), marks) is False
    if not another:
        shutil.rmtree(work, ignore_errors=True)
    return built


def _options(recipe: Recipe) -> str:
    return f"{recipe.kind} {FORMATS[recipe.kind]} {__version__} {recipe.options}"


def _plan(given: Sequence[Part], recipe: Recipe) -> str:
    """The same for the same files and options."""
    return DESCRIBED.of(_options(recipe).encode(), *(f"{part.name}\n{part.mark}".encode() for part in given))


def _published(folder: Path, kind: Kind, plan: str) -> Built | None:
    """The pack that these very files and options made before, if it is whole."""
    for place in places(folder, kind):
        try:
            manifest = read(place)
            if manifest.plan == plan and is_whole(place, manifest):
                return Built(place, manifest, "there_before")
        except (Unavailable, OSError):
            continue
    return None


def is_whole(place: Place, manifest: Manifest) -> bool:
    """Whether its databases are those that were built. Reads all of them; OSError for one that cannot be read."""
    return all(
        (place.folder / name).stat().st_size == size and CONTENT.fits(sha256, place.folder / name)
        for name, size, sha256 in manifest.databases
    )


def _write(
    work: Path,
    recipe: Recipe,
    handle: Handle,
    given: Sequence[Part],
    reached: Sequence[Reached],
    plan: str,
    heard: Heard,
) -> Manifest:
    pack = work / "pack"
    total = sum(part.size for part in given)
    data_date = max(one.updated for one in reached)
    shutil.rmtree(pack, ignore_errors=True)
    with _disk():
        pack.mkdir()
    wrote = recipe.write(pack, handle, data_date, lambda records: heard(Step(total, total, records, writing=True)))
    if not wrote.kept:
        called = CALLED[recipe.kind]
        raise BadInput(f"These files hold no {called.one} that can be kept. Give {called.files}.")
    database, index = pack / DATABASES[recipe.kind], pack / INDEX
    manifest = Manifest(
        kind=recipe.kind,
        format=FORMATS[recipe.kind],
        data_date=data_date,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        docgemma=__version__,
        keep=recipe.keep,
        plan=plan,
        parts=tuple(
            PartFact(name=part.name, size=part.size, sha256=one.sha256, records=one.records)
            for part, one in zip(given, reached, strict=True)
        ),
        missing_parts=tuple(missing([part.name for part in given])),
        counts=_counts(reached, wrote),
        database_size=database.stat().st_size,
        database_sha256=CONTENT.of(database),
        index_size=index.stat().st_size if index.exists() else 0,
        index_sha256=CONTENT.of(index) if index.exists() else "",
    )
    with _disk():
        (pack / FILE).write_bytes(written(manifest))
        for path in (*sorted(pack.iterdir()), pack):
            _settle(path)
    return manifest


def _counts(reached: Sequence[Reached], wrote: Written) -> Counts:
    skipped = sum((one.skipped for one in reached), Counter[str]())
    records, replaced = sum(one.records for one in reached), sum(one.replaced for one in reached)
    dropped = records - skipped.total() - replaced - wrote.kept
    return Counts(
        records=records, kept=wrote.kept, drugs=wrote.drugs, replaced=replaced, dropped=dropped, skipped=dict(skipped)
    )


def _publish(folder: Path, work: Path, manifest: Manifest, start: Start) -> Built:
    """Rename the finished folder. An older pack of the same date goes only after the new one is in place."""
    older = [place for place in places(folder, manifest.kind) if place.date == manifest.data_date]
    copy = older[0].copy + 1 if older else 1
    name = f"{manifest.kind}-{manifest.data_date}" + (f".{copy}" if copy > 1 else "")
    with _disk():
        (work / "pack").rename(folder / name)
        _settle(folder)
    for place in older:
        shutil.rmtree(place.folder, ignore_errors=True)
    place = Place(folder / name, manifest.kind, manifest.data_date, copy)
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
def _mendable(work: Path) -> Iterator[None]:
    try:
        yield
    except Damaged as error:
        raise Unavailable(
            f"{error} Delete the folder {work.name} where packs are kept, and run the same command again."
        ) from error
