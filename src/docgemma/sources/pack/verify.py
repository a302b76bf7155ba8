"""Whether a pack is still what was built, and what packs there are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from docgemma.errors import Unavailable, UnknownId
from docgemma.sources.pack import database
from docgemma.sources.pack.build import BUILDING
from docgemma.sources.pack.manifest import DATABASE, Manifest, Place, places, read
from docgemma.sources.pack.parts import sha256_of
from docgemma.sources.pack.reader import proved
from docgemma.store.snapshot import reading

Heard = Callable[[str, int, int], None]
"""Hears the pack's name, how many of its rows are checked, and how many it has."""

_MEND = "Build it again with `docgemma pack build`, or delete its folder."


@dataclass(frozen=True, slots=True)
class Listed:
    """One pack as it presents itself. Nothing but its description was read; `problem` says what is wrong with that."""

    name: str
    data_date: str
    age_days: int | None
    labels: int = 0
    drugs: int = 0
    bytes: int = 0
    in_use: bool = False
    demonstration: bool = False
    missing_parts: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    name: str
    ok: bool
    labels: int = 0
    problem: str = ""


def listed(folder: Path, today: date) -> list[Listed]:
    """Newest first. The first one is the one that answers."""
    return [_listed(place, today, in_use=number == 0) for number, place in enumerate(places(folder))]


def verify(folder: Path, names: tuple[str, ...], heard: Heard = lambda *_: None) -> list[Verdict]:
    """Recompute everything: these packs, or all that are there."""
    there = {place.name: place for place in places(folder)}
    for name in names:
        if name not in there:
            raise UnknownId("There is no pack of that name. `docgemma pack list` shows those that are there.")
    return [_verdict(there[name], heard) for name in dict.fromkeys(names or there)]


def interrupted(folder: Path) -> int:
    """The bytes of a build that was not finished; none when there is none."""
    try:
        return sum(path.stat().st_size for path in (folder / BUILDING).rglob("*") if path.is_file())
    except OSError:  # it may just be ending
        return 0


def age_days(data_date: str, today: date) -> int | None:
    """None for a date that is none, or lies ahead: such an age would reassure."""
    try:
        age = (today - date.fromisoformat(data_date)).days
    except ValueError:
        return None
    return age if age >= 0 else None


def _listed(place: Place, today: date, *, in_use: bool) -> Listed:
    age = age_days(place.date, today)
    try:
        manifest = read(place)
        size = (place.folder / DATABASE).stat().st_size
    except Unavailable as error:
        return Listed(place.name, place.date, age, in_use=in_use, problem=str(error))
    except OSError:
        return Listed(place.name, place.date, age, in_use=in_use, problem=f"Its database is missing. {_MEND}")
    problem = "" if size == manifest.database_size else f"Its database does not have the size it should have. {_MEND}"
    counts = manifest.counts
    return Listed(
        place.name,
        place.date,
        age,
        labels=counts.kept,
        drugs=counts.drugs,
        bytes=size,
        in_use=in_use,
        missing_parts=manifest.missing_parts,
        problem=problem,
    )


def _verdict(place: Place, heard: Heard) -> Verdict:
    try:
        manifest = read(place)
        problem = _problem(place, manifest, heard)
    except Unavailable as error:
        return Verdict(place.name, ok=False, problem=str(error))
    except OSError as error:
        return Verdict(place.name, ok=False, problem=f"Its database cannot be read: {error.strerror}. {_MEND}")
    return Verdict(place.name, ok=not problem, labels=manifest.counts.kept, problem=problem)


def _problem(place: Place, manifest: Manifest, heard: Heard) -> str:
    file = place.folder / DATABASE
    if file.stat().st_size != manifest.database_size or sha256_of(file) != manifest.database_sha256:
        return f"Its database is not the one that was built: it is damaged or was changed. {_MEND}"
    with reading(file, f"database of the pack {place.name}") as handle:
        proved(place, handle)
        said = database.about(handle)
        total = int(said.get("labels", 0)) + int(said.get("terms", 0))
        verdict = handle.row("PRAGMA integrity_check(1)")
        if verdict != ("ok",):
            return f"Its database is not sound. {_MEND}"
        database.check(handle, lambda rows: heard(place.name, rows, total))
    return ""
